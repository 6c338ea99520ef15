"""Whether two maps lie on the same ground; if not, how far apart, and whether swapped axes or a wrong CRS is why.

Both maps were brought to metres by the CRS that their files name. Where they do not meet, the coordinates of one of
them are read again in other ways: with the axes exchanged, as degrees, as Web Mercator, in the UTM zone or the CRS of
the other map. A way in which the maps meet is most likely the right one.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely
from pyproj import CRS, Geod

from geoeval import crs as projections
from geoeval.arrays import Floats
from geoeval.contents import SIDES
from geoeval.diagnosis.finding import Finding, finding
from geoeval.exceptions import CRSError

_SAMPLE = 2000
_MERCATOR = CRS.from_epsg(3857)
_WINDS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def check_place(reference: Any, prediction: Any) -> list[Finding]:
    """Nothing where the boxes of the maps meet, or one of them is empty. O(n)."""
    maps = (reference, prediction)
    if any(one.is_empty for one in maps):
        return []
    if any(projections.is_local(one.crs) for one in maps):
        return _check_local(reference, prediction) if reference.crs == prediction.crs else []
    places = [_sample(one) for one in maps]
    degrees = [projections.to_lonlat(xy, one.crs) for xy, one in zip(places, maps, strict=True)]
    if _meet(_box(degrees[0]), _box(degrees[1])):
        return []
    apart = f"the two do not meet: the prediction lies {_how_far(*degrees)} of the reference"
    for side, other, own, there in ((1, 0, maps[1], degrees[0]), (0, 1, maps[0], degrees[1])):
        for crs, label, swapped in _readings(own.crs, maps[other].crs, there):
            if _would_meet(places[side], own.crs, label, crs, there, swapped=swapped):
                name = SIDES[side]
                if swapped:
                    why = f"with latitude and longitude of the {name} exchanged they would meet"
                    return [finding("axes", "error", f"{apart}; {why}: exchange the axes in its file")]
                why = f"read as {projections.crs_name(crs)}, the {name} would lie on the {SIDES[other]}"
                return [finding("crs", "error", f"{apart}; {why}", f"--{name}-crs {projections.crs_name(crs)}")]
    return [finding("place", "error", f"{apart}; check that both show the same place and that each CRS is right")]


def metres_apart(reference: Any, prediction: Any) -> float:
    """Metres between the boxes of two maps and of what their sources declare; 0 where they meet or nobody can tell."""
    maps = (reference, prediction)
    if any(one.is_empty for one in maps):
        return 0.0
    try:
        places = [np.concatenate([_sample(one), _declared(one)]) for one in maps]
        if all(projections.is_local(one.crs) for one in maps):
            a, b = map(_box, places)
            return float(np.hypot(*np.maximum(np.maximum(b[:2] - a[2:], a[:2] - b[2:]), 0.0)))
        a, b = (_box(projections.to_lonlat(xy, one.crs)) for xy, one in zip(places, maps, strict=True))
    except CRSError:  # a corner of a box may lie off the world where the data do not
        return 0.0
    # Of two maps at the antimeridian one may be on its other side.
    return min(_between(a, b + np.array([turn, 0.0, turn, 0.0])) for turn in (-360.0, 0.0, 360.0))


def _declared(one: Any) -> Floats:
    """The corners of what the source of a map declares, in its CRS; none where it declares nothing."""
    extent = getattr(one, "extent", None)
    return np.zeros((0, 2)) if extent is None else shapely.get_coordinates(extent.polygon(one.crs))


def _between(a: Floats, b: Floats) -> float:
    """Metres between two boxes in degrees, from edge to edge."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])  # the common box, or its sides are exchanged
    middle = (low + high) / 2
    (x, y), (x_other, y_other) = np.where(low > high, low, middle), np.where(low > high, high, middle)
    return float(Geod(ellps="WGS84").inv(x, y, x_other, y_other)[2])


def _check_local(reference: Any, prediction: Any) -> list[Finding]:
    boxes = [np.array(one.bounds) for one in (reference, prediction)]
    if _meet(*boxes):
        return []
    vector = (boxes[1][:2] + boxes[1][2:] - boxes[0][:2] - boxes[0][2:]) / 2
    turn = np.degrees(np.arctan2(vector[0], vector[1]))
    where = f"{_metres(float(np.hypot(*vector)))} {_wind(float(turn))}"
    return [finding("place", "error", f"the two do not meet: the prediction lies {where} of the reference")]


def _sample(one: Any) -> Floats:
    """Some places of a map, among them the outermost."""
    corners = _corners(one.bounds)
    nodes = one.nodes if hasattr(one, "nodes") else corners
    return np.concatenate([corners, nodes[:: max(1, len(nodes) // _SAMPLE)]])


def _corners(box: Any) -> Floats:
    minx, miny, maxx, maxy = box
    return np.array([(minx, miny), (minx, maxy), (maxx, miny), (maxx, maxy)])


def _box(places: Floats) -> Floats:
    return np.concatenate([places.min(axis=0), places.max(axis=0)])


def _meet(a: Floats, b: Floats) -> bool:
    return bool((a[:2] <= b[2:]).all() and (b[:2] <= a[2:]).all())


def _readings(own: CRS, other: CRS, there: Floats) -> Iterator[tuple[CRS, CRS, bool]]:
    """CRSs to try, the CRS that the file may have named, and whether its axes are exchanged.

    A reader projects what it cannot measure in, so the named CRS may be another one than that of the map.
    """
    longitude, latitude = there.mean(axis=0)
    utm = CRS.from_epsg((32600 if latitude >= 0 else 32700) + min(int((longitude + 180) // 6) + 1, 60))
    yield projections.WGS84, projections.WGS84, True
    for label in dict.fromkeys((own, other, _MERCATOR, utm)):
        for crs in dict.fromkeys((projections.WGS84, utm, _MERCATOR, other)):
            if crs != label:
                yield crs, label, False


def _would_meet(places: Floats, own: CRS, label: CRS, crs: CRS, there: Floats, *, swapped: bool) -> bool:
    """Whether most of the places, read again, lie in the box of the other map or that map in theirs."""
    try:
        numbers = projections.transform(places, own, label)
        if swapped:
            numbers = numbers[:, ::-1]
        if crs.is_geographic and (np.abs(numbers) > [180.0, 90.0]).any():
            return False
        read = projections.to_lonlat(projections.transform(numbers, crs, projections.WGS84), projections.WGS84)
    except CRSError:
        return False
    return max(_share_in(read, _box(there)), _share_in(there, _box(read))) > 0.5


def _share_in(places: Floats, box: Floats) -> float:
    return float(((places >= box[:2]) & (places <= box[2:])).all(axis=1).mean())


def _how_far(reference: Floats, prediction: Floats) -> str:
    (a, b), (c, d) = ((_box(one)[:2] + _box(one)[2:]) / 2 for one in (reference, prediction))
    turn, _, metres = Geod(ellps="WGS84").inv(a, b, c, d)
    return f"{_metres(float(metres))} {_wind(float(turn))}"


def _wind(turn: float) -> str:
    return _WINDS[round((turn % 360) / 45) % 8]


def _metres(metres: float) -> str:
    return f"{metres / 1000:,.0f} km" if metres >= 10_000 else f"{metres:,.0f} m"
