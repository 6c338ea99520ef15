"""The form in which a result is written as JSON, by which what somebody has changed since is told."""

from collections.abc import Callable, Iterable
from typing import Any

from geoeval.contents import SIDES

# How much an input is, in what a result says of it.
AMOUNTS = ("nodes", "segments", "length_m", "objects", "area_m2", "lines")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_score(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _mapping_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(fits, value.values()))


_is_nested = _mapping_of(_is_mapping)
_are_scores = _mapping_of(_mapping_of(_is_score))


def _is_side(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_number(value.get(name, 0)) for name in AMOUNTS)


def _is_area(value: Any) -> bool:
    return isinstance(value, dict) and _is_number(value.get("km2"))


# What a result may hold, and whether a value has the form in which it is written.
_FORMS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("kind", "geoeval", "crs"), _is_text),
    **dict.fromkeys(("scale_error", "seed"), _is_number),
    **dict.fromkeys(SIDES, _is_side),
    "area": _is_area,
    **dict.fromkeys(("offset", "run"), _is_mapping),
    "parameters": _is_nested,
    **dict.fromkeys(("scores", "counts", "errors", "matches"), _are_scores),
    "classes": _mapping_of(_are_scores),
    **dict.fromkeys(("notes", "versions"), _mapping_of(_is_text)),
    "seconds": _mapping_of(_is_number),
}


def wrong_part(result: dict[str, Any], needed: Iterable[str] = ("kind", "scores")) -> str:
    """The first part of a result that has another form, or is needed and not there; empty where all is well."""
    lacking = (name for name in needed if result.get(name) is None)
    wrong = (name for name, fits in _FORMS.items() if result.get(name) is not None and not fits(result[name]))
    return next(lacking, "") or next(wrong, "")
