"""The evaluated area as a user gives it.

An area means the same wherever one can be given (``aoi`` in Python, ``--aoi`` on the command line): a box
``minx, miny, maxx, maxy``, a polygon, a GeoDataFrame, a file of polygons, or a result that ``--json`` wrote, whose
ground it is. It is in its own CRS where it has one. Plain numbers are degrees where they can be degrees, else metres in
the CRS of the map.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.arrays import Box
from geoeval.exceptions import CRSError, MissingCRSError, ParameterError, UnreadableInputError
from geoeval.gdal_files.databases import refuse_view, views_in
from geoeval.gdal_files.drivers import plain_gdal
from geoeval.gdal_files.opening import openable
from geoeval.gdal_files.parquet import PARQUET_FAILURES, PARQUET_SUFFIXES, open_parquet
from geoeval.repairing import repaired
from geoeval.stored_geometries import geometries_from_wkb, geometries_from_wkt
from geoeval.stored_json import read_json
from geoeval.trust import check_regular, no_such_file

# The word for an evaluation of everything in both inputs.
EVERYTHING = "all"
# The words for the ground of the inputs themselves: of one of them, of both, or as far as they declare it.
OF_REFERENCE, OF_PREDICTION, OVERLAP, BOUNDS = "reference", "prediction", "overlap", "bounds"
WORDS = (OF_REFERENCE, OF_PREDICTION, OVERLAP, BOUNDS, EVERYTHING)

# A side of an area is a straight line in its own CRS, so it gets vertices before it is projected: this many on the
# longest side, and at least one every kilometre or so.
_VERTICES_PER_SIDE, _MOST_VERTICES = 32, 1_000_000
_DEGREES_APART, _METRES_APART = 0.01, 1000.0
# How many degrees from its middle a projection can show, by a word in the name of its method; and around a pole.
_REACH = {"transverse": 60.0, "azimuthal": 90.0, "stereographic": 90.0, "orthographic": 80.0, "gnomonic": 60.0}
_ELSE, _AROUND_POLE = 179.9, 60.0
_HOW = "{give:aoi=AREA}"
# Degrees, metres or feet that no CRS of the Earth has: outlines that reach so far take for ever to be repaired.
_BEYOND_EARTH = 1e9


def area_in(aoi: Any, crs: CRS, *, aoi_crs: Any = None, near: Box | None = None) -> BaseGeometry:
    """An area as a polygon in ``crs``.

    Parameters
    ----------
    aoi
        ``(minx, miny, maxx, maxy)``, a polygon, a GeoDataFrame or GeoSeries of polygons, a file of polygons, a result
        that ``--json`` wrote, or a box as text. A box in degrees whose ``minx`` is larger than its ``maxx`` spans the
        antimeridian.
    crs
        CRS of the map to be cut.
    aoi_crs
        CRS of the area, where it has none of its own. By default degrees where the numbers can be degrees and the map
        has a place on Earth, else ``crs``.
    near
        Bounds of the map in ``crs``. Numbers that can be degrees but lie off the map as degrees are taken as metres if
        they lie on the map as metres.

    Returns
    -------
    shapely.Polygon or shapely.MultiPolygon
        Valid; empty where the area lies on another side of the Earth than ``crs``.

    Raises
    ------
    ParameterError
        The area is not a box or polygon.
    UnreadableInputError
        The file is missing or has no polygons.
    MissingCRSError
        A GeoDataFrame or file has no CRS.

    Examples
    --------
    >>> from geoeval.area import area_in
    >>> from geoeval.crs import parse_crs
    >>> round(area_in("13.0,52.0,13.1,52.1", parse_crs("EPSG:32633")).area / 1e6, 1)
    76.3
    """
    polygon, own_crs = _polygon(aoi, crs, aoi_crs)
    polygon = _valid(polygon)
    if polygon.is_empty:
        raise ParameterError(f"the area has no extent; {_HOW}")
    given = own_crs or _meant(polygon, crs, near)
    if given != crs and (projections.is_local(given) or projections.is_local(crs)):
        names = projections.crs_name(given), projections.crs_name(crs)
        raise CRSError(f"the area is in {names[0]} but the map in {names[1]}; give the area in the metres of the map")
    return _projected(polygon, given, crs)


# ---------------------------------------------------------------------- what a user gives


def _polygon(aoi: Any, crs: CRS, aoi_crs: Any) -> tuple[BaseGeometry, CRS | None]:
    """The polygon that is meant, and its CRS where that is known."""
    said = None if aoi_crs is None else projections.parse_crs(aoi_crs)
    if isinstance(aoi, BaseGeometry):
        if aoi.geom_type not in {"Polygon", "MultiPolygon"}:
            raise ParameterError(f"the area is a {aoi.geom_type}; {_HOW}")
        return aoi, said
    if isinstance(aoi, str):
        numbers = _numbers(aoi)
        aoi = Path(aoi) if numbers is None else numbers
    if isinstance(aoi, os.PathLike):
        path = Path(aoi)
        earlier = result_in(path)
        if earlier is not None:
            return _of_result(earlier, path, said)
        aoi = read_polygons(path)
    if isinstance(aoi, AreaFile):
        return _of_frame(aoi.frame, str(aoi), crs, said)
    if hasattr(aoi, "geometry") and hasattr(aoi, "crs"):
        return _of_frame(aoi, "the area", crs, said)
    return _box(aoi, said)


def _numbers(text: str) -> list[float] | None:
    """The numbers in a text; ``None`` where it must be the name of a file."""
    if not text.strip():
        raise ParameterError(f"the area is an empty text; {_HOW}")
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        return None


def _box(aoi: Any, said: CRS | None) -> tuple[BaseGeometry, CRS | None]:
    try:
        box = np.asarray(aoi, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        box = np.zeros(0)
    if len(box) != 4 or not np.isfinite(box).all():
        raise ParameterError(f"the area {_shown(aoi)} is not a box of four numbers; {_HOW}")
    west, south, east, north = box.tolist()
    degrees = np.abs([west, east]).max() <= 180 and np.abs([south, north]).max() <= 90
    if west > east and south < north and degrees and east + 360 - west < 180 and (said is None or said.is_geographic):
        return shapely.box(west, south, east + 360, north), said or projections.WGS84
    if not (west < east and south < north):
        raise ParameterError(f"the area {_shown(aoi)} has no extent; give minx, miny, maxx, maxy with min below max")
    return shapely.box(west, south, east, north), said


def _shown(value: Any) -> str:
    """A value in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"of type {type(value).__name__}"


