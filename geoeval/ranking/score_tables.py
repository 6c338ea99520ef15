"""Read the scores of many items, from results that geoeval wrote or from a CSV table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.area import ground_of_result
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.metrics.registry import declarations_of, registry_of
from geoeval.model.result_form import wrong_part
from geoeval.ranking.mixing import check_comparable
from geoeval.stored_json import read_json
from geoeval.trust import check_limit, check_table, check_there

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ScoreTable:
    """Items with their scores.

    Attributes
    ----------
    table
        One row per item, named by the index, and one column per score (``metric.score`` for results).
    headlines
        The headline score of each metric; every column of a CSV table.
    lower
        The scores for which smaller is better, as far as the metrics declare it.
    """

    table: "pd.DataFrame"
    headlines: list[str]
    lower: list[str]


def read_scores(files: Sequence[str | Path], *, mixed: bool = True) -> ScoreTable:
    """Read scores from result files (JSON), one per item, or from one CSV file.

    A CSV file has the column ``name`` and one column per indicator. The name of a result is the name of its file, with
    its folder in front if two files have the same name. Unless they may be ``mixed``, all results must be against the
    same reference, on the same ground and with the same parameters.

    Raises
    ------
    UnreadableInputError
        A file is missing, damaged, or neither of the two.
    ParameterError
        The results are of different kinds, one is given twice, or a CSV file is given beside other files.
    """
    paths = [Path(file) for file in files]
    tables = [path for path in paths if path.suffix.lower() == ".csv"]
    if not tables:
        return scores_of_results(paths, mixed=mixed)
    if len(paths) > 1:
        raise ParameterError("several files are given and one is a CSV; give one CSV, or results as JSON only")
    return _read_table(tables[0])


def scores_of_results(paths: Sequence[Path], *, mixed: bool = True) -> ScoreTable:
    """Read scores from result files, one per item; ``mixed`` as for ``read_scores``."""
    import pandas as pd

    check_limit("items", len(paths), "the list of results", f"has {len(paths):,} items")
    results = [read_result(path) for path in paths]
    kinds = sorted({str(result["kind"]) for result in results})
    if len(kinds) > 1:
        raise ParameterError(f"results of different kinds ({', '.join(kinds)}) cannot be compared; give one kind")
    if not mixed:
        check_comparable(results, item_names(paths))
    rows = [
        {f"{metric}.{score}": value for metric, scores in result["scores"].items() for score, value in scores.items()}
        for result in results
    ]
    table = pd.DataFrame(rows, index=item_names(paths), dtype=object)
    return ScoreTable(table, *_declared(kinds[0], list(table.columns)) if kinds else ([], []))


def read_result(path: Path) -> dict[str, Any]:
    """Read a result that ``--json`` wrote: whatever it holds has the form in which it is written."""
    check_there(path)
    try:
        result = read_json(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInputError(
            f"{path} cannot be read ({reason}); give a result that geoeval wrote as JSON"
        ) from error
    if not isinstance(result, dict) or not {"kind", "scores"} <= result.keys():
        raise UnreadableInputError(f"{path} holds no result of an evaluation; give a result that geoeval wrote as JSON")
    wrong = wrong_part(result)
    if wrong:
        msg = (
            f"{path}: {wrong!r} has another form than in a result of geoeval; give a result that geoeval wrote as JSON"
        )
        raise UnreadableInputError(msg)
    ground_of_result(result, path)
    count = sum(map(len, result["scores"].values()))
    check_limit("columns", count, path, f"has {count:,} scores")
    return result


def item_names(paths: Sequence[Path]) -> list[str]:
    """The names of result files, with as many folders in front as it takes to tell them apart."""
    for depth in range(1, 1 + max((len(path.parts) for path in paths), default=1)):
        names = ["/".join(path.with_suffix("").parts[-depth:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    raise ParameterError("the same result is given twice; give each result once")


def _declared(kind: str, columns: list[str]) -> tuple[list[str], list[str]]:
    """The headline scores among these, and those for which smaller is better, as the metrics declare them."""
    known = declarations_of(kind)
    there = dict.fromkeys(name.partition(".")[0] for name in columns)
    metrics = [known[name] for name in there if name in known]
    scores = {f"{metric.name}.{score.name}": score for metric in metrics for score in metric.scores}
    # In the order of the registry, whatever the order of the columns is.
    order = list(registry_of(kind).metrics)
    metrics.sort(key=lambda metric: order.index(metric.name) if metric.name in order else len(order))
    headlines = [f"{metric.name}.{metric.headline}" for metric in metrics]
    lower = [name for name in columns if name in scores and scores[name].better == "lower"]
    return [name for name in headlines if name in columns], lower


def _read_table(path: Path) -> ScoreTable:
    import pandas as pd

    check_there(path)
    check_table(path)
    try:
        # Opened here: pandas would take some names for addresses, and unpack what is packed.
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = pd.read_csv(file, dtype={"name": str}, index_col=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"{path} cannot be read ({reason}); give a CSV with a header in UTF-8") from error
    if "name" not in table.columns:
        raise UnreadableInputError(f"{path} has no column 'name'; add one with the name of each item")
    if table["name"].isna().any():
        row = int(table["name"].isna().to_numpy().argmax()) + 2
        raise UnreadableInputError(f"{path}, line {row}: the name is empty; give each item a name")
    check_limit("items", len(table), path, f"has {len(table):,} rows")
    table = table.set_index("name")
    return ScoreTable(table, [str(name) for name in table.columns], [])
