"""``lane-geo-topo``: GEO and TOPO of lane graphs, as LaneExtraction's and lanegnn's scripts compute them.

Both graphs become points every 2 px or so. GEO pairs points nearer than 8 px, the nearest first, one to one: precision
and recall are the shares of points that are paired. TOPO looks from every 10th pair: both graphs are followed for
400 px, the points on the way are paired in the same manner, and the mean shares are multiplied by those of GEO.

Quirks that are part of the number:

- Lanes have directions, but the graph is taken without them.
- The way is followed depth first, and a point keeps the distance at which it was first reached. That need not be the
  shortest, so in a block of streets some points within 400 px are left out: which, the order of the file decides.
- The point at which 400 px are reached belongs to the way.
- Pixels are of 0.125 m in LaneExtraction's data; lanegnn cuts coordinates to whole pixels first (``truncate``), and its
  Succ-LGP table has TOPO precision in the column of GEO precision.
"""

from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval._kernels.compiling import kernel
from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share
from geoeval.protocols.aggregation import harmonic, mean_of_places
from geoeval.protocols.file_graph import FileGraph, Neighbours
from geoeval.protocols.protocol import Protocol


def lane_geo_topo(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    match: float = 8.0,
    travel: float = 400.0,
    every: int = 10,
    size: float = 4096.0,
    truncate: bool = False,
) -> MetricResult:
    """GEO and TOPO of two graphs in pixels.

    Parameters
    ----------
    reference, prediction
        Graphs in pixels.
    match
        Pixels below which points may be paired.
    travel
        Pixels along the graph that TOPO follows.
    every
        From each pair of that number TOPO starts.
    size
        Points outside of a square of that size from the origin are left out.
    truncate
        Whether coordinates are cut to whole pixels first, as in lanegnn.

    Returns
    -------
    MetricResult
        A side without points leaves its share undefined, and with it f1.
    """
    for name, value in (("match", match), ("travel", travel), ("every", every), ("size", size)):
        if not value > 0:
            raise ParameterError(f"lane-geo-topo.{name} is {value}; give a number above 0")
    true, predicted = (_Points.of(graph, size, truncate=truncate) for graph in (reference, prediction))
    pairs = _pairs(true, predicted, match)
    taken = pairs[take_in_order(pairs[:, 0], pairs[:, 1], len(true.places), len(predicted.places))]
    starts = taken[:: int(every)]
    shares = _followed(true, predicted, pairs, starts, travel)
    tally = {
        "matched": float(len(taken)), "reference_points": float(len(true.places)),
        "prediction_points": float(len(predicted.places)), "starts": float(len(starts)),
        "precision_sum": float(shares[:, 0].sum()), "recall_sum": float(shares[:, 1].sum()),
    }  # fmt: skip
    errors = ErrorFeatures("lane-geo-topo")
    for kind, points, graph, side in (
        ("unmatched_hole", true, reference, 0), ("unmatched_marble", predicted, prediction, 1)
    ):  # fmt: skip
        _add_features(errors, kind, points, graph, taken[:, side])
    scores, notes = _scores(tally)
    return MetricResult(scores, tally, errors, notes)


