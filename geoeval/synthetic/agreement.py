"""Do metrics agree with each other.

Correlation: Pearson's, between the scores of many results; the consistency of three metrics is the mean of their
three correlations (Citraro, Koziński and Fua, ECCV 2020, section 4.3 and Figure 8).
"""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

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
