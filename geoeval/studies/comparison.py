"""Does method A beat method B, and how certain is that: a bootstrap over places or blocks of ground.

Two methods score differently on a map, but would they on another map of the same kind? The bootstrap estimates this
from the data at hand. It draws places (Efron 1979) or square blocks (a spatial block bootstrap, after Künsch 1989 and
Hall 1985) with replacement, as many as there are, and computes the difference of the two scores. This is repeated many
times. The same places or blocks are drawn for A and B, so that ground that is hard for both does not matter. Blocks are
drawn, not single junctions or metres of road, because nearby errors often have the same cause, such as a tree or a
shadow, and are not independent.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from geopandas import GeoSeries
from scipy.special import ndtr, stdtrit

from geoeval.area import EVERYTHING
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.metrics.cells import Cells, cells_over
from geoeval.metrics.running import Progress
from geoeval.metrics.score_grid import cell_scores, point_counts
from geoeval.pipeline.evaluate import evaluate
from geoeval.pipeline.meeting import check_meeting
from geoeval.pipeline.pairing import evaluated_ground, target_crs
from geoeval.readers.given import is_reading_option, read_area, read_given, reading_of_sides
from geoeval.roads.registry import METRICS, choose_metrics
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result


LEAST_BLOCKS = 10


@dataclass(frozen=True)
class Comparison:
    """Whether method A beats method B in one metric.

    Attributes
    ----------
    metric
        The metric.
    scores
        The scores of A and B; NaN if only their differences were given.
    difference
        Score of A minus score of B.
    interval
        95 % confidence interval of the difference.
    confidence
        Share of the bootstrap samples in which A is better; a tie counts as half. 1 means that A is always better, 0
        that B is, 0.5 that neither is.
    units
        Number of places or blocks.
    """

    metric: str
    scores: tuple[float, float]
    difference: float
    interval: tuple[float, float]
    confidence: float
    units: int

    @property
    def winner(self) -> str:
        """``A`` or ``B`` if 0 lies outside the interval, otherwise ``none``."""
        return "A" if self.interval[0] > 0 else "B" if self.interval[1] < 0 else "none"


def metrics_by_place() -> list[str]:
    """Names of the road metrics that count place by place. Paths (TLTS, APLS, OPT-P) do not belong to one place."""
    return [metric.name for metric in METRICS.values() if metric.by_place]


def check_by_place(names: str | Iterable[str]) -> list[str]:
    """Names of the chosen metrics, ``"all"`` for those that count place by place.

    Raises
    ------
    ParameterError
        A metric does not exist, or does not count place by place.
    """
    by_place = metrics_by_place()
    chosen = by_place if names == "all" else [metric.name for metric in choose_metrics(names)]
    for name in chosen:
        if name not in by_place:
            raise ParameterError(f"{name} does not count place by place; choose among {', '.join(by_place)}")
    return chosen


def evaluate_both(
    reference: Any, first: Any, second: Any, *, aoi: Any = None, crs: Any = "auto", progress: Progress | None = None,
    **options: Any,
) -> "tuple[Result, Result]":  # fmt: skip
    """Evaluate two predictions against one reference, in the same CRS and on the same area.

    Parameters
    ----------
    reference, first, second
        Road networks, in any form that ``geoeval.evaluate`` takes.
    aoi
        The area, as in ``geoeval.evaluate``. By default, if each pair is cut, all three are cut to the union of the
        two grounds; else nothing is cut.
    crs
        The CRS to measure in; by default one that fits the first prediction.
    progress
        Called with a fraction from 0 to 1 and a message.
    options
        Other options of ``geoeval.evaluate``. Reading options for the prediction apply to both predictions.

    Returns
    -------
    tuple of Result
        The results of the first and of the second prediction.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.studies.comparison import compare_blocks, evaluate_both
    >>> streets = [[(x, 0), (x + 500, 0)] for x in range(0, 10000, 500)]
    >>> reference = RoadNetwork.from_lines(streets, crs="EPSG:32610")
    >>> incomplete = RoadNetwork.from_lines(streets[::2], crs="EPSG:32610")
    >>> a, b = evaluate_both(reference, reference, incomplete, metrics="ccq")
    >>> found = compare_blocks(a, b, metric="ccq")
    >>> found.winner, found.units
    ('A', 20)
    """
    reading = {name: options.pop(name) for name in list(options) if is_reading_option(name)}
    of_reference, of_prediction = reading_of_sides(reading)
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "reading")
    aoi = read_area(aoi, reading)
    true = read_given("roads", reference, side="reference", **of_reference)
    both = [read_given("roads", one, side="prediction", **of_prediction) for one in (first, second)]
    for one in both:
        check_meeting(true, one, aoi)
    target = target_crs(crs, true, both[0])
    both = [one.to_crs(target) for one in both]
    if aoi is None:
        areas = [evaluated_ground(true, one, target).area for one in both]
        aoi = EVERYTHING if None in areas else GeoSeries([shapely.union_all(areas)], crs=target)

    def part(order: int) -> Progress:
        return lambda share, text: tell((order + share) / 2, f"{'AB'[order]}: {text}")

    a, b = (evaluate(true, one, aoi=aoi, crs=target, progress=part(i), **options) for i, one in enumerate(both))
    return a, b


def paired(
    differences: Any, *, metric: str = "", repetitions: int = 2000, seed: Seed = 0, rng: Seed | None = None
) -> Comparison:
    """Compare A and B by the differences of their scores at several places, with a bootstrap over the places.

    Parameters
    ----------
    differences
        Score of A minus score of B at each place. NaN is ignored.
    metric
        Name of the metric, for the result.
    repetitions, seed, rng
        Number of bootstrap samples, and their seed: a whole number, or a numpy ``Generator`` that gives one.

    Returns
    -------
    Comparison
        ``difference`` is the mean over the places. O(repetitions x places).

    Raises
    ------
    ParameterError
        Fewer than 2 differences are defined.

    Examples
    --------
    >>> from geoeval.studies.comparison import paired
    >>> paired([0.10, 0.12, 0.09, 0.11]).winner
    'A'
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        raise ParameterError(f"{len(values)} places with both scores are too few for a comparison; give at least 2")
    drawn = np.random.default_rng(whole_seed(seed, rng)).integers(0, len(values), (repetitions, len(values)))
    unknown = (float("nan"), float("nan"))
    return _comparison(metric, unknown, float(values.mean()), values[drawn].mean(axis=1), len(values))


