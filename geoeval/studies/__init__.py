"""Studies: how metrics and error layers respond to known errors, and which of two methods is better."""
