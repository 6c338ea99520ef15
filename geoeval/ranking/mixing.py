"""Results that can be compared: against the same reference, on the same ground, with the same parameters."""

from collections.abc import Mapping, Sequence
from typing import Any

import shapely

from geoeval import crs as projections
from geoeval.area import area_in, ground_of_result
from geoeval.exceptions import ParameterError
from geoeval.model.result_form import AMOUNTS

ALL = ("reference", "ground", "parameters")
# Grounds that differ by no more than this share are the same, brought from one CRS into another.
_SAME = 1e-3


def check_comparable(results: Sequence[Mapping[str, Any]], names: Sequence[str], what: Sequence[str] = ALL) -> None:
    """Refuse results that differ in what makes scores comparable, and name what differs.

    What a result does not say, as tables of other programs, is not compared.

    Raises
    ------
    ParameterError
        Two results have another reference, another ground or other parameters.
    """
    checks = {"ground": _ground, "reference": _reference, "parameters": _parameters}
    for other, name in zip(results[1:], names[1:], strict=True):
        for kind, differs in checks.items():
            said = differs(results[0], other) if kind in what else ""
            if said:
                raise ParameterError(f"{names[0]} and {name} {said}; {{option:mixed=True}} compares them all the same")


def _ground(first: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    if not all("area" in one and "crs" in one for one in (first, other)) or first["area"] == other["area"]:
        return ""
    again = "evaluate both on the same area, such as that of an earlier result"
    a, b = (ground_of_result(one, "a result") for one in (first, other))
    if a is None or b is None:
        return f"have different grounds: one was cut, the other was not; {again}"
    crs = [projections.from_name(one["crs"]) for one in (first, other)]
    if crs[0] != crs[1] and any(map(projections.is_local, crs)):
        return f"have different grounds, one of them without a place on Earth; {again}"
    apart = shapely.symmetric_difference(a, area_in(b, crs[0], aoi_crs=crs[1])).area
    if apart <= _SAME * a.area:
        return ""
    return f"have different grounds, {first['area']['km2']:.2f} and {other['area']['km2']:.2f} km²; {again}"


def _reference(first: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    a, b = (one.get("reference") or {} for one in (first, other))
    if "sha256" not in a or "sha256" not in b or a["sha256"] == b["sha256"]:
        return ""
    amounts = [(a.get(name), b.get(name)) for name in AMOUNTS]
    if all(x == y or (x and y and abs(x - y) <= 2e-3 * x and name == "length_m")
           for name, (x, y) in zip(AMOUNTS, amounts, strict=True)):  # fmt: skip
        return ""  # the same from memory and from a store, or in another CRS
    return f"have different references, {a.get('source') or 'one'} and {b.get('source') or 'another'}"


def _parameters(first: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    a, b = (one.get("parameters") or {} for one in (first, other))
    for metric in (name for name in a if name in b):
        for name in sorted(a[metric].keys() | b[metric].keys()):
            x, y = a[metric].get(name), b[metric].get(name)
            if x != y:
                return f"have different parameters, {metric}.{name} {x} and {y}"
    return ""
