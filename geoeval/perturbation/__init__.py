"""Insert known errors into a map, to see what metrics and error layers make of them."""
