"""JUNCT and OPT-J: do junctions and dead ends agree.

``junct`` and ``opt_j`` are the metrics. ``clusters`` merges junctions for JUNCT, ``opt_j_errors`` and
``interruptions`` make features of what OPT-J finds.
"""
