"""Reads one damaged input as geoeval would, and says in a word what came of it."""

import os
import sys
import warnings
from pathlib import Path
from random import Random

from geoeval.exceptions import GeoevalError
from tests.fuzz.mutators import mutate
from tests.fuzz.seeds import Target

READ, REFUSED, DEFECT = "read", "refused", "defect"


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
        return (DEFECT, f"more than one line: {line!r}") if "\n" in line else (REFUSED, line)
    except Exception as error:  # noqa: BLE001 - whatever else comes out is what is looked for
        return DEFECT, f"{type(error).__name__}: {error}"
    return READ, ""


def _read(content: str, path: Path) -> None:
    if content in {"roads", "objects", "lines"}:
        from geoeval.readers import read_map

        read_map(content, path, pixel_size=1.0)
    elif content == "image":
        from geoeval.readers import read_image

        read_image(path)
    elif content == "area":
        from pyproj import CRS

        from geoeval.area import area_in

        area_in(str(path), CRS.from_epsg(32632))
    elif content == "scores":
        from geoeval.ranking.rank import rank
        from geoeval.ranking.score_tables import read_scores

        scores = read_scores([path])
        rank(scores.table, indicators=scores.headlines, lower=scores.lower)
    elif content == "store":
        _read_store(path)
    elif content == "part":
        _read_part(path)
    elif content == "engine":
        _read_engine(path)


def _read_engine(path: Path) -> None:
    """What the plugin hears from the engine: an answer that is understood, or a reason why not."""
    if "geoeval_qgis" not in sys.modules:
        sys.path.insert(0, str(Path(__file__).parents[2] / "qgis_plugin"))
    from geoeval_qgis import engine, runner

    text = path.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        runner._parse(line)
    try:
        engine._parse(text)
    except ValueError as error:
        raise GeoevalError(" ".join(str(error).split())) from error


def _read_store(path: Path) -> None:
    """A store of a town, damaged in the cache: it must be made again, and be the same."""
    from geoeval.scale.store.cache import cached_store
    from tests.fuzz.seeds import NODES, WAYS, write, xml

    damaged = path.read_bytes()
    os.environ["XDG_CACHE_HOME"] = str(path.parent / "cache")
    source = write(path.with_name("whole.osm.pbf"), xml(*NODES, *WAYS))
    store = cached_store(source)
    whole, ways = store.path.read_bytes(), store.read_all().source.tolist()
    store.path.write_bytes(damaged)
    again = cached_store(source)
    if again.path.read_bytes() != whole or again.read_all().source.tolist() != ways:
        raise AssertionError("a damaged store was used")


def _read_part(path: Path) -> None:
    """A kept tile, damaged: it must be told from a whole one."""
    from geoeval.scale.tiles.run_folder import RunFolder

    folder = RunFolder(path.parent / "run", {"tile size": 1})
    folder.put("0_0", b"whole")
    folder._file("0_0").write_bytes(path.read_bytes())
    if folder.get("0_0") is not None:
        raise AssertionError("a damaged tile was used")
