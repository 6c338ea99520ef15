"""Two maps brought together: one CRS, one area, the offset between them. Evaluations at once and in tiles use it."""

from dataclasses import dataclass, field
from typing import Any

from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import EVERYTHING
from geoeval.content import content_of
from geoeval.contents import SIDES
from geoeval.diagnosis.diagnose import diagnose
from geoeval.diagnosis.finding import worst_first
from geoeval.diagnosis.place import check_place
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import cut_to, extent_of
from geoeval.model.drawing import Drawing, PixelImage
from geoeval.pipeline.distortion import check_distortion
from geoeval.pipeline.ground import (
    Ground,
    find_ground,
    ground_findings,
    ground_note,
    left_out,
    said_of_ground,
    side_of_map,
)
from geoeval.pipeline.meeting import check_meeting
from geoeval.pipeline.offset import is_removed, offset_note, offset_numbers

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
    ground
        How the area was found, and the share of each map that was left out; ``None`` where nothing was cut.
    notes
        How the area was found, and how the prediction lies.
    offset
        The shift of the prediction in numbers; ``None`` where none could be estimated.
    findings
        What is off with the pair, as in ``Result.diagnosis``.
    """

    reference: Any
    prediction: Any
    area: BaseGeometry | None = None
    ground: dict[str, Any] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    offset: dict[str, Any] | None = None
    findings: tuple[dict[str, str], ...] = ()


def bring_together(
    kind: str, reference: Any, prediction: Any, *, aoi: Any, crs: Any, align: bool = False, image: Any = None
) -> Pair:
    """Two maps in one CRS, cut to one area, the offset between them estimated and, on request, removed."""
    check_meeting(reference, prediction, aoi)
    target = target_crs(crs, reference, prediction, image=image)
    content = content_of(kind)
    if not content.has_ground:
        if aoi not in (None, EVERYTHING):
            raise ParameterError("an area cuts roads and objects, not the lines of a drawing; leave it out")
        return Pair(reference.to_crs(target), prediction.to_crs(target))
    there = prediction.to_crs(target)
    ground = evaluated_ground(reference, there, target, aoi)
    area, whole = ground.area, {"reference": reference, "prediction": there}
    if area is not None and reference.crs != target:
        # A country is cut to a generous surrounding before it is brought into a projection made for a town.
        reference = reference.clip(area.buffer(_SURROUNDING), aoi_crs=target)
    reference = reference.to_crs(target)
    if area is None:
        near, close = reference, there
    else:
        near, close = cut_to(area, reference, there)
    shares: dict[str, float] = {}
    for side, cut in zip(SIDES, (near, close), strict=True) if area is not None else ():
        own = whole[side].crs
        shares |= left_out(side, content.measure(cut.to_crs(own)), content.measure(whole[side].to_crs(own)))
    notes = {"area": ground_note(ground, shares)}
    about: dict[str, Any] = {
        "area": area,
        "ground": said_of_ground(ground, shares),
    }
    found = content.prevailing_offset(near, close)
    checks = diagnose(kind, near, close, offset=found, removed=is_removed(found, align=align))
    about["findings"] = worst_first([*check_place(near, close), *ground_findings(ground, shares), *checks])
    if found is not None and is_removed(found, align=align):
        close = content.moved(there, -found.dx, -found.dy)
        close = close if area is None else close.clip(area, aoi_crs=target)
    notes |= offset_note(found, align=align)
    return Pair(near, close, notes=notes, offset=offset_numbers(found, align=align), **about)


def target_crs(crs: Any, reference: Any, prediction: Any, *, image: Any = None) -> CRS:
    """What to measure in: the CRS that was asked for, or the one that fits the prediction, whose ground is evaluated.

    Lines are measured in the reference's CRS, or in that of a georeferenced image, whose pixels stay.
    """
    given = given_crs(crs)
    if given is not None:
        check_distortion(given, reference, prediction)
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


def evaluated_ground(reference: Any, prediction: Any, crs: CRS, aoi: Any = None) -> Ground:
    """The ground on which two maps are evaluated, in a CRS."""
    own = [one for one in (reference, prediction) if one.crs == crs]
    near = extent_of(own[0], own[-1]) if own else None
    return find_ground(side_of_map(reference), side_of_map(prediction), crs, aoi, near=near)
