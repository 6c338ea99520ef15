"""BGM: the overlap of the best one-to-one matching, as a share of all covered ground.

Jiang, Marti, Irniger and Bunke (2006), in the form of Özdemir, Aksoy et al. (2010), equation (1): the weight of the
heaviest bipartite matching, divided by the size of the union of all objects of both maps.

The paper is about maps whose objects do not overlap each other. Ground that several objects of both maps cover counts
in the union as often as both have objects there, as it does in the matching; so a map scores 1 against itself.
"""

import numpy as np
import shapely
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from geoeval.arrays import Bools, Floats, Ints
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.object_map import ROUNDING, ObjectMap
from geoeval.model.scores import ScoreValue, count, share
from geoeval.objects.instances import Instances, features_later
from geoeval.objects.object_counts import counts_of_objects
from geoeval.objects.overlaps import Overlaps, linked, overlaps_of

# Components with more cells than this are solved as sparse graphs.
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
    features = features_later("bgm", reference, prediction, instances)
    return MetricResult(scores, counts, features, notes, {"instances": instances, "local": local})


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    score = counts["overlap"] / counts["union"] if counts["union"] else 1.0
    score = 1.0 if score > 1 - ROUNDING else score
    return {"score": score, **{name: int(counts[name]) for name in ("matched", "missed", "false_alarm")}}, {}


def match_one_to_one(overlaps: Overlaps) -> tuple[Instances, Floats]:
    """The heaviest one-to-one matching, component by component, and the overlap of each matched pair."""
    ref, pred, size, component = overlaps.ref, overlaps.pred, overlaps.size, overlaps.component
    pair_count = np.bincount(component)
    # An object is in one component, so that its place among those of its side there is a place in all.
    (row, rows), (column, columns) = (_places(one, component, len(pair_count)) for one in (ref, pred))
    chosen = np.zeros(len(ref), dtype=bool)
    order = np.lexsort([-size, component])
    starts = np.concatenate([[0], np.cumsum(pair_count)])
    single = (rows == 1) | (columns == 1)
    chosen[order[starts[:-1][single]]] = True  # the largest overlap of one object with several
    for number in np.flatnonzero(~single):
        there = order[starts[number] : starts[number + 1]]
        chosen[there] = _heaviest(row[there], column[there], size[there], int(rows[number]), int(columns[number]))
    kept = np.flatnonzero(chosen)
    instances = Instances.from_pairs(ref[kept], pred[kept], len(overlaps.ref_size), len(overlaps.pred_size))
    return instances, size[kept]


def _local(
    reference: ObjectMap, prediction: ObjectMap, overlaps: Overlaps, instances: Instances, shared: Floats
) -> LocalCounts:
    """Counts at the centroids of the objects, those of a pair at its reference object."""
    n, m = len(reference), len(prediction)
    counts = {name: np.zeros(n + m) for name in ("overlap", "union", "matched", "missed", "false_alarm")}
    counts["overlap"][instances.ref] = shared * overlaps.unit
    counts["union"][:] = overlaps.ground * overlaps.unit
    counts["union"][:n] += _ground_in_common(reference, prediction)
    counts["matched"][instances.ref] = 1.0
    counts["missed"][instances.missed] = 1.0
    counts["false_alarm"][n + instances.false_alarms] = 1.0
    return counts_of_objects(reference, prediction, counts)


def _ground_in_common(reference: ObjectMap, prediction: ObjectMap) -> Floats:
    """Ground that several objects of both maps cover, as often as both have one more there, by reference object.

    A piece of ground counts for the first object of the reference that covers it. Nothing for maps whose objects do not
    overlap each other. About O(p log p) for p corners of the objects that do, in both maps at one place.
    """
    extra, maps = np.zeros(len(reference)), (reference, prediction)
    if not all(len(one.overlapping) for one in maps):
        return extra
    twice = [np.asarray(shapely.intersection(*one.polygons[one.overlapping].T)) for one in maps]
    pred_pair, ref_pair = shapely.STRtree(twice[0]).query(twice[1], predicate="intersects")
    shift = len(reference)
    together = np.column_stack([reference.overlapping[ref_pair], prediction.overlapping[pred_pair] + shift])
    links = np.concatenate([together[:, [0, column]] for column in (1, 2, 3)])
    polygons = np.concatenate([one.polygons for one in maps])
    used = np.unique(links)
    component = linked(len(polygons), links)[used]
    order = np.argsort(component, kind="stable")
    for members in np.split(used[order], np.flatnonzero(np.diff(component[order])) + 1) if len(used) else ():
        outlines = shapely.union_all(shapely.boundary(polygons[members]))
        pieces = shapely.get_parts(shapely.polygonize([outlines]))
        point, cover = shapely.STRtree(polygons[members]).query(shapely.point_on_surface(pieces), predicate="within")
        cover = members[cover]
        of_ref = cover < shift
        both = [np.bincount(point[side], minlength=len(pieces)) for side in (of_ref, ~of_ref)]
        more = np.maximum(np.minimum(*both) - 1, 0)
        first = np.full(len(pieces), shift)
        np.minimum.at(first, point, cover)
        often = np.flatnonzero(more)
        np.add.at(extra, first[often], more[often] * shapely.area(pieces[often]))
    return extra


def _places(one: Ints, component: Ints, components: int) -> tuple[Ints, Ints]:
    """The place of each pair's object among those of its component, and how many each component has."""
    first = np.unique(one, return_index=True)[1]
    first = first[np.argsort(component[first], kind="stable")]
    count = np.bincount(component[first], minlength=components)
    place = np.zeros(int(one.max(initial=-1)) + 1, dtype=np.int64)
    place[one[first]] = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    return place[one], count


def _heaviest(row: Ints, column: Ints, size: Floats, n: int, m: int) -> Bools:
    partner = np.full(n, -1)
    if n * m <= _DENSE_CELLS:
        cells = np.zeros((n, m))
        cells[row, column] = size
        left, right = linear_sum_assignment(cells, maximize=True)
    else:
        # scipy matches every reference object, so each also has a partner of its own that is worth next to nothing.
        values = np.concatenate([size, np.full(n, 1e-9 * size.min())])
        cells_of = np.concatenate([row, np.arange(n)]), np.concatenate([column, m + np.arange(n)])
        graph = coo_array((values, cells_of), shape=(n, m + n))
        left, right = min_weight_full_bipartite_matching(graph.tocsr(), maximize=True)
    partner[left] = right
    return np.asarray(partner[row] == column)


METRIC = Metric(
    bgm, "score", "Overlap of the best one-to-one matching, as a share of all covered ground.",
    scores=(
        share("score", "Matched ground as a share of all covered ground."),
        count("matched", "Pairs of objects that match.", "higher"),
        count("missed", "Objects of the reference that are not found.", "lower"),
        count("false_alarm", "Predicted objects without a match.", "lower"),
    ),
    counting="places", scores_from_counts=scores_from_counts,
)  # fmt: skip