def compare_blocks(
    first: "Result", second: "Result", *, metric: str = "opt-j", block_size: float = 500.0, repetitions: int = 1000,
    seed: Seed = 0, rng: Seed | None = None,
) -> Comparison:  # fmt: skip
    """Compare A and B on the same ground by a spatial block bootstrap.

    Parameters
    ----------
    first, second
        Results of A and B against the same reference and with the same parameters, as ``evaluate_both`` gives them.
    metric
        A metric that counts place by place: ``ccq``, ``junct``, ``subg``, ``opt-j`` or ``opt-g``.
    block_size
        Side of the blocks in metres. Errors closer than this may depend on each other. Blocks start at multiples of
        this size.
    repetitions, seed, rng
        Number of bootstrap samples, and their seed: a whole number, or a numpy ``Generator`` that gives one.

    Raises
    ------
    ParameterError
        The metric was not evaluated or does not count place by place, or fewer than 10 blocks have something to count,
        as with empty networks.
    """
    counts, _, used = _counts_by_block(first, second, metric, block_size)
    if len(used) < LEAST_BLOCKS:
        raise ParameterError(
            f"only {len(used)} blocks of {block_size:g} m have anything for {metric} to count; make the blocks "
            f"smaller, so that there are at least {LEAST_BLOCKS}"
        )
    names = list(counts[0])
    declared = METRICS[metric]

    def score(sums: Floats) -> float:
        totals = dict(zip(names, sums.tolist(), strict=True))
        value = declared.scores_of(totals, first.parameters[metric])[0][declared.headline]
        return float("nan") if value is None else float(value)

    return bootstrap(
        np.array([[table[name][used] for name in names] for table in counts]), score, metric=metric,
        repetitions=repetitions, seed=seed, rng=rng,
    )  # fmt: skip


