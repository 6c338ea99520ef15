"""What is looked at before GDAL opens a file: where it leads, and how much it would become."""

import json
import mmap
import re
import zipfile
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.trust import check_expansion, check_limit, follows_links

HOW_TO_ALLOW = "give --links follow (links=) if you trust it"
_VIRTUAL_STARTS = (b"<OGRVRTDataSource", b"<VRTDataset", b"<GDALTileIndexDataset", b"<OGRWFSDataSource", b"<GDAL_WMS")
# Bytes at both ends of a file that are looked at.
_ENDS = 1 << 14
_CRS_IN_FILE = re.compile(rb'"crs"\s{0,20}:[^\]]{0,600}?(?:init|grids)\s{0,20}=\s{0,20}[^"\s]{0,300}[/\\]')
_CRS_BY_ADDRESS = re.compile(rb'"crs"\s{0,20}:\s{0,20}\{[^}]{0,200}"href"')
_ENTITY_ELSEWHERE = re.compile(rb"<!ENTITY\s[^>]{1,400}?\s(?:SYSTEM|PUBLIC)\s")
_LAYER_ELSEWHERE = re.compile(rb"<(?:[\w.-]{1,40}:)?NetworkLink[\s/>]")
# Bytes of a place.
_PLACE = 16


def check_plain(path: Path, given: Path | None = None) -> None:
    """Raise ``LinkedFileError`` for a file that leads to others, ``TooLargeError`` for one that is a bomb.

    ``given`` is what messages name: the packed file that this one comes from.
    """
    if not path.is_file():
        return
    given = given or path
    with path.open("rb") as file:
        head = file.read(_ENDS)
        file.seek(max(0, path.stat().st_size - _ENDS))
        end = file.read()
    if not follows_links():
        if head[:100].lstrip().startswith(b"{") and (_CRS_IN_FILE.search(head) or _CRS_IN_FILE.search(end)):
            raise LinkedFileError(f"{given} names its CRS by a file, which leads elsewhere; {HOW_TO_ALLOW}")
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if path.suffix.lower() == ".vrt" or any(word in start[:1000] for word in _VIRTUAL_STARTS):
            raise LinkedFileError(f"{given} is a virtual file, which leads to other files; {HOW_TO_ALLOW}")
        if b"!table" in head[:200].lower() and b'"\\isseamless" = "true"' in head.lower():
            raise LinkedFileError(f"{given} is a seamless table, which leads to other tables; {HOW_TO_ALLOW}")
    if _CRS_BY_ADDRESS.search(head):
        raise LinkedFileError(
            f"{given} names its CRS by an address, which is never asked; write it with the CRS's name"
        )
    if head[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        _check_markup(path, head, given)
    if head.startswith(b"PK"):
        _check_archive(path, given)


def _check_markup(path: Path, head: bytes, given: Path) -> None:
    """A part that lies elsewhere is never loaded, trusted or not; without it the map would be another one."""
    if _ENTITY_ELSEWHERE.search(head):
        raise LinkedFileError(f"{given} takes text from another file or address, which is never read; write it again")
    if path.suffix.lower() == ".kml" or b"kml" in head[:1000].lower():
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            if _LAYER_ELSEWHERE.search(content):
                raise LinkedFileError(
                    f"{given} loads a layer from elsewhere (NetworkLink), which is never done; save that one as a file"
                )


def _check_archive(path: Path, given: Path) -> None:
    """An archive whose members have places outside of it is refused, trusted or not."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, UnicodeDecodeError):
        return  # the reader says what is wrong with it
    check_limit("members", len(members), given, f"has {len(members):,} members")
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in PurePosixPath(name).parts or name[1:3] == ":/":
            msg = f"{given} has a member {member.filename[:80]!r}, which lies outside of the archive; pack it again"
            raise LinkedFileError(msg)
        if (member.external_attr >> 16) & 0o170000 == 0o120000:
            raise LinkedFileError(f"{given} has a member {member.filename[:80]!r}, which is a link; pack it again")
    check_expansion(sum(member.file_size for member in members), path.stat().st_size, given)


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
