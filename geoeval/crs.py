"""The choice of a metric projection, and how wrong it is.

Lengths are ground lengths. A projection is good enough when its scale, measured with
``pyproj.Proj.get_factors`` at the data's own points, is within 0.1 % of one.
"""

import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pyproj import CRS, Geod, Proj, Transformer
from pyproj.exceptions import CRSError as ProjCRSError
from pyproj.exceptions import ProjError
from shapely.geometry.base import BaseGeometry

from geoeval.arrays import Floats
from geoeval.crs_definitions import named_file, understand
from geoeval.exceptions import CRSError, GeoevalWarning, LinkedFileError, MissingCRSError
from geoeval.trust import follows_links, refuses_links, trusting

MAX_SCALE_ERROR = 0.001
# How much of an unknown CRS a message shows.
_SHOWN = 200
WGS84 = CRS.from_epsg(4326)
# For pixel graphs and plain arrays: metres without a place on Earth.
LOCAL_METRES = CRS.from_wkt('LOCAL_CS["local metres",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]')

# Metres: a map that is narrower and whose numbers fit degrees is in degrees.
_NARROW = 5.0


def parse_crs(value: Any) -> CRS:
    """A CRS from ``EPSG:n``, WKT, PROJJSON, a PROJ string or a ``pyproj.CRS``.

    One that names a file in some folder is refused where a file says so, unless links are followed; of what users type
    themselves, a warning says that the file is opened.
    """
    if isinstance(value, CRS):
        return value
    try:
        named = named_file(value)
        if named is not None:
            _allow_file(named)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # that there are other words for it
                return CRS.from_user_input(value)
        crs = understand(value)
        check_crs(crs)
    except (ProjCRSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        shown = repr(value) if len(repr(value)) <= _SHOWN else f"{repr(value)[:_SHOWN]}…"
        msg = f"unknown coordinate reference system {shown}; give it as EPSG:n, WKT or a PROJ string"
        raise CRSError(msg) from error
    return crs


def check_crs(crs: CRS | None) -> None:
    """Refuse a CRS that a library made of a file's definition, if it names a file in some folder."""
    named = named_file(crs) if crs is not None else None
    if named is not None:
        _allow_file(named)


def _allow_file(named: str) -> None:
    if refuses_links():
        msg = f"the CRS names a file ({named[:80]!r}), which leads elsewhere; to use it, {{give:links=follow}}"
        raise LinkedFileError(msg)
    if not follows_links():
        warnings.warn(f"the CRS names a file ({named[:80]!r}), which is opened", GeoevalWarning, stacklevel=3)


def assumed_metres(coordinates: ArrayLike) -> CRS:
    """``LOCAL_METRES``, which coordinates without a CRS count as; an error where they are degrees by their looks.

    A town in degrees would be a map of a few centimetres, in which everything matches everything. So they are refused
    where all of them fit degrees and are not whole numbers, and the map would be narrower than 5 m and lie farther from
    0, 0 than it is wide. O(n).
    """
    xy = np.asarray(coordinates, dtype=np.float64).reshape(-1, 2)
    xy = xy[np.isfinite(xy).all(axis=1)]
    if len(xy) < 2:
        return LOCAL_METRES
    low, high = xy.min(axis=0), xy.max(axis=0)
    width = float((high - low).max())
    fits = bool((low >= -180).all() and (high <= 180).all())  # latitude may stand first
    away = float(np.maximum(np.maximum(low, -high), 0.0).max())
    if not fits or not 0 < width < _NARROW or width > away or bool((xy == np.round(xy)).all()):
        return LOCAL_METRES
    shown = f"{width:.2g} m" if width >= 0.01 else "less than 1 cm"
    msg = (
        f"without a CRS, coordinates count as metres: this map would be {shown} wide, and its coordinates fit degrees; "
        "{give:input-crs=EPSG:4326}; if the map is so small, give crs=geoeval.crs.LOCAL_METRES in Python"
    )
    raise MissingCRSError(msg)


def is_local(crs: CRS) -> bool:
    """Whether the CRS has no place on Earth, so that it can be neither projected nor measured."""
    return crs.is_engineering or (
        not crs.is_geographic
        and not crs.is_projected
        and not crs.is_geocentric
        and not crs.is_bound
        and not crs.is_compound
        and not crs.is_derived
    )


def crs_name(crs: CRS) -> str:
    """``EPSG:n`` if the CRS has such a code, else its name or PROJ string."""
    authority = crs.to_authority(min_confidence=100)
    if authority:
        return ":".join(authority)
    if is_local(crs):
        return "local metres"
    return str(crs.srs)


def from_name(name: str) -> CRS:
    """The CRS that ``crs_name`` calls so; it comes from a record, which may lead nowhere unless links are followed."""
    if name == "local metres":
        return LOCAL_METRES
    with suppress(RecursionError):
        if not follows_links() and (named := named_file(name)) is not None:
            raise LinkedFileError(f"the CRS names a file ({named[:80]!r}), which leads elsewhere; evaluate again")
    with trusting(links="follow" if follows_links() else None):
        return parse_crs(name)


def to_metres(
    coordinates: ArrayLike, crs: CRS, *, target: CRS | None = None, trust_projected: bool = False
) -> tuple[Floats, CRS, float | None]:
    """Project coordinates to metres: to ``target`` if given, else to a projection that fits them.

    A projected CRS in metres is kept if its scale error over the data is at most 0.1 %, or, with ``trust_projected``,
    whatever its error (except Mercator, which nobody should measure in).

    Returns
    -------
    coordinates
        ``(n, 2)`` in metres.
    crs
        Their CRS.
    scale_error
        Largest relative error of a length; ``None`` in a local CRS, where it is unknown.
    """
    xy = np.asarray(coordinates, dtype=np.float64).reshape(-1, 2)
    if is_local(crs):
        if target is not None and not is_local(target):
            msg = f"local coordinates cannot be projected to {crs_name(target)}; give the CRS of the input"
            raise CRSError(msg)
        return xy, crs, None
    if target is not None and is_local(target):
        msg = f"coordinates in {crs_name(crs)} cannot be compared with local metres; give both inputs a CRS"
        raise CRSError(msg)
    if len(xy) == 0:
        return xy, target or (crs if in_metres(crs) else CRS.from_epsg(32631)), 0.0
    lonlat = to_lonlat(xy, crs)
    if target is None:
        target, error = _choose(lonlat, crs, trust_projected=trust_projected)
    else:
        error = scale_error(target, lonlat)
    return (xy if target == crs else _transform(xy, crs, target)), target, error


def to_lonlat(coordinates: Floats, crs: CRS) -> Floats:
    """Longitude and latitude on WGS 84, longitudes in -180..180."""
    lonlat = coordinates.copy() if crs == WGS84 else _transform(coordinates, crs, WGS84)
    off = int((~(np.abs(lonlat) <= [540.0, 90.0 + 1e-9])).any(axis=1).sum())  # nor is NaN in the world
    if off:
        raise CRSError(_off_the_world(off, len(lonlat), crs))
    if not (lonlat[:, 0].min(initial=0) >= -180 and lonlat[:, 0].max(initial=0) < 180):
        lonlat[:, 0] = (lonlat[:, 0] + 180) % 360 - 180
    return lonlat


def ground_area(polygon: BaseGeometry, crs: CRS) -> float:
    """The area of a polygon in square metres, on the ellipsoid if it is in degrees."""
    if not crs.is_geographic or polygon.geom_type not in {"Polygon", "MultiPolygon"}:
        return float(polygon.area)
    return abs(Geod(ellps="WGS84").geometry_area_perimeter(polygon)[0])


def scale_error(crs: CRS, lonlat: Floats) -> float:
    """The largest relative error of a length in ``crs`` at the given points. O(n), sampled above 5,000."""
    sample = _sample(lonlat)
    try:
        projection = Proj(crs.to_2d() if hasattr(crs, "to_2d") else crs)
        factors = projection.get_factors(sample[:, 0], sample[:, 1], errcheck=False)
    except ProjError as failure:  # what WKT may say, such as units below zero, PROJ may not be able to compute
        reason = " ".join(str(failure).split())[:200]
        msg = f"{crs_name(crs)[:200]} cannot be measured in ({reason}); check that it is the right CRS"
        raise CRSError(msg) from failure
    scales = np.concatenate([np.atleast_1d(factors.tissot_semimajor), np.atleast_1d(factors.tissot_semiminor)])
    error = np.abs(scales - 1).max()
    return float(error) if np.isfinite(error) else float("inf")


def _choose(lonlat: Floats, crs: CRS, *, trust_projected: bool) -> tuple[CRS, float]:
    """The CRS itself if it is good enough, else UTM, else one centred on the data; and its error."""
    if in_metres(crs) and not _is_equatorial_mercator(crs):
        error = scale_error(crs, lonlat)
        if trust_projected or error <= MAX_SCALE_ERROR:
            return crs, error
    west, east = longitude_span(lonlat[:, 0])
    south, north = lonlat[:, 1].min(), lonlat[:, 1].max()
    longitude, latitude = _wrap((west + east) / 2), (south + north) / 2
    best, best_error = None, float("inf")
    for candidate in _candidates(longitude, latitude, lonlat):
        error = scale_error(candidate, lonlat)
        if error <= MAX_SCALE_ERROR:
            return candidate, error
        if error < best_error:
            best, best_error = candidate, error
    if best is None:
        msg = "the coordinates cannot be projected to metres; check that the CRS of the input is the right one"
        raise CRSError(msg)
    return best, best_error


def _candidates(longitude: float, latitude: float, lonlat: Floats) -> Iterator[CRS]:
    """Projections in order of preference, each made only if those before it are not good enough."""
    if -80 <= latitude <= 84:
        zone = min(int((longitude + 180) // 6) + 1, 60)
        yield CRS.from_epsg((32600 if latitude >= 0 else 32700) + zone)
    # For tall extents, for wide ones (a cone on the middle parallel, a cylinder near the equator), for round ones.
    wide = f"lcc +lat_1={latitude:.6f}" if 1 < abs(latitude) < 85 else "merc"
    for method in ("tmerc", wide, "stere"):
        base = f"+proj={method} +lat_0={latitude:.6f} +lon_0={longitude:.6f} +datum=WGS84 +units=m +no_defs +type=crs"
        if method == "merc":
            base = base.replace(f"+lat_0={latitude:.6f} ", "")
        centred = CRS.from_proj4(base)
        yield centred
        # Scale grows away from the centre; a factor below one at the centre halves the largest error.
        excess = scale_error(centred, lonlat)
        if np.isfinite(excess) and excess < 0.05:
            yield CRS.from_proj4(base.replace("+datum", f"+k_0={1 - excess / 2:.8f} +datum"))


def in_metres(crs: CRS) -> bool:
    """Whether this is a projection whose coordinates are metres."""
    return crs.is_projected and all(axis.unit_name == "metre" for axis in crs.axis_info[:2])


def _is_equatorial_mercator(crs: CRS) -> bool:
    """Whether this is Web Mercator or a relative of it, whose scale is far from one almost everywhere."""
    operation = crs.coordinate_operation
    name = operation.method_name.lower() if operation else ""
    return "mercator" in name and "transverse" not in name and "oblique" not in name


def longitude_span(longitudes: Floats) -> tuple[float, float]:
    """West and east of the narrowest span of all longitudes; east may exceed 180."""
    ordered = np.sort(longitudes)
    gaps = np.diff(np.append(ordered, ordered[0] + 360))
    widest = int(np.argmax(gaps))
    west = ordered[(widest + 1) % len(ordered)]
    east = ordered[widest]
    return float(west), float(east if east >= west else east + 360)


def _wrap(longitude: float) -> float:
    return (longitude + 180) % 360 - 180


def _sample(lonlat: Floats, limit: int = 5000) -> Floats:
    """About ``limit`` points at most, including the outermost ones."""
    if len(lonlat) <= limit:
        return lonlat
    # Unit vectors have no seam at the antimeridian, so the outermost along each axis are really outermost.
    radians = np.radians(lonlat)
    x = np.cos(radians[:, 1]) * np.cos(radians[:, 0])
    y = np.cos(radians[:, 1]) * np.sin(radians[:, 0])
    z = np.sin(radians[:, 1])
    extremes = [function(axis) for axis in (x, y, z, x + y, x - y) for function in (np.argmin, np.argmax)]
    return lonlat[np.unique(np.concatenate([np.arange(0, len(lonlat), len(lonlat) // limit + 1), extremes]))]


@lru_cache(maxsize=32)
def _transformer(source: str, target: str) -> Transformer:
    return Transformer.from_crs(source, target, always_xy=True)


def _transform(coordinates: Floats, source: CRS, target: CRS) -> Floats:
    try:
        transformer = _transformer(source.to_wkt(), target.to_wkt())
        x, y = transformer.transform(coordinates[:, 0], coordinates[:, 1])
    except ProjError as error:
        reason = " ".join(str(error).split())[:200]
        msg = f"coordinates in {crs_name(source)} cannot be transformed to {crs_name(target)}: {reason}"
        raise CRSError(msg) from error
    transformed = np.column_stack([x, y])
    lost = int((~np.isfinite(transformed).all(axis=1) & np.isfinite(coordinates).all(axis=1)).sum())
    if lost:
        raise CRSError(_off_the_world(lost, len(coordinates), source))
    return transformed


def _off_the_world(lost: int, count: int, crs: CRS) -> str:
    return (
        f"{lost} of {count} coordinates lie off the world in {crs_name(crs)}; "
        "check that the CRS of the input is the right one"
    )


def transform_if_possible(coordinates: Floats, source: CRS, target: CRS) -> Floats:
    """As ``transform``, but what the target cannot show, far away from what it was made for, is NaN."""
    if source == target:
        return coordinates
    _check_both_on_earth(source, target)
    moved = np.column_stack(_transformer(source.to_wkt(), target.to_wkt()).transform(*coordinates.T))
    moved[~np.isfinite(moved).all(axis=1)] = np.nan
    return moved


def transform(coordinates: Floats, source: CRS, target: CRS) -> Floats:
    """Coordinates transformed from one CRS to another, in ``x y`` order; an error if one of them cannot be."""
    if source == target:
        return coordinates
    _check_both_on_earth(source, target)
    return _transform(coordinates, source, target)


def _check_both_on_earth(source: CRS, target: CRS) -> None:
    if is_local(source) or is_local(target):
        msg = f"{crs_name(source)} cannot be transformed to {crs_name(target)}; give both inputs a CRS"
        raise CRSError(msg)
