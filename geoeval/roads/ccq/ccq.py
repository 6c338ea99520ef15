"""CCQ: how much of the roads lies within a tolerance of the other network.

Correctness is the share of the predicted length within ``tolerance`` of the reference, completeness the share of
the reference's length within ``tolerance`` of the prediction, and quality combines them:
``1 / (1 / correctness + 1 / completeness - 1)``. ``quality_length`` is the matched predicted length over the
predicted length plus the unmatched reference length.

After Wiedemann, Heipke, Mayer and Jamet (1998), in the form that Citraro, Koziński and Fua (ECCV 2020) use.
Lengths are exact: all places within a distance of a segment form a capsule, so the matched part of a segment is the
union of a few intervals. A capsule is round: a road that stops short gains ``tolerance`` at its end, and a gap of up to
twice the tolerance goes unnoticed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

import numpy as np
import shapely
from numpy.typing import ArrayLike

from geoeval._kernels.boxes import LEAF, BoxTree, box_distance
from geoeval._kernels.capsules import capsule_interval
from geoeval._kernels.compiling import inner, kernel
from geoeval._kernels.distance_along import Offsets, offsets_along
from geoeval.arrays import Box, Floats, Ints
from geoeval.defaults import TOLERANCE
from geoeval.exceptions import ParameterError
from geoeval.metrics.borders import is_surrounded
from geoeval.metrics.cells import Cells
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, share
from geoeval.roads.geometry.network_tree import network_tree
from geoeval.roads.geometry.pieces import join_pieces
from geoeval.roads.geometry.sampling import coordinates

SCORES = ("correctness", "completeness", "quality", "quality_length")
# Shorter stretches than a micrometre are rounding, not road.
_NOTHING = 1e-6


@dataclass(frozen=True)
class Stretches:
    """Parts of segments of one network: the segment, and the metres along it at which the part begins and ends."""

    segment: Ints
    begin: Floats
    end: Floats

    @property
    def length(self) -> float:
        """Total length in metres."""
        return float((self.end - self.begin).sum())


@dataclass(frozen=True)
class CcqMatching:
    """The parts of the reference that are missing, and those of the prediction that are spurious or displaced."""

    missing: Stretches
    spurious: Stretches
    displaced: Stretches


def ccq(
    reference: RoadNetwork, prediction: RoadNetwork, *, tolerance: float = TOLERANCE, loaded_box: Box | None = None
) -> MetricResult:
    """Correctness, completeness and quality of a prediction.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    tolerance
        How far apart, in metres, roads may be and still match.
    loaded_box
        For tiles: the box within which all roads are given, see ``metrics.borders``.

    Returns
    -------
    MetricResult
        Scores ``correctness``, ``completeness``, ``quality``, ``quality_length``; counts ``ref_length``,
        ``ref_matched``, ``pred_length`` and ``pred_matched`` in metres. Errors, all lines: ``missing`` and ``spurious``
        with the greatest distance to the other network, and ``displaced`` (predicted roads within the tolerance, but
        farther than half of it) with the mean distance. Severity grows with the distance and is 0.5 at the tolerance.

    Notes
    -----
    Both networks empty: all scores are 1. One empty: all scores are 0 and all of the other one is missing or spurious,
    with NaN as its distance. O((n + m) log m) for networks of even density.
    """
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise ParameterError(f"ccq: tolerance is {tolerance}; give a distance in metres, 0 or more")
    trees = [network_tree(network) for network in (reference, prediction)]
    matching = _match(trees[0], trees[1], tolerance)
    local = _local(reference, prediction, matching, tolerance, loaded_box)
    counts = local.sums()
    errors = _errors(reference, prediction, trees, matching, tolerance, in_tile=loaded_box is not None)
    return MetricResult(scores_from_counts(counts)[0], counts, errors, details={"matching": matching, "local": local})


def unmatched_by_ccq(reference: RoadNetwork, prediction: RoadNetwork, *, tolerance: float = TOLERANCE) -> CcqMatching:
    """What a prediction lacks and has too much, as ``ccq`` finds it, without scores and features."""
    return _match(network_tree(reference), network_tree(prediction), tolerance)


def local_counts(reference: RoadNetwork, prediction: RoadNetwork, *, tolerance: float = TOLERANCE) -> LocalCounts:
    """The lengths that the scores come from, segment by segment, and nothing else."""
    radius, nothing = _radius(tolerance), np.zeros(0)
    trees = network_tree(reference), network_tree(prediction)
    missing, spurious = (_stretches(*pair, radius, np.inf) for pair in (trees, trees[::-1]))
    displaced = Stretches(nothing.astype(np.int64), nothing, nothing)
    return _local(reference, prediction, CcqMatching(missing, spurious, displaced), tolerance, None)


def halo(values: Mapping[str, Any]) -> float:
    """Metres around a place that its counts depend on."""
    return float(values["tolerance"])


def ccq_raster(reference: ArrayLike, prediction: ArrayLike, *, slack: float) -> MetricResult:
    """CCQ of two masks of one-pixel-wide roads, in pixels and with the Euclidean distance between pixel centres.

    A diagonal road has fewer pixels than its length; use ``ccq`` where there are lines. ``slack`` is in pixels.
    Both masks empty: all scores are 1; one empty: 0. O(pixels).
    """
    from scipy.ndimage import distance_transform_edt

    ref, pred = np.asarray(reference, dtype=bool), np.asarray(prediction, dtype=bool)
    if ref.shape != pred.shape:
        raise ParameterError(f"ccq: masks of {ref.shape} and {pred.shape} pixels; give masks of one shape")
    if not (np.isfinite(slack) and slack >= 0):
        raise ParameterError(f"ccq: slack is {slack}; give a distance in pixels, 0 or more")
    counts = {}
    for name, mask, other in (("ref", ref, pred), ("pred", pred, ref)):
        near = distance_transform_edt(~other) <= slack + 1e-9 if other.any() else other
        counts[f"{name}_length"], counts[f"{name}_matched"] = float(mask.sum()), float((mask & near).sum())
    return MetricResult(scores_from_counts(counts)[0], counts)


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from lengths, which may be sums over several areas, and no notes: every score is defined.

    Without roads on both sides all scores are 1, without roads on one side 0.
    """
    if not (counts["pred_length"] and counts["ref_length"]):
        return dict.fromkeys(SCORES, float(counts["pred_length"] == counts["ref_length"])), {}
    correctness = counts["pred_matched"] / counts["pred_length"]
    completeness = counts["ref_matched"] / counts["ref_length"]
    both = correctness > 0 and completeness > 0
    quality = 1 / (1 / correctness + 1 / completeness - 1) if both else 0.0
    missing = counts["ref_length"] - counts["ref_matched"]
    weighted = counts["pred_matched"] / (counts["pred_length"] + missing)
    return dict(zip(SCORES, (correctness, completeness, quality, weighted), strict=True)), {}