@dataclass(frozen=True)
class _Points:
    """Points along the edges of a graph, ends shared, with the neighbours of each."""

    places: Floats
    steps: Ints
    neighbours: Neighbours

    @classmethod
    def of(cls, graph: FileGraph, size: float, *, truncate: bool) -> "_Points":
        """max(2, int(length) // 2 + 1) points an edge, both ends included; those outside of the square left out."""
        nodes = np.trunc(graph.nodes) if truncate else graph.nodes
        edges = graph.single_edges
        first, last = nodes[edges[:, 0]], nodes[edges[:, 1]]
        inner = np.maximum(2, np.hypot(*(last - first).T).astype(np.int64) // 2 + 1) - 2
        edge = np.repeat(np.arange(len(edges)), inner)
        rank = np.arange(len(edge)) - np.repeat(np.cumsum(inner) - inner, inner) + 1
        part = (rank / (inner[edge] + 1))[:, None]
        places = np.concatenate([nodes, first[edge] * (1.0 - part) + last[edge] * part])
        begin = len(nodes) + np.cumsum(inner) - inner
        before = np.where(rank == 1, edges[edge, 0], len(nodes) + np.arange(len(edge)) - 1)
        steps = [np.column_stack([before, len(nodes) + np.arange(len(edge))])]
        end = np.where(inner > 0, begin + inner - 1, edges[:, 0])
        steps.append(np.column_stack([end, edges[:, 1]]))
        # In the order of the edges, so that the order of the file decides which way is followed first.
        order = np.argsort(np.concatenate([edge, np.arange(len(edges))]), kind="stable")
        listed = np.concatenate(steps)[order]
        kept: Bools = np.all((places >= 0) & (places <= size), axis=1)
        kept[np.setdiff1d(np.arange(len(nodes)), edges)] = False
        number = np.cumsum(kept) - 1
        listed = number[listed[kept[listed].all(axis=1)]].reshape(-1, 2)
        listed = listed[listed[:, 0] != listed[:, 1]]
        both = np.stack([listed, listed[:, ::-1]], axis=1).reshape(-1, 2)
        count = int(kept.sum())
        _, once = np.unique(both[:, 0] * max(count, 1) + both[:, 1], return_index=True)
        return cls(places[kept], listed, Neighbours.of(both[np.sort(once)], count))


def _pairs(true: _Points, predicted: _Points, match: float) -> Ints:
    """Pairs of points nearer than ``match``, the nearest first."""
    if not len(true.places) or not len(predicted.places):
        return np.zeros((0, 2), dtype=np.int64)
    near = cKDTree(true.places).sparse_distance_matrix(cKDTree(predicted.places), match, output_type="ndarray")
    near = near[near["v"] < match]
    order = np.lexsort([near["j"], near["i"], near["v"]])
    return np.column_stack([near["i"], near["j"]])[order].astype(np.int64)


def _followed(true: _Points, predicted: _Points, pairs: Ints, starts: Ints, travel: float) -> Floats:
    """Shares of the prediction's and of the reference's points that are paired, from each start.

    O(starts (points on the way + pairs on the way)).
    """
    shares = np.zeros((len(starts), 2))
    order = np.argsort(pairs[:, 0], kind="stable")  # by true point, the nearest first
    first = np.searchsorted(pairs[order, 0], np.arange(len(true.places) + 1))
    _follow(
        true.places, true.neighbours.start, true.neighbours.node, predicted.places, predicted.neighbours.start,
        predicted.neighbours.node, pairs, order, first, starts, travel, shares,
    )  # fmt: skip
    return shares


@kernel
def _follow(
    places: Floats, start: Ints, node: Ints, other_places: Floats, other_start: Ints, other_node: Ints, pairs: Ints,
    order: Ints, first: Ints, starts: Ints, travel: float, shares: Floats,
) -> None:  # fmt: skip
    here, there = np.full(len(places), -1), np.full(len(other_places), -1)
    way, other_way = np.empty(len(places), np.int64), np.empty(len(other_places), np.int64)
    most = max(len(places), len(other_places)) + 1
    stack, gone = np.empty((most, 2), np.int64), np.empty(most)
    free, other_free = np.empty(len(places), np.bool_), np.empty(len(other_places), np.bool_)
    ranks = np.empty(len(pairs), np.int64)
    for k in range(len(starts)):
        count = _depth_first(places, start, node, starts[k, 0], travel, k, here, way, stack, gone)
        other = _depth_first(
            other_places, other_start, other_node, starts[k, 1], travel, k, there, other_way, stack, gone
        )
        found = 0
        for i in range(count):
            free[way[i]] = True
            for p in range(first[way[i]], first[way[i] + 1]):
                if there[pairs[order[p], 1]] == k:
                    ranks[found] = order[p]
                    found += 1
        for i in range(other):
            other_free[other_way[i]] = True
        matched = 0
        for rank in np.sort(ranks[:found]):
            a, b = pairs[rank, 0], pairs[rank, 1]
            if free[a] and other_free[b]:
                free[a], other_free[b] = False, False
                matched += 1
        shares[k, 0], shares[k, 1] = matched / other, matched / count


@kernel
def _depth_first(
    places: Floats, start: Ints, node: Ints, origin: int, travel: float, stamp: int, seen: Ints, way: Ints,
    stack: Ints, gone: Floats,
) -> int:  # fmt: skip
    """Points that are reached depth first, neighbours in listed order, and not on from where ``travel`` is gone."""
    way[0], seen[origin] = origin, stamp
    count, depth = 1, 0
    stack[0, 0], stack[0, 1], gone[0] = origin, start[origin], 0.0
    while depth >= 0:
        point, p = stack[depth, 0], stack[depth, 1]
        if p == start[point + 1] or gone[depth] >= travel:
            depth -= 1
            continue
        stack[depth, 1] += 1
        there = node[p]
        if seen[there] == stamp:
            continue
        seen[there] = stamp
        way[count] = there
        count += 1
        step = np.sqrt((places[there, 0] - places[point, 0]) ** 2 + (places[there, 1] - places[point, 1]) ** 2)
        gone[depth + 1] = gone[depth] + step
        depth += 1
        stack[depth, 0], stack[depth, 1] = there, start[there]
    return count


def _scores(tally: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    scores: dict[str, ScoreValue] = {}
    notes = {}
    for name, side, own in (("precision", "prediction", "precision_sum"), ("recall", "reference", "recall_sum")):
        points = tally[f"{side}_points"]
        geo = tally["matched"] / points if points else None
        mean = tally[own] / tally["starts"] if tally["starts"] else 0.0
        scores[f"geo_{name}"], scores[f"topo_{name}"] = geo, None if geo is None else geo * mean
        if geo is None:
            for score in (f"geo_{name}", f"topo_{name}", "geo_f1", "topo_f1"):
                notes[score] = f"the {side} has no point"
    for what in ("geo", "topo"):
        scores[f"{what}_f1"] = harmonic(scores[f"{what}_precision"], scores[f"{what}_recall"])
    return {score.name: scores[score.name] for score in PROTOCOL.scores}, notes


def _add_features(errors: ErrorFeatures, kind: str, points: _Points, graph: FileGraph, matched: Ints) -> None:
    """Stretches along which points have no partner; a single point between others that have one is no stretch."""
    alone = np.ones(len(points.places), dtype=bool)
    alone[matched] = False
    steps = points.steps[alone[points.steps].all(axis=1)]
    places = graph.places(points.places)
    lines = shapely.line_merge(shapely.union_all(shapely.linestrings(places[steps]))) if len(steps) else None
    parts = [] if lines is None else [part for part in shapely.get_parts(lines) if not part.is_empty]
    errors.add(kind, parts, note="points along here have no partner")


PROTOCOL = Protocol(
    lane_geo_topo, "topo_f1", "How many points along lanes have a partner, and how many of those within reach of each.",
    scores=(
        share("topo_f1", "Harmonic mean of TOPO precision and recall."),
        share("topo_precision", "GEO precision times the mean share of the prediction's points within reach."),
        share("topo_recall", "GEO recall times the mean share of the reference's points within reach."),
        share("geo_f1", "Harmonic mean of GEO precision and recall."),
        share("geo_precision", "Share of the prediction's points with a partner."),
        share("geo_recall", "Share of the reference's points with a partner."),
    ),
    version="1", takes="graphs",
    origin="eval.py of LaneExtraction (He et al., 2022), also in lanegnn (Büchner, Zürn et al., CVPR 2023).",
    blind_to="directions of lanes; errors under 8 px; where a way is longer than 400 px, whatever lies beyond",
    prefer=("opt-g", "opt-p"),
    aggregates={"mean": mean_of_places},
)  # fmt: skip
