"""A result in a notebook: score tiles with a small map, a plot, and the report's map to move and zoom."""

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects, writable
from geoeval.crs import is_local
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result, amount, name_of
from geoeval.report.map_content import INPUT_COLOURS, INPUT_OPACITIES, ROLES, error_groups, in_order, input_lines
from geoeval.report.score_texts import ScoreText, measured_in, metric_texts
from geoeval.report.static_map import ink, static_map
from geoeval.report.templating import check_extra, render_template
from geoeval.writers.grids import CELL_SIZE, grid_to_write
from geoeval.writers.pictures import check_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE = """
.geoeval-result { font: 13px/1.4 system-ui, sans-serif; }
.geoeval-result .soft { opacity: .7; }
.geoeval-result .tiles { display: flex; flex-wrap: wrap; gap: 6px; margin: 8px 0; }
.geoeval-result .tile { background: rgba(128, 128, 128, .12); border-radius: 5px; padding: 5px 10px; min-width: 84px; }
.geoeval-result .value { font-size: 17px; font-variant-numeric: tabular-nums; }
.geoeval-result .bar { height: 4px; border-radius: 2px; background: rgba(128, 128, 128, .3); margin-top: 4px; }
.geoeval-result .bar div { height: 4px; border-radius: 2px; background: #009e73; }
.geoeval-result .legend { display: flex; flex-wrap: wrap; gap: 2px 14px; }
.geoeval-result .swatch { display: inline-block; width: 14px; height: 8px; border-radius: 2px; margin-right: 5px; }
"""

# Markers of the table of error kinds, which are QGIS's, as matplotlib calls them.
_MARKERS = {"circle": "o", "square": "s", "diamond": "D", "triangle": "^", "cross_fill": "P", "pentagon": "p",
            "hexagon": "h", "star": "*"}  # fmt: skip


def result_html(result: Result) -> str:
    """Score tiles and a small static map as HTML for a notebook cell; needs nothing but the core packages.

    The map shows what the result kept: without inputs, the errors alone.
    """
    root = ET.Element("div", {"class": "geoeval-result"})
    ET.SubElement(root, "style").text = _STYLE
    _add_title(root, result)
    tiles = _add(root, "div", "tiles")
    for metric in metric_texts(result):
        if metric.headline is not None:
            _add_tile(tiles, metric.name, metric.headline)
    svg, groups = static_map(result)
    if svg is not None:
        root.append(svg)
    _add_legend(root, result, [(kind.label, kind.colour, kind.about, len(rows)) for kind, _, rows in groups])
    return ET.tostring(root, encoding="unicode", method="html")


def _add(parent: ET.Element, tag: str, name: str, text: str = "") -> ET.Element:
    """A new element of a class; its text is escaped where it is written."""
    element = ET.SubElement(parent, tag, {"class": name})
    element.text = text
    return element


def _add_title(root: ET.Element, result: Result) -> None:
    names, amounts = [], []
    for role in ROLES:
        facts = getattr(result, role)
        names.append(name_of(facts, role))
        amounts += [f"{role} {amount(facts)}"] if facts else []
    title = ET.SubElement(root, "div")
    ET.SubElement(title, "b").text = f"{names[1]} against {names[0]}"
    _add(title, "span", "soft", " · ".join(["", result.kind, *amounts, measured_in(result)]))


def _add_tile(tiles: ET.Element, metric: str, score: ScoreText) -> None:
    tile = _add(tiles, "div", "tile")
    tile.set("title", score.tooltip)
    ET.SubElement(tile, "b").text = metric
    _add(tile, "div", "value", f"{score.text} {score.unit}".strip())
    direction = ", lower is better" if score.better == "lower" else ""
    _add(tile, "div", "soft", f"{score.name}{direction}")
    if score.share is not None:
        ET.SubElement(_add(tile, "div", "bar"), "div", style=f"width:{100 * score.share:.1f}%")


def _add_legend(root: ET.Element, result: Result, drawn: list[tuple[str, str, str, int]]) -> None:
    inputs = [(role.capitalize(), INPUT_COLOURS[role], "", None) for role in ROLES if role in result.inputs]
    legend = _add(root, "div", "legend")
    for label, colour, about, count in [*drawn, *inputs]:
        entry = ET.SubElement(legend, "span", title=about)
        _add(entry, "span", "swatch").set("style", f"background:{ink(colour)}")
        entry[-1].tail = label if count is None else f"{label} {count:,}"
    summary = result.error_summary()
    hidden = [
        f"{summary[kind]['count']:,.0f} {error_kind(kind).plural}"
        for kind in in_order(summary)
        if error_kind(kind).hidden
    ]
    if hidden:
        _add(root, "div", "soft", f"Not drawn: {', '.join(hidden)}.")


