"""Scores as people read them: value, unit, and what it means, from what each metric declares."""

from dataclasses import dataclass
from math import isnan
from typing import Any

from geoeval.crs import crs_name
from geoeval.metrics.registry import declarations_of
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue

# Units of lengths, as a result has them.
LENGTHS = {"m": "metres", "px": "pixels", "units": "units of the drawing"}
_UNITS = {"count": "", "m2": "m²"}
_DIRECTIONS = {"higher": "Higher is better.", "lower": "Lower is better."}


@dataclass(frozen=True)
class ScoreText:
    """One score.

    ``share`` is its value where it lies between 0 and 1 by definition, so that a bar can show it, else ``None``.
    """

    name: str
    text: str
    unit: str
    tooltip: str
    better: str
    share: float | None
    is_headline: bool


@dataclass(frozen=True)
class MetricText:
    """One metric with all its scores."""

    name: str
    about: str
    parameters: str
    scores: tuple[ScoreText, ...]

    @property
    def headline(self) -> ScoreText | None:
        """The score that stands for the metric."""
        return next((score for score in self.scores if score.is_headline), None)


def metric_texts(result: Result) -> list[MetricText]:
    """The metrics of a result in the order in which they were evaluated."""
    metrics = declarations_of(result.kind)
    rows: list[dict[Any, Any]] = result.table().to_dict("records")
    return [
        MetricText(
            name,
            metrics[name].about if name in metrics else "",
            ", ".join(
                f"{key} not given" if value is None else f"{key} = {_cut(value)}"
                for key, value in result.parameters.get(name, {}).items()
            ),
            tuple(_score(row, scores[row["score"]]) for row in rows if row["metric"] == name),
        )
        for name, scores in result.scores.items()
    ]


def class_texts(result: Result) -> dict[str, Any] | None:
    """The headline of each metric for each class, then the means: names of columns, and rows; ``None`` without any."""
    if not result.classes:
        return None
    table = result.class_table()
    heads = table[table["headline"]]
    columns = [
        f"{name} {score}" for name, score in heads[["metric", "score"]].drop_duplicates().itertuples(index=False)
    ]
    rows = {
        str(name): [number(None if isnan(value) else value) for value in own["value"]]
        for name, own in heads.groupby("class", sort=False)
    }
    return {"columns": columns, "rows": rows}


def measured_in(result: Result) -> str:
    """The CRS of a result, or the unit of one that has no place."""
    return crs_name(result.crs) if result.unit == "m" else LENGTHS[result.unit]


def number(value: ScoreValue, unit: str = "") -> str:
    """A score as text, without its unit."""
    if value is None:
        return "undefined"
    if isinstance(value, int) or (float(value).is_integer() and (unit == "count" or abs(value) >= 10)):
        return f"{int(value):,}"
    if unit and 0 < abs(value) < 0.001:
        return f"{value:.2e}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"


def _score(row: dict[Any, Any], value: ScoreValue) -> ScoreText:
    sentences = (row["about"], _DIRECTIONS.get(row["better"], ""), row["note"])
    return ScoreText(
        name=row["score"],
        text=number(value, row["unit"]),
        unit="" if value is None else _UNITS.get(row["unit"], row["unit"]),
        tooltip=" ".join(sentence for sentence in sentences if sentence),
        better=row["better"],
        share=float(value) if value is not None and (row["low"], row["high"]) == (0.0, 1.0) else None,
        is_headline=bool(row["headline"]),
    )


def _cut(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