def bootstrap(
    counts: Floats,
    score: Callable[[Floats], float],
    *,
    metric: str = "",
    repetitions: int = 1000,
    seed: Seed = 0,
    rng: Seed | None = None,
) -> Comparison:
    """Compare A and B by a bootstrap over blocks.

    Parameters
    ----------
    counts
        Array ``(2, k, blocks)``: for A and for B, k counts in each block.
    score
        Computes a score from the k sums over blocks; NaN if it is undefined. Samples without a score are ignored.
    metric
        Name of the metric, for the result.
    repetitions, seed, rng
        Number of bootstrap samples, and their seed: a whole number, or a numpy ``Generator`` that gives one.
        O(repetitions x blocks).
    """
    blocks = counts.shape[2]
    drawn = np.random.default_rng(whole_seed(seed, rng)).multinomial(blocks, np.full(blocks, 1 / blocks), repetitions)
    differences = np.array([score(a) - score(b) for a, b in (counts @ weights for weights in drawn)])
    whole = (score(counts[0].sum(axis=1)), score(counts[1].sum(axis=1)))
    return _comparison(metric, whole, whole[0] - whole[1], differences[np.isfinite(differences)], blocks)


def block_scores(first: "Result", second: "Result", *, metric: str, block_size: float = 500.0) -> "pd.DataFrame":
    """Scores of A and B in each block, to see where A is better.

    Columns: ``metric``, ``x`` and ``y`` of the lower left corner, the scores ``a`` and ``b``, and ``difference``, which
    is a minus b. A score is NaN if its block has nothing for the metric to count. Empty networks give no rows.
    """
    import pandas as pd

    counts, cells, used = _counts_by_block(first, second, metric, block_size)
    name = f"{metric}.{METRICS[metric].headline}"
    columns = {"metric": [metric] * len(used), "x": np.zeros(0), "y": np.zeros(0), "a": np.zeros(0), "b": np.zeros(0)}
    if cells is not None and len(used):
        columns["x"] = cells.x + (used % cells.columns) * cells.size
        columns["y"] = cells.y + (used // cells.columns) * cells.size
        for which, result, table in zip("ab", (first, second), counts, strict=True):
            own = {key: values[used] for key, values in table.items()}
            columns[which] = cell_scores(METRICS[metric], own, result.parameters[metric])[name]
    frame = pd.DataFrame(columns)
    return frame.assign(difference=frame["a"] - frame["b"])


def _counts_by_block(
    first: "Result", second: "Result", metric: str, block_size: float
) -> tuple[list[dict[str, Floats]], Cells | None, Ints]:
    """The counts of A and B in every block, the blocks, and the indices of blocks with anything to count."""
    results = (first, second)
    for result in results:
        if metric not in result.scores or result.details.get(metric, {}).get("local") is None:
            raise ParameterError(
                f"a result has no counts by place for {metric}; choose among {', '.join(metrics_by_place())}"
            )
    cells = cells_over([network for result in results for network in result.inputs.values()], block_size)
    if cells is None:
        return [{}, {}], None, np.zeros(0, dtype=np.int64)
    counts = [point_counts(result, metric, cells) for result in results]
    return counts, cells, np.flatnonzero(np.any([values for table in counts for values in table.values()], axis=0))


def _comparison(
    metric: str, scores: tuple[float, float], difference: float, drawn: Floats, units: int
) -> Comparison:  # fmt: skip
    low, high = np.quantile(drawn, interval_levels(units)).tolist() if len(drawn) else (np.nan, np.nan)
    wins = float(np.mean((drawn > 0) + 0.5 * (drawn == 0))) if len(drawn) else 0.5
    return Comparison(metric, scores, difference, (low, high), wins, units)


def interval_levels(units: int) -> tuple[float, float]:
    """The quantiles of the bootstrap samples that bound the 95 % interval.

    Samples of few units vary too little, and the normal distribution does not account for few units. The quantiles are
    therefore those of Student's distribution (the expanded percentile interval of Hesterberg 2015). With many units
    they approach 0.025 and 0.975.
    """
    low = float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, 0.025)))
    return low, 1.0 - low
