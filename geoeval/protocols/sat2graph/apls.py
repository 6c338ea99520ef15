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

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share, spread
from geoeval.protocols.aggregation import mean_of_defined, truncated_mean
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.protocol import Protocol
from geoeval.protocols.sat2graph.degrees import PIXELS_PER_DEGREE, pixels_of
from geoeval.protocols.sat2graph.dense import Dense, chain_of, densify, metres_between, path_lengths, within_hops

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


def sat2graph_apls(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    table: str = "city",
    interval: int | None = None,
    long_chain: int | None = None,
    min_path: float | None = None,
    hops: int | None = None,
    region: float | None = None,
    margin: float | None = None,
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
    interval, long_chain, min_path, hops, region, margin
        Single constants instead of the table's: nodes of a chain for one control point, nodes of a chain that gets
        any, metres of the least path, hops around a snapped node that are excluded, pixels of the tile and of the
        margin in which no control point stands.
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
    given: dict[str, Any] = {
        "interval": interval, "long_chain": long_chain, "min_path": min_path, "hops": hops, "region": region,
        "margin": margin,
    }  # fmt: skip
    constants = replace(_TABLES[str(table)], **{name: value for name, value in given.items() if value is not None})
    if constants.interval < 1:
        raise ParameterError(f"sat2graph-apls.interval is {interval}; give a whole number from 1 on")
    graphs = densify(reference), densify(prediction)
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
    used = {"table": str(table), **asdict(constants), "max_snap": max_snap, "repeats": repeats}
    return _result(runs, errors, used)


def _control_points(here: Dense, there: Dense, constants: _Table, order: np.random.Generator | None) -> Ints:
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
            covered.update(within_hops(there, node, _COVERED_HOPS))

    for first, around in enumerate(here.around):
        if len(around) == 2:
            continue
        for second in around if order is None else order.permutation(around).tolist():
            if visited[second]:
                continue
            chain = chain_of(here, first, second)
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


def _snap(
    here: Dense, there: Dense, points: Ints, hops: int, max_snap: float, order: np.random.Generator | None
) -> Ints:
    """For each control point its node in the other graph, or -1: the nearest that no other point has excluded."""
    snapped = np.full(len(points), -1, dtype=np.int64)
    if len(points) == 0 or len(there.degrees) == 0:
        return snapped
    count = min(_CANDIDATES, len(there.degrees))
    _, near = cKDTree(there.degrees).query(here.degrees[points], k=count)
    near = near.reshape(len(points), count)
    off = metres_between(np.repeat(here.degrees[points], count, axis=0), there.degrees[near.reshape(-1)]).reshape(
        near.shape
    )
    excluded: set[int] = set()
    for i in range(len(points)) if order is None else order.permutation(len(points)):
        for node, distance in zip(near[i].tolist(), off[i].tolist(), strict=True):
            if node not in excluded and distance < max_snap:
                snapped[i] = node
                excluded.update(within_hops(there, node, hops))
                break
    return snapped


def _losses(here: Dense, there: Dense, points: Ints, snapped: Ints, min_path: float) -> tuple[Floats, Bools]:
    """What each unordered pair loses, and whether it counts; both as upper triangles."""
    own = path_lengths(here, points)
    other = np.zeros_like(own)
    has = snapped >= 0
    other[np.ix_(has, has)] = path_lengths(there, snapped[has])
    other[~np.isfinite(other)] = 0.0
    both = has[:, None] & has[None, :]
    long = np.isfinite(own) & (own > min_path)
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = np.minimum(1.0, np.abs(own - other) / own)
    pairs = np.triu(np.ones(own.shape, dtype=bool), 1)
    counted = pairs & (~both | long)
    return np.where(counted, np.where(both, loss, 1.0), 0.0), counted


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
    errors: ErrorFeatures, graph: FileGraph, dense: Dense, points: Ints, loss: Floats, counted: Bools
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
    constants=asdict(_TABLES["city"]),
    aggregates={"city": truncated_mean, "spacenet": mean_of_defined}, scores_from_counts=_scores_from_counts,
)  # fmt: skip
