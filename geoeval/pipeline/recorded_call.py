"""What a record may say of an evaluation: what was evaluated, never how and where.

A record comes from a file, and a file from a stranger. ``RECORDED`` is the one list of keywords of ``evaluate`` that a
record keeps and that are taken from it, each with the form of its value. How and where a run goes (workers, a
scheduler, a folder to resume from, limits, links, trust) is never in it: that comes from the one who calls.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from geoeval.area import WORDS, polygon_from_wkt
from geoeval.contents import CONTENTS, SIDES
from geoeval.crs import from_name
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.readers.options import COMMON, INPUT_OPTIONS, InputOption
from geoeval.readers.registry import is_place

# Keywords of ``evaluate`` whose values may be files, besides both inputs.
FILES = ("aoi", "image", "georeference", "reference_georeference", "prediction_georeference")
# Characters of a name or path, and names in a list.
_LONGEST, _MOST = 10_000, 1_000
_SHA256 = re.compile("[0-9a-f]{64}")
_HINT = "give a result that geoeval wrote as JSON"

Fits = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST and "\0" not in value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text_or_texts(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, list) and len(value) <= _MOST and all(map(_is_text, value)))


def _is_name_or_number(value: Any) -> bool:
    return _is_text(value) or (_is_number(value) and isinstance(value, int))


def _is_parameter(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= _MOST and all(_is_text(one) or _is_number(one) for one in value)
    return value is None or isinstance(value, bool) or _is_text(value) or _is_number(value)


def _are_parameters(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(own, dict) and all(map(_is_parameter, own.values())) for own in value.values()
    )


def _is_area(value: Any) -> bool:
    if isinstance(value, dict):
        return {"wkt"} <= value.keys() <= {"wkt", "crs"} and all(isinstance(one, str) for one in value.values())
    numbers = value if isinstance(value, list) else []
    if any(isinstance(one, list) for one in numbers):
        numbers = [number for one in numbers for number in (one if isinstance(one, list) else [None])]
    return _is_text(value) or (len(numbers) == 4 and all(map(_is_number, numbers)))


def _form_of(option: InputOption) -> Fits:
    """The form of an option of the readers."""
    if option.type is bool:
        return _is_switch
    if option.type is float:
        return _is_number
    return _is_name_or_number if option.name in {"crs", "layer"} else _is_text_or_texts


def _recorded() -> dict[str, Fits]:
    own: dict[str, Fits] = {
        **dict.fromkeys((*SIDES, "protocol", "preset", "whole_networks", "ink", "image"), _is_text),
        "kind": lambda value: value in CONTENTS,
        "metrics": _is_text_or_texts,
        "parameters": _are_parameters,
        "seed": _is_whole,
        "aoi": _is_area,
        "crs": _is_name_or_number,
        **dict.fromkeys(("align", "keep_inputs", "plan"), _is_switch),
        **dict.fromkeys(("tile_size", "seconds"), _is_number),
    }
    reading = {
        f"{side}{name}": _form_of(option)
        for name, option in INPUT_OPTIONS.items()
        if name not in COMMON
        for side in ("", *(f"{side}_" for side in SIDES))
    }
    return reading | own


RECORDED: Mapping[str, Fits] = MappingProxyType(_recorded())
# Options of the readers that are the caller's own; earlier versions wrote them down.
_OF_THE_CALLER = {f"{side}{name}" for name in COMMON for side in ("", *(f"{side}_" for side in SIDES))}


@dataclass(frozen=True)
class FileFacts:
    """A file as it was: its path as it was given, its bytes, and the SHA-256 of its content."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class RecordedCall:
    """A call that was recorded, checked.

    Attributes
    ----------
    values
        Keywords of ``evaluate``, ``reference`` and ``prediction`` among them.
    files
        By the name of such a keyword: the file that it was.
    """

    values: Mapping[str, Any]
    files: Mapping[str, FileFacts]

    @classmethod
    def of(cls, run: Any, source: object) -> "RecordedCall":
        """The call in what a result calls its ``run``.

        Raises
        ------
        UnreadableInputError
            It is damaged, or asks for what no record may ask for.
        """
        call = run.get("call") if isinstance(run, Mapping) else None
        if not isinstance(call, Mapping):
            raise ParameterError(f"{source} holds no record of its run; write it again with this version of geoeval")
        values = {name: value for name, value in call.items() if name not in _OF_THE_CALLER}
        _check_values(values, source)
        files = _files(run.get("files", {}), source)
        for name in (*SIDES, *FILES):
            if name in values and name not in files and not _needs_no_file(name, values[name]):
                msg = f"{source}: the {name} of the recorded run has no digest by which its file could be known"
                raise UnreadableInputError(f"{msg}; {_HINT}")
        return cls(MappingProxyType(_with_area(_with_crs(values), source)), MappingProxyType(files))

    @property
    def places(self) -> list[str]:
        """The inputs that are no files but places to be downloaded."""
        return [str(self.values[side]) for side in SIDES if side not in self.files]


