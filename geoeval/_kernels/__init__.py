"""Compiled loops that several packages use. They know arrays and metres, but no networks and no files.

``boxes`` (segments in a tree of boxes), ``capsules`` (the part of a segment near another one), ``distance_along`` (the
distance to a network along lines), ``assignment`` (points paired one to one), ``greedy`` (matching, best pair first),
``search`` (shortest paths), ``heap`` (a binary heap), and ``compiling`` (how all of them are compiled).
"""
