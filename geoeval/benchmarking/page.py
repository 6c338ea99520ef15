"""The page of a benchmark: one HTML file with scores, distributions, the worst places and the table of all."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval._version import __version__
from geoeval.benchmarking.outcome import Outcome
from geoeval.metrics.metric import Metric
from geoeval.model.error_kinds import BLUE, GREEN
from geoeval.report.histograms import Histogram, histogram
from geoeval.report.score_texts import number
from geoeval.report.templating import render_plain

if TYPE_CHECKING:
    from geoeval.benchmarking.result import Benchmark

_COLOURS = (BLUE, "#d55e00", GREEN, "#cc79a7", "#e69f00", "#56b4e9")


@dataclass(frozen=True)
class PlaceMap:
    """A place with a map of its own: the file of its report, and a small map."""

    outcome: Outcome
    file: str
    picture: str | None


def render_page(
    found: "Benchmark", maps: Sequence[PlaceMap], *, said: Sequence[str], comparison: Sequence[Mapping[str, Any]]
) -> str:
    """The page as text; ``said`` is what must be known to read it, ``comparison`` the rows of the paired tests."""
    metrics = found.metrics
    return render_plain(
        "benchmark.html",
        version=__version__,
        title=f"{', '.join(found.methods)}: {len(found.pairing.places)} places",
        said=said,
        left_out=found.left_out,
        several=len(found.methods) > 1,
        columns=[_column(metric) for metric in metrics],
        rows=_score_rows(found),
        summary=found.summary().to_dict("records"),
        number=lambda value: "" if value is None or np.isnan(value) else number(float(value)),
        comparison=comparison,
        hasse=_hasse(found),
        plots=_plots(found),
        maps=[_map(found, one) for one in maps],
        places=[_place(found, outcome, maps) for outcome in found.outcomes],
        rule=found.rule,
    )


def _column(metric: Metric) -> dict[str, Any]:
    score = next(one for one in metric.scores if one.name == metric.headline)
    return {"metric": metric.name, "score": score.name, "lower": score.better == "lower",
            "tooltip": f"{metric.about} {score.about}"}  # fmt: skip


def _score_rows(found: "Benchmark") -> list[dict[str, Any]]:
    rows = []
    for method in found.methods:
        for rule, scores in found.scores[method].items():
            cells = []
            for metric in found.metrics:
                name = f"{metric.name}.{metric.headline}"
                span = found.intervals[method][rule].get(name)
                one = next((a for a in found.aggregates[method] if (a.metric, a.rule) == (metric.name, rule)), None)
                cells.append({
                    "text": number(scores.get(name)) if name in scores else "–",  # noqa: RUF001 - nothing to tell
                    "low": None if span is None else number(span[0]), "high": None if span is None else number(span[1]),
                    "places": 0 if one is None else one.places, "note": "" if one is None else one.note,
                })  # fmt: skip
            rows.append({"method": method, "rule": rule, "cells": cells, "main": rule == found.rule})
    return rows


def _plots(found: "Benchmark") -> list[Histogram]:
    plots = []
    for metric in found.metrics:
        score = next(one for one in metric.scores if one.name == metric.headline)
        limits = (0.0, 1.0) if score.range == (0.0, 1.0) else None
        for method, colour in zip(found.methods, _COLOURS * len(found.methods), strict=False):
            known = [found.scores_of(one, metric) or {} for one in found.of_method(method)]
            values = np.array([one.get(metric.headline) for one in known], dtype=np.float64)
            whose = f" of {method}" if len(found.methods) > 1 else ""
            plots.append(histogram(values, title=f"{metric.name} {metric.headline}{whose} by place",
                                   label=metric.headline, colour=colour, limits=limits))  # fmt: skip
    return [plot for plot in plots if plot is not None]


def _map(found: "Benchmark", shown: PlaceMap) -> dict[str, Any]:
    outcome = shown.outcome
    scores = [
        f"{metric.name} {number(outcome.scores.get(metric.name, {}).get(metric.headline))}" for metric in found.metrics
    ]
    return {"place": outcome.place, "method": outcome.method, "file": shown.file, "picture": shown.picture,
            "scores": scores, "errors": outcome.error_count}  # fmt: skip


def _place(found: "Benchmark", outcome: Outcome, maps: Sequence[PlaceMap]) -> dict[str, Any]:
    file = next((one.file for one in maps if one.outcome is outcome), None)
    values = [(found.scores_of(outcome, metric) or {}).get(metric.headline) for metric in found.metrics]
    return {
        "place": outcome.place, "method": outcome.method, "status": outcome.status, "note": outcome.note, "file": file,
        "counted": found.counted_as(outcome), "values": [(value, number(value) if value is not None else "")
                                                         for value in values],
        "errors": outcome.error_count,
    }  # fmt: skip


def _hasse(found: "Benchmark") -> str | None:
    """The Hasse diagram of the methods as SVG; ``None`` for one method."""
    ranking = found.ranking()
    if ranking is None:
        return None
    from geoeval.ranking.diagram import hasse_diagram
    from geoeval.writers.pictures import save_figure

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        text = save_figure(hasse_diagram(ranking), Path(folder) / "hasse.svg").read_text(encoding="utf-8")
    return text[text.index("<svg") :]
