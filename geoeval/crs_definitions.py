"""Definitions of coordinate reference systems, as data.

PROJ understands a definition as a small program: it may name files, which PROJ then opens, and the places where it may
do so are many (``init=``, grids, the name of a method in WKT, a remark). So a definition is told apart here first: a
code, a name, WKT, PROJJSON or a PROJ string of known parameters. None of them may name a file in some folder; plain
names are those of PROJ's own grids.
"""

import json
import re
from collections.abc import Iterator
from operator import index
from typing import Any

from pyproj import CRS
from pyproj.database import get_authorities
from pyproj.exceptions import CRSError as ProjCRSError

# Parameters of PROJ whose values are names of files.
_FILE_KEY = r"(?:init|\w*grids|catalog|file|model)"
_FILE_WORD = re.compile("init|grids|catalog|file|model", re.IGNORECASE)
# Such a parameter with a value that lies in some folder, or is too long to be looked at. White space around the sign,
# quotes and lists do not matter to PROJ.
NAMED_FILE = re.compile(
    rf"""(?:^|[\s+"';,(\[])({_FILE_KEY}(?:\s{{1000}}|\s*=\s*["']*(?:[^\s"']{{0,300}}?[/\\]|[^\s"']{{300}})\S{{0,80}}))""",
    re.IGNORECASE | re.ASCII,
)
_PLAIN_NAME = re.compile(r"@?[\w.+-]+(?:,@?[\w.+-]+)*", re.ASCII)
_CODE = re.compile(r"([A-Za-z][\w.]{0,19}):(\w{1,40})", re.ASCII)
_URN = re.compile(r"urn:(?:x-)?ogc:def:crs:(\w+):[^:]*:(\w+)", re.IGNORECASE | re.ASCII)
_ADDRESS = re.compile(r"https?://www\.opengis\.net/def/crs/(\w+)/[\w.]+/(\w+)", re.IGNORECASE | re.ASCII)
_WKT = re.compile(r"[A-Za-z_][A-Za-z_0-9]*\s*[\[(]\s*\"")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')
_GRID_OF_WKT = re.compile(r'(?:PARAMETERFILE\s*[\[(]\s*"[^"]*|"PROJ4_GRIDS)"\s*,\s*"([^"]*)"', re.IGNORECASE)
_STEP = re.compile(r"PROJ (\w+)( o_proj=\w+)?", re.ASCII)
_REMARK = "PROJ CRS string:"
_LONGEST = 100_000
# What describes a CRS in a PROJ string; everything else is refused.
_PARAMETERS = frozenset(
    {
        "a", "alpha", "approx", "axis", "azi", "b", "datum", "ellps", "es", "f", "gamma", "geoidgrids", "h", "k", "k_0",
        "lat_0", "lat_1", "lat_2", "lat_3", "lat_b", "lat_ts", "lon_0", "lon_1", "lon_2", "lon_3", "lon_wrap", "lonc",
        "lsat", "m", "M", "mode", "n", "nadgrids", "no_cut", "no_defs", "no_off", "no_rot", "no_uoff", "ns", "o_alpha",
        "o_lat_1", "o_lat_2", "o_lat_c", "o_lat_p", "o_lon_1", "o_lon_2", "o_lon_c", "o_lon_p", "o_proj", "orient",
        "over", "path", "pm", "proj", "q", "R", "R_a", "R_A", "R_authalic", "R_C", "R_g", "R_h", "R_lat_a", "R_lat_g",
        "R_V", "rf", "south", "sweep", "theta", "tilt", "to_meter", "towgs84", "type", "units", "vto_meter", "vunits",
        "W", "west", "wktext", "x_0", "y_0", "zone",
    }
)  # fmt: skip


class UnknownDefinitionError(ValueError):
    """A text that defines no CRS."""


def named_file(value: Any) -> str | None:
    """The part of a definition that names a file in some folder; ``None`` where there is none.

    Definitions that PROJ has understood are looked through as PROJ understands them.
    """
    if isinstance(value, CRS):
        try:
            return next(_files_in(value.to_json_dict()), None)
        except (ProjCRSError, ValueError, TypeError):
            return named_file(value.to_wkt())
    if isinstance(value, str):
        if value.lstrip().startswith("{"):
            try:
                return named_file(json.loads(value, strict=False))
            except ValueError:
                return None  # nor does anybody else read it
        if not _FILE_WORD.search(value):
            return None
        texts = [value, *(text.replace('""', '"') for text in _QUOTED.findall(value))] if _is_wkt(value) else [value]
        parameters = _GRID_OF_WKT.findall(value)
        return next((one for text in texts for one in _file_in(text)), None) or next(
            (name for name in parameters if not _PLAIN_NAME.fullmatch(name)), None
        )
    return next(_files_in(value), None)


