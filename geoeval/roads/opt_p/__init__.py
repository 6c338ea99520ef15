"""OPT-P: can whole paths of one network be followed in the other one.

``opt_p`` is the metric. ``decomposition`` takes a network apart into paths, ``path_matching`` follows them in the
``target``, the other network as far as it is not used up. ``twins`` finds roads that both networks have in exactly the
same place, and ``path_errors`` makes features of what could not be followed.
"""
