"""OPT-J: do as many roads end and meet in the same places.

Features are the junctions (three or more roads) and the dead ends (one road) of a network; the number of roads, or
arms, is the order of a feature. A feature may be matched to a feature of the other network, or to a place on one of its
roads, which has order 2. All candidates within ``max_distance``, from both networks, are in one list and are taken in
order of their cost; a feature is matched once, a road any number of times. With the orders ``o`` of what is matched and
of the features left over,

    TP = sum of min(o_ref, o_pred) over matches,   PP = sum of all o_pred,   AP = sum of all o_ref,

precision is TP / PP and recall TP / AP. So a break costs something, and a junction that lacks a road costs only that
road.

After Citraro, Koziński and Fua (ECCV 2020), section 3.2. There the cost is printed as ``alpha * d + |o_ref - o_pred|``
for a distance ``d``; the default here is ``d + alpha * |o_ref - o_pred|``, because the printed one matches a junction
that moved along its road by a centimetre to that road rather than to its partner. As long as ``alpha`` is larger than
``max_distance`` its value does not matter.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.spatial import cKDTree

from geoeval._kernels.greedy import place_keys, take_in_order
from geoeval.arrays import Bools, Box, Floats, Ints
from geoeval.defaults import MAX_DISTANCE
from geoeval.exceptions import ParameterError
from geoeval.metrics.borders import is_surrounded
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.road_network import Location, RoadNetwork
from geoeval.model.scores import ScoreValue, count, share

Cost = Literal["degree-first", "printed"]

# What a feature is matched to, besides the number of a feature.
NOTHING, ROAD = -1, -2


@dataclass(frozen=True)
class JunctionSide:
    """The features of one network: their nodes, places, orders, and what they are matched to in the other network.

    ``partner`` is the number of a feature of the other side, ``ROAD`` or ``NOTHING``; ``partner_order`` is 0 for
    nothing; ``nearest`` is the nearest place on the other network, whether matched or not.
    """

    node: Ints
    xy: Floats
    order: Ints
    partner: Ints
    partner_order: Ints
    distance: Floats
    nearest: Location


@dataclass(frozen=True)
class OptJMatching:
    """The features of both networks with their partners."""

    reference: JunctionSide
    prediction: JunctionSide


@dataclass(frozen=True)
class _Candidates:
    """Possible matches: features of both sides (-1 for a place on a road), distance, and both places."""

    ref: Ints
    pred: Ints
    distance: Floats
    ref_xy: Floats
    pred_xy: Floats


def opt_j(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    alpha: float = 60.0,
    exist: float = 0.6,
    cost: Cost = "degree-first",
    loaded_box: Box | None = None,
) -> MetricResult:
    """Precision and recall of junctions and dead ends, counted by their roads.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far, in metres, a feature may be from what it is matched to.
    alpha
        What one road more or less costs, in metres (with ``cost="printed"``: what a metre costs, in roads).
    exist
        A place on a road that is this near to a feature, in metres, is that feature and not a place of order 2.
    cost
        ``"degree-first"`` or ``"printed"``, see the module's docstring.
    loaded_box
        For tiles: the box within which all roads are given, see ``metrics.borders``.

    Returns
    -------
    MetricResult
        Scores ``precision``, ``recall``, ``f1``, ``tp``, ``pp``, ``ap``; counts ``tp``, ``pp``, ``ap``. Errors: see
        ``opt_j_errors``.

    Notes
    -----
    Both networks empty: precision, recall and F1 are 1. One empty: they are 0. Networks without any feature (rings
    only) leave them undefined. Ends made by clipping are not features. O((n + m) log(n + m)) for features of even
    density.
    """
    from geoeval.roads.junctions.opt_j_errors import opt_j_errors

    for name, value in (("max_distance", max_distance), ("alpha", alpha), ("exist", exist)):
        if not (np.isfinite(value) and value >= 0):
            raise ParameterError(f"opt-j: {name} is {value}; give a number, 0 or more")
    if cost not in get_args(Cost):
        raise ParameterError(f"opt-j: cost is {cost!r}; give one of {', '.join(map(repr, get_args(Cost)))}")
    matching, unsure = _match(reference, prediction, max_distance, alpha, exist, cost, loaded_box)
    local = _local(matching, unsure)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    empty = empty_scores(reference, prediction, good=("precision", "recall", "f1"))
    if empty is not None:
        scores, notes = scores | empty, {}
    errors = opt_j_errors(reference, prediction, matching, max_distance=max_distance)
    return MetricResult(scores, counts, errors, notes, details={"matching": matching, "local": local})


def local_counts(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    alpha: float = 60.0,
    exist: float = 0.6,
    cost: Cost = "degree-first",
) -> LocalCounts:
    """The counts that the scores come from, feature by feature, and nothing else."""
    return _local(*_match(reference, prediction, max_distance, alpha, exist, cost, None))


def halo(values: Mapping[str, Any]) -> float:
    """Metres around a place that its counts usually depend on; more where features crowd."""
    return 4 * float(values["max_distance"])


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    tp, pp, ap = counts["tp"], counts["pp"], counts["ap"]
    scores: dict[str, ScoreValue] = {
        "precision": tp / pp if pp else None,
        "recall": tp / ap if ap else None,
        "f1": 2 * tp / (pp + ap) if pp + ap else None,
        "tp": int(tp),
        "pp": int(pp),
        "ap": int(ap),
    }
    why = "no junction and no dead end to compare"
    return scores, {name: why for name, value in scores.items() if value is None}


def _local(matching: OptJMatching, unsure: tuple[Bools, Bools]) -> LocalCounts:
    """The counts per feature: of a pair at its reference feature, of a road at the feature matched to it."""
    ref, pred = matching.reference, matching.prediction
    ref_road, pred_road = 2 * (ref.partner == ROAD), 2 * (pred.partner == ROAD)
    counts = {
        "tp": (np.minimum(ref.order, ref.partner_order), np.minimum(pred.order, pred_road)),
        "pp": (ref_road, pred.order),
        "ap": (ref.order, pred_road),
    }
    both = {name: np.concatenate(values).astype(np.float64) for name, values in counts.items()}
    return LocalCounts(
        np.concatenate([ref.xy, pred.xy]),
        both,
        item=np.concatenate([ref.node, pred.node]),
        reference_rows=len(ref.node),
        certain=~np.concatenate(unsure),
    )


def _match(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    max_distance: float,
    alpha: float,
    exist: float,
    cost: Cost,
    loaded_box: Box | None,
) -> tuple[OptJMatching, tuple[Bools, Bools]]:
    """The matching, and which features of each network roads beyond the loaded box could match differently."""
    limit = max_distance + 1e-9
    networks = (reference, prediction)
    nodes = [network.features for network in networks]
    xy = [network.nodes[node] for network, node in zip(networks, nodes, strict=True)]
    order = [network.degrees[node] for network, node in zip(networks, nodes, strict=True)]
    nearest = [networks[1 - side].nearest(xy[side], max_distance=max_distance) for side in (0, 1)]
    trees = [cKDTree(places) if len(places) else None for places in xy]

    found = _pairs(trees, xy, limit)
    on_road = [_on_road(nearest[side], trees[1 - side], limit, exist) for side in (0, 1)]
    none = [np.full(len(one), -1, dtype=np.int64) for one in on_road]
    candidates = _Candidates(
        np.concatenate([found.ref, on_road[0], none[1]]),
        np.concatenate([found.pred, none[0], on_road[1]]),
        np.concatenate([found.distance, nearest[0].distance[on_road[0]], nearest[1].distance[on_road[1]]]),
        np.concatenate([found.ref_xy, xy[0][on_road[0]], nearest[1].xy[on_road[1]]]),
        np.concatenate([found.pred_xy, nearest[0].xy[on_road[0]], xy[1][on_road[1]]]),
    )
    ref_order, pred_order = (
        np.where(number >= 0, np.append(orders, 2)[number], 2)
        for number, orders in ((candidates.ref, order[0]), (candidates.pred, order[1]))
    )
    change = np.abs(ref_order - pred_order)
    price = candidates.distance + alpha * change if cost == "degree-first" else alpha * candidates.distance + change
    first = _in_order(candidates, price)
    # Whether a place on a road has order 2 depends on features up to ``exist`` beyond it.
    unsure = (
        ~is_surrounded(xy[0], loaded_box, max_distance + exist),
        ~is_surrounded(xy[1], loaded_box, max_distance + exist),
    )
    taken = first[take_in_order(candidates.ref[first], candidates.pred[first], len(nodes[0]), len(nodes[1]), unsure)]
    ref, pred, away = candidates.ref[taken], candidates.pred[taken], candidates.distance[taken]
    matching = OptJMatching(
        _side(nodes[0], xy[0], order[0], nearest[0], ref, pred, pred_order[taken], away),
        _side(nodes[1], xy[1], order[1], nearest[1], pred, ref, ref_order[taken], away),
    )
    return matching, unsure


def _pairs(trees: list[cKDTree | None], xy: list[Floats], limit: float) -> _Candidates:
    """All pairs of features that are near enough."""
    ref = pred = np.zeros(0, dtype=np.int64)
    if trees[0] is not None and trees[1] is not None:
        near = trees[0].sparse_distance_matrix(trees[1], limit, output_type="ndarray")
        ref, pred = near["i"].astype(np.int64), near["j"].astype(np.int64)
    return _Candidates(ref, pred, np.hypot(*(xy[0][ref] - xy[1][pred]).T), xy[0][ref], xy[1][pred])


def _on_road(nearest: Location, tree: cKDTree | None, limit: float, exist: float) -> Ints:
    """Features whose nearest place on the other network is near enough and on a road, not at a feature."""
    chosen = np.flatnonzero(nearest.distance <= limit)
    if tree is None or len(chosen) == 0:
        return chosen
    return chosen[tree.query(nearest.xy[chosen])[0] > exist + 1e-9]


def _in_order(candidates: _Candidates, price: Floats) -> Ints:
    """Candidates by price, then features before roads, then by distance and coordinates.

    Prices are rounded to micrometres, so that what is equal by construction stays equal.
    """
    road = (candidates.ref < 0) | (candidates.pred < 0)
    places = place_keys(candidates.ref_xy, candidates.pred_xy)
    keys = (price.round(6), road, candidates.distance.round(6), *places)
    return np.lexsort(keys[::-1])


def _side(
    node: Ints, xy: Floats, order: Ints, nearest: Location, own: Ints, other: Ints, other_order: Ints, away: Floats
) -> JunctionSide:
    partner, partner_order = np.full(len(node), NOTHING, dtype=np.int64), np.zeros(len(node), dtype=np.int64)
    distance = np.full(len(node), np.nan)
    mine = own >= 0
    partner[own[mine]] = np.where(other[mine] >= 0, other[mine], ROAD)
    partner_order[own[mine]], distance[own[mine]] = other_order[mine], away[mine]
    return JunctionSide(node, xy, order, partner, partner_order, distance, nearest)


METRIC = Metric(
    opt_j, "f1", "Do junctions and dead ends match, with their numbers of arms.",
    scores=(
        share("precision", "Share of the predicted arms that the reference has."),
        share("recall", "Share of the reference's arms that the prediction has."),
        share("f1", "Harmonic mean of precision and recall."),
        count("tp", "Arms that agree.", "higher"),
        count("pp", "Arms of the prediction, and of its roads that are matched."),
        count("ap", "Arms of the reference, and of its roads that are matched."),
    ),
    counting="places", halo=halo, scores_from_counts=scores_from_counts,
)  # fmt: skip
