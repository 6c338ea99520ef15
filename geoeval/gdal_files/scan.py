"""The whole text of a file, looked through before a library parses it.

What is looked for may be spelt so that a search of the bytes does not see it: with escapes of JSON or XML, or in
characters of two bytes. So pieces of the file are searched as a parser would see them.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from geoeval.crs_definitions import NAMED_FILE
from geoeval.exceptions import LinkedFileError
from geoeval.trust import HOW_TO_ALLOW

# Bytes that are looked at together, and how many of them are looked at twice, so that nothing is cut in two.
_PIECE, _TWICE = 4 << 20, 1 << 16
_JSON_ESCAPE = re.compile(rb"\\u00([2-7][0-9a-fA-F])|\\([/\"\\])")
_XML_ESCAPE = re.compile(rb"&#(?:0{0,100}([0-9]{1,3})|[xX]0{0,100}([0-9a-fA-F]{1,2}));|&(quot|apos);")
# Parameters of PROJ that name files, and the words without which PROJ would not look at them.
_NEEDS = {
    b"init": b"init",
    b"grids": b"grids",
    b"file": b"tinshift",
    b"model": b"defmodel",
    b"catalog": b"proj=",
}
_NAMED = re.compile(NAMED_FILE.pattern.encode(), re.ASCII)
# Grids by the words of WKT, and by those of PROJJSON, where the name of a parameter and its value are apart.
_GRID = re.compile(
    rb"""(?:PARAMETERFILE\s{0,1000}[\[(]\s{0,1000}\\?"[^"]{0,300}|PROJ4_GRIDS)"\s{0,1000},\s{0,1000}\\?"[^"]{0,300}[/\\]""",
    re.IGNORECASE,
)
_GRID_OF_JSON = re.compile(rb"(?:difference|model|offset|translation) file\"", re.IGNORECASE)
_VALUE_OF_JSON = re.compile(rb'"value"\s{0,1000}:\s{0,1000}"[^"\s]{0,300}[/\\]')
_WORDS_OF_GRIDS = (b"parameterfile", b"proj4_grids", b' file"')
# Before a parameter stands the rest of its name, after it what it names.
_BEFORE, _AFTER = 40, 2400
# Files beside a layer that say where it is, after the name without its suffix or after all of it.
_PARTS = (".prj", ".qpj", ".gfs", ".xsd", ".aux.xml", ".xml")
# First bytes of shapefiles and images, whose CRS stands beside them, and of databases, which are asked for theirs.
_WITHOUT_TEXT = (
    b"\x00\x00\x27\x0a", b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+", b"\x89PNG", b"\xff\xd8\xff",
    b"SQLite format 3\x00",
)  # fmt: skip


def check_definitions(path: Path, given: Path) -> None:
    """Raise ``LinkedFileError`` where a file, or a part beside it, has a CRS that names a file in some folder.

    GDAL would hand such a definition to PROJ, which opens that file. O(size), at the speed of a search for words.
    """
    for part in (path, *_parts_beside(path)):
        if part.is_file() and _names_file(part):
            what = "names its CRS by a file" if part == path else f"has {part.name[:80]!r} beside it, naming a file"
            raise LinkedFileError(f"{given} {what}, which leads elsewhere; {HOW_TO_ALLOW}")


def pieces(path: Path) -> Iterator[bytes]:
    """The text of a file piece by piece, without zero bytes and with escapes resolved."""
    with path.open("rb") as file:
        kept = b""
        while fresh := file.read(_PIECE):
            piece = kept + fresh
            kept = piece[-_TWICE:]
            if b"\0" in piece:
                piece = piece.replace(b"\0", b"")
            if b"\\" in piece:
                piece = _JSON_ESCAPE.sub(_unescaped, piece)
            if b"&" in piece:
                piece = _XML_ESCAPE.sub(_unescaped_entity, piece)
            yield piece


def _names_file(path: Path) -> bool:
    with path.open("rb") as file:
        if file.read(20).startswith(_WITHOUT_TEXT):
            return False
    found: set[bytes] = set()
    grids = False
    for piece in pieces(path):
        low = piece.lower()
        found |= {word for word in _NEEDS.values() if word in low}
        grids = grids or any(word in low for word in _WORDS_OF_GRIDS)
    keys = [key for key, word in _NEEDS.items() if word in found]
    if not keys and not grids:
        return False
    parameter = re.compile(rb"(?:%s)(?:\s{0,1000}=|\s{1000})" % b"|".join(keys or [b"init"]))
    return any(
        (grids and _has_grid(piece))
        or any(
            _NAMED.search(piece[max(one.start() - _BEFORE, 0) : one.end() + _AFTER])
            for one in parameter.finditer(piece)
        )
        for piece in pieces(path)
    )


def _has_grid(piece: bytes) -> bool:
    if _GRID.search(piece) is not None:
        return True
    return _GRID_OF_JSON.search(piece) is not None and _VALUE_OF_JSON.search(piece) is not None


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 16)]) if found[1] else found[2]


def _unescaped_entity(found: re.Match[bytes]) -> bytes:
    if found[3]:
        return b'"' if found[3] == b"quot" else b"'"
    number = int(found[1]) if found[1] else int(found[2], 16)
    return bytes([number]) if number < 128 else b" "


def _parts_beside(path: Path) -> Iterator[Path]:
    for suffix in _PARTS:
        for spelt in (suffix, suffix.upper()):
            yield path.with_suffix(spelt)
            yield path.with_name(path.name + spelt)
