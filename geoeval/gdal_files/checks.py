"""What is looked at before GDAL opens a file: where it leads, and how much it would become."""

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.gdal_files.archives import check_archive, is_archive
from geoeval.gdal_files.scan import check_definitions, pieces
from geoeval.trust import HOW_TO_ALLOW, check_expansion, follows_links

_VIRTUAL_STARTS = (b"<OGRVRTDataSource", b"<VRTDataset", b"<GDALTileIndexDataset", b"<OGRWFSDataSource", b"<GDAL_WMS")
# Bytes at the start of a file that are looked at.
_HEAD = 1 << 14
_CRS_BY_ADDRESS = re.compile(rb'"crs"\s{0,20}:\s{0,20}\{[^}]{0,200}"href"')
_ENTITY_ELSEWHERE = re.compile(rb"<!ENTITY\s[^>]{1,400}?\s(?:SYSTEM|PUBLIC)\s")
_ENTITY = re.compile(rb"<!ENTITY\s")
_LAYER_ELSEWHERE = re.compile(rb"<(?:[\w.-]{1,40}:)?NetworkLink[\s/>]")
# Bytes of a place.
_PLACE = 16


def check_plain(path: Path, given: Path | None = None) -> None:
    """Raise ``LinkedFileError`` for a file that leads to others, ``TooLargeError`` for one that is a bomb.

    ``given`` is what messages name: the packed file that this one comes from.
    """
    given = given or path
    if path.is_dir() and not follows_links():
        for part in sorted(path.iterdir()):
            check_definitions(part, given)
    if not path.is_file():
        return
    if is_archive(path):
        check_archive(path, given)
        return  # its members are looked at when they are unpacked
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not follows_links():
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if path.suffix.lower() == ".vrt" or any(word in start[:1000] for word in _VIRTUAL_STARTS):
            raise LinkedFileError(f"{given} is a virtual file, which leads to other files; {HOW_TO_ALLOW}")
        if b"!table" in head[:200].lower() and b'"\\isseamless" = "true"' in head.lower():
            raise LinkedFileError(f"{given} is a seamless table, which leads to other tables; {HOW_TO_ALLOW}")
        check_definitions(path, given)
    if _CRS_BY_ADDRESS.search(head):
        raise LinkedFileError(
            f"{given} names its CRS by an address, which is never asked; write it with the CRS's name"
        )
    if head[:100].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xfe\xff \t\r\n").startswith(b"<"):
        _check_markup(path, given)


def _check_markup(path: Path, given: Path) -> None:
    """A part that lies elsewhere is never loaded, trusted or not; without it the map would be another one."""
    is_kml = path.suffix.lower() == ".kml"
    for piece in pieces(path):
        if _ENTITY_ELSEWHERE.search(piece):
            raise LinkedFileError(
                f"{given} takes text from another file or address, which is never read; write it again"
            )
        # Text that is put together from entities is not seen by those who look through the file.
        if _ENTITY.search(piece):
            raise LinkedFileError(f"{given} declares XML entities, which no map needs; write it again")
        is_kml = is_kml or b"kml" in piece[:1000].lower()
        if is_kml and _LAYER_ELSEWHERE.search(piece):
            raise LinkedFileError(
                f"{given} loads a layer from elsewhere (NetworkLink), which is never done; save that one as a file"
            )


def is_topology(path: Path) -> bool:
    """Whether a file is TopoJSON, whose lines are made of arcs that may be used again and again."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(8192)
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") and b'"Topology"' in head


def check_topology(path: Path, given: Path) -> None:
    """Raise ``TooLargeError`` where the arcs of a TopoJSON file are used so often that it is a bomb.

    ``given`` as for ``check_plain``. O(size of the file).
    """
    try:
        content = json.loads(path.read_bytes())
        sizes = [len(arc) for arc in content["arcs"]]
        used = chain.from_iterable(_arcs(one) for one in content["objects"].values())
        places = sum(sizes[arc if arc >= 0 else ~arc] for arc in used)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise UnreadableInputError(f"{given} is not TopoJSON as it should be; write it again") from error
    check_expansion(_PLACE * places, path.stat().st_size, given)


def _arcs(geometry: Any) -> list[int]:
    """The numbers of the arcs in a geometry, negative for those that run backwards."""
    found, waiting = [], [geometry]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one.get("geometries", ()), *one.get("arcs", ())]
        elif isinstance(one, list):
            waiting += one
        else:
            found.append(int(one))
    return found
