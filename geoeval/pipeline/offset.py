"""The offset of a prediction: found for what can have one, removed where that is wanted and it is real, and told."""

from typing import TYPE_CHECKING, Any

from geoeval.exceptions import ParameterError
from geoeval.wording import worded

if TYPE_CHECKING:
    from geoeval.offsets.estimate import Offset

# An offset of so many metres is worth removing.
_WORTH = 1.0


def find_offset(kind: str, reference: Any, prediction: Any) -> "Offset | None":
    """The offset between two maps of a kind, in one CRS and cut to the evaluated area."""
    return _alignment(kind).prevailing_offset(reference, prediction)


def without_offset(kind: str, prediction: Any, found: "Offset") -> Any:
    """The prediction where the reference has it."""
    return _alignment(kind).moved(prediction, -found.dx, -found.dy)


def is_removed(found: "Offset | None", *, align: bool) -> bool:
    """Whether an offset is removed: on request, and only if it is real."""
    return align and found is not None and found.significant


def offset_numbers(found: "Offset | None", *, align: bool) -> dict[str, Any] | None:
    """The offset of the prediction in numbers."""
    if found is None:
        return None
    interval = dict(zip(("dx", "dy"), map(list, found.interval), strict=True))
    return {
        "dx": found.dx, "dy": found.dy, "removed": is_removed(found, align=align), "interval": interval,
        "significant": found.significant,
    }  # fmt: skip


def offset_note(found: "Offset | None", *, align: bool) -> dict[str, str]:
    """The offset of the prediction in words."""
    if found is None:
        return {"offset": "no offset could be estimated: too little of the two maps lies close together"}
    if not found.significant:
        sure = max(high - low for low, high in found.interval) / 2
        said = "no offset found" if sure < 0.01 else f"no offset found, to ±{sure:.2f} m"
        return {"offset": f"{said}; nothing was removed" if align else said}
    where = f"the prediction {'lay' if align else 'lies'} {found.in_words()} of the reference"
    if align:
        return {"offset": f"{where}; removed"}
    return {
        "offset": worded(f"{where}; {{option:align=True}} removes such a shift") if found.distance > _WORTH else where
    }


def _alignment(kind: str) -> Any:
    if kind == "roads":
        from geoeval.roads import alignment

        return alignment
    if kind == "objects":
        from geoeval.objects import alignment as of_objects

        return of_objects
    raise ParameterError("an offset is removed from roads and objects only; {leave:align}")
