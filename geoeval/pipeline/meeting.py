"""Whether two maps can be compared at all: both on Earth or both in local metres, and not far apart.

Maps that do not meet would score zeros whose cause is a wrong CRS, exchanged axes or another file, so they are refused
before anything else is said of them. An empty map is nowhere, and meets every other.
"""

from pathlib import Path
from typing import Any

import shapely

from geoeval import crs as projections
from geoeval.area import EVERYTHING, WORDS, area_in, result_in
from geoeval.contents import SIDES
from geoeval.diagnosis.place import check_place, metres_apart
from geoeval.exceptions import CRSError
from geoeval.model.drawing import Drawing

# Metres between the boxes of two maps that are refused; and where nothing is to be cut, so that an error far from all
# of the reference counts, or where nobody said where on Earth the maps are, as in the pixels of one image.
_APART, _FAR = 500.0, 5000.0


def check_meeting(reference: Any, prediction: Any, aoi: Any = None) -> None:
    """Refuse two maps of which one has no place on Earth, or whose boxes are far apart. O(n).

    Parameters
    ----------
    reference, prediction
        What has ``crs``, ``is_empty`` and ``bounds``, and perhaps ``extent``.
    aoi
        The area to evaluate. Maps that both have something in a given area may lie apart in it.

    Raises
    ------
    CRSError
        They cannot be compared; the message says what is probably wrong.
    """
    maps = dict(zip(SIDES, (reference, prediction), strict=True))
    local = [side for side, one in maps.items() if projections.is_local(one.crs)]
    if len(local) == 1:
        raise CRSError(_how_to_place(local[0], maps))
    if any(one.is_empty for one in maps.values()):
        return
    apart = metres_apart(reference, prediction)
    far = bool(local) or _cuts_nothing(aoi)
    if apart <= (_FAR if far else _APART) or (not far and _both_in(aoi, maps)):
        return
    (found,) = check_place(reference, prediction)
    message = found["message"]
    if local:
        message += "; check that both show the same place in the same unit, with the same axes"
    if found["option"]:
        option, crs = found["option"].split(" ", 1)
        side = option.removeprefix("--").removesuffix("-crs")
        message += f"; {{give:{side}-crs={crs}}}"
    if not far and apart <= _FAR:
        message += "; {give:aoi=all} to evaluate them all the same"
    raise CRSError(message)


def _how_to_place(side: str, maps: dict[str, Any]) -> str:
    """One line on a map that has no place on Earth while the other has one."""
    other = next(one for one in SIDES if one != side)
    what = f"the {side} is in pixels or local metres, without a place on Earth, and the {other} is in"
    how = f"{{give:{side}-crs=EPSG:n}}"
    if not isinstance(maps[side], Drawing):
        how = f"for pixels {{give:georeference=IMAGE.tif}}, which says where they are; else {how}"
    return f"{what} {projections.crs_name(maps[other].crs)[:200]}; {how}"


def _cuts_nothing(aoi: Any) -> bool:
    """Whether the user wants everything evaluated, by the word or by a result of such an evaluation."""
    if not isinstance(aoi, str | Path):
        return False
    earlier = None if aoi == EVERYTHING else result_in(Path(aoi))
    return aoi == EVERYTHING or (earlier is not None and earlier.get("area") is None)


def _both_in(aoi: Any, maps: dict[str, Any]) -> bool:
    """Whether an area was given in which both maps have something."""
    if aoi is None or (isinstance(aoi, str) and aoi in WORDS):
        return False
    areas = (area_in(aoi, one.crs, near=one.bounds) for one in maps.values())
    return all(area.intersects(shapely.box(*one.bounds)) for area, one in zip(areas, maps.values(), strict=True))
