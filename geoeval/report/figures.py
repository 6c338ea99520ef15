"""The map and the plots of the report, as bokeh figures that look right on light and dark paper."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from bokeh.models import BoxZoomTool, ColumnDataSource, HoverTool, LinearColorMapper, Range1d, WMTSTileSource
from bokeh.plotting import figure
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.model.result import Result, amount
from geoeval.writers.styles import SCORE_COLOURS, kind_style

if TYPE_CHECKING:
    import geopandas as gpd

Floats = NDArray[np.float64]

WEB_MERCATOR = CRS.from_epsg(3857)
# Greys that can be read on white and on black.
REFERENCE, PREDICTION, INK = "#9aa3ad", "#6f7f96", "#808891"
# Kinds that tell of many places at once; shown when the reader asks.
_HIDDEN = frozenset({"path", "culprit", "displaced", "duplicate", "grid"})
_MARKERS = {"cross_fill": "cross", "pentagon": "hex", "hexagon": "hex"}
# Above this many vertices lines are simplified a little, so that the page stays light.
_VERTICES = 200_000


@dataclass(frozen=True)
class MapLayer:
    """A layer of the map that the reader can switch: its name, label, colour, number of features and first state."""

    name: str
    label: str
    about: str
    colour: str
    count: int
    shown: bool


def draw_map(result: Result, grid: "gpd.GeoDataFrame | None") -> tuple[Any, list[MapLayer]]:
    """The map, and its layers from the top down. Coordinates are Web Mercator where the place is known."""
    plot = figure(
        name="map", sizing_mode="stretch_both", match_aspect=True, toolbar_location="above", output_backend="canvas",
        tools=["pan", "wheel_zoom", BoxZoomTool(match_aspect=True), "reset", "save"], active_scroll="wheel_zoom",
        min_height=420,
    )  # fmt: skip
    _bare(plot)
    plot.toolbar.logo = None
    show = _Shown(result.crs)
    layers = []
    if not show.local:
        _add_background(plot)
    if grid is not None and len(grid):
        layers.append(_draw_grid(plot, grid, show))
    for role, colour, width, alpha in (("reference", REFERENCE, 5, 0.55), ("prediction", PREDICTION, 1.6, 1.0)):
        network = result.networks.get(role)
        if network is None or network.is_empty:
            continue
        lines = network.to_geodataframe().geometry.to_numpy()
        outlines = shapely.get_parts(shapely.boundary(lines)) if result.kind == "objects" else lines
        renderer = plot.multi_line(
            "xs", "ys", source=ColumnDataSource(show.lines(outlines)), line_color=colour,
            line_width=width, line_alpha=alpha, name=role, line_cap="round",
        )  # fmt: skip
        renderer.level = "underlay" if role == "reference" else "glyph"
        about = f"{amount(getattr(result, role))} of the {role}"
        layers.append(MapLayer(role, role.capitalize(), about, colour, len(lines), shown=True))
    frames = result.map_errors()
    for geometry in ("polygons", "lines", "points"):
        frame = frames[geometry]
        for kind, rows in frame.groupby("kind", sort=True):
            layers.append(_draw_errors(plot, str(kind), geometry, rows, show))
    _fit(plot, result, show)
    return plot, layers[::-1]


def histogram(values: Floats, *, title: str, label: str, colour: str, limits: tuple[float, float] | None = None) -> Any:
    """How often values occur; nothing where there are none."""
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


class _Shown:
    """Coordinates for the screen: Web Mercator where the place on Earth is known, else as they are."""

    def __init__(self, crs: CRS) -> None:
        self.crs = crs
        self.local = projections.is_local(crs)

    def xy(self, coordinates: Floats) -> Floats:
        return coordinates if self.local else projections.transform(coordinates, self.crs, WEB_MERCATOR)

    def lines(self, geometries: NDArray[np.object_]) -> dict[str, Any]:
        if shapely.get_num_coordinates(geometries).sum() > _VERTICES:
            geometries = shapely.simplify(geometries, 1.0)
        coordinates, owner = shapely.get_coordinates(geometries, return_index=True)
        shown = np.round(self.xy(coordinates), 2)
        first = np.searchsorted(owner, np.arange(1, len(geometries)))
        return {
            name: [part.tolist() for part in np.split(shown[:, axis], first)] for axis, name in ((0, "xs"), (1, "ys"))
        }


def _draw_errors(plot: Any, kind: str, geometry: str, rows: "gpd.GeoDataFrame", show: _Shown) -> MapLayer:
    style = kind_style(kind)
    name = f"{kind}-{geometry}"
    facts = {column: rows[column].tolist() for column in ("metric", "note", "ref_id", "pred_id")}
    for column in ("length_m", "dist_m", "gain", "rank", "iou", "mallows"):
        values = rows[column] if column in rows else np.full(len(rows), np.nan)
        facts[column] = ["" if not np.isfinite(value) else f"{value:.4g}" for value in values]
    shown = kind not in _HIDDEN
    if geometry == "points":
        xy = show.xy(shapely.get_coordinates(rows.geometry.to_numpy()))
        source = ColumnDataSource({"x": xy[:, 0].tolist(), "y": xy[:, 1].tolist(), **facts})
        renderer = plot.scatter(
            "x", "y", source=source, size=9, marker=_MARKERS.get(style.marker, style.marker), fill_color=style.colour,
            line_color="white", line_width=0.8, name=name,
        )  # fmt: skip
    elif geometry == "lines":
        source = ColumnDataSource({**show.lines(rows.geometry.to_numpy()), **facts})
        renderer = plot.multi_line(
            "xs", "ys", source=source, line_color=style.colour, line_width=7 if kind == "break" else 3.2,
            line_alpha=0.9, name=name, line_cap="round",
        )  # fmt: skip
    else:
        parts, row = shapely.get_parts(rows.geometry.to_numpy(), return_index=True)
        facts = {column: [values[k] for k in row.tolist()] for column, values in facts.items()}
        source = ColumnDataSource({**show.lines(shapely.get_exterior_ring(parts)), **facts})
        renderer = plot.patches("xs", "ys", source=source, fill_color=style.colour, fill_alpha=0.4,
                                line_color=style.colour, name=name)  # fmt: skip
    renderer.visible = shown
    columns = (("", "@note"), ("metric", "@metric"), ("length (m)", "@length_m"), ("distance (m)", "@dist_m"),
               ("reference id", "@ref_id"), ("prediction id", "@pred_id"), ("rank in the plan", "@rank"),
               ("IoU", "@iou"), ("Mallows", "@mallows"))  # fmt: skip
    tips = [(label, text) for label, text in columns if any(facts[text[1:]])]
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=[(style.label, ""), *tips], visible=False))
    label = style.label + (" (places)" if geometry == "points" else "")
    return MapLayer(name, label, style.about, style.colour, len(rows), shown=shown)


def _draw_grid(plot: Any, grid: "gpd.GeoDataFrame", show: _Shown) -> MapLayer:
    scores = [name for name in grid.columns if name.endswith((".f1", ".quality"))]
    preferred = next((name for name in ("opt-j.f1", "ccq.quality", "max-overlap.f1") if name in scores), None)
    score = preferred or (scores[0] if scores else str(grid.columns[0]))
    values = grid[score].to_numpy(dtype=np.float64)
    source = ColumnDataSource(
        {
            **show.lines(shapely.get_exterior_ring(grid.geometry.to_numpy())),
            "value": values.tolist(),
            "text": ["nothing to score" if not np.isfinite(v) else f"{v:.3f}" for v in values],
        }
    )
    mapper = LinearColorMapper(palette=list(SCORE_COLOURS), low=0, high=1, nan_color="rgba(0,0,0,0)")
    renderer = plot.patches("xs", "ys", source=source, fill_color={"field": "value", "transform": mapper},
                            fill_alpha=0.45, line_color=INK, line_width=0.5, name="grid")  # fmt: skip
    renderer.visible = False
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=[(score, "@text")], visible=False))
    return MapLayer("grid", f"Grid: {score}", "Local score, dark is bad.", SCORE_COLOURS[2], len(grid), shown=False)


def _add_background(plot: Any) -> None:
    """Tiles of OpenStreetMap, hidden; nothing is fetched before the reader turns them on."""
    source = WMTSTileSource(
        url="https://tile.openstreetmap.org/{Z}/{X}/{Y}.png", max_zoom=19, attribution="© OpenStreetMap contributors"
    )
    plot.add_tile(source, name="background", visible=False, alpha=0.6, level="image")


def _fit(plot: Any, result: Result, show: _Shown) -> None:
    """The first view: all of both networks, or of the area, with a margin; the page makes it fit its frame."""
    boxes = [network.bounds for network in result.networks.values() if not network.is_empty]
    if not boxes and result.area is not None:
        boxes = [result.area.bounds]
    if not boxes:
        return
    low, high = np.min(boxes, axis=0)[:2], np.max(boxes, axis=0)[2:]
    corners = show.xy(np.array([low, high, [low[0], high[1]], [high[0], low[1]]]))
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
