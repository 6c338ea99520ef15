"""A page for each metric: its definition, what it counts and is blind to, scores, parameters, cost and papers."""

import inspect
import sys
from collections.abc import Iterator
from typing import Any

from geoeval.contents import CONTENTS
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import registry_of
from making.drawing_pages import counted
from making.examples import fall, shown
from making.papers import written_in
from making.texts import Described, code, markdown, table, toctree
from making.worlds import cases

_TITLES = {"roads": "Road metrics", "objects": "Metrics of buildings and other objects", "lines": "Metrics of drawings"}
_COUNTING = {
    "places": "Counts place by place: tiles of any size give exactly the counts of the whole.",
    "starts": "Starts at places and looks around each of them: tiles give exactly the counts of the whole.",
    "whole": "Needs the whole map: with tiles it is still evaluated at once, see [tiles](../guide/scale.md).",
}

_HEAD = """# Metrics

Each page states the definition as the code has it, draws what is counted, and shows what the metric makes of eight
tiny maps.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    yield "metrics/index.md", _overview()
    for content in CONTENTS:
        for metric in registry_of(content).metrics.values():
            yield _path(content, metric.name), _page(content, metric)


def _path(content: str, name: str) -> str:
    return f"metrics/{content}-{name}.md"


def _overview() -> str:
    parts = [_HEAD]
    for content in CONTENTS:
        metrics = registry_of(content).metrics.values()
        rows = [
            [
                f"[{metric.name}]({content}-{metric.name}.md)",
                code(metric.headline),
                metric.about,
                _blind(content, metric),
            ]
            for metric in metrics
        ]
        parts.append(
            f"## {_TITLES[content]}\n\n" + table(["metric", "headline", "what it says", "blind to, of these"], rows)
        )
    parts.append(toctree(f"{content}-{name}.md" for content in CONTENTS for name in registry_of(content).metrics))
    parts.append(
        "The last column is measured on the tiny maps of each page. What a metric is blind to in a real town is told "
        "by `geoeval study sensitivity`.\n"
    )
    return "\n".join(parts)


def _blind(content: str, metric: Metric) -> str:
    if not shown(metric):
        return ""
    return ", ".join(case for case in cases(content)[1:] if not fall(content, metric, case)[1]) or "none"


def _page(content: str, metric: Metric) -> str:
    described = Described(metric.function)
    definition = markdown(sys.modules[metric.function.__module__].__doc__ or "")
    called = "in `all`" if metric.in_all else f"only if named: `--metrics {metric.name}`"
    parts = [
        f"# {metric.name}\n\n*{metric.about}*\n",
        f"Of {content}; headline `{metric.headline}`; computed {called}.\n",
        f"## Definition\n\n{definition}\n",
        counted(content, metric.name),
        _pictured(content, metric),
        "## Scores\n\n" + table(["score", "what it says", "better", "range", "unit"],
                                [[code(s.name), s.about, s.better, _range(s.range), s.unit] for s in metric.scores]),
        _parameters(metric, described),
        f"## What comes back\n\n{described.returns}\n",
        f"## Edge cases and cost\n\n{described.notes}\n\n{_COUNTING[metric.counting]}\n",
        written_in(content, metric.name),
        _signature(metric),
    ]  # fmt: skip
    return "\n".join(part for part in parts if part)


def _pictured(content: str, metric: Metric) -> str:
    if not shown(metric):
        return ""
    rows = []
    for case in cases(content):
        value, seen = fall(content, metric, case)
        is_perfect = case == cases(content)[0]
        rows.append(
            [
                case,
                "undefined" if value is None else f"{value:.3f}",
                "" if is_perfect else ("seen" if seen else "blind"),
            ]
        )
    return (
        "## What it sees, and what it is blind to\n\n"
        f"![Eight tiny maps and the score of each]({content}-{metric.name}.svg)\n\n"
        "Grey is the reference, the thin line the prediction; what the metric reports is drawn in the colour of its "
        "[kind](../errors.md). Scores that fall are red.\n\n" + table(["prediction", metric.headline, ""], rows)
    )


def _parameters(metric: Metric, described: Described) -> str:
    if not metric.defaults:
        return ""
    rows = [
        [
            code(name),
            code(default),
            described.parameters.get(name, ""),
            code(f"--set {metric.name}.{name}={_example(default)}"),
        ]
        for name, default in metric.defaults.items()
    ]
    return "## Parameters\n\n" + table(["parameter", "default", "meaning", "on the command line"], rows)


def _example(default: Any) -> str:
    return "…" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


def _range(limits: tuple[float | None, float | None]) -> str:
    low, high = limits
    return f"{'' if low is None else format(low, 'g')} to {'∞' if high is None else format(high, 'g')}"


def _signature(metric: Metric) -> str:
    module = inspect.getmodule(metric.function)
    assert module is not None
    where = f"{module.__name__}.{metric.function.__name__}"
    return f"## In Python\n\n`{where}`, for maps that are already in one CRS in metres.\n"
