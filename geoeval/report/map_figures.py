"""The map of the report as a bokeh figure; the script of the page fills its layers and chooses what a scale shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bokeh.models import (
    BoxZoomTool,
    CDSView,
    ColumnDataSource,
    HoverTool,
    IndexFilter,
    LinearColorMapper,
    Range1d,
    WMTSTileSource,
)
from bokeh.plotting import figure

from geoeval.model.error_kinds import BLACK, ErrorKind
from geoeval.model.result import Result
from geoeval.report.map_content import INPUT_OPACITIES
from geoeval.report.map_layers import FACTS, PageLayer, Screen, page_layers
from geoeval.writers.styles import OUTLINE_COLOURS, SCORE_COLOURS

if TYPE_CHECKING:
    import geopandas as gpd

# A grey that can be read on white and on black.
INK = "#808891"
# What bokeh has instead of QGIS's markers.
_MARKERS = {"cross_fill": "plus", "pentagon": "inverted_triangle", "hexagon": "hex", "octagon": "square_pin",
            "trapezoid": "triangle_pin"}  # fmt: skip
_COLUMNS = [column for _, column, _ in FACTS]


@dataclass(frozen=True)
class ReportMap:
    """The map.

    Attributes
    ----------
    figure
        Bokeh's, its layers still empty.
    layers
        What the reader can turn on and off, from the top down.
    data
        What the script of the page needs to fill and to measure it.
    """

    figure: Any
    layers: list[PageLayer]
    data: dict[str, Any]


def draw_map(result: Result, grid: "gpd.GeoDataFrame | None") -> ReportMap:
    """The map; its coordinates are Web Mercator where the place is known."""
    plot = figure(
        name="map", sizing_mode="stretch_both", match_aspect=True, toolbar_location="above", output_backend="canvas",
        tools=["pan", "wheel_zoom", BoxZoomTool(match_aspect=True), "reset", "save"], active_scroll="wheel_zoom",
        min_height=200,
    )  # fmt: skip
    _bare(plot)
    plot.toolbar.logo = None
    screen = Screen(result)
    if not screen.local:
        _add_background(plot)
    layers = list(page_layers(result, grid, screen))
    symbols = [renderer for layer in layers for renderer in _add(plot, layer)]
    # Symbols stay above the lines of every kind.
    plot.renderers = [one for one in plot.renderers if one not in symbols] + symbols
    _add_gathered(plot)
    _add_mark(plot)
    _fit(plot, screen)
    data = {
        "origin": screen.origin.tolist(),
        "step": screen.step,
        "mercator": not screen.local,
        "unit": result.unit,
        "layers": [{"name": layer.name, "colour": layer.colour, **layer.data} for layer in layers],
    }
    return ReportMap(plot, layers[::-1], data)


def _add(plot: Any, layer: PageLayer) -> list[Any]:
    """Draw a layer, still empty; gives the renderer of its symbols, if it has any."""
    if layer.name == "grid":
        _add_grid(plot, layer)
    elif layer.kind is None:
        _add_lines(plot, layer)
    else:
        return _add_errors(plot, layer, layer.kind)
    return []


def _add_lines(plot: Any, layer: PageLayer) -> None:
    renderer = plot.multi_line(
        "xs", "ys", source=ColumnDataSource({"xs": [], "ys": []}), line_color=layer.colour, name=layer.name,
        line_alpha=INPUT_OPACITIES.get(layer.name, 0.8), line_cap="round", line_join="round",
        line_dash="dashed" if layer.name == "area" else "solid",
    )  # fmt: skip
    renderer.level = "underlay" if layer.name != "prediction" else "glyph"


def _add_errors(plot: Any, layer: PageLayer, kind: ErrorKind) -> list[Any]:
    """Lines and areas are drawn as such where they can be seen, and as symbols where they are too small."""
    source = ColumnDataSource({column: [] for column in ("xs", "ys", "x", "y", "grade", *_COLUMNS)})
    colour: Any = _by_score("grade", OUTLINE_COLOURS) if layer.data["graded"] else kind.colour
    look: dict[str, Any] = {"source": source, "line_color": colour, "name": layer.name}
    drawn = []
    if layer.geometry == "lines":
        drawn.append(plot.multi_line("xs", "ys", view=_chosen(), line_alpha=0.9, line_cap="round", **look))
    elif layer.geometry == "polygons":
        fill = {"fill_color": None, "line_width": 2.5} if layer.data["graded"] else {"fill_color": colour}
        drawn.append(plot.patches("xs", "ys", view=_chosen(), fill_alpha=0.4, **fill, **look))
    symbols = plot.scatter(
        "x", "y", source=source, view=_chosen(), size=8, marker=_MARKERS.get(kind.marker, kind.marker),
        fill_color=colour, line_color="white", line_width=0.8,
        name=layer.name if layer.geometry == "points" else f"{layer.name}-symbols",
    )  # fmt: skip
    for renderer in (*drawn, symbols):
        renderer.visible = layer.shown
    there = {"metric", *layer.data["texts"], *layer.data["numbers"]}
    tips = [(label, f"@{column}") for label, column, _ in FACTS if column in there]
    plot.add_tools(HoverTool(renderers=[*drawn, symbols], tooltips=[(kind.label, ""), *tips], visible=False))
    return [symbols]


def _chosen() -> CDSView:
    """A view of the rows that the page chooses; none at first."""
    return CDSView(filter=IndexFilter(indices=[]))


def _add_gathered(plot: Any) -> None:
    """Rings that stand for many symbols in one place, with their number; each kind has its share of the ring."""
    rings = ColumnDataSource({name: [] for name in ("x", "y", "start", "end", "inner", "outer", "colour", "text")})
    discs = ColumnDataSource({name: [] for name in ("x", "y", "size", "count", "text")})
    disc = plot.scatter("x", "y", source=discs, size="size", marker="circle", fill_color="white", line_color="white",
                        line_width=1, name="gathered")  # fmt: skip
    plot.annular_wedge(
        "x", "y", source=rings, start_angle="start", end_angle="end", direction="clock", fill_color="colour",
        inner_radius={"field": "inner", "units": "screen"}, outer_radius={"field": "outer", "units": "screen"},
        line_color=None, name="gathered-ring",
    )  # fmt: skip
    plot.text("x", "y", source=discs, text="count", text_align="center", text_baseline="middle", name="gathered-count",
              text_color="black", text_font_size="10px", text_font={"value": "system-ui, sans-serif"})  # fmt: skip
    plot.add_tools(HoverTool(renderers=[disc], tooltips=[("errors", "@count"), ("", "@text")], visible=False))


def _add_mark(plot: Any) -> None:
    """Around the error that the reader chose."""
    lines = ColumnDataSource({"xs": [], "ys": []})
    plot.multi_line("xs", "ys", source=lines, line_color=BLACK, line_alpha=0.35, line_width=13, line_cap="round",
                    name="mark-lines")  # fmt: skip
    place = ColumnDataSource({"x": [], "y": []})
    plot.scatter("x", "y", source=place, marker="circle", size=34, fill_color=None, line_color="white", line_width=6,
                 name="mark-rim")  # fmt: skip
    plot.scatter("x", "y", source=place, marker="circle", size=34, fill_color=None, line_color=BLACK, line_width=2.5,
                 name="mark")  # fmt: skip


def _add_grid(plot: Any, layer: PageLayer) -> None:
    renderer = plot.patches(
        "xs", "ys", source=ColumnDataSource({"xs": [], "ys": [], "value": [], "text": []}), name="grid",
        fill_color=_by_score("value", SCORE_COLOURS), fill_alpha=0.45, line_color=INK, line_width=0.5,
    )  # fmt: skip
    renderer.visible = False
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=[(layer.label, "@text")], visible=False))


def _by_score(column: str, colours: Sequence[str]) -> dict[str, Any]:
    """The colour of a column between 0 and 1, dark is bad."""
    mapper = LinearColorMapper(palette=list(colours), low=0, high=1, nan_color="rgba(0,0,0,0)")
    return {"field": column, "transform": mapper}


def _add_background(plot: Any) -> None:
    """Tiles of OpenStreetMap, hidden; nothing is fetched before the reader turns them on."""
    source = WMTSTileSource(
        url="https://tile.openstreetmap.org/{Z}/{X}/{Y}.png", max_zoom=19, attribution="© OpenStreetMap contributors"
    )
    plot.add_tile(source, name="background", visible=False, alpha=0.6, level="image")


def _fit(plot: Any, screen: Screen) -> None:
    """The first view: all that was compared, with a margin; the page makes it fit its frame."""
    if screen.box is None:
        return
    low, high = screen.box[:2], screen.box[2:]
    margin = 0.03 * max(*(high - low), 10 * screen.step)
    plot.x_range = Range1d(start=low[0] - margin, end=high[0] + margin)
    plot.y_range = Range1d(start=low[1] - margin, end=high[1] + margin)


def _bare(plot: Any) -> None:
    plot.axis.visible = False
    plot.grid.visible = False
    plot.outline_line_color = None
    plot.background_fill_color = plot.border_fill_color = None
    plot.min_border = 0
