"""Reads one damaged input as geoeval would, and says in a word what came of it."""

import warnings
from pathlib import Path
from random import Random

from geoeval.exceptions import GeoevalError
from tests.fuzz.mutators import mutate
from tests.fuzz.seeds import Target

READ, REFUSED, DEFECT = "read", "refused", "defect"
# Files that do not say where they are.
NOT_PLACED = ("more.dxf", "more.topo.json")
# Characters of a message that is still read; paths are part of it.
LONGEST = 1000


def try_case(target: Target, name: str, number: int, folder: Path) -> tuple[str, str]:
    """Damage an input by the seed ``number`` and read it: what came of it, and the message."""
    path = folder / target.file
    path.write_bytes(mutate(target.data, target.file, Random(f"{name}/{number}")))
    if target.file.endswith("_vertices.txt"):
        path.with_name("g_edges.txt").write_text("1,1,2\n2,2,3\n")
    return try_file(target.content, path)


def try_file(content: str, path: Path) -> tuple[str, str]:
    """Read a file as some content."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _read(content, path)
    except GeoevalError as error:
        line = str(error)
        if "\n" in line or len(line) > LONGEST:
            return DEFECT, f"more than one line: {len(line)} characters, {line[:300]!r}"
        return REFUSED, line
    except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
        return DEFECT, f"{type(error).__name__}: {error}"
    return READ, ""


def _read(content: str, path: Path) -> None:
    if content in {"roads", "objects", "lines"}:
        from geoeval.readers import read_map

        placed = {"crs": "EPSG:4326"} if path.name in NOT_PLACED else {}
        read_map(content, path, pixel_size=1.0, **placed)
    elif content == "image":
        from geoeval.readers import read_image

        read_image(path)
    elif content == "area":
        from pyproj import CRS

        from geoeval.area import area_in
        from geoeval.readers.given import read_area

        area_in(read_area(str(path), {}), CRS.from_epsg(32632))
    else:
        from tests.fuzz.own_inputs import OWN

        OWN[content](path)