def _local(
    reference: RoadNetwork, prediction: RoadNetwork, matching: CcqMatching, tolerance: float, loaded_box: Box | None
) -> LocalCounts:
    """The lengths per segment."""
    counts: dict[str, list[Floats]] = {}
    places, certain = [], []
    sides = (("ref", reference, matching.missing), ("pred", prediction, matching.spurious))
    for side, network, wrong in sides:
        unmatched = np.bincount(wrong.segment, weights=wrong.end - wrong.begin, minlength=len(network.segments))
        length = network.segment_lengths
        for name, _, _ in sides:
            own = name == side
            counts.setdefault(f"{name}_length", []).append(length if own else np.zeros(len(length)))
            counts.setdefault(f"{name}_matched", []).append(length - unmatched if own else np.zeros(len(length)))
        ends = network.nodes[network.segments]
        places.append(ends.mean(axis=1))
        certain.append(
            is_surrounded(ends[:, 0], loaded_box, tolerance) & is_surrounded(ends[:, 1], loaded_box, tolerance)
        )
    return LocalCounts(
        np.concatenate(places),
        {name: np.concatenate(values) for name, values in counts.items()},
        item=np.concatenate([np.arange(len(network.segments)) for _, network, _ in sides]),
        item_is_node=False,
        reference_rows=len(reference.segments),
        certain=np.concatenate(certain),
    )


def _match(reference: BoxTree, prediction: BoxTree, tolerance: float) -> CcqMatching:
    radius = _radius(tolerance)
    return CcqMatching(
        _stretches(reference, prediction, radius, np.inf),
        _stretches(prediction, reference, radius, np.inf),
        _stretches(prediction, reference, radius / 2, radius),
    )


def _radius(tolerance: float) -> float:
    """The tolerance with room for rounding: what is exactly as far matches."""
    return tolerance * (1 + 1e-12) + 1e-9


def _stretches(own: BoxTree, other: BoxTree, inner: float, outer: float) -> Stretches:
    scratch = np.empty(128, dtype=np.int64), np.empty(2, dtype=np.int64)
    owner, begin, end = _between(own.segments, other.segments, other.boxes, inner, outer, *scratch).T
    return Stretches(own.order[owner.astype(np.int64)], begin.copy(), end.copy())


