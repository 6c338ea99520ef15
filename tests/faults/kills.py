"""Runs that are killed at random moments, and what they leave.

After a kill the output is the old one, the new one or absent, never a mixture; a run that is resumed equals one that
nobody disturbed; a polite end leaves nothing of its own behind; and 10 s later no process of the run is left.
"""

import os
import shutil
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

from geoeval.files import PREFIX
from tests.faults.commands import METRICS, WRITING, Maps
from tests.faults.contents import digests
from tests.faults.forge import Ended, Forge
from tests.faults.outcomes import Outcomes

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
# Commands whose output is replaced, and runs that are resumed.
REPLACED = ("roads -o geojson", "convert .shp", "roads, all at once", "convert .geojson")
RESUMED = {"tiles": (), "tiles, two workers": ("--workers", "2"), "Dask": ("--scheduler", "ADDRESS")}
# Seconds in which every process of a run that was killed has ended, on a machine with nothing else to do.
GRACE = 10.0


def kills(count: int, folder: Path, *, seed: int = 0, turns: tuple[str, ...] = (*REPLACED, *RESUMED)) -> Outcomes:
    """Kill runs at random moments, commands in turns, and count what was left."""
    return Kills(folder, seed).run(count, turns)


class Kills:
    """Runs that are killed, in turns, and the outcomes."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng, self.folder, self.out = Random(seed), folder, folder / "out"
        self.out.mkdir()
        self.maps = Maps.make(folder / "maps")
        self.environment = {"XDG_CACHE_HOME": str(folder / "cache"), "TMPDIR": str(folder / "aside")}
        (folder / "aside").mkdir()
        self.outcomes = Outcomes()
        self.lasts: dict[str, float] = {}
        self.known: dict[str, list[tuple[str, ...]]] = {}

    def run(self, count: int, turns: tuple[str, ...]) -> Outcomes:
        with ExitStack() as stack:
            self.forge = stack.enter_context(Forge())
            self.address = ""
            if "Dask" in turns:
                from tests.scale.cluster import cluster

                (self.folder / "dask").mkdir()
                self.address, _ = stack.enter_context(cluster(self.folder / "dask"))
            for name in dict.fromkeys(turns):
                self._warm_up(name)
            for number in range(count):
                name = turns[number % len(turns)]
                if name in RESUMED:
                    self._resume(name, number)
                else:
                    self._replace(name, number)
        return self.outcomes

    def _warm_up(self, name: str) -> None:
        """Learn how long a command takes, and what it writes."""
        if name in RESUMED:
            for attempt in range(2):
                self.lasts[name] = self._seconds(self._tiles(name, f"whole {name} {attempt}"))
            self.known[name] = [digests(self.out, (f"whole {name} 1.json",))]
            return
        for number in (1, 2):
            self.lasts[name] = self._seconds(WRITING[name].arguments(self.maps, self._place(name), number))
            self.known.setdefault(name, []).append(digests(self._place(name), WRITING[name].outputs))

    def _seconds(self, arguments: list[str]) -> float:
        return self.forge.seconds(*arguments, environment=self.environment)

    def _place(self, name: str) -> Path:
        place = self.out / name.replace(" ", "-")
        place.mkdir(exist_ok=True)
        return place

    def _tiles(self, name: str, run: str) -> list[str]:
        options = [self.address if word == "ADDRESS" else word for word in RESUMED[name]]
        return ["roads", *self.maps.pair("town"), "--metrics", METRICS, "--tile-size", "400", *options, "--resume",
                str(self.out / run), "--json", str(self.out / f"{run}.json"), "--overwrite",
                "--progress", "none"]  # fmt: skip

    def _replace(self, name: str, number: int) -> None:
        place, writing = self._place(name), WRITING[name]
        where, _ = self._kill(name, writing.arguments(self.maps, place, 1 + self.rng.randrange(2)), place)
        found = digests(place, writing.outputs)
        if found in self.known[name]:
            self.outcomes.note("old or new")
        elif "" in found and any(_is_part_of(found, known) for known in self.known[name]):
            self.outcomes.note("absent")
        else:
            self.outcomes.note(f"mixture: {where} {number}")
        self._clear(place)

    def _resume(self, name: str, number: int) -> None:
        run = f"run{number}"
        self._kill(name, self._tiles(name, run), self.out)
        self._seconds(self._tiles(name, run))
        same = digests(self.out, (f"{run}.json",)) in self.known[name]
        self.outcomes.note(f"resumed: {'the same' if same else f'different: {name} {number}'}")
        shutil.rmtree(self.out / run)
        self._clear(self.out)

    def _kill(self, name: str, arguments: list[str], place: Path) -> tuple[str, Ended]:
        """Start a command and end it; looks at its code, its words, what it left and whether all of it ended."""
        signum = self.rng.choice(SIGNALS)
        where = f"{name} {signum.name}"
        pid = self.forge.start(*arguments, environment=self.environment)
        time.sleep(self.rng.random() * 1.1 * self.lasts[name])
        os.kill(pid, signum)
        ended = self.forge.finish(pid)
        polite = {signal.SIGTERM: 143, signal.SIGINT: 130}.get(signum)
        if ended.code not in {0, -signum, polite}:
            self.outcomes.note(f"wrong code {ended.code}: {where} {ended.said[-200:]!r}")
        if "Traceback" in ended.said:
            self.outcomes.note(f"traceback: {where} {ended.said[-4000:]!r}")
        left = [one.name for one in place.iterdir() if one.name.startswith(PREFIX)]
        if ended.code in {0, polite} and left:
            self.outcomes.note(f"left behind: {where} {left}")
        if not is_session_over(pid, GRACE):
            self.outcomes.note(f"orphans: {where}")
        return where, ended

    def _clear(self, place: Path) -> None:
        """Remove what SIGKILL leaves, which is named so that nobody takes it for output."""
        for one in place.iterdir():
            if one.name.startswith(PREFIX):
                shutil.rmtree(one) if one.is_dir() else one.unlink()
        shutil.rmtree(self.environment["TMPDIR"])
        Path(self.environment["TMPDIR"]).mkdir()


def _is_part_of(found: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    """Whether what is there is of one run, some of which is absent."""
    return all(one in {"", other} for one, other in zip(found, whole, strict=True))


def is_session_over(session: int, seconds: float) -> bool:
    """Whether no process of a session is left within so many seconds; more where others share the processors."""
    limit = time.monotonic() + seconds * max(1.0, os.getloadavg()[0] / os.cpu_count())
    while _alive(session):
        if time.monotonic() > limit:
            return False
        time.sleep(0.05)
    return True


def _alive(session: int) -> bool:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(words[3]) == session and words[0] != "Z":
                return True
    return False
