"""JUNCT: do the same roads leave the same junctions.

Junctions are the places where three or more roads meet. Those of the two networks are matched one to one, closest
pair first, up to ``max_distance``. A road that leaves a junction is captured if some road leaves the partner in a
direction that differs by less than 90 degrees; the direction is that of the point ``direction_distance`` along the
road, or of its end if that comes first. With the share ``f_correct`` of roads that are captured at each reference
junction (0 without a partner) and the share ``f_error`` of roads that are not captured at each predicted one (1
without a partner),

    F_correct = sum f_correct / number of reference junctions,
    F_error = sum f_error / (sum f_error + sum f_correct),

recall is F_correct, precision 1 - F_error, and F1 their harmonic mean. Dead ends do not count: roads that are all
broken in the middle have a perfect score, and a junction that lost all but two of its roads is lost as a whole.

After Bastani et al. (RoadTracer, CVPR 2018), as described by Citraro, Koziński and Fua (ECCV 2020), section 2.3, who
leave "captured" open; the rule here is that of the RoadTracer program. Mode ``original`` follows the program further:
junctions near each other are one, and so are predicted junctions with the same nearest reference junction; each
reference junction in turn takes what fits best by ``f_correct - f_error - distance / max_distance``, if
``f_correct > f_error``. The program goes by the order of the file, this module by the order of the coordinates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval._kernels.greedy import place_keys, take_in_order
from geoeval.arrays import Bools, Box, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.borders import is_surrounded
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, error_share, share
from geoeval.roads.geometry.sampling import coordinates
from geoeval.roads.junctions.clusters import junction_nodes, leaders, leaders_near

Mode = Literal["paper", "original"]

# The original program merges junctions within 85 pixels where it matches them within 110.
_ORIGINAL_CLUSTER = 85 / 110
# Coordinates are known to a micrometre: directions are at a right angle, and do not capture, up to this cosine.
_RIGHT_ANGLE = 1e-6
_CHUNK = 50_000


@dataclass(frozen=True)
class Junctions:
    """Junctions of a network: node, place, number of arms, and their directions ``(n, most arms, 2)``, zero-filled."""

    node: Ints
    xy: Floats
    arms: Ints
    direction: Floats


@dataclass(frozen=True)
class JunctMatching:
    """Junctions of both networks, and for each the number of its partner, -1 if it has none.

    ``correct`` is f_correct of the reference's junctions, ``error`` f_error of the predicted ones, and ``distance`` the
    distance of each reference junction to its partner.
    """

    reference: Junctions
    prediction: Junctions
    ref_partner: Ints
    pred_partner: Ints
    distance: Floats
    correct: Floats
    error: Floats


def junct(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = 66.0,
    direction_distance: float = 66.0,
    cluster: float = 0.0,
    mode: Mode = "paper",
    loaded_box: Box | None = None,
) -> MetricResult:
    """Score the roads that leave junctions: how many are captured, and how many are false.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far apart, in metres, matched junctions may be.
    direction_distance
        How far along a road its direction is taken, in metres.
    cluster
        Junctions within this distance, in metres, that are joined by at most twice as much road, are one junction at
        the place of the first of them. 0 turns this off, except in mode ``original``, where it stands for 51 m at a
        ``max_distance`` of 66 m, and in proportion.
    mode
        ``"paper"`` or ``"original"``, see the module's docstring.
    loaded_box
        For tiles: the box within which all roads are given, see ``metrics.borders``.

    Returns
    -------
    MetricResult
        Scores ``f_correct``, ``f_error``, ``precision``, ``recall``, ``f1``; counts ``n_correct``, ``n_error`` and
        ``junctions`` (of the reference). Errors: ``junction`` points, *missed*, *extra*, or *matched* in part, with the
        columns ``arms`` (in the prediction) and ``ref_arms`` (in the reference), 0 where there is no junction.

    Notes
    -----
    Both networks empty: f_error is 0 and the other scores are 1. One empty: f_error is 1 and the others are 0. If the
    reference has no junction, all scores are undefined. O(n log n) for junctions of even density.
    """
    for name, value in (("max_distance", max_distance), ("cluster", cluster)):
        if not (np.isfinite(value) and value >= 0):
            raise ParameterError(f"junct: {name} is {value}; give a distance in metres, 0 or more")
    if not (np.isfinite(direction_distance) and direction_distance > 0):
        raise ParameterError(f"junct: direction_distance is {direction_distance}; give a distance in metres above 0")
    if mode not in get_args(Mode):
        raise ParameterError(f"junct: mode is {mode!r}; give one of {', '.join(map(repr, get_args(Mode)))}")
    if mode == "original" and cluster == 0:
        cluster = _ORIGINAL_CLUSTER * max_distance
    ours = _junctions(reference, leaders(reference, cluster), direction_distance, 2 * cluster)
    if mode == "original":
        lead, inside = leaders_near(prediction, cluster, ours.xy), 3 * cluster
    else:
        lead, inside = leaders(prediction, cluster), 2 * cluster
    theirs = _junctions(prediction, lead, direction_distance, inside)
    # A junction depends on its partners, and on where the roads of a partner lead.
    far = max_distance + direction_distance
    unsure = (~is_surrounded(ours.xy, loaded_box, far), ~is_surrounded(theirs.xy, loaded_box, far))
    matching = _match(ours, theirs, max_distance, mode, unsure)
    local = _local(matching, unsure)
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    empty = empty_scores(reference, prediction, good=("f_correct", "precision", "recall", "f1"), bad=("f_error",))
    if empty is not None:
        scores, notes = scores | empty, {}
    errors = _errors(reference, prediction, matching, max_distance)
    return MetricResult(scores, counts, errors, notes, details={"matching": matching, "local": local})


def halo(values: Mapping[str, Any]) -> float | None:
    """Metres around a place that its counts depend on; ``None`` with clusters, which may depend on all roads."""
    if values["cluster"] or values["mode"] == "original":
        return None
    return 3 * float(values["max_distance"]) + float(values["direction_distance"])


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    names = ("f_correct", "f_error", "precision", "recall", "f1")
    if not counts["junctions"]:
        return dict.fromkeys(names), dict.fromkeys(names, "the reference has no junction")
    recall = counts["n_correct"] / counts["junctions"]
    claimed = counts["n_correct"] + counts["n_error"]
    error = counts["n_error"] / claimed if claimed else 0.0
    total = recall + 1 - error
    values = (recall, error, 1 - error, recall, 2 * recall * (1 - error) / total if total else 0.0)
    return dict(zip(names, values, strict=True)), {}


def _local(matching: JunctMatching, unsure: tuple[Bools, Bools]) -> LocalCounts:
    """The counts junction by junction."""
    refs, preds = len(matching.correct), len(matching.error)
    counts = {
        "n_correct": np.append(matching.correct, np.zeros(preds)),
        "n_error": np.append(np.zeros(refs), matching.error),
        "junctions": np.append(np.ones(refs), np.zeros(preds)),
    }
    sides = (matching.reference, matching.prediction)
    return LocalCounts(
        np.concatenate([side.xy for side in sides]),
        counts,
        item=np.concatenate([side.node for side in sides]),
        reference_rows=refs,
        certain=~np.concatenate(unsure),
    )


def _junctions(network: RoadNetwork, leader: Ints, direction_distance: float, inside: float) -> Junctions:
    """The junctions that lead clusters, and the directions of the roads that leave the clusters.

    A road of at most ``inside`` metres that begins and ends in the same cluster does not leave it.
    """
    node = junction_nodes(network)
    lead = np.unique(leader)
    leader_of = np.full(len(network.nodes), -1, dtype=np.int64)
    leader_of[node] = np.searchsorted(lead, leader)

    roads = network.roads
    first, last = leader_of[roads.ends].T if len(roads) else np.zeros((2, 0), dtype=np.int64)
    stays = (first == last) & (roads.length <= inside)
    loop = roads.ends[:, 0] == roads.ends[:, 1]
    far = np.minimum(direction_distance, np.where(loop, roads.length / 2, roads.length))
    owner, vector = [], []
    for end, metres in ((first, far), (last, roads.length - far)):
        road = np.flatnonzero((end >= 0) & ~stays)
        there = coordinates(network, *roads.locate(road, metres[road], network.segment_lengths))
        owner.append(end[road])
        vector.append(there - network.nodes[lead[end[road]]])
    at, vectors = np.concatenate(owner), np.concatenate(vector)
    order = np.argsort(at, kind="stable")
    arms = np.bincount(at, minlength=len(lead))
    rank = np.arange(len(at)) - np.repeat(np.cumsum(arms) - arms, arms)
    direction = np.zeros((len(lead), int(arms.max(initial=1)), 2))
    lengths = np.hypot(vectors[:, 0], vectors[:, 1])[:, None]
    direction[at[order], rank] = (vectors / np.where(lengths > 0, lengths, 1.0))[order]
    return Junctions(lead, network.nodes[lead], arms, direction)


def _match(
    reference: Junctions, prediction: Junctions, max_distance: float, mode: Mode, unsure: tuple[Bools, Bools]
) -> JunctMatching:
    refs, preds = len(reference.node), len(prediction.node)
    ref = pred = np.zeros(0, dtype=np.int64)
    if refs and preds:
        near = cKDTree(reference.xy).sparse_distance_matrix(
            cKDTree(prediction.xy), max_distance + 1e-9, output_type="ndarray"
        )
        ref, pred = near["i"].astype(np.int64), near["j"].astype(np.int64)
    away = np.hypot(*(reference.xy[ref] - prediction.xy[pred]).T)
    keys = [away.round(6), *place_keys(reference.xy[ref], prediction.xy[pred])]
    if mode == "original":
        gain = _captured(reference, prediction, ref, pred) - (1 - _captured(prediction, reference, pred, ref))
        keys = [ref, -(gain - away / max(max_distance, 1e-300)).round(9), *keys]
        fits = np.flatnonzero(gain > 1e-9)
    else:
        fits = np.arange(len(ref))
    order = fits[np.lexsort([key[fits] for key in keys[::-1]])]
    taken = order[take_in_order(ref[order], pred[order], refs, preds, unsure)]
    ref, pred = ref[taken], pred[taken]
    ref_partner, pred_partner = np.full(refs, -1, dtype=np.int64), np.full(preds, -1, dtype=np.int64)
    ref_partner[ref], pred_partner[pred] = pred, ref
    correct, error, distance = np.zeros(refs), np.ones(preds), np.full(refs, np.nan)
    correct[ref] = _captured(reference, prediction, ref, pred)
    error[pred] = 1 - _captured(prediction, reference, pred, ref)
    distance[ref] = away[taken]
    return JunctMatching(reference, prediction, ref_partner, pred_partner, distance, correct, error)


def _captured(own: Junctions, other: Junctions, mine: Ints, theirs: Ints) -> Floats:
    """For pairs of junctions the share of the first one's roads that the second one captures.

    1 where no road leaves, which happens to clusters only.
    """
    share = np.zeros(len(mine))
    for k in range(0, len(mine), _CHUNK):
        a, b = mine[k : k + _CHUNK], theirs[k : k + _CHUNK]
        # Arms that are only filled in, and roads that come back to their start, have no direction: the product is 0.
        near = np.einsum("kid,kjd->kij", own.direction[a], other.direction[b]) > _RIGHT_ANGLE
        share[k : k + _CHUNK] = np.where(own.arms[a], near.any(axis=2).sum(axis=1) / np.maximum(own.arms[a], 1), 1.0)
    return share


def _errors(
    reference: RoadNetwork, prediction: RoadNetwork, matching: JunctMatching, max_distance: float
) -> ErrorFeatures:
    errors = ErrorFeatures("junct")
    ref, pred = matching.reference, matching.prediction
    within = f"within {max_distance:g} m"
    k = np.flatnonzero(matching.ref_partner < 0)
    _add_junctions(
        errors, ref.xy[k], np.zeros(len(k)), ref.arms[k], ref_id=_ids(reference, ref.node[k]),
        note=[f"missed: {arms} arms in the reference, no junction {within}" for arms in ref.arms[k]],
    )  # fmt: skip
    k = np.flatnonzero(matching.pred_partner < 0)
    _add_junctions(
        errors, pred.xy[k], pred.arms[k], np.zeros(len(k)), pred_id=_ids(prediction, pred.node[k]),
        note=[f"extra: {arms} arms here, no reference junction {within}" for arms in pred.arms[k]],
    )  # fmt: skip
    paired = np.flatnonzero(matching.ref_partner >= 0)
    wrong = np.maximum(1 - matching.correct[paired], matching.error[matching.ref_partner[paired]])
    i = paired[wrong > 1e-9]
    j = matching.ref_partner[i]
    captured = (matching.correct[i] * ref.arms[i]).round().astype(int)
    false = (matching.error[j] * pred.arms[j]).round().astype(int)
    _add_junctions(
        errors,
        pred.xy[j],
        pred.arms[j],
        ref.arms[i],
        ref_id=_ids(reference, ref.node[i]),
        pred_id=_ids(prediction, pred.node[j]),
        dist_m=matching.distance[i],
        severity=wrong[wrong > 1e-9],
        note=[
            f"matched: {c} of {n} reference arms captured, {f} of {m} arms here false"
            for c, n, f, m in zip(captured, ref.arms[i], false, pred.arms[j], strict=True)
        ],
    )
    return errors


def _add_junctions(errors: ErrorFeatures, xy: Floats, arms: Any, ref_arms: Any, **columns: Any) -> None:
    points, none = np.asarray(shapely.points(xy), dtype=object), np.full(len(xy), np.nan)
    errors.add("junction", points, length_m=none, arms=arms, ref_arms=ref_arms, **columns)


def _ids(network: RoadNetwork, nodes: Ints) -> list[str]:
    """The ids of the source features that meet at each node."""
    start, _, segment = network.adjacency
    met = (network.source_ids[segment[start[n] : start[n + 1]]] for n in nodes)
    return [";".join(dict.fromkeys(str(value) for value in values)) for values in met]


METRIC = Metric(
    junct, "f1", "Do junctions match, and the directions of their roads.",
    scores=(
        share("f_correct", "Share of roads that are found, averaged over the reference's junctions."),
        error_share("f_error", "Weight of false roads among the found and the false ones at junctions."),
        share("precision", "1 minus f_error."),
        share("recall", "The same as f_correct."),
        share("f1", "Harmonic mean of precision and recall."),
    ),
    counting="places", halo=halo, scores_from_counts=scores_from_counts,
)  # fmt: skip