@kernel
def _between(
    lines: Floats, segments: Floats, boxes: Floats, inner: float, outer: float, stack: Ints, used: Ints
) -> Floats:
    """Parts of lines farther than ``inner`` and at most ``outer`` from all segments: line, first and last metre.

    ``stack`` and ``used`` are working memory.
    """
    parts = np.empty((64, 3))
    count = 0
    leaves = len(boxes) // 2
    unions = np.empty((2, 64, 2))  # ``used`` intervals within ``inner``, within ``outer``
    levels = 1 if outer == np.inf else 2
    for line in range(len(lines)):
        ax, ay, bx, by = lines[line, 0], lines[line, 1], lines[line, 2], lines[line, 3]
        used[0], used[1] = 0, 0
        if levels == 1:
            unions[1, 0, 0], unions[1, 0, 1], used[1] = 0.0, 1.0, 1
        stack[0] = size = 1
        while size > 0:
            size -= 1
            node = stack[size]
            gap = box_distance(boxes, node, min(ax, bx), min(ay, by), max(ax, bx), max(ay, by))
            if gap > (inner if levels == 1 else outer):
                continue
            if node < leaves:
                stack[size], stack[size + 1] = 2 * node + 1, 2 * node
                size += 2
                continue
            if max(used[0], used[1]) + LEAF > unions.shape[1]:
                unions = _longer(unions)
            for s in range((node - leaves) * LEAF, min((node - leaves + 1) * LEAF, len(segments))):
                for level in range(levels):
                    low, high = capsule_interval(
                        ax,
                        ay,
                        bx,
                        by,
                        segments[s, 0],
                        segments[s, 1],
                        segments[s, 2],
                        segments[s, 3],
                        inner if level == 0 else outer,
                    )
                    used[level] = _add_interval(unions, level, used[level], low, high)
            if used[0] == 1 and unions[0, 0, 0] == 0.0 and unions[0, 0, 1] == 1.0:
                size = 0  # all of the line is near: nothing is left to find
        if count + used[0] + used[1] > len(parts):
            more = np.empty((2 * len(parts) + used[0] + used[1], 3))
            for k in range(count):
                more[k, 0], more[k, 1], more[k, 2] = parts[k, 0], parts[k, 1], parts[k, 2]
            parts = more
        count = _subtract(unions, used, line, hypot(bx - ax, by - ay), parts, count)
    return parts[:count]


@inner
def _add_interval(unions: Floats, level: int, used: int, low: float, high: float) -> int:
    """Add an interval, unless empty, to a union of sorted disjoint ones; returns how many intervals it then has."""
    if low > high:
        return used
    first = 0
    while first < used and unions[level, first, 1] < low:
        first += 1
    last = first
    while last < used and unions[level, last, 0] <= high:
        low, high = min(low, unions[level, last, 0]), max(high, unions[level, last, 1])
        last += 1
    shift = first + 1 - last
    step = -1 if shift > 0 else 1  # away from where the others move to
    for k in range(last, used):
        from_ = k if step > 0 else last + used - 1 - k
        unions[level, from_ + shift, 0], unions[level, from_ + shift, 1] = (
            unions[level, from_, 0],
            unions[level, from_, 1],
        )
    unions[level, first, 0], unions[level, first, 1] = low, high
    return used + shift


@inner
def _subtract(unions: Floats, used: Ints, line: int, length: float, parts: Floats, count: int) -> int:
    """Append to ``parts`` what is in the second union but not in the first, in metres; returns how many there are."""
    first = 0
    for k in range(used[1]):
        low, end = unions[1, k, 0], unions[1, k, 1]
        while low < end:
            while first < used[0] and unions[0, first, 1] <= low:
                first += 1
            stop = min(end, max(low, unions[0, first, 0])) if first < used[0] else end
            if (stop - low) * length > _NOTHING:
                parts[count, 0], parts[count, 1], parts[count, 2] = line, low * length, stop * length
                count += 1
            low = unions[0, first, 1] if first < used[0] else end
    return count


@inner
def _longer(unions: Floats) -> Floats:
    """The same intervals in an array twice as long."""
    more = np.empty((2, 2 * unions.shape[1], 2))
    for level in range(2):
        for k in range(unions.shape[1]):
            more[level, k, 0], more[level, k, 1] = unions[level, k, 0], unions[level, k, 1]
    return more


