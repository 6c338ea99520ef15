"""The offset of a prediction in numbers and words, and whether it is removed: where that is wanted and it is real."""

from typing import TYPE_CHECKING, Any

from geoeval.wording import worded

if TYPE_CHECKING:
    from geoeval.offsets.estimate import Offset

# An offset of so many metres is worth removing.
_WORTH = 1.0


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
