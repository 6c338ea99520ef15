"""Scores of two methods at the same places."""

from pathlib import Path
from typing import TYPE_CHECKING

from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.ranking.mixing import check_comparable
from geoeval.ranking.score_tables import read_result, scores_of_results

if TYPE_CHECKING:
    import pandas as pd


def score_differences(first: str | Path, second: str | Path, *, mixed: bool = True) -> "pd.DataFrame":
    """Differences of the headline scores of two methods at each place.

    Parameters
    ----------
    first, second
        Folders of results that ``--json`` wrote, one file per place. A place has the same file name in both folders;
        other files are ignored.
    mixed
        Whether the two results of a place may be of different references or grounds, and any of different parameters.

    Returns
    -------
    table
        One row per place: ``place``, and a column ``metric.score`` for each headline score that both have. It is
        positive where the first method is better, also for scores for which smaller is better, and NaN where one of
        the two scores is undefined.

    Raises
    ------
    UnreadableInputError
        A folder or a result cannot be read.
    ParameterError
        The folders have fewer than 2 places or no metric in common, or one holds results of different kinds.
    """
    import pandas as pd

    folders = [Path(first), Path(second)]
    for folder in folders:
        if not folder.is_dir():
            raise UnreadableInputError(f"there is no folder {folder}; give two folders of results, one file per place")
    names = sorted(set.intersection(*({path.name for path in folder.glob("*.json")} for folder in folders)))
    both = f"{first} and {second}"
    if len(names) < 2:
        raise ParameterError(f"{both} have {len(names)} file names in common; give at least 2 places")
    if not mixed:
        results = [[read_result(folder / name) for folder in folders] for name in names]
        said = [[f"{folder.name}/{name}" for folder in folders] for name in names]
        for pair, labels in zip(results, said, strict=True):
            check_comparable(pair, labels)
        check_comparable([pair[0] for pair in results], [labels[0] for labels in said], ("parameters",))
    a, b = (scores_of_results([folder / name for name in names]) for folder in folders)
    shared = [name for name in a.headlines if name in b.headlines]
    if not shared:
        raise ParameterError(f"{both} have no metric in common; evaluate both with the same metrics")
    columns: dict[str, object] = {"place": [Path(name).stem for name in names]}
    for name in shared:
        values = [pd.to_numeric(one.table[name], errors="coerce").to_numpy(dtype=float) for one in (a, b)]
        columns[name] = (values[0] - values[1]) * (-1 if name in a.lower else 1)
    return pd.DataFrame(columns)
