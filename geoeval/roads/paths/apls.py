"""APLS: how well the lengths of shortest paths agree, seen from either network.

Van Etten, Lindenbaum and Bacastow (2018, SpaceNet), as in Citraro, Koziński and Fua (ECCV 2020), equation 1. Each place
of a pair is moved to the nearest place of the other network. With the lengths a of the shortest path in the network
itself and b in the other, the pair loses min(1, |a - b| / a); it loses 1 if a place has no partner within
``max_distance`` or the partners are not connected. A direction's score is 1 minus the mean loss of its pairs; the
headline ``apls`` is the harmonic mean of both directions. Seen from the reference alone, false roads do not count; seen
from the prediction, they do.

By default the pairs are all connected pairs of control points: every junction and end, and places in equal steps of at
most ``spacing`` metres along each road.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats
from geoeval.defaults import MAX_DISTANCE
from geoeval.exceptions import ParameterError
from geoeval.metrics.empty import empty_scores
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import PRECISION, RoadNetwork
from geoeval.model.scores import ScoreValue, count, share, spread
from geoeval.roads.paths.culprits import add_all_roads, add_around, add_culprits
from geoeval.roads.paths.pairs import (
    ControlPoints,
    check_length,
    compare_pairs,
    control_points,
    given_pairs,
    parse_pairs,
    partners,
    random_pairs,
    ticker,
)
from geoeval.roads.paths.shortest_paths import PathFinder, Places, rows

SCORES = ("apls", "reference_to_prediction", "prediction_to_reference")
_FALLBACK_PAIRS = 1000
_RESAMPLES = 200
# Nearly every road loses a little; the map shows those whose paths lose more than this on average.
_LEAST_LOSS = 0.05


def apls(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    max_distance: float = MAX_DISTANCE,
    spacing: float = 50.0,
    min_path: float = 0.0,
    pairs: int | str | Sequence[Any] | Mapping[str, Any] = "all",
    max_points: int = 5000,
    rng: np.random.Generator | None = None,
    progress: Callable[[float], None] | None = None,
) -> MetricResult:
    """Average path length similarity.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    max_distance
        How far, in metres, a place may be from its partner in the other network.
    spacing
        Longest step between control points along a road, in metres.
    min_path
        Pairs with a shorter path are skipped, in metres (SpaceNet: 10).
    pairs
        ``"all"``: every connected pair of control points. A number: that many random pairs per direction, both places
        uniform in length. A list of ``((x, y), (x, y))``: each place is moved to the nearest place of the reference;
        the way back takes the same pairs if both places have a partner in the prediction. A mapping
        ``{"reference": ..., "prediction": ...}`` gives each direction its own pairs, and the places of a list are moved
        to the nearest place of the network they belong to. Given pairs whose places are not connected, or are the
        same, do not count.
    max_points
        With more control points than this, a direction takes 1000 random pairs instead of all, and says so in the
        notes; raise it to take all pairs at any size.
    rng
        Source of the random pairs; ``default_rng(0)`` by default. Both directions use the same random numbers, so
        that swapping the networks swaps their scores.
    progress
        Called from time to time with the fraction done; an exception raised in it stops the work.

    Returns
    -------
    MetricResult
        Scores ``apls`` (0 if either direction is 0), ``reference_to_prediction``, ``prediction_to_reference``, ``sd``
        (standard deviation of ``apls`` by resampling random or given pairs; 0 for ``"all"``) and ``n``, the pairs
        counted in both directions. Errors: ``culprit``, each road whose paths lose more than 5 % on average;
        ``missing`` (reference) and ``spurious`` (prediction), stretches around control points, or places of pairs,
        without a partner.

    Notes
    -----
    Both networks empty: the scores are 1. One empty: they are 0. A direction without pairs to count is undefined, and
    ``apls`` with it unless the other direction is 0. With ``"all"`` there is one search per control point and network,
    O(k (r log r + k)) for k points and r roads, and memory grows with k and r only. Otherwise there is one directed
    search per pair and network.
    """
    settings = _Settings(
        check_length("max_distance", max_distance),
        check_length("spacing", spacing, zero=False),
        check_length("min_path", min_path),
        check_length("max_points", max_points),
    )
    wanted = _pairs_of_directions(pairs)
    errors = ErrorFeatures("apls")
    scores = empty_scores(reference, prediction, good=SCORES)
    if scores is not None:
        add_all_roads(errors, reference, prediction)
        return MetricResult({**scores, "sd": 0.0, "n": 0}, errors=errors)

    generator = rng if rng is not None else np.random.default_rng(0)
    seed = int(generator.integers(2**63))
    here, there = PathFinder(reference), PathFinder(prediction)
    forth = _match(here, there, wanted[0], settings, seed, (progress, 0.0, 0.5))
    pairs_back = forth.partners if isinstance(wanted[1], tuple) else wanted[1]
    back = _match(there, here, pairs_back, settings, seed, (progress, 0.5, 1.0))
    _add_features(errors, here, forth, "missing", "ref_id", settings.max_distance)
    _add_features(errors, there, back, "spurious", "pred_id", settings.max_distance)
    return _result(forth, back, errors, generator)


Wanted = int | str | Floats | tuple[Places, ...]
_Tick = tuple[Callable[[float], None] | None, float, float]


@dataclass(frozen=True)
class _Settings:
    max_distance: float
    spacing: float
    min_path: float
    max_points: float


@dataclass(frozen=True)
class AplsMatching:
    """One direction: its pairs and their loss, paths and loss through each road, places without a partner.

    ``losses`` is the loss of each pair, NaN if it does not count, and ``None`` if all pairs were compared.
    ``too_many`` is the number of control points if they were too many to compare all pairs, else 0.
    """

    pairs: int
    loss: float
    through: Floats
    alone: Floats
    points: ControlPoints | None = None
    away: Bools | None = None
    losses: Floats | None = None
    partners: tuple[Places, ...] = ()
    dropped: int = 0
    too_many: int = 0

    @property
    def score(self) -> float | None:
        """1 minus the mean loss."""
        return 1.0 - self.loss / self.pairs if self.pairs else None


def _match(
    here: PathFinder, there: PathFinder, wanted: Wanted, settings: _Settings, seed: int, tick: _Tick
) -> AplsMatching:
    """Compare the pairs that are wanted: all pairs of control points, random pairs or given ones."""
    too_many = 0
    if isinstance(wanted, str):
        points = control_points(here, settings.spacing)
        if len(points.places) <= settings.max_points:
            return _match_all(here, there, points, settings, tick)
        too_many, wanted = len(points.places), _FALLBACK_PAIRS
    if isinstance(wanted, int):
        start, end = random_pairs(here, wanted, np.random.default_rng(seed))
    else:
        start, end = wanted if isinstance(wanted, tuple) else given_pairs(here, wanted)
    report = ticker(tick[0], len(start), begin=tick[1], end=tick[2])
    compared = compare_pairs(here, there, start, end, settings.max_distance, report)
    losses = _losses(compared.here, compared.there, settings.min_path)
    counted = np.isfinite(losses)
    weight = np.column_stack([np.ones(int(counted.sum())), losses[counted]])
    through = compared.through(np.flatnonzero(counted), weight, len(here.graph.length))
    away = compared.away & counted[:, None]
    return AplsMatching(
        int(counted.sum()),
        float(losses[counted].sum()),
        through,
        np.unique(np.concatenate([start.xy[away[:, 0]], end.xy[away[:, 1]]]), axis=0),
        losses=losses,
        partners=compared.partners,
        dropped=int((~counted).sum()),
        too_many=too_many,
    )


def _match_all(
    here: PathFinder, there: PathFinder, points: ControlPoints, settings: _Settings, tick: _Tick
) -> AplsMatching:
    """Compare all pairs of control points, row by row."""
    places = points.places
    matched = partners(here, there, places, settings.max_distance)
    report = ticker(tick[0], len(places), begin=tick[1], end=tick[2])
    through = np.zeros((len(here.graph.length), 2))
    count, loss = 0, 0.0
    for i, a, b in rows(here, places, there, matched):
        report(i)
        losses = _losses(a, b, settings.min_path)
        counted = np.isfinite(losses)
        losses[~counted] = 0.0
        count += int(counted.sum())
        loss += float(losses.sum())
        here.credit(i, places, a, np.column_stack([counted, losses]), through)
    away = matched.road < 0
    return AplsMatching(count, loss, through, places.xy[away], points, away)


def _losses(a: Floats, b: Floats, min_path: float) -> Floats:
    """What each pair loses; NaN if it does not count."""
    counted = np.isfinite(a) & (a > 0) & (a >= min_path - 1e-9)
    own = np.where(counted, a, 1.0)
    difference = np.abs(own - b)
    difference[difference <= PRECISION] = 0.0
    loss = np.minimum(1.0, difference / own)
    return np.where(counted, loss, np.nan)


def _pairs_of_directions(pairs: Any) -> tuple[Wanted, Wanted]:
    """The pairs of each direction; an empty tuple for the way back stands for the partners of given pairs."""
    if not isinstance(pairs, Mapping):
        parsed = parse_pairs(pairs)
        return parsed, () if isinstance(parsed, np.ndarray) else parsed
    if set(pairs) != {"reference", "prediction"}:
        raise ParameterError(f"pairs has the keys {sorted(map(str, pairs))}; give 'reference' and 'prediction'")
    return parse_pairs(pairs["reference"]), parse_pairs(pairs["prediction"])


def _result(forth: AplsMatching, back: AplsMatching, errors: ErrorFeatures, rng: np.random.Generator) -> MetricResult:
    values = (_harmonic(forth.score, back.score), forth.score, back.score)
    scores: dict[str, ScoreValue] = dict(zip(SCORES, values, strict=True))
    scores["sd"] = None if scores["apls"] is None else _deviation(forth, back, rng)
    notes = {}
    for name, matching, network in zip(SCORES[1:], (forth, back), ("reference", "prediction"), strict=True):
        if matching.pairs == 0:
            notes[name] = f"no pair of places is connected in the {network}"
            notes |= {other: notes[name] for other in ("apls", "sd") if scores[other] is None}
        elif matching.too_many:
            notes[name] = (
                f"{matching.too_many} control points are too many for all pairs: {matching.pairs} random pairs "
                f"instead; raise max_points to take all pairs"
            )
        elif matching.dropped:
            notes[name] = (
                f"{matching.dropped} pairs not counted: without a place or a path in the {network}, "
                f"shorter than min_path, or the same place twice"
            )
    return MetricResult(
        {**scores, "n": forth.pairs + back.pairs},
        counts={
            "reference_pairs": forth.pairs,
            "reference_loss": forth.loss,
            "prediction_pairs": back.pairs,
            "prediction_loss": back.loss,
        },
        errors=errors,
        notes=notes,
        details={
            "reference_through": forth.through,
            "prediction_through": back.through,
            "reference_alone": forth.alone,
            "prediction_alone": back.alone,
        },
    )


def scores_from_counts(counts: Mapping[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores from pairs and their loss, which may be sums over several areas."""
    ways = {
        name: 1.0 - counts[f"{side}_loss"] / counts[f"{side}_pairs"] if counts[f"{side}_pairs"] else None
        for name, side in zip(SCORES[1:], ("reference", "prediction"), strict=True)
    }
    scores: dict[str, ScoreValue] = {SCORES[0]: _harmonic(*ways.values()), **ways}
    return scores, {name: "no pair of places counts" for name, value in scores.items() if value is None}


