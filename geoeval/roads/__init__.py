"""Road networks: the metrics, and what else an evaluation of roads needs.

One sub-package per family of metrics, one module per metric:

- ``ccq``: CCQ, lengths of road near the other network
- ``paths``: TLTS and APLS, lengths of shortest paths
- ``junctions``: JUNCT and OPT-J, junctions and dead ends
- ``surroundings``: SUBG and OPT-G, what can be reached from a place
- ``opt_p``: OPT-P, whole paths
- ``context``: pixel and distance, simple scores for context

Beside them: ``registry`` (the metrics by name), ``evaluate`` (all metrics on two networks), ``alignment`` (a constant
offset), ``edit_plan`` (what to fix first), ``mending`` and ``apply_plan`` (carrying it out), and tools that metrics
share: ``sampling`` (places on a network), ``splitting`` (segments split at places), ``pieces`` (parts of segments
joined to lines) and ``network_tree`` (segments for the compiled loops).
"""
