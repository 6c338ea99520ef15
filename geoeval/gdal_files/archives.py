"""Zip archives under any name: what is one, and what it may become.

A program that opens a zip finds it by the list at its end, so whatever stands before the first member is no matter, nor
is the name of the file. Every archive passes through ``check_archive`` before anybody unpacks it.
"""

import zipfile
from pathlib import Path, PurePosixPath

from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.trust import check_expansion, check_limit

# GDAL takes files of these names for archives, whatever is in them.
_SUFFIXES = (".zip", ".kmz", ".shz")
_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x06\x06", b"PK\x07\x08", b"PK00PK")
# Containers that are told by their first bytes, and may well hold an archive as one of their values.
_OTHER_CONTAINERS = (b"SQLite format 3\x00", b"fgb\x03")


def is_archive(path: Path) -> bool:
    """Whether some program would open a file as a zip archive."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(20)
    if path.suffix.lower() in _SUFFIXES or start.startswith(_STARTS):
        return True
    return not start.startswith(_OTHER_CONTAINERS) and zipfile.is_zipfile(path)


def check_archive(path: Path, given: Path) -> None:
    """Refuse an archive that unpacks to too much, or whose members have places outside of it, trusted or not."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, IndexError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableInputError(f"{given} cannot be read ({reason}); check that the file is complete") from error
    check_limit("members", len(members), given, f"has {len(members):,} members")
    for member in members:
        name = member.filename.replace("\\", "/")
        if name.startswith("/") or ".." in PurePosixPath(name).parts or name[1:2] == ":":
            msg = f"{given} has a member {member.filename[:80]!r}, which lies outside of the archive; pack it again"
            raise LinkedFileError(msg)
        if (member.external_attr >> 16) & 0o170000 == 0o120000:
            raise LinkedFileError(f"{given} has a member {member.filename[:80]!r}, which is a link; pack it again")
    check_expansion(sum(member.file_size for member in members), path.stat().st_size, given)
