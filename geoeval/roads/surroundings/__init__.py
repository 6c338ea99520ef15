"""SUBG and OPT-G: do the surroundings that can be reached from a place agree.

``subg`` and ``opt_g`` are the metrics; they differ in how control points are matched and share the rest:
``comparison`` (from networks to scores and errors), ``starts`` (where they start), ``reach`` (control points around a
start) and ``visits`` (which control points are matched, and stretches of road where they are not).
"""
