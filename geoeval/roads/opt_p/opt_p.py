"""OPT-P: can whole paths of one network be followed in the other one, each road used once.

Citraro, Koziński and Fua, *Towards Reliable Evaluation of Algorithms for Road Network Reconstruction from Aerial
Images*, ECCV 2020, section 3.1 and supplement. Each network is decomposed into paths that share no road
(``decomposition``); each path is followed in what the paths before it have left of the other network
(``path_matching``). With the runs s of connected steps of a path of length l, its score is the sum of
(l(s) / l)^2: 1 for a path that is there in one piece, near 1/2 for one broken in the middle. Recall is the mean
score of the reference's paths followed in the prediction, precision that of the prediction's paths followed in the
reference.

Choices where the papers leave one: the points of a path are at equal steps of at most ``step``; the fewest breaks
come before the least sum of squared distances; paths are matched until the source is used up, and score 0 once
nothing is left to match them to (``stop="either"`` stops then, as printed, and does not see doubled roads); what a
connected step uses up is the shortest way inside its capsule, where stretches that the path itself runs on cost
nothing (else a network compared with itself would lose short cuts and not be perfect). Decompositions are random, so
the scores are means over several of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.defaults import MAX_DISTANCE
from geoeval.exceptions import ParameterError
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, count, share, spread
from geoeval.roads.opt_p.decomposition import PathSet, decompose, given_paths, path_of
from geoeval.roads.opt_p.path_errors import PRECISION, RECALL, add_path_errors
from geoeval.roads.opt_p.path_matching import BROKEN, match_points, path_scores, points_along, run_lengths
from geoeval.roads.opt_p.target import make_target
from geoeval.roads.opt_p.twins import twins
from geoeval.roads.paths.culprits import add_all_roads
from geoeval.roads.paths.pairs import check_length

_SCORES = ("precision", "recall", "f1", "recall_length_weighted", "precision_length_weighted")
_MOST_CALLS = 50


def opt_p(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    step: float = 15.0,
    decompositions: int = 10,
    stop: str = "source",
    reference_paths: Sequence[Any] | None = None,
    prediction_paths: Sequence[Any] | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
) -> MetricResult:
    """Follow the paths of each network in the other one.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far, in metres, a point of a path may be from its place in the other network, and the way between two
        places from the step between their points.
    step
        Longest distance between points along a path, in metres. With more than twice ``max_distance`` a network may
        not be perfect against itself.
    decompositions
        How many times each network is decomposed at random.
    stop
        When to stop. ``"source"``: when all paths are matched. ``"either"``: also when nothing is left to match them
        to.
    reference_paths, prediction_paths
        Paths to use instead of random ones: lines or sequences of coordinates on the network's roads, in the
        order in which to match them.
    rng
        Source of the decompositions; ``default_rng(0)`` by default. Both networks are decomposed with the same random
        numbers, so that swapping them swaps precision and recall.
    progress
        Called at most 50 times with the fraction done; an exception raised in it stops the work.

    Returns
    -------
    MetricResult
        Scores ``precision``, ``recall``, ``f1``, ``recall_length_weighted`` and ``precision_length_weighted`` (paths
        weighted by length), ``breaks`` (disconnected steps of the reference's paths in the prediction), ``sd``
        (standard deviation of f1 over the decompositions; ``None`` for a single one) and ``n``, the paths matched in
        all decompositions. ``breaks`` and the error features are those of the first decomposition, so that the map
        shows each break that is counted. Errors: see ``path_errors``.

    Notes
    -----
    Both networks empty: the scores are 1. One empty: they are 0. About linear in the length of the roads, times
    ``decompositions``.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.roads.opt_p.opt_p import opt_p
    >>> reference = RoadNetwork.from_lines([[(0, 0), (90, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (40, 0)], [(50, 0), (90, 0)]], crs="EPSG:32610")
    >>> result = opt_p(reference, prediction, decompositions=1)
    >>> result.scores["precision"], result.scores["breaks"]
    (1.0, 1)
    """
    max_distance = check_length("max_distance", max_distance, zero=False)
    step = check_length("step", step, zero=False)
    if isinstance(decompositions, bool) or not isinstance(decompositions, int | np.integer) or decompositions < 1:
        raise ParameterError(f"decompositions is {decompositions!r}; give a whole number of at least 1")
    if stop not in ("source", "either"):
        raise ParameterError(f"stop is {stop!r}; choose source or either")
    errors = ErrorFeatures("opt-p")
    scores = empty_scores(reference, prediction, good=_SCORES)
    if scores is not None:
        add_all_roads(errors, reference, prediction)
        return MetricResult({**scores, "breaks": 0, "sd": 0.0, "n": 0}, errors=errors)

    given = (_given(reference, reference_paths, "reference"), _given(prediction, prediction_paths, "prediction"))
    if None not in given:
        decompositions = 1
    seeds = (rng or np.random.default_rng(0)).integers(2**63, size=decompositions)
    below = (twins(prediction, reference), twins(reference, prediction))
    rounds: list[tuple[_Tally, _Tally]] = []
    for number, seed in enumerate(seeds.tolist()):
        tallies = []
        for side, (direction, source, target) in enumerate(
            ((RECALL, reference, prediction), (PRECISION, prediction, reference))
        ):
            paths = given[side] or decompose(source, np.random.default_rng(seed))
            points, matches = match_points(
                make_target(target, max_distance, paths.on_segments(below[side])),
                points_along(paths, step),
                max_distance,
                until_used_up=stop == "either",
                progress=_part(progress, 2 * number + side, 2 * decompositions),
            )
            if number == 0:
                add_path_errors(errors, direction, source, target, paths, points, matches, max_distance)
            score = path_scores(points, matches.link)
            tallies.append(_Tally(score, paths.length[: len(score)], int((matches.link == BROKEN).sum())))
        rounds.append((tallies[0], tallies[1]))
    return _result(rounds, errors)


@dataclass(frozen=True)
class PathMatch:
    """How one path was followed in a network.

    Attributes
    ----------
    score
        Sum over the runs of (length of the run / length of the path)^2.
    runs
        Metres of each run of connected steps, in order.
    points, unmatched, breaks
        Numbers of points along the path, of points without a place near, and of disconnected steps.
    places
        ``(points, 2)`` coordinates of the matched places; NaN where there is none.
    """

    score: float
    runs: list[float]
    points: int
    unmatched: int
    breaks: int
    places: Floats


def match_path(path: Any, target: RoadNetwork, *, max_distance: float = MAX_DISTANCE, step: float = 15.0) -> PathMatch:
    """Follow one path, a line or sequence of coordinates, in a whole network.

    In an empty network no point is matched and the score is 0.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.roads.opt_p.opt_p import match_path
    >>> target = RoadNetwork.from_lines([[(0, 0), (50, 0)]], crs="EPSG:32610")
    >>> match_path([(0, 0), (100, 0)], target, step=10).runs
    [60.0]
    """
    max_distance = check_length("max_distance", max_distance, zero=False)
    points = points_along(path_of(path), check_length("step", step, zero=False))
    if len(points.steps) == 0:
        raise ParameterError("the path has no length; give two different places or more")
    points, matches = match_points(make_target(target, max_distance), points, max_distance)
    return PathMatch(
        score=float(path_scores(points, matches.link)[0]),
        runs=run_lengths(points, matches.link).tolist(),
        points=len(points.xy),
        unmatched=int((matches.segment < 0).sum()),
        breaks=int((matches.link == BROKEN).sum()),
        places=matches.place,
    )


@dataclass(frozen=True)
class _Tally:
    """Score and length of the paths of one network in one decomposition, and the number of broken steps."""

    score: Floats
    length: Floats
    breaks: int


def _result(rounds: list[tuple[_Tally, _Tally]], errors: ErrorFeatures) -> MetricResult:
    names = ("recall", "precision")
    plain = np.array([[one.score.mean() for one in both] for both in rounds])
    weighted = np.array([[np.average(one.score, weights=one.length) for one in both] for both in rounds])
    f1 = np.array([_f1(p, r) for r, p in plain])
    recall, precision = plain.mean(axis=0).tolist()
    scores: dict[str, ScoreValue] = {"precision": precision, "recall": recall, "f1": _f1(precision, recall)}
    counts: dict[str, float] = {}
    for side, name in enumerate(names):
        scores[f"{name}_length_weighted"] = float(weighted[:, side].mean())
        tallies = [both[side] for both in rounds]
        # Decompositions count alike, however many paths each has: so do the sums, and they give the scores above.
        counts[f"{name}_paths"] = float(sum(len(one.score) for one in tallies))
        counts[f"{name}_sum"] = counts[f"{name}_paths"] * float(plain[:, side].mean())
        counts[f"{name}_length"] = float(sum(one.length.sum() for one in tallies))
        counts[f"{name}_length_sum"] = counts[f"{name}_length"] * float(weighted[:, side].mean())
    scores["breaks"] = rounds[0][0].breaks
    scores["sd"] = float(f1.std(ddof=1)) if len(f1) > 1 else None
    scores["n"] = int(counts["recall_paths"] + counts["precision_paths"])
    notes = {} if len(f1) > 1 else {"sd": "one decomposition has no standard deviation; ask for two or more"}
    details = {
        "precision": plain[:, 1],
        "recall": plain[:, 0],
        "f1": f1,
        "breaks": np.array([both[0].breaks for both in rounds]),
        "reference_path_scores": rounds[0][0].score,
        "reference_path_lengths": rounds[0][0].length,
        "prediction_path_scores": rounds[0][1].score,
        "prediction_path_lengths": rounds[0][1].length,
    }
    return MetricResult(scores, counts, errors, notes, details)


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from numbers, lengths and scores of paths, which may be sums over several areas."""
    if not (counts["recall_paths"] and counts["precision_paths"]):
        return dict.fromkeys(_SCORES), dict.fromkeys(_SCORES, "no path to follow")
    recall, precision = (counts[f"{name}_sum"] / counts[f"{name}_paths"] for name in ("recall", "precision"))
    scores: dict[str, ScoreValue] = {"precision": precision, "recall": recall, "f1": _f1(precision, recall)}
    for name in ("recall", "precision"):
        scores[f"{name}_length_weighted"] = counts[f"{name}_length_sum"] / counts[f"{name}_length"]
    return scores, {}


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _given(network: RoadNetwork, paths: Sequence[Any] | None, name: str) -> PathSet | None:
    if paths is None:
        return None
    found = given_paths(network, paths, name)
    if len(found) == 0:
        raise ParameterError(f"{name}_paths holds no path of any length; leave it out to decompose the {name}")
    return found


def _part(progress: Callable[[float], None] | None, number: int, count: int) -> Callable[[float], None] | None:
    """Progress of one of many parts, reported at most ``_MOST_CALLS`` times in all."""
    if progress is None:
        return None
    most = max(_MOST_CALLS // count, 1)

    def report(share: float) -> None:
        if share == 1.0 or int(share * most) > int((share - 0.05) * most):
            progress((number + share) / count)

    return report


METRIC = Metric(
    opt_p, "f1", "Can whole paths be followed in the other network, each road used once.",
    scores=(
        share("precision", "How well the paths of the prediction can be followed in the reference."),
        share("recall", "How well the paths of the reference can be followed in the prediction."),
        share("f1", "Harmonic mean of precision and recall."),
        share("recall_length_weighted", "Recall with every path weighted by its length."),
        share("precision_length_weighted", "Precision with every path weighted by its length."),
        count("breaks", "Breaks of the reference's paths in the prediction, in the first decomposition.", "lower"),
        spread("f1"),
        count("n", "Number of paths matched, in all decompositions."),
    ),
    scores_from_counts=scores_from_counts,
)  # fmt: skip
