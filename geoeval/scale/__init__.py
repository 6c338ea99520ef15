"""Maps larger than memory: stores that can be read by place, and evaluations of them in tiles."""
