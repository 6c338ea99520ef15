"""Two maps brought together: one CRS, one area, the offset between them. Evaluations at once and in tiles use it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import EVERYTHING, area_in, covered_ground, smaller_ground
from geoeval.arrays import Box
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import cut_to, extent_of
from geoeval.model.drawing import Drawing, PixelImage
from geoeval.pipeline.offset import find_offset, is_removed, offset_note, offset_numbers, without_offset

# Metres kept around the evaluated area until the inputs are in one CRS.
_SURROUNDING = 2000.0


@dataclass(frozen=True)
class Pair:
    """Two maps that can be compared: in one CRS, cut to one area, and aligned where that was asked for.

    Attributes
    ----------
    reference, prediction
        The maps.
    area
        What both were cut to; ``None`` where nothing was cut.
    notes
        How the area was found, and how the prediction lies.
    offset
        The shift of the prediction in numbers; ``None`` where none could be estimated.
    """

    reference: Any
    prediction: Any
    area: BaseGeometry | None
    notes: dict[str, str]
    offset: dict[str, Any] | None = None


def bring_together(
    kind: str, reference: Any, prediction: Any, *, aoi: Any, crs: Any, align: bool = False, image: Any = None
) -> Pair:
    """Two maps in one CRS, cut to one area, the offset between them estimated and, on request, removed."""
    target = target_crs(crs, reference, prediction, image=image)
    if kind == "lines":
        if aoi not in (None, EVERYTHING):
            raise ParameterError("an area cuts roads and objects, not the lines of a drawing; leave it out")
        return Pair(reference.to_crs(target), prediction.to_crs(target), None, {})
    # The prediction's ground is the evaluated one, so it is what the area is found from.
    there = prediction.to_crs(target)
    area, how = evaluated_area(reference, there, aoi)
    if area is not None and reference.crs != target:
        # A country is cut to a generous surrounding before it is brought into a projection made for a town.
        reference = reference.clip(area.buffer(_SURROUNDING), aoi_crs=target)
    reference = reference.to_crs(target)
    if area is None:
        near, close = reference, there
    else:
        near, close = cut_to(area, reference, there)
    notes = {"area": area_note(how, area)}
    found = find_offset(kind, near, close)
    if found is not None and is_removed(found, align=align):
        close = without_offset(kind, there, found)
        close = close if area is None else close.clip(area, aoi_crs=target)
    return Pair(near, close, area, notes | offset_note(found, align=align), offset_numbers(found, align=align))


def target_crs(crs: Any, reference: Any, prediction: Any, *, image: Any = None) -> CRS:
    """What to measure in: the CRS that was asked for, or the one that fits the prediction, whose ground is evaluated.

    Lines are measured in the reference's CRS, or in that of a georeferenced image, whose pixels stay.
    """
    given = given_crs(crs)
    if given is not None:
        return given
    if isinstance(image, PixelImage) and not projections.is_local(image.crs):
        return image.crs
    return reference.crs if prediction.is_empty or isinstance(reference, Drawing) else prediction.crs


def given_crs(crs: Any) -> CRS | None:
    """The CRS that was asked for, ``None`` for ``"auto"``; an error where it is not in metres."""
    if crs is None or (isinstance(crs, str) and crs == "auto"):
        return None
    given = projections.parse_crs(crs)
    if not projections.is_local(given) and not projections.in_metres(given):
        name = projections.crs_name(given)
        raise ParameterError(f"{name} does not measure in metres; give a projected CRS in metres, or auto")
    return given


def evaluated_area(reference: Any, prediction: Any, aoi: Any) -> tuple[BaseGeometry | None, str]:
    """The area to evaluate in the prediction's CRS, ``None`` for all of both, and how it was found.

    ``reference`` may be in another CRS.
    """
    if aoi is not None:
        maps = [one for one in (reference, prediction) if one.crs == prediction.crs]
        return named_area(aoi, prediction.crs, near=extent_of(maps[0], maps[-1]))
    if not reference.is_empty and not prediction.is_empty:
        own = smaller_ground(covered_ground(reference.nodes), covered_ground(prediction.nodes))
        if own is not None:
            return own, "the prediction's coverage"
    return None, "all of both inputs"


def named_area(aoi: Any, crs: CRS, *, near: Box | None) -> tuple[BaseGeometry | None, str]:
    """The area that the user names, in a CRS; ``None`` for ``"all"``; and its name."""
    if isinstance(aoi, str) and aoi == EVERYTHING:
        return None, "all of both inputs"
    return area_in(aoi, crs, near=near), f"--aoi {aoi}" if isinstance(aoi, str | Path) else "the given area"


def area_note(how: str, area: BaseGeometry | None, *, in_metres: bool = True) -> str:
    """The evaluated area in words."""
    size = "" if area is None or not in_metres else f", {area.area / 1e6:,.2f} km²"
    return f"evaluated on {how}{size}"
