"""``cosmiq-apls``: APLS as SpaceNet's own program, CosmiQ's apls, computes it from the command line.

The nodes of each graph, and points every 50 m along its edges where the reference has fewer than 500 nodes, are control
points. They are put into the other graph, and the lengths of the shortest paths between all pairs are compared. The
total is the harmonic mean of both ways.

Quirks that are part of the number:

- A control point without an edge of the other graph within 4 m loses every path that starts at it, however short.
- Control points are put in one by one. One whose foot is an end of an edge takes that node over, so that the next one
  there replaces it, and the first counts as missing. A control point that cuts an edge keeps its own place, beside the
  road: so the next foot within centimetres of it cuts the edge again. (With the foot as its place the published pair
  gives .7463 instead of .7561, which the program gives; the rule is inferred from that.)
- Of graphs made from lines, roads that come back to their own node, and second roads on the same ground between the
  same two nodes, are left out (since version 2; without this rule the mean of seven chips was .6451, the program's is
  .6490).
- An edge that is cut has the length of its line; the others have the length that their file states.
- The path from a control point to itself counts only with a ``min_path`` of 0. Others count from either end.
- From 500 nodes on there are no points along edges, and above ``max_nodes`` nodes are drawn at random; ``repeats``
  draws several times and gives the mean and the spread.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share, spread
from geoeval.protocols.aggregation import harmonic, mean_of_places
from geoeval.protocols.cosmiq.inserting import GrowingGraph, Snapping
from geoeval.protocols.cosmiq.line_graph import LineGraph, distances_from, link_matrix
from geoeval.protocols.protocol import Protocol

_LEAST_LOSS = 0.5
_BLOCK = 256


def cosmiq_apls(
    reference: LineGraph,
    prediction: LineGraph,
    *,
    max_snap: float = 4.0,
    spacing: float = 50.0,
    short_edge: float = 0.75,
    curved: float = -1.0,
    min_path: float = 0.001,
    few_nodes: int = 500,
    max_nodes: int = 1000,
    end_tolerance: float = 0.05,
    many_nodes: int = 1000,
    nearest_nodes: int = 20,
    min_component: float = 5.0,
    min_predicted_component: float = 3.0,
    repeats: int = 1,
    rng: np.random.Generator | None = None,
) -> MetricResult:
    """APLS of two graphs of lines in metres.

    Parameters
    ----------
    reference, prediction
        Graphs; those that are read from files of lines are made as the program makes them.
    max_snap
        Metres within which a control point is put into the other graph.
    spacing
        Metres between control points along edges.
    short_edge
        Edges shorter than this share of the spacing get no point.
    curved
        Edges get points only if their length differs from the diagonal of their box by at least this share; below 0
        all do. The program's command has -1, its functions 0.012 and 1000.
    min_path
        Metres below which a path does not count; the program's functions have 10.
    few_nodes
        From so many nodes of the reference on there are no points along edges.
    max_nodes
        Control points that are drawn where there are more and no points along edges.
    end_tolerance
        Metres, in x and in y, within which the foot of a control point is an end of its edge.
    many_nodes, nearest_nodes
        Above so many nodes only the edges at so many nearest ones are looked at.
    min_component, min_predicted_component
        Components of the reference and of the prediction are left out if their longest path is shorter, in metres;
        the program has 10 px for predictions, which are 3 m of a SpaceNet image. Graphs that are read as CosmiQ's
        own (gpickles) are taken as they are.
    repeats
        How often control points are drawn, where they are.
    rng
        Where they are drawn from.

    Returns
    -------
    MetricResult
        A way without a path is 0, as in the program, and so is the total where either way is.
    """
    for name, value in (
        ("max_snap", max_snap),
        ("spacing", spacing),
        ("repeats", repeats),
        ("max_nodes", max_nodes),
        ("nearest_nodes", nearest_nodes),
    ):
        if not value > 0:
            raise ParameterError(f"cosmiq-apls.{name} is {value}; give a number above 0")
    graphs = reference.without_small_parts(min_component), prediction.without_small_parts(min_predicted_component)
    few = len(graphs[0].nodes) < few_nodes
    drawn = not few and max(len(graph.nodes) for graph in graphs) > max_nodes
    natives = [_with_points(graph, spacing if few else np.inf, short_edge, curved) for graph in graphs]
    rules = Snapping(max_snap, end_tolerance, int(many_nodes), int(nearest_nodes))
    errors = ErrorFeatures("cosmiq-apls")
    draws = rng or np.random.default_rng(0)
    runs: list[list[_Way]] = []
    for _ in range(repeats if drawn else 1):
        ways = []
        for side, other in ((0, 1), (1, 0)):
            native = natives[side]
            controls = np.arange(native.node_count)
            if not few and len(controls) > max_nodes:
                controls = np.sort(draws.choice(controls, int(max_nodes), replace=False))
            ways.append(_one_way(native, controls, graphs[other], rules, min_path))
        if not runs:
            _add_features(errors, ways, max_snap)
        runs.append(ways)
    return _result(runs, errors)


@dataclass(frozen=True)
class _Way:
    """One way: control points, their nodes in the other graph, what their paths lose, and how many count."""

    places: Floats
    nodes: Ints
    loss: Floats
    paths: Floats

    @property
    def score(self) -> float:
        return 1.0 - float(self.loss.sum() / self.paths.sum()) if self.paths.sum() else 0.0


def _with_points(graph: LineGraph, spacing: float, short_edge: float, curved: float) -> GrowingGraph:
    """The graph with points along its edges, all of which are nodes."""
    stops = [
        _stops(line, length, spacing, short_edge, curved)
        for line, length in zip(graph.lines, graph.lengths, strict=True)
    ]
    grown = GrowingGraph(graph, sum(map(len, stops)))
    for edge, along in enumerate(stops):
        if len(along):
            places = shapely.line_interpolate_point(grown.lines[edge], along)
            grown.cut(edge, along.tolist(), list(shapely.get_coordinates(places)))
    return grown


def _stops(line: Floats, length: float, spacing: float, short_edge: float, curved: float) -> Floats:
    """Metres along an edge at which it gets points; the length that its file states counts."""
    diagonal = float(np.hypot(*(line.max(axis=0) - line.min(axis=0))))
    if length < short_edge * spacing or abs(diagonal - length) / length < curved:
        return np.zeros(0)
    if length <= spacing:
        return np.array([0.5 * np.hypot(*np.diff(line, axis=0).T).sum()])
    return np.linspace(0.0, length, len(np.arange(0.0, length, spacing)) + 1)[1:-1]


def _one_way(native: GrowingGraph, controls: Ints, other: LineGraph, rules: Snapping, min_path: float) -> _Way:
    """Compare all paths between control points. O(c (c + m log m)) for c of them, in blocks of rows."""
    places = native.nodes[controls]
    grown = GrowingGraph(other, len(controls))
    node = np.full(len(controls), -1, dtype=np.int64)
    holder: dict[int, int] = {}
    for i, place in enumerate(places):
        at = grown.insert(place, rules)
        if at >= 0:
            if at in holder:
                node[holder[at]] = -1
            node[i], holder[at] = at, i
    own, there = link_matrix(*native.links()), link_matrix(*grown.links())
    loss, paths = np.zeros(len(controls)), np.zeros(len(controls))
    found = node >= 0
    for begin in range(0, len(controls), _BLOCK):
        rows = np.arange(begin, min(begin + _BLOCK, len(controls)))
        length = distances_from(own, controls[rows])[:, controls]
        connected = np.isfinite(length)
        connected[np.arange(len(rows)), rows] = found[rows] & (min_path <= 0)
        kept = np.zeros_like(length)
        if found.any():
            kept[found[rows]] = distances_from(there, node[rows[found[rows]]])[:, np.where(found, node, 0)]
        with np.errstate(invalid="ignore", divide="ignore"):
            lost = np.minimum(1.0, np.abs(length - kept) / length)
        lost = np.where(length <= 0.0, 0.0, lost)
        lost[:, ~found] = lost[~found[rows]] = 1.0
        counted = connected & ((length >= min_path) | ~found[rows, None])
        loss[rows] = np.where(counted, lost, 0.0).sum(axis=1)
        paths[rows] = counted.sum(axis=1)
    return _Way(places, node, loss, paths)


def _result(runs: list[list[_Way]], errors: ErrorFeatures) -> MetricResult:
    names = ("reference_to_prediction", "prediction_to_reference")
    ways = np.array([[way.score for way in run] for run in runs])
    totals = np.array([harmonic(*run) if min(run) > 0 else 0.0 for run in ways.tolist()])
    scores: dict[str, ScoreValue] = {"apls": float(totals.mean())}
    scores |= {name: float(values.mean()) for name, values in zip(names, ways.T, strict=True)}
    notes = {
        name: f"no path of the {side} counts, for which the program gives 0"
        for name, side, way in zip(names, ("reference", "prediction"), runs[0], strict=True)
        if not way.paths.sum()
    }
    counts: dict[str, float] = {}
    for name, way in zip(names, runs[0], strict=True):
        missing = float((way.nodes < 0).sum())
        counts |= {f"{name}_loss": float(way.loss.sum()), f"{name}_paths": float(way.paths.sum())}
        counts |= {f"{name}_points": float(len(way.nodes)), f"{name}_missing": missing}
    return MetricResult({**scores, "sd": float(totals.std())}, counts, errors, notes)


def _add_features(errors: ErrorFeatures, ways: list[_Way], max_snap: float) -> None:
    """Control points without a partner, and those whose paths lose more than half on average."""
    for way, kind in zip(ways, ("unmatched_hole", "unmatched_marble"), strict=True):
        missing = way.nodes < 0
        errors.add(
            kind, [shapely.Point(place) for place in way.places[missing]],
            note=f"a control point with no road of its own within {max_snap:g} m",
        )  # fmt: skip
        with np.errstate(invalid="ignore"):
            lost = np.nan_to_num(way.loss / way.paths)
        bad = (lost > _LEAST_LOSS) & ~missing
        errors.add(
            "lost_path", [shapely.Point(place) for place in way.places[bad]], severity=lost[bad],
            note=[f"paths from this control point lose {value:.0%} on average" for value in lost[bad]],
        )  # fmt: skip


PROTOCOL = Protocol(
    cosmiq_apls, "apls", "How well lengths of shortest paths agree between control points, as in SpaceNet's program.",
    scores=(
        share("apls", "Harmonic mean of both ways."),
        share("reference_to_prediction", "How well the prediction keeps the lengths of the reference's paths."),
        share("prediction_to_reference", "How well the reference keeps the lengths of the prediction's paths."),
        spread("apls over the drawn control points"),
    ),
    version="2", takes="lines",
    origin="CosmiQ's apls, the metric of SpaceNet 3 and 5 (Van Etten et al., 2018), with the defaults of its command.",
    blind_to=(
        "whether a detour is one error or many; roads that no path crosses; where a path runs, as long as its length "
        "is right; between two control points at one end of a road, which of them it lost"
    ),
    prefer=("apls", "opt-p"),
    aggregates={"mean": mean_of_places},
)  # fmt: skip
