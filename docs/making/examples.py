"""Pictures of what each metric makes of one error at a time, drawn from real evaluations of tiny maps."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from geoeval.contents import CONTENTS
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import registry_of
from geoeval.model.error_kinds import KINDS, ErrorKind
from making.worlds import cases, evaluated, world

# A score that falls by less than this is blind to the error, as in the sensitivity study.
FLAT = 0.02
_REFERENCE, _PREDICTION = "#D0D0D0", "#444444"


def pages() -> Iterator[tuple[str, str]]:
    """The picture of every metric, as SVG."""
    for content in CONTENTS:
        for metric in registry_of(content).metrics.values():
            if shown(metric):
                yield f"metrics/{content}-{metric.name}.svg", _picture(content, metric)


def shown(metric: Metric) -> bool:
    """Whether the tiny maps have a score by this metric; time needs a duration that they do not have."""
    return metric.name != "time"


def fall(content: str, metric: Metric, case: str) -> tuple[float | None, bool]:
    """The headline of a case, and whether the metric sees the error."""
    perfect, value = (evaluated(content, each, metric.name).scores[metric.name][metric.headline] for each in
                      (cases(content)[0], case))  # fmt: skip
    if value is None or perfect is None:
        return value, False
    return value, abs(perfect - value) >= FLAT


def _picture(content: str, metric: Metric) -> str:
    names = cases(content)
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "geoeval", "font.size": 8}):
        figure = Figure(figsize=(8.4, 4.6), layout="constrained")
        for axes, case in zip(figure.subplots(2, 4).flat, names, strict=True):
            draw_maps(axes, content, world(content, names[0]), world(content, case))
            for frame in evaluated(content, case, metric.name).errors.values():
                for kind in (KINDS[name] for name in frame["kind"].unique()):
                    if kind.is_error and not kind.hidden:
                        mark(axes, frame[frame["kind"] == kind.name], kind)
            value, seen = fall(content, metric, case)
            said = "undefined" if value is None else f"{value:.3f}"
            axes.set_title(f"{case}\n{metric.headline} {said}", fontsize=8, color="#B00020" if seen else "#222222")
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def draw_maps(axes: Axes, content: str, reference: Any, prediction: Any) -> None:
    """Draw the reference in grey and the prediction as thin lines."""
    if content == "objects":
        reference.plot(axes, facecolor=_REFERENCE, edgecolor="none")
        prediction.plot(axes, facecolor="none", edgecolor=_PREDICTION, linewidth=1.0)
    else:
        reference.plot(axes, color=_REFERENCE, **({"linewidth": 6} if content == "roads" else {}))
        prediction.plot(axes, color=_PREDICTION, linewidth=1.0)
    axes.set_axis_off()
    axes.margins(0.08)


def mark(axes: Axes, features: Any, kind: ErrorKind) -> None:
    """Draw errors of a kind in its colour."""
    features.plot(
        ax=axes,
        color=kind.colour,
        linewidth=5 if kind.emphasised else 2.2,
        markersize=28,
        alpha=0.85,
        zorder=5,
        aspect=None,
    )
