"""The map and the plots of the report, as bokeh figures that look right on light and dark paper."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from bokeh.models import BoxZoomTool, ColumnDataSource, HoverTool, LinearColorMapper, Range1d, WMTSTileSource
from bokeh.plotting import figure
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Floats, Objects
from geoeval.model.error_kinds import BLACK, ErrorKind
from geoeval.model.result import Result, amount
from geoeval.report.map_content import INPUT_COLOURS, INPUT_OPACITIES, ROLES, error_groups, input_lines
from geoeval.writers.grids import local_scores
from geoeval.writers.styles import SCORE_COLOURS

if TYPE_CHECKING:
    import geopandas as gpd


WEB_MERCATOR = CRS.from_epsg(3857)
# A grey that can be read on white and on black.
INK = "#808891"
_MARKERS = {"cross_fill": "cross", "pentagon": "hex", "hexagon": "hex", "octagon": "hex", "trapezoid": "triangle"}
_INPUT_WIDTHS = {"reference": 5.0, "prediction": 1.6}
# Above this many vertices lines are simplified a little, so that the page stays light.
_VERTICES = 200_000


@dataclass(frozen=True)
class Switch:
    """A layer of the map that the reader can turn on and off, and how many features it has."""

    layer: str
    label: str
    about: str
    colour: str
    count: int
    shown: bool

    @property
    def black(self) -> bool:
        """Whether it has the colour of the ink, which is white on dark paper."""
        return self.colour == BLACK


def draw_map(result: Result, grid: "gpd.GeoDataFrame | None") -> tuple[Any, list[Switch]]:
    """The map, and its layers from the top down. Coordinates are Web Mercator where the place is known."""
    plot = figure(
        name="map", sizing_mode="stretch_both", match_aspect=True, toolbar_location="above", output_backend="canvas",
        tools=["pan", "wheel_zoom", BoxZoomTool(match_aspect=True), "reset", "save"], active_scroll="wheel_zoom",
        min_height=200,
    )  # fmt: skip
    _bare(plot)
    plot.toolbar.logo = None
    screen = _Screen(result.crs)
    switches = []
    if not screen.local:
        _add_background(plot)
    if grid is not None and len(grid):
        switches.append(_draw_grid(plot, grid, result, screen))
    for role in ROLES:
        lines = input_lines(result, role)
        if lines is not None:
            switches.append(_draw_input(plot, role, lines, result, screen))
    switches += [_draw_errors(plot, *group, screen) for group in error_groups(result)]
    _fit(plot, result, screen)
    return plot, switches[::-1]


def histogram(values: Floats, *, title: str, label: str, colour: str, limits: tuple[float, float] | None = None) -> Any:
    """How often values occur; ``None`` where there are no values."""
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    low, high = limits or (0.0, float(np.quantile(values, 0.98)) or 1.0)
    count, edge = np.histogram(np.clip(values, low, high), bins=24, range=(low, max(high, low + 1e-9)))
    plot = figure(
        title=title, height=240, sizing_mode="stretch_width", toolbar_location=None, tools="hover",
        tooltips=[(label, "@left{0.00} to @right{0.00}"), ("number", "@top")],
    )  # fmt: skip
    source = ColumnDataSource({"top": count, "left": edge[:-1], "right": edge[1:]})
    plot.quad(top="top", bottom=0, left="left", right="right", source=source, fill_color=colour, line_color=None)
    plot.xaxis.axis_label = label
    plot.y_range = Range1d(start=0, end=1.05 * int(count.max()))
    _on_any_paper(plot)
    return plot


class _Screen:
    """Coordinates on the screen: Web Mercator where the place on Earth is known, else as they are."""

    def __init__(self, crs: CRS) -> None:
        self.crs = crs
        self.local = projections.is_local(crs)

    def xy(self, coordinates: Floats) -> Floats:
        return coordinates if self.local else projections.transform(coordinates, self.crs, WEB_MERCATOR)

    def lines(self, geometries: Objects) -> dict[str, Any]:
        if shapely.get_num_coordinates(geometries).sum() > _VERTICES:
            geometries = shapely.simplify(geometries, 1.0)
        coordinates, owner = shapely.get_coordinates(geometries, return_index=True)
        shown = np.round(self.xy(coordinates), 2)
        first = np.searchsorted(owner, np.arange(1, len(geometries)))
        return {
            name: [part.tolist() for part in np.split(shown[:, axis], first)] for axis, name in ((0, "xs"), (1, "ys"))
        }


def _draw_input(plot: Any, role: str, lines: Objects, result: Result, screen: _Screen) -> Switch:
    renderer = plot.multi_line(
        "xs", "ys", source=ColumnDataSource(screen.lines(lines)), line_color=INPUT_COLOURS[role],
        line_width=_INPUT_WIDTHS[role], line_alpha=INPUT_OPACITIES[role], name=role, line_cap="round",
    )  # fmt: skip
    renderer.level = "underlay" if role == "reference" else "glyph"
    facts = getattr(result, role)
    count = int(facts.get("objects", len(lines)))
    return Switch(role, role.capitalize(), f"{amount(facts)} of the {role}", INPUT_COLOURS[role], count, shown=True)


# What the tooltip of an error says: label, column, whether it is a number.
_FACTS = (("", "note", False), ("metric", "metric", False), ("length (m)", "length_m", True),
          ("distance (m)", "dist_m", True), ("reference id", "ref_id", False), ("prediction id", "pred_id", False),
          ("rank in the plan", "rank", True), ("IoU", "iou", True), ("Mallows", "mallows", True))  # fmt: skip


def _draw_errors(plot: Any, kind: ErrorKind, geometry: str, rows: "gpd.GeoDataFrame", screen: _Screen) -> Switch:
    name = f"{kind.name}-{geometry}"
    facts = {}
    for _, column, is_number in _FACTS:
        if column in rows:
            values = rows[column].tolist()
            facts[column] = ["" if not np.isfinite(v) else f"{v:.4g}" for v in values] if is_number else values
    geometries = rows.geometry.to_numpy()
    if geometry == "points":
        points, row = shapely.get_coordinates(geometries, return_index=True)
        xy = screen.xy(points)
        source = ColumnDataSource({"x": xy[:, 0].tolist(), "y": xy[:, 1].tolist(), **_picked(facts, row)})
        renderer = plot.scatter(
            "x", "y", source=source, size=9, marker=_MARKERS.get(kind.marker, kind.marker), fill_color=kind.colour,
            line_color="white", line_width=0.8, name=name,
        )  # fmt: skip
    elif geometry == "lines":
        parts, row = shapely.get_parts(geometries, return_index=True)
        renderer = plot.multi_line(
            "xs", "ys", source=ColumnDataSource({**screen.lines(parts), **_picked(facts, row)}),
            line_color=kind.colour, line_width=7 if kind.emphasised else 3.2, line_alpha=0.9, name=name,
            line_cap="round",
        )  # fmt: skip
    else:
        parts, row = shapely.get_parts(geometries, return_index=True)
        outlines = screen.lines(shapely.get_exterior_ring(parts))
        renderer = plot.patches(
            "xs", "ys", source=ColumnDataSource({**outlines, **_picked(facts, row)}), fill_color=kind.colour,
            fill_alpha=0.4, line_color=kind.colour, name=name,
        )  # fmt: skip
    renderer.visible = not kind.hidden
    tips = [(label, f"@{column}") for label, column, _ in _FACTS if any(facts.get(column, ()))]
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=[(kind.label, ""), *tips], visible=False))
    label = kind.label + (" (places)" if geometry == "points" else "")
    return Switch(name, label, kind.about, kind.colour, len(rows), shown=not kind.hidden)


def _picked(facts: dict[str, list[Any]], rows: Any) -> dict[str, list[Any]]:
    """The facts of each part, from those of the feature that it belongs to."""
    return {column: [values[row] for row in rows.tolist()] for column, values in facts.items()}


def _draw_grid(plot: Any, grid: "gpd.GeoDataFrame", result: Result, screen: _Screen) -> Switch:
    """The cells, coloured by their most telling score; outlines only where they have none."""
    score = next(iter(local_scores(grid, result.kind)), None)
    values = np.full(len(grid), np.nan) if score is None else grid[score].to_numpy(dtype=np.float64)
    source = ColumnDataSource(
        {
            **screen.lines(shapely.get_exterior_ring(grid.geometry.to_numpy())),
            "value": values.tolist(),
            "text": ["nothing to score" if not np.isfinite(v) else f"{v:.3f}" for v in values],
        }
    )
    mapper = LinearColorMapper(palette=list(SCORE_COLOURS), low=0, high=1, nan_color="rgba(0,0,0,0)")
    renderer = plot.patches("xs", "ys", source=source, fill_color={"field": "value", "transform": mapper},
                            fill_alpha=0.45, line_color=INK, line_width=0.5, name="grid")  # fmt: skip
    renderer.visible = False
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=[(score or "grid", "@text")], visible=False))
    label = "Grid" if score is None else f"Grid: {score}"
    return Switch("grid", label, "Local scores, dark is bad.", SCORE_COLOURS[2], len(grid), shown=False)


def _add_background(plot: Any) -> None:
    """Tiles of OpenStreetMap, hidden; nothing is fetched before the reader turns them on."""
    source = WMTSTileSource(
        url="https://tile.openstreetmap.org/{Z}/{X}/{Y}.png", max_zoom=19, attribution="© OpenStreetMap contributors"
    )
    plot.add_tile(source, name="background", visible=False, alpha=0.6, level="image")


def _fit(plot: Any, result: Result, screen: _Screen) -> None:
    """The first view: all that was compared, with a margin; the page makes it fit its frame."""
    if result.extent is None:
        return
    low, high = np.array(result.extent[:2]), np.array(result.extent[2:])
    corners = screen.xy(np.array([low, high, [low[0], high[1]], [high[0], low[1]]]))
    low, high = corners.min(axis=0), corners.max(axis=0)
    margin = 0.03 * max(*(high - low), 1.0)
    plot.x_range = Range1d(start=low[0] - margin, end=high[0] + margin)
    plot.y_range = Range1d(start=low[1] - margin, end=high[1] + margin)


def _bare(plot: Any) -> None:
    plot.axis.visible = False
    plot.grid.visible = False
    plot.outline_line_color = None
    plot.background_fill_color = plot.border_fill_color = None
    plot.min_border = 0


def _on_any_paper(plot: Any) -> None:
    plot.background_fill_color = plot.border_fill_color = plot.outline_line_color = None
    plot.title.text_color = plot.axis.axis_label_text_color = plot.axis.major_label_text_color = INK
    plot.axis.axis_line_color = plot.axis.major_tick_line_color = INK
    plot.axis.minor_tick_line_color = None
    plot.xgrid.grid_line_color = None
    plot.ygrid.grid_line_color, plot.ygrid.grid_line_alpha = INK, 0.2
