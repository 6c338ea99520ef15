"""Do metrics agree with each other, and does one method beat another.

Correlation: Pearson's, between the scores of many results; the consistency of three metrics is the mean of their
three correlations (Citraro, Koziński and Fua, ECCV 2020, section 4.3 and Figure 8).
"""

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result

Floats = NDArray[np.float64]


def correlation(scores: "pd.DataFrame") -> "pd.DataFrame":
    """Pearson's correlation of every two columns over the rows where both are known.

    NaN where fewer than 3 rows are left or a column does not vary.
    """
    import pandas as pd

    names = list(scores.columns)
    values = scores.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=np.float64)
    matrix = np.full((len(names), len(names)), np.nan)
    for i in range(len(names)):
        for j in range(i + 1):
            known = np.isfinite(values[:, i]) & np.isfinite(values[:, j])
            matrix[i, j] = matrix[j, i] = _pearson(values[known, i], values[known, j])
    return pd.DataFrame(matrix, index=names, columns=names)


def triplets(matrix: "pd.DataFrame") -> "pd.DataFrame":
    """Consistency of every three columns: the mean of their three correlations, the most consistent first."""
    import pandas as pd

    rows = []
    names, values = list(matrix.columns), matrix.to_numpy(dtype=np.float64)
    for three in combinations(range(len(names)), 3):
        first, second, third = (names[i] for i in three)
        consistency = float(np.mean([values[pair] for pair in combinations(three, 2)]))
        rows.append({"first": first, "second": second, "third": third, "consistency": consistency})
    frame = pd.DataFrame(rows, columns=["first", "second", "third", "consistency"])
    return frame.sort_values("consistency", ascending=False, kind="stable", ignore_index=True)


def _pearson(x: Floats, y: Floats) -> float:
    if len(x) < 3:
        return float("nan")
    x, y = x - x.mean(), y - y.mean()
    size = float(np.sqrt((x @ x) * (y @ y)))
    # Rounding leaves a trace of variation in a column of equal values.
    if np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12 or size == 0:
        return float("nan")
    return float(np.clip(x @ y / size, -1.0, 1.0))


@dataclass(frozen=True)
class Comparison:
    """Does A beat B.

    Attributes
    ----------
    difference
        Score of A less score of B.
    interval
        Where the difference lies with 95 % confidence, by the bootstrap.
    confidence
        Share of the bootstrap's repetitions in which A is better; a tie counts half.
    units
        How many places or blocks were drawn from.
    """

    metric: str
    difference: float
    interval: tuple[float, float]
    confidence: float
    units: int


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
    return _summary(metric, float(values.mean()), values[drawn].mean(axis=1), len(values))


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
        One that counts place by place (``opt-j``, ``junct``, ...).
    block_size
        Metres; errors nearer than that may depend on each other. Both are drawn by the same blocks.
    repetitions, seed
        Of the bootstrap.

    Raises
    ------
    ParameterError
        The metric was not evaluated, does not count by places, or there are fewer than 2 blocks.
    """
    from geoeval.roads.grid import cells_over, point_counts
    from geoeval.roads.registry import METRICS

    for result in (first, second):
        if metric not in result.scores or result.details.get(metric, {}).get("local") is None:
            raise ParameterError(f"{metric} has no counts by place in a result; evaluate both with opt-j or junct")
    cells = cells_over([network for result in (first, second) for network in result.networks.values()], block_size)
    tables = [] if cells is None else [point_counts(result, metric, cells) for result in (first, second)]
    names = list(tables[0]) if tables else []
    stacked = np.array([[table[name] for name in names] for table in tables]) if tables else np.zeros((2, 0, 0))
    used = np.flatnonzero(stacked.any(axis=(0, 1)))
    if len(used) < 2:
        raise ParameterError(f"{len(used)} blocks of {block_size:g} m tell nothing of confidence; make them smaller")
    rule, headline = METRICS[metric].module.scores_from_counts, METRICS[metric].headline

    def difference(counts: Floats) -> float:
        a, b = (rule(dict(zip(names, one.tolist(), strict=True)))[0][headline] for one in counts)
        return float("nan") if a is None or b is None else a - b

    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(used), np.full(len(used), 1 / len(used)), repetitions)
    values = np.array([difference(stacked[:, :, used] @ weights) for weights in drawn])
    return _summary(metric, difference(stacked.sum(axis=2)), values[np.isfinite(values)], len(used))


def _summary(metric: str, difference: float, drawn: Floats, units: int) -> Comparison:
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist() if len(drawn) else (np.nan, np.nan)
    wins = float(np.mean((drawn > 0) + 0.5 * (drawn == 0))) if len(drawn) else 0.5
    return Comparison(metric, difference, (low, high), wins, units)
