"""Many algorithms, many scores: partial orders, their linear extensions, Hasse diagrams, one ranking."""
