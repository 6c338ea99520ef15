"""``sat2graph-apls``: APLS as the Go program of Sat2Graph and its copies compute it.

Both graphs are cut into nodes about 2 m apart. Control points stand along the chains of one graph and are snapped to
nodes of the other; the lengths of the shortest paths between all pairs are compared, and the two ways are averaged
(arithmetically, unlike the original APLS).

Quirks that are part of the number:

- A taken control point covers the nodes within 4 hops, but the hops are walked in the *other* graph, with the node
  numbers of this one.
- A pair with an unsnapped end costs 1 even where it is not connected, or nearer than the least path.
- The program goes through maps in random order, so that each run gives another number. Here the order is that of the
  nodes; ``repeats`` draws orders instead, and gives the mean and the spread.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share, spread
from geoeval.protocols.aggregation import mean_of_defined, truncated_mean
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.protocol import Protocol
from geoeval.protocols.sat2graph.degrees import PIXELS_PER_DEGREE, degrees_of, pixels_of

_COVERED_HOPS = 4
_CANDIDATES = 10
_LEAST_LOSS = 0.5


@dataclass(frozen=True)
class _Table:
    """Constants of the program: chain nodes a control point, and metres."""

    interval: int
    long_chain: int
    min_path: float
    hops: int
    region: float
    margin: float


_TABLES = {
    "city": _Table(25, 37, 100.0, 4, 2048.0, 100.0),
    "15": _Table(15, 22, 30.0, 3, 352.0, 30.0),
    "10": _Table(10, 15, 30.0, 3, 352.0, 30.0),
}


@dataclass(frozen=True)
class _Dense:
    """A graph cut into short pieces: degrees of the nodes, and their neighbours with lengths in whole centimetres."""

    degrees: Floats
    around: list[list[int]]
    lengths: list[list[int]]


def sat2graph_apls(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    table: str = "city",
    max_snap: float = 10.0,
    repeats: int = 1,
    rng: np.random.Generator | None = None,
) -> MetricResult:
    """APLS of two graphs in pixels.

    Parameters
    ----------
    reference, prediction
        Graphs in pixels, one of which is a metre.
    table
        The constants: ``city`` for tiles of 2048 px, ``15`` for small tiles as in Sat2Graph and MaGRoad, ``10`` as in
        RNGDet++, SAM-Road and DeH4R.
    max_snap
        Metres within which a control point is snapped.
    repeats
        1 takes control points in the order of the nodes. More draw so many random orders, as the program does.
    rng
        Where orders are drawn from.

    Returns
    -------
    MetricResult
        A way without a pair that counts is undefined, and with it the mean.
    """
    if str(table) not in _TABLES:
        raise ParameterError(f"unknown table {table!r} of sat2graph-apls; there are {', '.join(_TABLES)}")
    if repeats < 1:
        raise ParameterError(f"sat2graph-apls.repeats is {repeats}; give a whole number from 1 on")
    constants = _TABLES[str(table)]
    graphs = _densify(reference), _densify(prediction)
    orders = [None] if repeats == 1 else [rng or np.random.default_rng(0)] * repeats
    errors = ErrorFeatures("sat2graph-apls")
    runs: list[list[tuple[float, int]]] = []
    for order in orders:
        ways = []
        for here, there, graph in ((*graphs, reference), (*graphs[::-1], prediction)):
            points = _control_points(here, there, constants, order)
            snapped = _snap(here, there, points, constants.hops, max_snap, order)
            loss, counted = _losses(here, there, points, snapped, constants.min_path)
            ways.append((float(loss.sum()), int(counted.sum())))
            if not runs:
                _add_features(errors, graph, here, points, loss, counted)
        runs.append(ways)
    return _result(runs, errors, {"table": str(table), "max_snap": max_snap, "repeats": repeats})


def _densify(graph: FileGraph) -> _Dense:
    """Edges longer than 3 m in int(d / 2) + 1 equal pieces; nodes that agree in 7 decimals are one. O(n log n)."""
    degrees = degrees_of(graph.nodes)
    pairs = graph.single_edges
    length = _metres(degrees[pairs[:, 0]], degrees[pairs[:, 1]])
    pieces = np.where(length > 3.0, (length / 2.0).astype(np.int64) + 1, 1)
    edge = np.repeat(np.arange(len(pairs)), pieces + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(pieces + 1) - (pieces + 1), pieces + 1)
    share_of = (step / pieces[edge])[:, None]
    places = degrees[pairs[edge, 0]] * (1.0 - share_of) + degrees[pairs[edge, 1]] * share_of
    names = np.rint(places * 1e7).astype(np.int64)
    _, first, number = np.unique(names, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # numbered as they occur
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    number, nodes = rank[number.reshape(-1)], places[first[order]]
    inner = np.flatnonzero(np.diff(edge) == 0)
    ends = np.column_stack([number[inner], number[inner + 1]])
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.lexsort([both[:, 1], both[:, 0]])]
    centimetres = (_metres(nodes[both[:, 0]], nodes[both[:, 1]]) * 100.0).astype(np.int64)
    cuts = np.searchsorted(both[:, 0], np.arange(len(nodes) + 1)).tolist()
    there, lengths = both[:, 1].tolist(), centimetres.tolist()
    spans = list(itertools.pairwise(cuts))
    return _Dense(nodes, [there[a:b] for a, b in spans], [lengths[a:b] for a, b in spans])


def _control_points(here: _Dense, there: _Dense, constants: _Table, order: np.random.Generator | None) -> Ints:
    """Control points of a graph; the other one decides what a point covers, which is a bug that all copies keep."""
    rows_columns = pixels_of(here.degrees)
    low, high = constants.margin, constants.region - constants.margin
    inside = np.all((rows_columns > low) & (rows_columns < high), axis=1)
    cells = (here.degrees * PIXELS_PER_DEGREE / 2.0).astype(np.int64)
    taken_cells: set[tuple[int, int]] = set()
    covered: set[int] = set()
    visited = [False] * len(here.around)
    taken: list[int] = []

    def take(node: int) -> None:
        cell = (int(cells[node, 0]), int(cells[node, 1]))
        if cell not in taken_cells:
            taken_cells.add(cell)
            taken.append(node)
            covered.update(_within_hops(there, node, _COVERED_HOPS))

    for first, around in enumerate(here.around):
        if len(around) == 2:
            continue
        for second in around if order is None else order.permutation(around).tolist():
            if visited[second]:
                continue
            chain = _chain(here, first, second)
            if len(chain) > constants.long_chain:
                parts = len(chain) // constants.interval + 1
                for i in range(1, parts):
                    node = chain[len(chain) * i // parts]
                    if inside[node] and node not in covered:
                        take(node)
            for node in chain:
                visited[node] = True
        if inside[first] and (first not in covered or len(around) == 1):
            take(first)
    return np.array(taken, dtype=np.int64)


def _chain(graph: _Dense, first: int, second: int) -> list[int]:
    chain = [first, second]
    while len(graph.around[chain[-1]]) == 2:
        one, other = graph.around[chain[-1]]
        chain.append(other if one == chain[-2] else one)
    return chain


def _within_hops(graph: _Dense, node: int, hops: int) -> set[int]:
    if node >= len(graph.around):
        return set()
    reached, edge = {node}, [node]
    for _ in range(hops):
        edge = [other for one in edge for other in graph.around[one] if other not in reached]
        reached.update(edge)
    return reached


def _snap(
    here: _Dense, there: _Dense, points: Ints, hops: int, max_snap: float, order: np.random.Generator | None
) -> Ints:
    """For each control point its node in the other graph, or -1: the nearest that no other point has excluded."""
    snapped = np.full(len(points), -1, dtype=np.int64)
    if len(points) == 0 or len(there.degrees) == 0:
        return snapped
    count = min(_CANDIDATES, len(there.degrees))
    _, near = cKDTree(there.degrees).query(here.degrees[points], k=count)
    near = near.reshape(len(points), count)
    off = _metres(np.repeat(here.degrees[points], count, axis=0), there.degrees[near.reshape(-1)]).reshape(near.shape)
    excluded: set[int] = set()
    for i in range(len(points)) if order is None else order.permutation(len(points)):
        for node, distance in zip(near[i].tolist(), off[i].tolist(), strict=True):
            if node not in excluded and distance < max_snap:
                snapped[i] = node
                excluded.update(_within_hops(there, node, hops))
                break
    return snapped


def _losses(here: _Dense, there: _Dense, points: Ints, snapped: Ints, min_path: float) -> tuple[Floats, Bools]:
    """What each unordered pair loses, and whether it counts; both as upper triangles."""
    own = _path_lengths(here, points)
    other = np.zeros_like(own)
    has = snapped >= 0
    other[np.ix_(has, has)] = _path_lengths(there, snapped[has])
    other[~np.isfinite(other)] = 0.0
    both = has[:, None] & has[None, :]
    long = np.isfinite(own) & (own > min_path)
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.minimum(1.0, np.abs(own - other) / own)
    pairs = np.triu(np.ones(own.shape, dtype=bool), 1)
    counted = pairs & (~both | long)
    return np.where(counted, np.where(both, loss, 1.0), 0.0), counted


def _path_lengths(graph: _Dense, nodes: Ints) -> Floats:
    """Metres between nodes along the graph, whose chains become single edges first."""
    if len(nodes) == 0:
        return np.zeros((0, 0))
    kept = np.array([len(around) != 2 for around in graph.around])
    kept[nodes] = True
    number = np.cumsum(kept) - 1
    shortest: dict[tuple[int, int], int] = {}
    for first in np.flatnonzero(kept).tolist():
        for second, length in zip(graph.around[first], graph.lengths[first], strict=True):
            before, at, total = first, second, length
            while not kept[at]:
                side = int(graph.around[at][0] == before)
                total += graph.lengths[at][side]
                before, at = at, graph.around[at][side]
            key = (int(number[first]), int(number[at]))
            shortest[key] = min(total, shortest.get(key, total))
    ends = np.array(list(shortest), dtype=np.int64).reshape(-1, 2)
    weights = np.array(list(shortest.values()), dtype=np.float64) / 100.0
    size = int(kept.sum())
    matrix = csr_array((np.maximum(weights, 1e-12), ends.T), shape=(size, size))
    unique, back = np.unique(number[nodes], return_inverse=True)
    lengths = dijkstra(matrix, directed=True, indices=unique)
    return np.asarray(lengths[np.ix_(back, number[nodes])])


def _metres(one: Floats, other: Floats) -> Floats:
    across = (other[:, 1] - one[:, 1]) * np.cos(np.radians(one[:, 0]))
    return np.asarray(np.sqrt((other[:, 0] - one[:, 0]) ** 2 + across**2) * PIXELS_PER_DEGREE)


_WAYS = ("reference_to_prediction", "prediction_to_reference")


def _scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from losses and pairs, which may be sums over several tiles."""
    ways = {
        name: 1.0 - counts[f"{name}_loss"] / counts[f"{name}_pairs"] if counts[f"{name}_pairs"] else None
        for name in _WAYS
    }
    known = [value for value in ways.values() if value is not None]
    scores: dict[str, ScoreValue] = {"apls": sum(known) / 2 if len(known) == len(_WAYS) else None, **ways}
    return scores, {name: "no pair of control points counts" for name, value in scores.items() if value is None}