def _harmonic(forth: float | None, back: float | None) -> float | None:
    """Harmonic mean; 0 if either is 0, even if the other is undefined."""
    if forth == 0.0 or back == 0.0:
        return 0.0
    if forth is None or back is None:
        return None
    return 2.0 * forth * back / (forth + back)


def _deviation(forth: AplsMatching, back: AplsMatching, rng: np.random.Generator) -> float:
    """Standard deviation of the headline score over resampled pairs.

    Directions with equally many pairs were drawn with the same random numbers, so they are resampled together.
    """
    if forth.losses is None and back.losses is None:
        return 0.0
    samples = [np.array([one.loss / max(one.pairs, 1)]) if one.losses is None else one.losses for one in (forth, back)]
    sizes = sorted({len(losses) for losses in samples} - {0})
    drawn = []
    for _ in range(_RESAMPLES):
        pick = {0: np.zeros(0, dtype=np.int64), **{size: rng.integers(size, size=size) for size in sizes}}
        picked = [losses[pick[len(losses)]] for losses in samples]
        kept = [losses[np.isfinite(losses)] for losses in picked]
        drawn.append(_harmonic(*(1.0 - float(losses.mean()) if len(losses) else None for losses in kept)) or 0.0)
    return float(np.std(drawn))


def _add_features(
    errors: ErrorFeatures, paths: PathFinder, matching: AplsMatching, kind: str, ids: str, max_distance: float
) -> None:
    """Add roads whose paths lose much, and stretches or places without a partner."""
    note = "the {1:.0f} shortest paths through here lose {2:.0%} on average"
    add_culprits(errors, paths, matching.through, note, ids=ids, least=_LEAST_LOSS)
    note = f"no road of the other network within {max_distance:g} m"
    if matching.points is None or matching.away is None:
        errors.add(kind, [shapely.Point(xy) for xy in matching.alone], note=note)
    else:
        add_around(errors, kind, paths, matching.points, matching.away, ids=ids, note=note)


METRIC = Metric(
    apls, "apls", "How well the lengths of shortest paths agree, in both directions.",
    scores=(
        share("apls", "Harmonic mean of both directions."),
        share("reference_to_prediction", "How well the prediction keeps the lengths of the reference's paths."),
        share("prediction_to_reference", "How well the reference keeps the lengths of the prediction's paths."),
        spread("apls"),
        count("n", "Number of paths compared."),
    ),
    scores_from_counts=scores_from_counts,
)  # fmt: skip
