"""Drawings: DXF, SVG, tables of lines."""
