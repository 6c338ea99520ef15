"""Doing the parts of an evaluation: those that an earlier run has kept are taken from there, the others are made."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import shapely

from geoeval._version import __version__
from geoeval.contents import SIDES
from geoeval.engines import Engine, Task
from geoeval.metrics.running import Progress
from geoeval.scale.tiles.part import DAMAGE, check_part
from geoeval.scale.tiles.run_folder import RunFolder, digest_of
from geoeval.scale.tiles.store_pair import StorePair
from geoeval.scale.tiles.tiling import Key, Tiling, neighbouring

# What parts hold, by number; the folder of a run whose parts hold something else is refused.
PART_FORMAT = 2
# Segments or objects of both sides that a part has at most, if it is not a single tile: enough that what a part costs
# besides its features does not matter, and few enough that a country has parts for many workers.
PART_FEATURES = 100_000


def parts_of(tiles: Mapping[Key, int], tiling: Tiling) -> dict[str, tuple[Key, ...]]:
    """The tiles of each part by its name, which is that of its first tile and how many there are.

    Parts depend on the maps and on the tiles alone, so that a run can be continued with any number of workers. Tiles
    that have no projection in common are a part each.
    """
    groups = neighbouring(tiles, PART_FEATURES if tiling.crs is not None else 0)
    return {f"{group[0][0]}_{group[0][1]}_{len(group)}": group for group in groups}


def run_folder(path: str | Path | None, pair: StorePair[Any], **facts: Any) -> RunFolder | None:
    """The folder that keeps parts, if one is wanted; ``facts`` are what else the numbers depend on."""
    if path is None:
        return None
    common = {
        "geoeval": __version__,
        "kind of parts": PART_FORMAT,
        "inputs": [digest_of(pair.store(side).path) for side in SIDES],
        "projection": None if pair.tiling.crs is None else pair.tiling.crs.to_wkt(),
        "area": None if pair.area is None else shapely.to_wkb(pair.area, hex=True),
        "tile size": pair.tiling.size,
    }
    return RunFolder(Path(path), {**common, **facts})


def kept_parts(
    names: Iterable[str], folder: RunFolder | None, check: Callable[[bytes], None] = check_part
) -> dict[str, bytes]:
    """The parts that are done already, by name; those that ``check`` does not take are made again, which is said."""
    found = {name: None if folder is None else folder.get(name) for name in names}
    kept = {}
    for name, data in found.items():
        if data is None or folder is None:
            continue
        try:
            check(data)
        except DAMAGE:
            folder.warn_of(name)
        else:
            kept[name] = data
    return kept


def run_parts(
    tasks: Mapping[str, Task],
    engine: Engine,
    folder: RunFolder | None,
    tell: Progress,
    *,
    done: int = 0,
    since: float = 0.0,
) -> dict[str, bytes]:
    """Make parts, in the order in which they are named; each is kept as soon as it is there.

    ``done`` parts are there already. They count for the progress, which goes on from the fraction ``since``.
    """
    names, total = list(tasks), done + len(tasks)
    made: dict[str, bytes] = {}
    for number, data in engine.run([tasks[name] for name in names]):
        made[names[number]] = data
        if folder is not None:
            folder.put(names[number], data)
        done += 1
        tell(since + (1 - since) * done / total, f"{done} of {total} parts")
    return {name: made[name] for name in names}
