"""A result as one small picture, for papers, pull requests and chats: scores, a map, and how many errors there are."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import writable
from geoeval.files import check_output, keeps_inputs
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result, amount, name_of
from geoeval.report.map_content import INPUT_COLOURS, INPUT_OPACITIES, ROLES, error_groups, in_order, input_lines
from geoeval.report.score_texts import metric_texts
from geoeval.writers.pictures import new_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Inches, which at 150 dots an inch are 1200 x 630 pixels: what pages show of a link.
_WIDTH, _HEIGHT = 8.0, 4.2
_INK, _SOFT, _RULE, _BAR = "#1c2127", "#59636e", "#e4e7eb", "#009E73"
# So many scores and kinds have room.
_SCORES, _KINDS = 8, 9


@keeps_inputs
def write_card(result: Result, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a summary picture: headline scores, a small map, and the number of errors of each kind.

    Parameters
    ----------
    result
        What to show. Without its inputs the map shows the errors alone.
    path
        The picture: ``.png`` (1200 x 630 pixels), ``.svg`` or ``.pdf``.
    overwrite
        Replace an existing file.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.
    OutputError
        The file exists, cannot be written, or is no picture by its suffix.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_card
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> write_card(evaluate_roads(reference, prediction, metrics="ccq"), "result.png", overwrite=True).name
    'result.png'
    """
    file = check_output(path, "pictures", overwrite=overwrite)
    return save_figure(card(result), file, overwrite=overwrite)


def card(result: Result) -> "Figure":
    """The picture as a matplotlib figure."""
    figure = new_figure(_WIDTH, _HEIGHT)
    figure.set_layout_engine("none")
    figure.set_facecolor("white")
    names = [name_of(getattr(result, role), role) for role in reversed(ROLES)]
    amounts = [f"{role} {amount(facts)}" for role in ROLES if (facts := getattr(result, role))]
    _write(figure, 0.035, 0.925, _cut(" against ".join(names), 62), size=14, weight="bold", color=_INK)
    _write(figure, 0.035, 0.865, _cut(" · ".join([result.kind, *amounts]), 90), size=9.5, color=_SOFT)
    _draw_scores(figure, result)
    _draw_map(figure.add_axes((0.42, 0.16, 0.555, 0.67)), result)
    _draw_counts(figure, result)
    return figure


def _write(figure: "Figure", x: float, y: float, text: str, **style: Any) -> None:
    """Text as it is: a name with dollar signs is no formula."""
    figure.text(x, y, text, parse_math=False, va="center", **style)


def _cut(text: str, length: int) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= length else f"{one_line[: length - 1]}…"


def _draw_scores(figure: "Figure", result: Result) -> None:
    from matplotlib.patches import Rectangle

    scores = [(metric.name, metric.headline) for metric in metric_texts(result) if metric.headline is not None]
    shown = scores[:_SCORES]
    step = 0.66 / max(len(shown), 5)
    for place, (metric, score) in enumerate(shown):
        y = 0.80 - step * (place + 0.5)
        _write(figure, 0.035, y, _cut(metric, 12), size=11, weight="bold", color=_INK)
        text = f"{float(score.text):.3f}" if score.share is not None else f"{score.text} {score.unit}".strip()
        _write(figure, 0.385, y, text, size=11, color=_INK, ha="right")
        if score.share is not None:
            for width, colour in ((1.0, _RULE), (score.share, _BAR)):
                bar = Rectangle(
                    (0.155, y - 0.0125), 0.15 * width, 0.025, facecolor=colour, transform=figure.transFigure
                )
                figure.add_artist(bar)
        else:
            _write(figure, 0.155, y, _cut(score.name, 14), size=9, color=_SOFT)


def _draw_map(axes: "Axes", result: Result) -> None:
    """Inputs and errors without axes, thinner the more there are."""
    from matplotlib.collections import LineCollection, PolyCollection

    def parts(geometries: Any) -> list[Any]:
        xy, part = shapely.get_coordinates(shapely.get_parts(writable(geometries)), return_index=True)
        return np.split(xy, np.flatnonzero(np.diff(part)) + 1) if len(xy) else []

    axes.set_axis_off()
    for role, (few, many) in zip(ROLES, ((2.2, 0.7), (0.8, 0.3)), strict=True):
        lines = input_lines(result, role)
        if lines is not None:
            width = many if len(lines) > 5_000 else few
            axes.add_collection(LineCollection(
                parts(lines), color=INPUT_COLOURS[role], alpha=INPUT_OPACITIES[role], linewidth=width
            ))  # fmt: skip
    groups = [group for group in error_groups(result) if group[0].is_error and not group[0].hidden]
    crowded = sum(len(rows) for *_, rows in groups) > 400
    for kind, geometry, rows in groups:
        geometries = rows.geometry.to_numpy()
        if geometry == "points":
            x, y = shapely.get_coordinates(geometries).T
            axes.scatter(x, y, s=2 if crowded else 12, color=kind.colour, linewidth=0)
        elif geometry == "lines":
            wide = (1.2 if crowded else 3.0) if kind.emphasised else (0.9 if crowded else 1.6)
            axes.add_collection(LineCollection(parts(geometries), color=kind.colour, linewidth=wide, capstyle="round"))
        else:
            rings = parts(shapely.get_exterior_ring(shapely.get_parts(writable(geometries))))
            axes.add_collection(PolyCollection(rings, facecolor=kind.colour, edgecolor=kind.colour, alpha=0.6))
    axes.set_aspect("equal")
    if result.extent is not None:
        left, bottom, right, top = result.extent
        margin = 0.02 * max(right - left, top - bottom, 1e-9)
        axes.set_xlim(left - margin, right + margin)
        axes.set_ylim(bottom - margin, top + margin)


def _draw_counts(figure: "Figure", result: Result) -> None:
    """The errors that the map draws, each kind with its colour and number, in as many rows as it takes."""
    from matplotlib.patches import Rectangle

    summary = result.error_summary()
    kinds = [kind for kind in map(error_kind, in_order(summary)) if not kind.hidden]
    if not kinds:
        _write(figure, 0.035, 0.06, "no errors", size=10, color=_SOFT)
    x, y = 0.035, 0.085 if len(kinds) > 5 else 0.06
    for kind in kinds[:_KINDS]:
        text = f"{int(summary[kind.name]['count']):,} {_cut(kind.label.lower(), 18)}"
        width = 0.022 + 0.0098 * len(text)
        if x + width > 0.98:
            x, y = 0.035, y - 0.055
        swatch = Rectangle((x, y - 0.014), 0.014, 0.028, facecolor=kind.colour, transform=figure.transFigure)
        figure.add_artist(swatch)
        _write(figure, x + 0.020, y, text, size=10, color=_INK)
        x += width + 0.012