def _result(runs: list[list[tuple[float, int]]], errors: ErrorFeatures, parameters: dict[str, Any]) -> MetricResult:
    names = _WAYS
    ways = np.array([[1.0 - loss / count if count else np.nan for loss, count in run] for run in runs])
    notes = {}
    scores: dict[str, ScoreValue] = {}
    for name, side, values in zip(names, ("reference", "prediction"), ways.T, strict=True):
        scores[name] = None if np.isnan(values).any() else float(values.mean())
        if scores[name] is None:
            notes[name] = notes["apls"] = f"no pair of control points of the {side} counts"
    totals = ways.mean(axis=1)
    whole = None if np.isnan(totals).any() else float(totals.mean())
    sd = None if whole is None else float(totals.std())
    if sd is None:
        notes["sd"] = notes["apls"]
    counts = {f"{name}_{what}": float(runs[0][i][k]) for i, name in enumerate(names) for k, what in enumerate(
        ("loss", "pairs"))}  # fmt: skip
    return MetricResult({"apls": whole, **scores, "sd": sd}, counts, errors, notes, {"parameters": parameters})


def _add_features(
    errors: ErrorFeatures, graph: FileGraph, dense: _Dense, points: Ints, loss: Floats, counted: Bools
) -> None:
    """Control points whose paths lose more than half on average."""
    with np.errstate(invalid="ignore"):
        lost = (loss.sum(axis=0) + loss.sum(axis=1)) / (counted.sum(axis=0) + counted.sum(axis=1))
    bad = np.flatnonzero(np.nan_to_num(lost) > _LEAST_LOSS)
    places = graph.places(pixels_of(dense.degrees[points[bad]]))
    errors.add(
        "lost_path", [shapely.Point(place) for place in places], severity=lost[bad],
        note=[f"paths to this control point lose {value:.0%} on average" for value in lost[bad]],
    )  # fmt: skip


PROTOCOL = Protocol(
    sat2graph_apls, "apls", "How well lengths of shortest paths agree between control points, as in the Go program.",
    scores=(
        share("apls", "Arithmetic mean of both ways."),
        share("reference_to_prediction", "How well the prediction keeps the lengths of the reference's paths."),
        share("prediction_to_reference", "How well the reference keeps the lengths of the prediction's paths."),
        spread("apls over the drawn orders"),
    ),
    version="1", takes="graphs",
    origin="metrics/apls of Sat2Graph (He et al., ECCV 2020), also in RNGDet++, SAM-Road and DeH4R.",
    blind_to=(
        "roads outside of a margin of 100 px (30 in small tiles); parts that no path crosses; whether a detour is one "
        "error or many; its own noise of 0.002 a tile, which comes from the random order of maps"
    ),
    prefer=("apls", "opt-p"),
    aggregates={"city": truncated_mean, "spacenet": mean_of_defined}, scores_from_counts=_scores_from_counts,
)  # fmt: skip
