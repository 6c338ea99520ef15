"""``cosmiq-topo``: TOPO as CosmiQ's program computes it.

Around places drawn among the nodes of the reference, points stand every 30 m along the edges within 150 m: holes on the
reference, marbles on the prediction. Marbles take the nearest free hole within 4 m, one after the other. Precision,
recall and f1 come from the counts of all places together. After Biagioni and Eriksson (2012).

Quirks that are part of the number:

- Places are drawn at random, with repetition, and without a seed: each run gives another number. Here the seed is that
  of the evaluation, and ``repeats`` gives the mean and the spread of several draws.
- The prediction is entered at its node nearest to the place, if that is within the size of a hole. Where it is not, all
  holes are missed but no marble is wrong: such a place costs recall alone.
- Points are counted from each edge's end that is nearer to the place, the first one a spacing from it: edges shorter
  than that have none.
- The first marble takes the nearest hole, so that the order of the edges decides where holes are scarce.
"""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share, spread
from geoeval.protocols.aggregation import f1_of_means, harmonic, mean_of_places
from geoeval.protocols.cosmiq.line_graph import LineGraph, distances_from, link_matrix
from geoeval.protocols.protocol import Protocol

_LEAST_UNMATCHED = 0.5
_NAMES = ("f1", "precision", "recall")


def cosmiq_topo(
    reference: LineGraph,
    prediction: LineGraph,
    *,
    origins: int = 20,
    radius: float = 150.0,
    spacing: float = 30.0,
    hole_size: float = 4.0,
    min_component: float = 5.0,
    min_predicted_component: float = 3.0,
    repeats: int = 1,
    rng: np.random.Generator | None = None,
) -> MetricResult:
    """TOPO of two graphs of lines in metres.

    Parameters
    ----------
    reference, prediction
        Graphs; those that are read from files of lines are made as the program makes them.
    origins
        How many places are drawn.
    radius
        Metres around a place, straight, within which nodes are taken.
    spacing
        Metres between points along edges.
    hole_size
        Metres within which a marble falls into a hole, and the prediction is entered. The program's function has 5.
    min_component, min_predicted_component
        As in ``cosmiq-apls``.
    repeats
        How often places are drawn.
    rng
        Where they are drawn from.

    Returns
    -------
    MetricResult
        A reference without nodes leaves all scores undefined; without a marble, precision is.
    """
    given = {"origins": origins, "radius": radius, "spacing": spacing, "hole_size": hole_size, "repeats": repeats}
    for name, value in given.items():
        if not value > 0:
            raise ParameterError(f"cosmiq-topo.{name} is {value}; give a number above 0")
    true, predicted = (
        reference.without_small_parts(min_component), prediction.without_small_parts(min_predicted_component)
    )  # fmt: skip
    errors = ErrorFeatures("cosmiq-topo")
    if true.is_empty:
        why = "the reference has no road"
        return MetricResult(dict.fromkeys((*_NAMES, "sd")), errors=errors, notes=dict.fromkeys((*_NAMES, "sd"), why))
    draws = rng or np.random.default_rng(0)
    game = _Game(true, predicted, radius, spacing, hole_size)
    runs = [game.play(draws.choice(len(true.nodes), int(origins))) for _ in range(int(repeats))]
    for kind, seen in (("unmatched_hole", game.holes), ("unmatched_marble", game.marbles)):
        _add_features(errors, kind, seen)
    counts = {name: float(sum(run[name] for run in runs)) for name in runs[0]}
    return _result(runs, counts, errors)


class _Game:
    """Holes and marbles around nodes of the reference; each node is played once, however often it is drawn."""

    def __init__(self, true: LineGraph, predicted: LineGraph, radius: float, spacing: float, hole_size: float) -> None:
        self.true, self.predicted = true, predicted
        self.radius, self.spacing, self.hole_size = radius, spacing, hole_size
        self.played: dict[int, dict[str, int]] = {}
        self.holes: list[_Seen] = []
        self.marbles: list[_Seen] = []

    def play(self, nodes: Ints) -> dict[str, int]:
        """Counts of all places together, repeated ones as often as they are drawn."""
        for node in np.unique(nodes).tolist():
            if node not in self.played:
                self.played[node] = self._around(node)
        total = {"matched": 0, "marbles": 0, "holes": 0}
        for node in nodes.tolist():
            for name, value in self.played[node].items():
                total[name] += value
        return total

    def _around(self, node: int) -> dict[str, int]:
        holes = _points(self.true, node, self.radius, self.spacing)
        marbles = np.zeros((0, 2))
        if len(self.predicted.nodes):
            away = np.hypot(*(self.predicted.nodes - self.true.nodes[node]).T)
            if away.min() <= self.hole_size:
                marbles = _points(self.predicted, int(np.argmin(away)), self.radius, self.spacing)
        hole_of = _fall(marbles, holes, self.hole_size)
        taken = np.isin(np.arange(len(holes)), hole_of)
        self.holes.append(_Seen(holes, ~taken))
        self.marbles.append(_Seen(marbles, hole_of < 0))
        return {"matched": int(taken.sum()), "marbles": len(marbles), "holes": len(holes)}


