"""The scores of a result class by class, and their means."""

from typing import TYPE_CHECKING

from geoeval.metrics.registry import declarations_of
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("class", "metric", "score", "value", "headline")
# What the table calls the means.
MEAN = "mean of the classes"


def class_mean(result: Result) -> dict[str, dict[str, ScoreValue]]:
    """The mean over all classes in which a score is defined, each with the same weight; ``None`` where it is in none.

    Numbers of objects have no mean. A class that one side lacks counts: its objects are all missed, or false alarms.
    """
    metrics = declarations_of(result.kind)
    means: dict[str, dict[str, ScoreValue]] = {}
    for name in result.scores if result.classes else ():
        means[name] = {}
        for score in metrics[name].scores:
            if score.unit == "count":
                continue
            found = [own[name].get(score.name) for own in result.classes.values()]
            values = [value for value in found if value is not None]
            means[name][score.name] = sum(values) / len(values) if values else None
    return means


def class_table(result: Result) -> "pd.DataFrame":
    """One row a class and score, then the means; an undefined value is NaN."""
    import pandas as pd

    metrics = declarations_of(result.kind)
    rows = [
        (name, metric, score, value, score == metrics[metric].headline)
        for name, scores in (*result.classes.items(), *([(MEAN, class_mean(result))] if result.classes else []))
        for metric, values in scores.items()
        for score, value in values.items()
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"value": float, "headline": bool})
