"""Maps drawn with matplotlib: one metre is as long in x as in y, and the axes come back for more."""

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.exceptions import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from geoeval.model.drawing import Drawing
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.road_network import RoadNetwork

_DARK, _LIGHT, _FILL = "#333333", "#BBBBBB", "#C9D7E4"
_ROAD = {"color": _DARK, "linewidth": 1.0, "capstyle": "round", "joinstyle": "round"}
_OBJECT = {"facecolor": _FILL, "edgecolor": "#44607A", "linewidth": 0.6}
_CENTRE_LINE = {"color": _DARK, "linewidth": 0.8}
_DASHES = {2: (0, (6, 3)), 3: (0, (8, 2, 2, 2)), 4: (0, (8, 2, 2, 2, 2, 2))}


def plot_network(network: "RoadNetwork", ax: "Axes | None" = None, **style: Any) -> "Axes":
    """See ``RoadNetwork.plot``."""
    ax = _axes(ax)
    roads = network.roads
    courses = np.split(network.nodes[roads.path], roads.node_start[1:-1]) if len(roads) else []
    _add_lines(ax, courses, _ROAD, style)
    return _finished(ax)


def plot_objects(objects: "ObjectMap", ax: "Axes | None" = None, **style: Any) -> "Axes":
    """See ``ObjectMap.plot``."""
    ax = _axes(ax)
    _add_polygons(ax, objects.polygons, _OBJECT, style)
    return _finished(ax)


def plot_drawing(drawing: "Drawing", ax: "Axes | None" = None, **style: Any) -> "Axes":
    """See ``Drawing.plot``."""
    ax = _axes(ax)
    lines = drawing.geometries()
    strokes = shapely.buffer(lines, drawing.widths / 2, cap_style="flat", join_style="mitre")
    _add_polygons(ax, strokes, {"facecolor": _LIGHT, "edgecolor": "none"}, {})
    for code in np.unique(drawing.styles).tolist():
        same = [shapely.get_coordinates(line) for line in lines[drawing.styles == code]]
        _add_lines(ax, same, _CENTRE_LINE | {"linestyle": _DASHES.get(code, "solid")}, style)
    return _finished(ax)


def _axes(ax: "Axes | None") -> "Axes":
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtraError('a plot needs matplotlib; pip install "geoeval[plot]"') from error
    return plt.subplots(figsize=(8, 8), layout="constrained")[1] if ax is None else ax


def _add_lines(ax: "Axes", courses: list[Any], default: dict[str, Any], style: dict[str, Any]) -> None:
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import LineCollection

    ax.add_collection(LineCollection(courses, **(default | normalize_kwargs(style, LineCollection))))


def _add_polygons(ax: "Axes", polygons: Any, default: dict[str, Any], style: dict[str, Any]) -> None:
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path

    def outline(polygon: Any) -> Path:
        rings = shapely.get_rings(shapely.get_parts(shapely.normalize(polygon)))
        return Path.make_compound_path(*(Path(shapely.get_coordinates(ring), closed=True) for ring in rings))

    given = normalize_kwargs(style, PathCollection)
    if "color" in given:  # for the fill and the outline
        default = {name: value for name, value in default.items() if not name.endswith("color")}
    ax.add_collection(PathCollection([outline(one) for one in polygons], **(default | given)))


def _finished(ax: "Axes") -> "Axes":
    ax.set_aspect("equal")
    ax.autoscale_view()
    ax.ticklabel_format(style="plain", useOffset=False)
    ax.tick_params(labelsize="small")
    ax.locator_params(nbins=5)
    return ax
