"""The scores of a result as a table."""

from typing import TYPE_CHECKING

from geoeval.metrics.registry import declarations_of
from geoeval.model.result import Result
from geoeval.model.scores import Score

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("metric", "score", "value", "headline", "better", "low", "high", "unit", "about", "note")


def score_table(result: Result) -> "pd.DataFrame":
    """One row a score: its value, whether it stands for its metric, which way it is better, its range and meaning.

    An undefined value is NaN, with the reason in ``note``.
    """
    import pandas as pd

    metrics = declarations_of(result.kind)
    rows = []
    for name, values in result.scores.items():
        declared = {score.name: score for score in metrics[name].scores} if name in metrics else {}
        headline = metrics[name].headline if name in metrics else next(iter(values), "")
        for score, value in values.items():
            known = declared.get(score) or Score(score, "", "neutral", (None, None))
            note = result.notes.get(f"{name}.{score}", "")
            rows.append(
                (name, score, value, score == headline, known.better, *known.range, known.unit, known.about, note)
            )
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype({"value": float, "headline": bool, "low": float, "high": float})
