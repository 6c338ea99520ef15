"""Rank many algorithms by many scores: partial orders, their linear extensions, Hasse diagrams."""
