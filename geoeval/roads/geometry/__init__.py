"""Places on a network, parts of its roads as lines, and its segments in a tree."""
