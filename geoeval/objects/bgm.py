"""BGM: the best one-to-one matching by overlap, as a share of all ground that is covered.

Jiang, Marti, Irniger and Bunke (2006), in the form of Özdemir, Aksoy et al. (2010), equation (1): the weight of the
heaviest bipartite matching, divided by the size of the union of all objects of both maps.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from geoeval.model.objects import ObjectMap
from geoeval.model.result import LocalCounts, MetricResult, Score
from geoeval.objects.instances import Instances, object_features
from geoeval.objects.overlaps import Overlaps, overlaps_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Above this many cells a component is solved as a sparse graph.
_DENSE_CELLS = 4_000_000


def bgm(
    reference: ObjectMap, prediction: ObjectMap, *, min_overlap: float = 0.0, overlaps: Overlaps | None = None
) -> MetricResult:
    """Score by the heaviest one-to-one matching.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    min_overlap
        Pairs that share no more than this, in square metres, cannot match.
    overlaps
        As ``overlaps_of`` gives them, if they are known.

    Returns
    -------
    MetricResult
        ``score`` from 0 to 1; ``matched`` pairs, ``missed`` and ``false_alarm`` objects. Both maps empty: score 1; one
        empty: 0. Fragments of an object beyond the first are false alarms.

    Notes
    -----
    O(n log n) for n objects in small components, cubic in the size of a component.
    """
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    instances, shared = match_one_to_one(overlaps.above(min_overlap))
    local = _local(reference, prediction, overlaps, instances, shared)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    features = object_features("bgm", reference, prediction, instances)
    return MetricResult(scores, counts, features, notes, {"instances": instances, "local": local})


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, Score], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    return {
        "score": counts["overlap"] / counts["union"] if counts["union"] else 1.0,
        **{name: int(counts[name]) for name in ("matched", "missed", "false_alarm")},
    }, {}


def match_one_to_one(overlaps: Overlaps) -> tuple[Instances, Floats]:
    """The heaviest one-to-one matching, component by component, and what the objects of each pair share."""
    ref, pred, size, component = overlaps.ref, overlaps.pred, overlaps.size, overlaps.component
    pairs = np.bincount(component)
    chosen = np.zeros(len(ref), dtype=bool)
    chosen[(pairs == 1)[component]] = True
    order = np.argsort(component, kind="stable")
    starts = np.concatenate([[0], np.cumsum(pairs)])
    for number in np.flatnonzero(pairs > 1):
        rows = order[starts[number] : starts[number + 1]]
        chosen[rows] = _heaviest(ref[rows], pred[rows], size[rows])
    kept = np.flatnonzero(chosen)
    instances = Instances.from_pairs(ref[kept], pred[kept], len(overlaps.ref_size), len(overlaps.pred_size))
    return instances, size[kept]


def _local(
    reference: ObjectMap, prediction: ObjectMap, overlaps: Overlaps, instances: Instances, shared: Floats
) -> LocalCounts:
    """Objects at their centroids, each pair at that of its reference object."""
    n, m = len(reference), len(prediction)
    counts = {name: np.zeros(n + m) for name in ("overlap", "union", "matched", "missed", "false_alarm")}
    counts["overlap"][instances.ref] = shared * overlaps.unit
    counts["union"][:] = overlaps.ground * overlaps.unit
    counts["matched"][instances.ref] = 1.0
    counts["missed"][instances.missed] = 1.0
    counts["false_alarm"][n + instances.false_alarms] = 1.0
    return LocalCounts(np.concatenate([reference.centroids, prediction.centroids]), counts)


def _heaviest(ref: Ints, pred: Ints, size: Floats) -> NDArray[np.bool_]:
    refs, row = np.unique(ref, return_inverse=True)
    preds, column = np.unique(pred, return_inverse=True)
    if len(refs) == 1 or len(preds) == 1:
        best = np.zeros(len(size), dtype=bool)
        best[np.argmax(size)] = True
        return best
    if len(refs) * len(preds) <= _DENSE_CELLS:
        cells = np.zeros((len(refs), len(preds)))
        cells[row, column] = size
        partner = np.full(len(refs), -1)
        left, right = linear_sum_assignment(cells, maximize=True)
        partner[left] = right
        return partner[row] == column
    # Every reference object may also take a partner of its own that is worth next to nothing: then all are matched.
    n, m = len(refs), len(preds)
    spare = 1e-9 * size.min()
    values = np.concatenate([size, np.full(n, spare)])
    graph = coo_array(
        (values, (np.concatenate([row, np.arange(n)]), np.concatenate([column, m + np.arange(n)]))), shape=(n, m + n)
    )
    left, right = min_weight_full_bipartite_matching(graph.tocsr(), maximize=True)
    partner = np.full(n, -1)
    partner[left] = right
    return partner[row] == column