def _check_values(values: Mapping[str, Any], source: object) -> None:
    for name in values:
        if name not in RECORDED:
            raise UnreadableInputError(
                f"{source}: the recorded run asks for {name[:40]!r}; a record says what was evaluated, never how and "
                f"where, so nothing of it was run; {_HINT}"
            )
    unknown = [name for name in dict.fromkeys((*SIDES, *values)) if values.get(name) is None]
    if unknown:
        msg = f"the {' and '.join(unknown)} of this run came from memory, not from a file; nobody can repeat it"
        raise ParameterError(f"{source}: {msg}")
    for name, value in values.items():
        if not RECORDED[name](value):
            raise UnreadableInputError(f"{source}: {name!r} of the recorded run is damaged; {_HINT}")


def _files(files: Any, source: object) -> dict[str, FileFacts]:
    damaged = UnreadableInputError(f"{source}: the files of the recorded run are damaged; {_HINT}")
    if not isinstance(files, Mapping) or not files.keys() <= {*SIDES, *FILES}:
        raise damaged
    found = {}
    for name, about in files.items():
        facts: dict[str, Any] = about if isinstance(about, dict) else {}
        path, size, digest = facts.get("path"), facts.get("bytes"), facts.get("sha256")
        fits = _is_text(path) and _is_whole(size) and isinstance(digest, str) and _SHA256.fullmatch(digest)
        if not fits:
            raise damaged
        found[name] = FileFacts(facts["path"], facts["bytes"], facts["sha256"])
    return found


def _needs_no_file(name: str, value: Any) -> bool:
    """Whether a value that may be a file is something else: a place, a word or numbers."""
    if name in SIDES:
        return is_place(value)
    return not isinstance(value, str) or (name == "aoi" and value in WORDS) or (name != "image" and _are_numbers(value))


def _are_numbers(text: str) -> bool:
    try:
        return all(math.isfinite(float(word)) for word in text.split(","))
    except ValueError:
        return False


def _with_crs(values: dict[str, Any]) -> dict[str, Any]:
    """The values with each CRS parsed as what a file says, which leads nowhere; as text it would count as typed."""
    return {
        name: from_name(value) if name.endswith("crs") and value != "auto" else value for name, value in values.items()
    }


def _with_area(values: dict[str, Any], source: object) -> dict[str, Any]:
    """The values with an area that was a polygon, or rows of polygons with a CRS, as these again."""
    import geopandas as gpd

    written = values.get("aoi")
    if not isinstance(written, dict):
        return values
    polygon = polygon_from_wkt(written["wkt"])
    if polygon is None:
        raise UnreadableInputError(f"{source}: the area of the recorded run is no polygon; {_HINT}")
    area = gpd.GeoSeries([polygon], crs=from_name(written["crs"])) if "crs" in written else polygon
    return {**values, "aoi": area}
