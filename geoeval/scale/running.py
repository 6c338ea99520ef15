"""Doing the parts of an evaluation: those that an earlier run has kept are taken from there, the others are made."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from geoeval.engines import Engine, Task
from geoeval.evaluation import Progress
from geoeval.scale.folder import RunFolder


def kept_parts(names: Iterable[str], folder: RunFolder | None) -> dict[str, bytes]:
    """The parts that are done already, by name."""
    found = {name: None if folder is None else folder.get(name) for name in names}
    return {name: data for name, data in found.items() if data is not None}


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

    ``done`` parts are there already, which count for the progress that is told from the fraction ``since`` on.
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


def run_folder(path: str | Path | None, facts: Mapping[str, object]) -> RunFolder | None:
    """The folder that keeps parts, if one is wanted."""
    return None if path is None else RunFolder(Path(path), facts)
