"""Whatever a user holds as one map: a path, a place to download, a GeoDataFrame, a graph, or a map of our own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from geoeval.area import EVERYTHING, names_file, read_polygons
from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError, about_side
from geoeval.model.drawing import Drawing
from geoeval.model.object_map import ObjectMap
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.networkx_graphs import network_of_graph
from geoeval.readers.options import INPUT_OPTIONS, check_options
from geoeval.readers.registry import read_as_told, read_map
from geoeval.readers.unused import check_use

MODELS: dict[str, type] = {"roads": RoadNetwork, "objects": ObjectMap, "lines": Drawing}
_FORMS = (
    "a path, osm: and a place, a GeoDataFrame, a networkx graph, a dictionary of neighbours, arrays of nodes and "
    "edges, a mask"
)


def read_given(kind: str, given: Any, *, side: str = "input", **options: Any) -> Any:
    """One map of a kind (``roads``, ``objects``, ``lines``) in metres, from whatever the user holds.

    Parameters
    ----------
    kind
        What the map shows.
    given
        A path or ``osm:`` and a place, read as ``read_map`` does; a GeoDataFrame, read as its file would be; a
        networkx or osmnx graph; or a ``RoadNetwork``, ``ObjectMap`` or ``Drawing``, which is taken as it is. Roads also
        as programs hold them in memory: see :mod:`geoeval.readers.in_memory`.
    side
        What messages call it: ``reference`` or ``prediction``.
    options
        Of the readers, see ``INPUT_OPTIONS``.

    Raises
    ------
    ParameterError
        It is none of these, or a map of another kind.
    """
    if side not in SIDES:
        return _read(kind, given, side, options)
    with about_side(side):
        return _read(kind, given, side, options)


def _read(kind: str, given: Any, side: str, options: Mapping[str, Any]) -> Any:
    if isinstance(given, str | Path):
        return read_map(kind, given, **options)
    if isinstance(given, MODELS[kind]):
        return given
    for other, model in MODELS.items():
        if isinstance(given, model):
            raise ParameterError(f"the {side} is a {model.__name__}, not {kind}; {{give:kind={other}}}")
    if hasattr(given, "geometry") and hasattr(given, "crs"):
        from geoeval.readers.vector.geodataframes import read_frame

        return read_frame(kind, given, **options)
    if kind == "roads" and hasattr(given, "edges") and hasattr(given, "nodes"):
        return network_of_graph(given, crs=options.get("crs"), source="a networkx graph")
    if kind == "roads":
        from geoeval.readers.in_memory import network_in_memory

        network = network_in_memory(given, **options)
        if network is not None:
            return network
    raise ParameterError(f"the {side} is a {type(given).__name__}; give {_FORMS} or a {MODELS[kind].__name__}")


def read_within(kind: str, given: Any, aoi: Any, **options: Any) -> Any:
    """One map as ``read_given`` reads it, cut to an area; ``None`` and ``"all"`` cut nothing."""
    check_use(kind, [(given, options)])
    area = read_area(aoi, options)
    whole = read_given(kind, given, **options)
    if aoi is None or (isinstance(aoi, str) and aoi == EVERYTHING):
        return whole
    if kind == "lines":
        raise ParameterError("an area cuts roads and objects, not the lines of a drawing; leave it out")
    return whole.clip(area)


def read_area(aoi: Any, reading: Mapping[str, Any]) -> Any:
    """An area, read if it is given as a file of polygons: with the limits, links and trust of these reading options."""
    if not names_file(aoi):
        return aoi
    return read_as_told(read_polygons, aoi, reading=reading)


def reading_of_sides(reading: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reading options of the reference and of the prediction, from options for both and for one side each.

    ``reference_layer`` and ``prediction_layer`` are for one side, ``layer`` for both.
    """
    sides: dict[str, dict[str, Any]] = {side: {} for side in SIDES}
    for name, value in reading.items():
        side, option = _side_and_option(name)
        for own in sides.values() if side is None else ():
            own[option] = value
    for name, value in reading.items():
        side, option = _side_and_option(name)
        if side is not None:
            sides[side][option] = value
    for own in sides.values():
        check_options(own)
    return sides["reference"], sides["prediction"]


def is_reading_option(name: str) -> bool:
    """Whether this is an option of the readers, for both inputs or for one of them."""
    return _side_and_option(name)[1] in INPUT_OPTIONS


def _side_and_option(name: str) -> tuple[str | None, str]:
    side, _, option = name.partition("_")
    return (side, option) if side in SIDES and option in INPUT_OPTIONS else (None, name)
