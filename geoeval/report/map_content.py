"""What every map of a result shows: both inputs as lines, and the errors by kind and geometry."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import shapely

from geoeval.arrays import Objects
from geoeval.model.error_kinds import KINDS, ErrorKind, error_kind
from geoeval.model.result import Result

if TYPE_CHECKING:
    import geopandas as gpd

ROLES = ("reference", "prediction")
# Greys that can be read on white and on black, that no kind of error has: a broad light band, and a thin dark line.
INPUT_COLOURS = {"reference": "#bac0c6", "prediction": "#6a727c"}
INPUT_OPACITIES = {"reference": 0.9, "prediction": 1.0}


def input_lines(result: Result, role: str) -> Objects | None:
    """An input as lines, objects by their outlines; ``None`` where the result did not keep it or it is empty."""
    content = result.inputs.get(role)
    if content is None or content.is_empty:
        return None
    geometries = content.to_geodataframe().geometry.to_numpy()
    return shapely.get_parts(shapely.boundary(geometries)) if result.kind == "objects" else geometries


def in_order(kinds: Iterable[str]) -> list[str]:
    """Kinds of errors in the order of their table, then the others by name."""
    order = {name: number for number, name in enumerate(KINDS)}
    return sorted(kinds, key=lambda name: (order.get(name, len(order)), name))


def error_groups(result: Result) -> Iterator[tuple[ErrorKind, str, "gpd.GeoDataFrame"]]:
    """Kind, geometry and rows of what the map shows, from the bottom up: areas, lines, points, the first kinds last."""
    frames = result.map_errors()
    for geometry in ("polygons", "lines", "points"):
        if geometry in frames:
            groups = {str(name): rows for name, rows in frames[geometry].groupby("kind", sort=True)}
            for name in in_order(groups)[::-1]:
                yield error_kind(name), geometry, groups[name]
