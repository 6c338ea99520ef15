"""Agreement between metrics: correlation of scores over many results.

Pearson's correlation is used. The consistency of three metrics is the mean of their three correlations (Citraro,
Koziński and Fua, ECCV 2020, section 4.3 and Figure 8).
"""

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from geoeval.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd


def correlation(scores: "pd.DataFrame") -> "pd.DataFrame":
    """Pearson's correlation between any two columns.

    Parameters
    ----------
    scores
        One row per result, one column per score.

    Returns
    -------
    matrix
        Only rows in which both scores are defined count. NaN if these are fewer than 3, or if a column is constant.

    Examples
    --------
    >>> import pandas as pd
    >>> from geoeval.studies.agreement import correlation
    >>> scores = pd.DataFrame({"ccq": [0.5, 0.6, 0.7], "opt-j": [0.1, 0.3, 0.5]})
    >>> round(float(correlation(scores).loc["ccq", "opt-j"]), 6)
    1.0
    """
    import pandas as pd

    names = list(scores.columns)
    values = scores.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=np.float64)
    matrix = np.full((len(names), len(names)), np.nan)
    for i in range(len(names)):
        for j in range(i + 1):
            defined = np.isfinite(values[:, i]) & np.isfinite(values[:, j])
            matrix[i, j] = matrix[j, i] = _pearson(values[defined, i], values[defined, j])
    return pd.DataFrame(matrix, index=names, columns=names)


def triplets(matrix: "pd.DataFrame") -> "pd.DataFrame":
    """Consistency of any three columns of a correlation matrix: the mean of their correlations, highest first."""
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
    # Rounding leaves a little variation in a constant column.
    if np.ptp(x) < 1e-12 or np.ptp(y) < 1e-12 or size == 0:
        return float("nan")
    return float(np.clip(x @ y / size, -1.0, 1.0))
