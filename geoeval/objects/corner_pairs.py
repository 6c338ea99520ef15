"""Corners of overlapping objects that lie near each other: what ``vertex`` and ``right-angles`` share."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from geoeval._kernels.compiling import kernel
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.object_map import ObjectMap
from geoeval.objects.overlaps import Overlaps


def near_corners(
    reference: ObjectMap, prediction: ObjectMap, overlaps: Overlaps, max_distance: float
) -> tuple[Ints, Ints]:
    """Pairs of corners at most ``max_distance`` metres apart whose objects overlap; O(n m) an overlapping pair.

    Corners of objects that share no ground are of different buildings, however near they are.
    """
    one, two = reference.outlines, prediction.outlines
    # Exactly as far as allowed must not be too far by rounding.
    reach = max_distance * (1 + 1e-9)
    return _near(one.xy, one.start, overlaps.ref, two.xy, two.start, overlaps.pred, reach)


def most_pairs(ref: Ints, pred: Ints, refs: int, preds: int) -> tuple[Ints, Ints]:
    """As many of the pairs as can be without a corner twice. How many there are depends on no order."""
    graph = coo_array((np.ones(len(ref), dtype=bool), (ref, pred)), shape=(refs, preds))
    partner = maximum_bipartite_matching(graph.tocsr(), perm_type="column")
    chosen = np.flatnonzero(partner >= 0)
    return chosen, partner[chosen].astype(np.int64)


def marked(rows: Ints, count: int) -> Bools:
    """Which of ``count`` are among the rows."""
    mark = np.zeros(count, dtype=bool)
    mark[rows] = True
    return mark


@kernel
def _near(
    one: Floats, one_start: Ints, refs: Ints, two: Floats, two_start: Ints, preds: Ints, reach: float
) -> tuple[Ints, Ints]:
    first, second = [0 for _ in range(0)], [0 for _ in range(0)]
    for pair in range(len(refs)):
        for a in range(one_start[refs[pair]], one_start[refs[pair] + 1]):
            for b in range(two_start[preds[pair]], two_start[preds[pair] + 1]):
                if np.hypot(one[a, 0] - two[b, 0], one[a, 1] - two[b, 1]) <= reach:
                    first.append(a)
                    second.append(b)
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
