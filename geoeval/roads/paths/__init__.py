"""TLTS and APLS: do shortest paths keep their lengths.

``tlts`` and ``apls`` are the metrics. ``pairs`` draws the pairs of places and finds their partners,
``shortest_paths`` finds the paths between them, and ``culprits`` makes features of the roads where they fail.
"""