@dataclass(frozen=True)
class _Seen:
    places: Floats
    unmatched: Bools


def _points(graph: LineGraph, origin: int, radius: float, spacing: float) -> Floats:
    """Points along the edges whose ends both lie within the radius, and that the origin reaches within it."""
    inside = np.hypot(*(graph.nodes - graph.nodes[origin]).T) <= radius
    edges = np.flatnonzero(inside[graph.ends].all(axis=1))
    matrix = link_matrix(graph.ends[edges], graph.lengths[edges], len(graph.nodes))
    away = distances_from(matrix, np.array([origin]))[0]
    places = []
    for edge in edges.tolist():
        first, last = graph.ends[edge]
        if not np.isfinite(away[first]):
            continue
        course = graph.lines[edge] if away[first] <= away[last] else graph.lines[edge][::-1]
        line = shapely.linestrings(course)
        stops = np.arange(spacing, float(shapely.length(line)), spacing)
        places.append(shapely.get_coordinates(shapely.line_interpolate_point(line, stops)))
    return np.concatenate([np.zeros((0, 2)), *places])


def _fall(marbles: Floats, holes: Floats, size: float) -> Ints:
    """For each marble in order its hole, the nearest one that is free, or -1."""
    hole_of = np.full(len(marbles), -1, dtype=np.int64)
    free = np.ones(len(holes), dtype=bool)
    for i, marble in enumerate(marbles):
        away = np.where(free, np.hypot(*(holes - marble).T), np.inf)
        if len(away) and away.min() <= size:
            hole_of[i] = int(np.argmin(away))
            free[hole_of[i]] = False
    return hole_of


def _result(runs: list[dict[str, int]], counts: dict[str, float], errors: ErrorFeatures) -> MetricResult:
    recall = [run["matched"] / run["holes"] if run["holes"] else None for run in runs]
    precision = [run["matched"] / run["marbles"] if run["marbles"] else None for run in runs]
    notes = {}
    if None in recall:
        notes["recall"] = notes["f1"] = notes["sd"] = "no drawn place of the reference has an edge as long as a spacing"
    if None in precision:
        notes["precision"] = "no drawn place of the reference has a marble on the prediction"
    # Without marbles nothing is found, so f1 is 0 although precision is undefined.
    f1 = [None if r is None else harmonic(p or 0.0, r) for p, r in zip(precision, recall, strict=True)]
    scores: dict[str, ScoreValue] = {"f1": _mean(f1), "precision": _mean(precision), "recall": _mean(recall)}
    known = [value for value in f1 if value is not None]
    sd = float(np.std(known)) if len(known) == len(f1) else None
    return MetricResult({**scores, "sd": sd}, counts, errors, notes)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _add_features(errors: ErrorFeatures, kind: str, seen: list[_Seen]) -> None:
    """Places where most of the points that stood there found no partner; points of several draws are one."""
    places = np.concatenate([np.zeros((0, 2)), *(one.places for one in seen)])
    unmatched = np.concatenate([np.zeros(0, dtype=bool), *(one.unmatched for one in seen)])
    spots, number, times = np.unique(np.round(places, 3), axis=0, return_inverse=True, return_counts=True)
    part = np.bincount(number.reshape(-1), weights=unmatched, minlength=len(spots)) / np.maximum(times, 1)
    bad = part > _LEAST_UNMATCHED
    notes = [
        f"{one:.0%} of {count} points here have no partner" for one, count in zip(part[bad], times[bad], strict=True)
    ]
    errors.add(kind, [shapely.Point(spot) for spot in spots[bad]], severity=part[bad], note=notes)


PROTOCOL = Protocol(
    cosmiq_topo, "f1", "Marbles on the prediction that fall into holes on the reference, around drawn places.",
    scores=(
        share("f1", "Harmonic mean of precision and recall."),
        share("precision", "Share of marbles that fall into a hole."),
        share("recall", "Share of holes that get a marble."),
        spread("f1 over the draws"),
    ),
    version="2", takes="lines",
    origin="TOPO of CosmiQ's apls (Van Etten et al., 2018), after Biagioni and Eriksson (2012).",
    blind_to=(
        "edges shorter than 30 m; predictions without a node near the place, which cost no precision; everything "
        "beyond the drawn places"
    ),
    prefer=("opt-g", "opt-j"),
    aggregates={"mean": mean_of_places, "spacenet": f1_of_means},
)  # fmt: skip
