"""Evaluation in tiles: what a tile needs, what it gives, and how the parts are put together."""
