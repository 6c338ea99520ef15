"""Shapefiles on disks that are nearly full: GDAL does not always say, or survive, that a part cannot be written."""

from pathlib import Path

import numpy as np

from geoeval.exceptions import OutputError

_PARTS = (".shp", ".shx", ".dbf", ".cpg", ".prj")
# Bytes of the header of .shp and .shx, and of the entry of one row in the latter.
_HEADER, _ENTRY = 100, 8


def make_room(path: Path) -> None:
    """Make and remove all parts, so that an ``OSError`` comes here where there is no room for so many files."""
    places = [path.with_suffix(suffix) for suffix in _PARTS]
    try:
        for place in places:
            place.touch(exist_ok=False)
    finally:
        for place in places:
            place.unlink(missing_ok=True)


def check_whole(path: Path, *, rows: int, has_crs: bool) -> None:
    """Refuse a shapefile of which something is missing. O(rows).

    Raises
    ------
    OutputError
        A part is absent or too short, or a row is not where the index says.
    """
    whole = (
        _is_whole_geometry(path, rows)
        and _is_whole_table(path.with_suffix(".dbf"), rows)
        and path.with_suffix(".cpg").is_file()
        and path.with_suffix(".cpg").stat().st_size > 0
        and (not has_crs or _ends_with(path.with_suffix(".prj"), "]"))
    )
    if not whole:
        raise OutputError(
            f"{path.name} could not be written whole; check the free space there, or write somewhere else"
        )


def _is_whole_geometry(path: Path, rows: int) -> bool:
    """Whether the file of geometries and its index are as long as they say, and each row begins where it should."""
    index = path.with_suffix(".shx")
    for part in (path, index):
        if not part.is_file() or part.stat().st_size < _HEADER:
            return False
        with part.open("rb") as stream:
            if int.from_bytes(stream.read(28)[24:], "big") * 2 != part.stat().st_size:
                return False
    entries = np.fromfile(index, dtype=">i4", offset=_HEADER)
    if len(entries) != rows * _ENTRY // 4:
        return False
    content = np.memmap(path, dtype=np.uint8, mode="r")
    begins = entries[::2].astype(np.int64) * 2
    if rows == 0 or begins.max() + 4 > len(content):
        return rows == 0
    numbers = content[begins[:, None] + np.arange(4)].astype(np.int64) @ (1 << np.array([24, 16, 8, 0]))
    return bool((numbers == np.arange(1, rows + 1)).all())


def _is_whole_table(path: Path, rows: int) -> bool:
    if not path.is_file() or path.stat().st_size < 32:
        return False
    with path.open("rb") as stream:
        start = stream.read(12)
    count, header, record = (int.from_bytes(start[a:b], "little") for a, b in ((4, 8), (8, 10), (10, 12)))
    return count == rows and path.stat().st_size - (header + count * record) in {0, 1}


def _ends_with(path: Path, end: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8", errors="replace").rstrip().endswith(end)
