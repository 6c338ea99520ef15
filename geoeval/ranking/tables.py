"""Scores of many items, from results that ``geoeval`` wrote or from a table."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.exceptions import ParameterError, UnreadableInputError

if TYPE_CHECKING:
    import pandas as pd

# Scores of results that count something bad, or a distance.
LOWER_SCORES = frozenset(
    {"chamfer", "hausdorff", "mallows", "missed", "false_alarm", "f_error", "too_long", "too_short", "infeasible",
     "fp", "fn", "fv", "per_pixel", "per_line", "over", "under"}
)  # fmt: skip


@dataclass(frozen=True)
class Scores:
    """Items with their scores.

    Attributes
    ----------
    table
        One row an item, named by the index; one column a score, in results ``metric.score``.
    headlines
        The score that stands for each metric; of a plain table every column.
    lower
        The scores of which smaller is known to be better.
    """

    table: "pd.DataFrame"
    headlines: list[str]
    lower: list[str]


def read_scores(files: Sequence[str | Path]) -> Scores:
    """Scores from one CSV (column ``name``, one column an indicator) or from result files (JSON), one an item.

    A result is named as its file, with the folder in front where two files have the same name.

    Raises
    ------
    UnreadableInputError
        A file is missing, damaged or of another kind.
    ParameterError
        Results of different kinds, or nothing but one name twice.
    """
    paths = [Path(file) for file in files]
    tables = [path for path in paths if path.suffix.lower() == ".csv"]
    if not tables:
        return scores_of_results(paths)
    if len(paths) > 1:
        raise ParameterError("several files are given and one is a CSV; give one CSV, or results as JSON only")
    return _read_table(tables[0])


def scores_of_results(paths: Sequence[Path]) -> Scores:
    """Scores from result files, one an item."""
    import pandas as pd

    results = [read_result(path) for path in paths]
    kinds = sorted({str(result["kind"]) for result in results})
    if len(kinds) > 1:
        raise ParameterError(f"results of different kinds ({', '.join(kinds)}) cannot be compared; give one kind")
    rows = [
        {f"{metric}.{score}": value for metric, scores in result["scores"].items() for score, value in scores.items()}
        for result in results
    ]
    table = pd.DataFrame(rows, index=item_names(paths), dtype=object)
    lower = [name for name in table.columns if name.partition(".")[2] in LOWER_SCORES]
    return Scores(table, _headlines(kinds[0], list(table.columns)) if kinds else [], lower)


def read_result(path: Path) -> dict[str, Any]:
    """A result as ``geoeval`` writes it with ``--json``."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not JSON"
        raise UnreadableInputError(f"{path} cannot be read ({reason}); give a result that --json wrote") from error
    scores = result.get("scores") if isinstance(result, dict) else None
    if not isinstance(scores, dict) or "kind" not in result or not all(isinstance(s, dict) for s in scores.values()):
        raise UnreadableInputError(f"{path} is no result of an evaluation; give a file that --json wrote")
    return result


def item_names(paths: Sequence[Path]) -> list[str]:
    """Names of results: the file's, with as many folders in front as it takes to tell them apart."""
    for depth in range(1, 1 + max((len(path.parts) for path in paths), default=1)):
        names = ["/".join(path.with_suffix("").parts[-depth:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    raise ParameterError("the same result is given twice; give each once")


def _headlines(kind: str, columns: list[str]) -> list[str]:
    from geoeval.registry import registry_of

    try:
        metrics = registry_of(kind).metrics
    except ImportError:
        return columns
    return [name for metric in metrics.values() if (name := f"{metric.name}.{metric.headline}") in columns]


def _read_table(path: Path) -> Scores:
    import pandas as pd

    try:
        table = pd.read_csv(path, encoding="utf-8-sig", dtype={"name": str})
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"{path} cannot be read ({reason}); give a CSV with a header in UTF-8") from error
    if "name" not in table.columns:
        raise UnreadableInputError(f"{path} has no column 'name'; give each item's name in a column of that name")
    if table["name"].isna().any():
        row = int(table["name"].isna().to_numpy().argmax()) + 2
        raise UnreadableInputError(f"{path}, line {row}: the name is empty; give each item a name")
    table = table.set_index("name")
    return Scores(table, [str(name) for name in table.columns], [])