def _of_frame(frame: Any, source: str, crs: CRS, said: CRS | None) -> tuple[BaseGeometry, CRS]:
    """The union of the polygons of a GeoDataFrame or GeoSeries."""
    shapes = np.asarray(getattr(frame, "geometry", None), dtype=object).reshape(-1)
    shapes = shapes[np.isin(shapely.get_type_id(shapes), (3, 6)) & ~shapely.is_empty(shapes)]
    if len(shapes) == 0:
        raise UnreadableInputError(f"{source}: no polygons found; {_HOW}")
    own = said if frame.crs is None else projections.parse_crs(frame.crs)
    if own is None and projections.is_local(crs):
        own = crs
    if own is None:
        raise MissingCRSError(f"{source}: no CRS; give the file one (.prj), or {_HOW}")
    return shapely.union_all(_valid(shapes)), own


def result_in(path: Path) -> dict[str, Any] | None:
    """The result that ``--json`` wrote to a file; ``None`` where the file is something else."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return None
    try:
        content = read_json(path)
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and {"geoeval", "kind", "area", "crs"} <= content.keys() else None


def ground_of_result(result: Mapping[str, Any], source: object) -> BaseGeometry | None:
    """The polygon of an earlier result, in its CRS; ``None`` where nothing was cut.

    Raises
    ------
    UnreadableInputError
        What the result calls its area is no polygon.
    """
    area = result.get("area")
    if area is None:
        return None
    polygon = polygon_from_wkt(area.get("wkt") if isinstance(area, Mapping) else None)
    if polygon is None:
        raise UnreadableInputError(f"{source}: the area of this result is no polygon; evaluate again")
    return polygon


def polygon_from_wkt(text: Any) -> BaseGeometry | None:
    """The valid polygon that a record holds as WKT; ``None`` for anything else."""
    polygon = geometries_from_wkt([text])[0] if isinstance(text, str) else None
    shaped = polygon is not None and polygon.geom_type in {"Polygon", "MultiPolygon"}
    if not shaped or not np.isfinite(shapely.get_coordinates(polygon)).all():
        return None
    whole: BaseGeometry = _valid(polygon)
    return whole


def _of_result(result: dict[str, Any], path: Path, said: CRS | None) -> tuple[BaseGeometry, CRS]:
    """The ground of an earlier result."""
    polygon = ground_of_result(result, path)
    if polygon is None:
        raise ParameterError(
            f"{path}: nothing was cut in this evaluation, so it has no area to repeat; {{give:aoi=all}}"
        )
    if not isinstance(result["crs"], str):
        raise UnreadableInputError(f"{path}: the CRS of this result is not text; evaluate again")
    return polygon, said or projections.from_name(result["crs"])


@dataclass(frozen=True)
class AreaFile:
    """A file of polygons that was read already."""

    path: Path
    frame: Any

    def __str__(self) -> str:
        return str(self.path)


def names_file(aoi: Any) -> bool:
    """Whether an area is given as a file of polygons, which is yet to be read."""
    if isinstance(aoi, str):
        return aoi not in WORDS and _numbers(aoi) is None and result_in(Path(aoi)) is None
    return isinstance(aoi, os.PathLike) and result_in(Path(aoi)) is None


def read_polygons(path: str | Path) -> AreaFile:
    """The polygons in a file, for ``area_in``.

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged, or holds several layers.
    """
    frame = _read(Path(path))
    if frame is not None:
        projections.check_crs(frame.crs)
    return AreaFile(Path(path), frame)


def _read(path: Path) -> Any:
    """The polygons in a file."""
    if not path.exists():
        raise no_such_file(path, _HOW)
    check_regular(path)
    try:
        if path.suffix.lower() in PARQUET_SUFFIXES:
            return _read_parquet(path)
        with openable(path) as datasets, plain_gdal():
            return _read_layer(path, datasets)
    except (*PARQUET_FAILURES, NameError, shapely.errors.ShapelyError) as error:
        reason = " ".join(str(error).split(";")[0].split())[:200]
        raise UnreadableInputError(f"{path}: cannot be read as an area ({reason}); {_HOW}") from error


def _read_parquet(path: Path) -> Any:
    import geopandas as gpd

    opened = open_parquet(path)
    crs = None if opened.crs is None else projections.parse_crs(opened.crs)
    if not opened.is_wkb:
        return gpd.read_parquet(path.absolute(), columns=[opened.column])
    shapes = geometries_from_wkb(opened.wkb(opened.source.to_table(columns=[opened.column])))
    return gpd.GeoSeries(shapes, crs=crs)


def _read_layer(path: Path, datasets: list[Path]) -> Any:
    """The only layer of these files that may hold polygons; ``None`` if there is none."""
    import pyogrio

    found: list[tuple[Path, str]] = []
    views: dict[str, str] = {}
    for dataset in datasets:
        views |= views_in(dataset)
        found += [
            (dataset, str(name)) for name, kind in pyogrio.list_layers(dataset) if kind is not None and _may_hold(kind)
        ]
    if not found:
        return None
    if len(found) > 1:
        held = ", ".join(name for _, name in found)[:200]
        raise UnreadableInputError(f"{path}: several layers may hold the area ({held}); give a file with one")
    dataset, name = found[0]
    if name in views:
        raise refuse_view(path, name, views[name])
    return pyogrio.read_dataframe(dataset, columns=[], layer=name)


def _may_hold(geometry_type: str) -> bool:
    return "Polygon" in geometry_type or geometry_type.startswith(("Unknown", "GeometryCollection", "Geometry"))


# ---------------------------------------------------------------------- where it is


def _meant(polygon: BaseGeometry, crs: CRS, near: Box | None) -> CRS:
    """Whether numbers without a CRS are degrees or metres in ``crs``."""
    minx, miny, maxx, maxy = polygon.bounds
    degrees = minx >= -180 and maxx <= 180 and miny >= -90 and maxy <= 90
    # Longitudes beyond 180 are degrees only where nothing else makes sense.
    beyond = minx >= -360 and maxx <= 360 and maxx - minx < 180 and miny >= -90 and maxy <= 90
    if projections.is_local(crs) or not (degrees or beyond):
        return crs
    default = projections.WGS84 if degrees else crs
    if near is None or not np.isfinite(near).all():
        return default
    ground = shapely.box(*near)
    in_metres = polygon.intersects(ground)
    if degrees and not in_metres:
        return projections.WGS84
    if not degrees and in_metres:
        return crs
    try:
        in_degrees = _projected(polygon, projections.WGS84, crs).intersects(ground)
    except CRSError:
        in_degrees = False
    return projections.WGS84 if in_degrees else crs


def _projected(polygon: BaseGeometry, given: CRS, crs: CRS) -> BaseGeometry:
    if not projections.is_local(given) and max(map(abs, polygon.bounds)) > _BEYOND_EARTH:
        raise CRSError("the area reaches far beyond the Earth; check its coordinates and its CRS")
    if given == crs:
        return polygon
    minx, miny, maxx, maxy = polygon.bounds
    apart = _DEGREES_APART if given.is_geographic else _METRES_APART
    # An outline that crosses the Earth again and again gets its vertices farther apart.
    step = max(min(max(maxx - minx, maxy - miny) / _VERTICES_PER_SIDE, apart), polygon.length / _MOST_VERTICES)
    shown = _within_reach(polygon, crs) if given.is_geographic and crs.is_projected else polygon
    dense = shapely.segmentize(shown, step)
    moved = shapely.transform(dense, lambda xy: projections.transform(xy, given, crs))
    # Parts on both sides of the antimeridian have a common side afterwards.
    return moved if moved.is_valid else shapely.union_all(_valid(shapely.get_parts(moved)))


def _within_reach(polygon: BaseGeometry, crs: CRS) -> BaseGeometry:
    """The part of a polygon in degrees that a projection can show: all of it, unless it spans continents."""
    operation = crs.coordinate_operation
    stated = [one for one in (operation.params if operation else ()) if one.name.startswith(("Longitude", "Latitude"))]
    numbers = {one.name.split()[0]: float(one.value) for one in stated[::-1]}  # the middle comes first
    if operation is None or "Longitude" not in numbers:
        return polygon
    longitude, latitude = numbers["Longitude"], numbers.get("Latitude", 0.0)
    method = operation.method_name.lower()
    reach = next((degrees for word, degrees in _REACH.items() if word in method), _ELSE)
    windows = [(longitude + turn - reach, -89.9, longitude + turn + reach, 89.9) for turn in (-360, 0, 360)]
    if abs(latitude) > 80 or "polar" in method:
        south, north = (90 - _AROUND_POLE, 90.0) if latitude > 0 else (-90.0, _AROUND_POLE - 90)
        windows = [(-360.0, south, 360.0, north)]
    boxes = shapely.box(*np.transpose(windows))
    if shapely.covers(boxes, polygon).any():
        return polygon
    parts = shapely.get_parts(shapely.intersection(polygon, boxes))
    return shapely.MultiPolygon([part for part in parts if part.geom_type == "Polygon"])


def _valid(shapes: Any) -> Any:
    """Polygons, alone or in an array, in two dimensions and valid, without the lines that repairing may leave."""
    flat = shapely.force_2d(shapes)
    if np.all(shapely.is_valid(flat)):
        return flat
    return repaired(flat, "the area")
