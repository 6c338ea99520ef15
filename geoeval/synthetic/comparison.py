"""Does method A beat method B, and how sure is that.

Two scores of one map differ, but would they on other ground of the same kind? The bootstrap answers from what is
there: it draws places (Efron 1979) or square blocks of ground (a spatial block bootstrap, after Künsch 1989 and Hall
1985) with replacement, as many as there are, again and again, and takes the difference of the scores of each drawing.
A and B are always drawn together, so that ground which is hard for both does not count. Blocks, not single junctions
or metres of road, because errors near each other come from the same tree or shadow and are no independent witnesses.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from geoeval.exceptions import ParameterError
from geoeval.roads.grid import Cells, cell_scores, cells_over, point_counts
from geoeval.roads.registry import METRICS

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result

Floats = NDArray[np.float64]

# The metrics that count place by place; paths of TLTS, APLS and OPT-P belong to no single place.
BY_PLACE = ("ccq", "junct", "subg", "opt-j", "opt-g")
LEAST_BLOCKS = 10


@dataclass(frozen=True)
class Comparison:
    """Does A beat B.

    Attributes
    ----------
    scores
        The scores of A and B; NaN where only their difference was given.
    difference
        Score of A less score of B.
    interval
        Of 95 %: such an interval holds the true difference in about 95 of 100 comparisons.
    confidence
        Share of the drawings in which A is better; a tie counts half. 1: A is always better, 0: B is, 0.5: no one.
    units
        How many places or blocks were drawn from.
    """

    metric: str
    scores: tuple[float, float]
    difference: float
    interval: tuple[float, float]
    confidence: float
    units: int

    @property
    def winner(self) -> str:
        """``A`` or ``B`` where 0 lies outside the interval, else ``none``."""
        return "A" if self.interval[0] > 0 else "B" if self.interval[1] < 0 else "none"


def paired(differences: Any, *, metric: str = "", repetitions: int = 2000, seed: int = 0) -> Comparison:
    """Does A beat B over places, from the difference of their scores at each: the mean, by a bootstrap of the places.

    Differences that are not known are left out. O(repetitions x places).
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        raise ParameterError(f"{len(values)} places tell nothing of confidence; give at least 2 with both scores")
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, len(values), (repetitions, len(values)))
    unknown = (float("nan"), float("nan"))
    return _comparison(metric, unknown, float(values.mean()), values[drawn].mean(axis=1), len(values))


def compare_blocks(
    first: "Result", second: "Result", *, metric: str = "opt-j", block_size: float = 500.0, repetitions: int = 1000,
    seed: int = 0,
) -> Comparison:  # fmt: skip
    """Does A beat B on the same ground, by a spatial block bootstrap.

    Parameters
    ----------
    first, second
        Evaluations of A and of B against one reference, with the metric and with the same parameters.
    metric
        One that counts place by place: ``ccq``, ``junct``, ``subg``, ``opt-j`` or ``opt-g``.
    block_size
        Metres; errors nearer than that may depend on each other. Blocks begin at multiples of it.
    repetitions, seed
        Of the bootstrap.

    Raises
    ------
    ParameterError
        The metric was not evaluated, does not count by places, or there are fewer than 10 blocks with something to
        count, as for empty networks.
    """
    counts, _, used = _counts_by_block(first, second, metric, block_size)
    if len(used) < LEAST_BLOCKS:
        raise ParameterError(
            f"{len(used)} blocks of {block_size:g} m with anything for {metric} to count are too few to tell of "
            f"confidence; make the blocks smaller, so that there are {LEAST_BLOCKS} or more"
        )
    names = list(counts[0])
    rule, headline = METRICS[metric].module.scores_from_counts, METRICS[metric].headline

    def score(sums: Floats) -> float:
        value = rule(dict(zip(names, sums.tolist(), strict=True)))[0][headline]
        return float("nan") if value is None else float(value)

    return bootstrap(
        np.array([[table[name][used] for name in names] for table in counts]), score, metric=metric,
        repetitions=repetitions, seed=seed,
    )  # fmt: skip


def bootstrap(
    counts: Floats, score: Callable[[Floats], float], *, metric: str = "", repetitions: int = 1000, seed: int = 0
) -> Comparison:
    """Compare A and B by drawing blocks.

    ``counts`` is ``(2, k, blocks)``: of A and of B, k counts that add up over blocks; ``score`` makes a score of k
    sums. Drawings without a score are left out. O(repetitions x blocks).
    """
    blocks = counts.shape[2]
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(blocks, np.full(blocks, 1 / blocks), repetitions)
    differences = np.array([score(a) - score(b) for a, b in (counts @ weights for weights in drawn)])
    whole = (score(counts[0].sum(axis=1)), score(counts[1].sum(axis=1)))
    return _comparison(metric, whole, whole[0] - whole[1], differences[np.isfinite(differences)], blocks)


def block_scores(first: "Result", second: "Result", *, metric: str, block_size: float = 500.0) -> "pd.DataFrame":
    """Where A is better: ``x`` and ``y`` of each block's lower left corner, the scores of both, and A less B.

    Not a number where a block has nothing for the metric to look at. No rows for empty networks.
    """
    import pandas as pd

    counts, cells, used = _counts_by_block(first, second, metric, block_size)
    name = f"{metric}.{METRICS[metric].headline}"
    columns = {"metric": [metric] * len(used), "x": np.zeros(0), "y": np.zeros(0), "a": np.zeros(0), "b": np.zeros(0)}
    if cells is not None and len(used):
        columns["x"] = cells.x + (used % cells.columns) * cells.size
        columns["y"] = cells.y + (used // cells.columns) * cells.size
        for which, table in zip("ab", counts, strict=True):
            columns[which] = cell_scores(METRICS[metric], {key: values[used] for key, values in table.items()})[name]
    frame = pd.DataFrame(columns)
    return frame.assign(difference=frame["a"] - frame["b"])


def _counts_by_block(
    first: "Result", second: "Result", metric: str, block_size: float
) -> tuple[list[dict[str, Floats]], Cells | None, NDArray[np.int64]]:
    """The counts of A and of B in every block, the blocks, and the numbers of those with anything to count."""
    results = (first, second)
    for result in results:
        if metric not in result.scores or result.details.get(metric, {}).get("local") is None:
            raise ParameterError(f"{metric} has no counts by place in a result; choose among {', '.join(BY_PLACE)}")
    cells = cells_over([network for result in results for network in result.networks.values()], block_size)
    if cells is None:
        return [{}, {}], None, np.zeros(0, dtype=np.int64)
    counts = [point_counts(result, metric, cells) for result in results]
    return counts, cells, np.flatnonzero(np.any([values for table in counts for values in table.values()], axis=0))


def _comparison(
    metric: str, scores: tuple[float, float], difference: float, drawn: Floats, units: int
) -> Comparison:  # fmt: skip
    low, high = np.quantile(drawn, _levels(units)).tolist() if len(drawn) else (np.nan, np.nan)
    wins = float(np.mean((drawn > 0) + 0.5 * (drawn == 0))) if len(drawn) else 0.5
    return Comparison(metric, scores, difference, (low, high), wins, units)


def _levels(units: int) -> tuple[float, float]:
    """The quantiles of the drawings between which the truth lies in 95 of 100 cases.

    Drawings of few units vary less than they should, and a normal distribution knows nothing of few units: the
    quantiles are those that Student's distribution asks for (the expanded percentile interval of Hesterberg 2015).
    Towards many units they become 0.025 and 0.975.
    """
    low = float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, 0.025)))
    return low, 1.0 - low