def _errors(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    trees: list[BoxTree],
    matching: CcqMatching,
    tolerance: float,
    *,
    in_tile: bool,
) -> ErrorFeatures:
    errors = ErrorFeatures("ccq")
    for kind, side, other, network, tree, stretches in (
        ("missing", "ref_id", "prediction", reference, trees[1], matching.missing),
        ("spurious", "pred_id", "reference", prediction, trees[0], matching.spurious),
    ):
        far = _offsets(network, stretches, tree).greatest
        pieces = join_pieces(network, stretches.segment, stretches.begin, stretches.end, value=far)
        finite = np.isfinite(pieces.value)
        far = np.where(finite, pieces.value, np.nan)
        # A tile cuts features at its border, and knows little beyond it: the note says what is true of every part.
        is_empty = len(tree.segments) == 0 and not in_tile
        why = f"the {other} is empty" if is_empty else f"more than {tolerance:g} m from the {other}"
        severity = np.where(finite, far / np.maximum(far + tolerance, 1e-300), 1.0)
        columns = {side: pieces.ids, "length_m": pieces.length, "dist_m": far, "severity": severity}
        errors.add(kind, pieces.lines, note=f"{kind}: {why}", **columns)
    _add_displaced(errors, reference, prediction, trees[0], matching.displaced, tolerance)
    return errors


def _add_displaced(
    errors: ErrorFeatures,
    reference: RoadNetwork,
    prediction: RoadNetwork,
    tree: BoxTree,
    stretches: Stretches,
    tolerance: float,
) -> None:
    # Every road that leaves the reference is displaced for a moment; that is not worth a feature.
    pieces = join_pieces(prediction, stretches.segment, stretches.begin, stretches.end, min_length=tolerance)
    if len(pieces.lines) == 0:
        return
    roads, lengths = prediction.roads, prediction.segment_lengths
    before = np.concatenate([[0.0], np.cumsum(roads.length + 1.0)])
    road, metres = roads.along(stretches.segment, (stretches.begin + stretches.end) / 2, lengths)
    piece = np.searchsorted(before[pieces.road] + pieces.begin, before[road] + metres) - 1
    inside = (piece >= 0) & (pieces.road[piece] == road) & (pieces.end[piece] > metres)
    area = np.bincount(
        piece[inside], weights=_offsets(prediction, stretches, tree).integral[inside], minlength=len(pieces.lines)
    )
    mean = area / pieces.length
    middle = roads.locate(pieces.road, (pieces.begin + pieces.end) / 2, lengths)
    nearest = reference.nearest(coordinates(prediction, *middle)).segment
    errors.add(
        "displaced",
        pieces.lines,
        ref_id=[str(value) for value in reference.source_ids[nearest]],
        pred_id=pieces.ids,
        length_m=pieces.length,
        dist_m=mean,
        severity=np.minimum(mean / max(2 * tolerance, 1e-300), 0.5),
        note=f"displaced: more than {tolerance / 2:g} m from the reference",
    )


def _offsets(network: RoadNetwork, stretches: Stretches, tree: BoxTree) -> Offsets:
    """Distances to the other network along stretches."""
    ends = [coordinates(network, stretches.segment, metres) for metres in (stretches.begin, stretches.end)]
    return offsets_along(np.concatenate(ends, axis=1), tree)


def counts_by_cell(result: Result, cells: Cells) -> dict[str, Floats]:
    """Lengths in each cell, roads cut at the cells' borders; what does not match is taken from the error features."""
    lines, counts = result.errors["lines"], {}
    for side, role, kind in (("ref", "reference", "missing"), ("pred", "prediction", "spurious")):
        network = result.inputs[role]
        total = cells.lengths(network.nodes[network.segments])
        wrong = lines.geometry[(lines["metric"] == "ccq") & (lines["kind"] == kind)].to_numpy()
        coordinates, owner = shapely.get_coordinates(wrong, return_index=True)
        first = np.flatnonzero(owner[1:] == owner[:-1])
        pieces = np.stack([coordinates[first], coordinates[first + 1]], axis=1)
        counts[f"{side}_length"] = total
        counts[f"{side}_matched"] = np.maximum(total - cells.lengths(pieces), 0.0)
    return counts


METRIC = Metric(
    ccq, "quality", "Share of the road length within a tolerance of the other network.",
    scores=(
        share("correctness", "Share of the predicted length that lies near the reference."),
        share("completeness", "Share of the reference's length that lies near the prediction."),
        share("quality", "Correctness and completeness in one number."),
        share("quality_length", "Matched predicted length over the predicted length and the missing length."),
    ),
    counting="places", halo=halo, scores_from_counts=scores_from_counts,
    counts_by_cell=counts_by_cell,
)  # fmt: skip