def plot_result(result: Result, ax: "Axes | None" = None) -> "Axes":
    """Draw the errors over both inputs, with a legend that counts them.

    Parameters
    ----------
    result
        What to draw. Kinds that cover many places at once, and what is matched, are left out.
    ax
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, in metres of the result's CRS, with the same scale in both directions.

    Raises
    ------
    MissingExtraError
        matplotlib is not installed.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> ax = evaluate_roads(reference, prediction, metrics="ccq").plot()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['Missing (1)', 'Prediction', 'Reference']
    """
    check_matplotlib()
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.lines import Line2D
    from matplotlib.path import Path as Outline

    axes = plt.subplots(figsize=(9, 6), layout="constrained")[1] if ax is None else ax
    handles: list[Any] = []
    look: dict[str, Any]

    def draw(collection: Any, **style: Any) -> None:
        """On top of all that was drawn before, with an entry in the legend."""
        collection.set_zorder(2 + len(handles) / 100)
        axes.add_collection(collection)
        handles.append(Line2D([], [], **style))

    for role, width in zip(ROLES, (3.0, 1.0), strict=True):
        lines = input_lines(result, role)
        if lines is not None:
            look = {"color": INPUT_COLOURS[role], "alpha": INPUT_OPACITIES[role], "linewidth": width}
            draw(LineCollection(_parts(lines), **look, capstyle="round"), **look, label=role.capitalize())
    for kind, geometry, rows in error_groups(result):
        if kind.hidden or not kind.is_error:
            continue
        label, geometries = f"{kind.label} ({len(rows):,})", rows.geometry.to_numpy()
        if geometry == "points":
            marker = _MARKERS.get(kind.marker, "o")
            handles.append(axes.plot(
                *shapely.get_coordinates(geometries).T, linestyle="", marker=marker, color=kind.colour, label=label,
                markeredgecolor="white", markersize=6.0, zorder=2 + len(handles) / 100,
            )[0])  # fmt: skip
        elif geometry == "lines":
            look = {"color": kind.colour, "linewidth": 4.5 if kind.emphasised else 2.2}
            draw(LineCollection(_parts(geometries), **look, capstyle="round"), **look, label=label)
        else:
            # Holes turn the other way than the outlines around them, so that they stay unfilled.
            rings = [_parts(shapely.get_rings(one)) for one in shapely.get_parts(shapely.normalize(geometries))]
            outlines = [Outline.make_compound_path(*(Outline(ring, closed=True) for ring in one)) for one in rings]
            areas = PathCollection(outlines, facecolor=kind.colour, edgecolor=kind.colour, alpha=0.5)
            draw(areas, color=kind.colour, alpha=0.5, linewidth=6.0, label=label)
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.ticklabel_format(style="plain", useOffset=False)
    if handles:
        axes.legend(handles=handles[::-1], loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False)
    return axes


def _parts(lines: Objects) -> list[Floats]:
    """The coordinates of each part."""
    xy, part = shapely.get_coordinates(shapely.get_parts(writable(lines)), return_index=True)
    return np.split(xy, np.flatnonzero(np.diff(part)) + 1) if len(xy) else []


@dataclass(frozen=True)
class MapView:
    """A map that a notebook shows in a frame of its own; it asks the network for nothing.

    ``html`` is the whole page, which can also be saved as a file.
    """

    html: str = field(repr=False)
    height: int

    def _repr_html_(self) -> str:
        """The page in a frame that cannot reach the notebook around it."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts allow-downloads" title="Map of the errors" '
            f'style="width:100%;height:{int(self.height)}px;border:0"></iframe>'
        )


def explore_result(result: Result, *, height: int = 600) -> MapView:
    """The map of the report, to be moved and zoomed in a notebook cell of so many pixels' height.

    Raises
    ------
    MissingExtraError
        bokeh or Jinja2 is not installed.
    """
    check_extra()
    from geoeval.report.map_figures import draw_map

    drawn = draw_map(result, grid_to_write(result, CELL_SIZE))
    page = render_template(
        "explore.html", figure=drawn.figure, chart=drawn.data, layers=drawn.layers, on_earth=not is_local(result.crs)
    )
    return MapView(page, height)
