"""Every writing command on disks that are too small for it, from nothing to nearly enough.

A disk is a file system in memory of a given size or number of files, which takes the right to mount. A full disk is one
line, and leaves what was there.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from geoeval.files import PREFIX
from tests.faults.commands import WRITING, Maps, Writing
from tests.faults.contents import digests
from tests.faults.forge import Ended, Forge
from tests.faults.outcomes import Outcomes

PAGE = 4096
# Commands that also write stores and other things aside; these go to the small disk too.
ASIDE = {"roads in tiles"}


def full_disks(count: int, folder: Path) -> Outcomes:
    """Run on disks with too little room or too few files; needs the right to mount."""
    outcomes = Outcomes()
    maps, disk = Maps.make(folder / "maps"), folder / "disk"
    disk.mkdir()
    names = list(WRITING)
    with Forge() as forge:
        needs = {name: _needs(forge, WRITING[name], maps, folder / "whole" / str(k)) for k, name in enumerate(names)}
        rounds = -(-count // len(names))
        for number in range(count):
            name, turn = names[number % len(names)], number // len(names)
            room, files, new = needs[name]
            by_files, there = bool(turn % 2), bool(turn // 2 % 2)
            share = (turn + (number % len(names)) / len(names)) / rounds
            with small_disk(disk):
                writing, old = WRITING[name], ()
                if there:
                    forge.seconds(*writing.arguments(maps, disk, 2), environment=_elsewhere(folder))
                    old = digests(disk, writing.outputs)
                limit = f"nr_inodes={_files(disk) + 1 + int(share * files)}" if by_files else \
                    f"size={_used(disk) + PAGE * max(1, int(share * room / PAGE))}"  # fmt: skip
                subprocess.run(["mount", "-o", f"remount,{limit}", str(disk)], check=True)
                where = disk if name in ASIDE else folder
                ended = forge.run(*writing.arguments(maps, disk, 1), environment=_elsewhere(where))
                outcomes.note(_outcome(ended, name, limit, disk, (old, new, digests(disk, writing.outputs))))
    return outcomes


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A file system in memory at a place."""
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=True, capture_output=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def _elsewhere(folder: Path) -> dict[str, str]:
    return {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder)}


def _needs(forge: Forge, writing: Writing, maps: Maps, out: Path) -> tuple[int, int, tuple[str, ...]]:
    """About how many bytes and files a command needs, and what it writes."""
    out.mkdir(parents=True)
    forge.seconds(*writing.arguments(maps, out, 1), environment=_elsewhere(maps.folder))
    return _used(out) + 3 * PAGE, _files(out) + 4, digests(out, writing.outputs)


def _used(folder: Path) -> int:
    sizes = (one.stat().st_size for one in folder.rglob("*"))
    return sum(-(-size // PAGE) * PAGE for size in sizes)


def _files(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*"))


def _outcome(ended: Ended, name: str, limit: str, disk: Path, states: tuple[tuple[str, ...], ...]) -> str:
    old, new, found = states
    left = [one.name for one in disk.iterdir() if one.name.startswith(PREFIX)]
    one_line = len(ended.errors) == 1 and "unexpected" not in ended.said and "Traceback" not in ended.said
    if ended.code == 0 and found == new and not left:
        return "written"
    if ended.code == 1 and one_line and not left and found == (old or ("",) * len(new)):
        return "one line, nothing left" if not old else "one line, what was there is there"
    return f"{name} {limit} code {ended.code} {ended.said[-300:]!r} {left} {found == old} {found == new}"


def may_mount(folder: Path) -> bool:
    """Whether this user may mount file systems."""
    if os.getuid() != 0:
        return False
    place = folder / "may-mount"
    place.mkdir(exist_ok=True)
    try:
        with small_disk(place):
            return True
    except (OSError, subprocess.CalledProcessError):
        return False