def understand(value: Any) -> CRS:
    """The CRS of a definition that names no file; raises ``UnknownDefinitionError`` or an error of PROJ."""
    if isinstance(value, bool) or value is None:
        raise UnknownDefinitionError(value)
    if hasattr(value, "__index__"):
        return CRS.from_epsg(index(value))
    if isinstance(value, dict):
        return _of_mapping(value)
    if isinstance(value, list | tuple) and len(value) == 2:
        return CRS.from_authority(str(value[0]), str(value[1]))
    if hasattr(value, "to_wkt"):
        return CRS.from_wkt(value.to_wkt())
    if not isinstance(value, str) or len(value) > _LONGEST or "\0" in value:
        raise UnknownDefinitionError(str(value)[:200])
    return _of_text(value.strip())


def _of_text(text: str) -> CRS:
    if text.startswith("{"):
        described = json.loads(text, strict=False)
        if not isinstance(described, dict):
            raise UnknownDefinitionError(text[:200])
        return _of_mapping(described)
    if _is_wkt(text):
        return CRS.from_wkt(text)
    code = _CODE.fullmatch(text) or _URN.fullmatch(text) or _ADDRESS.fullmatch(text)
    if code is not None and code[1].upper() in _authorities():
        return CRS.from_authority(code[1].upper(), code[2].upper())
    if "=" in text:
        return _of_parameters(text)
    # The name of a CRS, a number, or codes of parts: PROJ looks them up in its own tables.
    if "[" in text or "{" in text or not text.isprintable():
        raise UnknownDefinitionError(text[:200])
    return CRS.from_user_input(text)


def _of_mapping(described: dict[Any, Any]) -> CRS:
    """PROJJSON, or the parameters of PROJ by name."""
    if "type" in described and ("name" in described or "$schema" in described) and "proj" not in described:
        return CRS.from_json_dict(described)
    words = []
    for name, value in described.items():
        if value is not None and value is not False:
            words.append(f"+{name}" if value is True or value == "" else f"+{name}={_joined(value)}")
    return _of_parameters(" ".join(words))


def _joined(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _of_parameters(text: str) -> CRS:
    """A PROJ string of parameters that are known."""
    words = re.sub(r"\s*=\s*", "=", text).split()
    given = dict(word.removeprefix("+").partition("=")[::2] for word in words)
    code = _CODE.fullmatch(given.pop("init", ""))
    if code is not None:
        # The rules of PROJ 4: longitude first, which is how coordinates are read in any case.
        if given.keys() - {"no_defs", "type", "wktext"} or code[1].upper() not in _authorities():
            raise UnknownDefinitionError(text[:200])
        return CRS.from_authority(code[1].upper(), code[2])
    plain = all(_PLAIN_NAME.fullmatch(value) for value in given.values() if value)
    if "proj" not in given or not plain or not given.keys() <= _PARAMETERS or given["proj"] == "pipeline":
        raise UnknownDefinitionError(text[:200])
    return CRS.from_proj4(" ".join(words))


def _authorities() -> list[str]:
    return get_authorities()


def _is_wkt(text: str) -> bool:
    return _WKT.match(text.lstrip()) is not None


def _files_in(described: Any, name: str = "") -> Iterator[str]:
    """Parts of PROJJSON, or of parameters by name, that name files in some folder, or lines that PROJ would run."""
    if isinstance(described, dict):
        for key, value in described.items():
            # The value of a parameter that is a text is the name of a file.
            is_file = name == "parameters" and key == "value"
            if isinstance(value, str) and is_file and not _PLAIN_NAME.fullmatch(value):
                yield value
            elif name == "method" and key == "name" and str(value).upper().startswith("PROJ"):
                yield from () if _STEP.fullmatch(str(value)) else _file_in(f" {value}", anything=True)
            else:
                yield from _files_in(value, str(key))
    elif isinstance(described, list | tuple):
        for one in described:
            yield from _files_in(one, name)
    elif isinstance(described, str):
        yield from _file_in(f"{name}={described}" if re.fullmatch(_FILE_KEY, name) else described)


def _file_in(text: str, *, anything: bool = False) -> Iterator[str]:
    found = NAMED_FILE.search(text)
    if found is not None:
        yield found[1]
    elif anything or text.startswith(_REMARK):
        words = dict(word.removeprefix("+").partition("=")[::2] for word in text.removeprefix(_REMARK).split())
        if anything or not words.keys() <= _PARAMETERS:
            yield text.strip()
