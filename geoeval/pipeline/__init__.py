"""The whole job: read two maps, bring them together, evaluate them, and say what to fix first.

``evaluate`` is the one door: the command line, the QGIS plugin and the studies go through it, so that the same two
inputs give the same numbers whatever the way of asking. Data goes one way::

    read -> one CRS -> area -> offset -> evaluate (at once or in tiles) -> plan -> Result
"""
