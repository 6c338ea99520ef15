"""Kills and full disks: ``python -m tests.fuzz.faults --kills 200 --full 100``.

Each run is a fork of this process, which has everything loaded, so that the moments of the kill are moments of the
work. After a kill the output is the old one, the new one or absent, never a mixture; a run that is resumed equals one
that nobody disturbed; a full disk is one line, and leaves what was there.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from geoeval import RoadNetwork, evaluate
from geoeval.files import PREFIX
from tests.readers.osm.osm_files import node, way, xml

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
METRICS = "ccq,opt-j"


def town(seed: int) -> str:
    """A grid of streets with gaps."""
    rng = Random(seed)
    nodes = [node(1 + 10 * i + j, 8.6 + i / 500, 49.4 + j / 700) for i in range(10) for j in range(10)]
    ways = [way(200 + 10 * i + j, [1 + 10 * i + j, 2 + 10 * i + j], {"highway": "residential"})
            for i in range(10) for j in range(9) if rng.random() < 0.9]  # fmt: skip
    ways += [way(400 + 10 * i + j, [1 + 10 * i + j, 11 + 10 * i + j], {"highway": "residential"})
             for i in range(9) for j in range(10) if rng.random() < 0.9]  # fmt: skip
    return xml(*nodes, *ways)


def start(arguments: list[str], said: Path) -> int:
    """Run geoeval in a fork, and give its process id; what it says goes to a file."""
    from geoeval.cli.main import app

    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        os.setsid()
        stream = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(stream, 1)
        os.dup2(stream, 2)
        try:
            app(arguments, prog_name="geoeval")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def finish(pid: int) -> int:
    """The exit code, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def digest(path: Path) -> str:
    """Of a file, or of a folder with all that is in it; empty where there is none."""
    if not path.exists():
        return ""
    files = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
    content = [(one.relative_to(path).as_posix(), hashlib.sha256(one.read_bytes()).hexdigest()) for one in files]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


class Jobs:
    """What is killed: an evaluation with layers, a conversion, and tiles that are resumed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        self.maps = [str(folder / f"{seed}.osm") for seed in range(3)]
        for seed, path in enumerate(self.maps):  # not by osmium, whose threads do not survive a fork
            Path(path).write_text(town(seed))
        self.said = folder / "said"
        line = RoadNetwork.from_lines([[(0, 0), (100, 0)], [(50, 0), (50, 90)]], crs="EPSG:32632")
        evaluate(line, line, metrics=METRICS)  # loads what every fork needs

    def layers(self, new: int, out: Path) -> list[str]:
        return ["roads", self.maps[0], self.maps[new], "--metrics", METRICS, "-o", str(out), "--overwrite", "--format",
                "geojson", "--progress", "none"]  # fmt: skip

    def convert(self, new: int, out: Path) -> list[str]:
        return ["convert", self.maps[new], str(out), "--overwrite"]

    def tiles(self, out: Path, kept: Path) -> list[str]:
        return ["roads", self.maps[0], self.maps[1], "--metrics", METRICS, "--tile-size", "400", "--resume", str(kept),
                "--json", str(out), "--overwrite", "--progress", "none"]  # fmt: skip

    def whole(self, arguments: list[str]) -> float:
        """Run to the end; the seconds it took."""
        begun = time.monotonic()
        code = finish(start(arguments, self.said))
        if code != 0:
            raise RuntimeError(f"{arguments}: {code}: {self.said.read_text()[-300:]}")
        return time.monotonic() - begun


def kills(count: int, folder: Path, seed: int = 0) -> Counter[str]:
    """Kill runs at random moments, and count what was left."""
    rng, jobs, outcomes = Random(seed), Jobs(folder), Counter()
    outputs = {"layers": (folder / "out", jobs.layers), "convert": (folder / "out.geojson", jobs.convert)}
    known: dict[str, set[str]] = {}
    lasts: dict[str, float] = {}
    for name, (out, job) in outputs.items():
        jobs.whole(job(1, out))  # compiles and warms up
        known[name] = {digest(out)}
        lasts[name] = jobs.whole(job(2, out))
        known[name].add(digest(out))
    undisturbed = folder / "undisturbed.json"
    lasts["tiles"] = jobs.whole(jobs.tiles(undisturbed, folder / "first"))
    for number in range(count):
        name = ("layers", "convert", "tiles")[number % 3]
        signum = rng.choice(SIGNALS)
        if name == "tiles":
            out, kept = folder / f"t{number}.json", folder / f"run{number}"
            arguments = jobs.tiles(out, kept)
        else:
            out, job = outputs[name]
            arguments = job(1 + number // 3 % 2, out)
        pid = start(arguments, jobs.said)
        time.sleep(rng.random() * 1.1 * lasts[name])
        os.kill(pid, signum)
        code = finish(pid)
        where = f"{name} {signal.Signals(signum).name}"
        if code not in {0, 130, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT}:
            outcomes[f"wrong code {code}: {where}"] += 1
        if "Traceback" in jobs.said.read_text(errors="replace"):
            outcomes[f"traceback: {where}"] += 1
        if name == "tiles":
            jobs.whole(arguments)
            outcomes["resumed: the same" if _scores(out) == _scores(undisturbed) else "resumed: different"] += 1
        else:
            left = digest(out)
            outcomes["old or new" if left in known[name] else "absent" if not left else "mixture"] += 1
        if code == 130 and any(one.name.startswith(PREFIX) for one in folder.iterdir()):
            outcomes[f"left behind: {where}"] += 1
        for one in folder.iterdir():  # what SIGKILL leaves is named so that nobody takes it for output
            if one.name.startswith(PREFIX):
                subprocess.run(["rm", "-rf", str(one)], check=True)
    return outcomes


def _scores(path: Path) -> dict:
    result = json.loads(path.read_text())
    return {name: value for name, value in result.items() if "seconds" not in name}


def full_disks(count: int, folder: Path) -> Counter[str]:
    """Run on file systems that are too small, from nothing to nearly enough; needs the right to mount."""
    jobs, outcomes = Jobs(folder), Counter()
    jobs.whole(jobs.layers(1, folder / "out"))
    jobs.whole(jobs.convert(1, folder / "out.geojson"))
    sizes = {"layers": sum(one.stat().st_size for one in (folder / "out").iterdir()) + 40 * 4096,
             "convert": (folder / "out.geojson").stat().st_size + 3 * 4096}  # fmt: skip
    disk = folder / "disk"
    disk.mkdir()
    for number in range(count):
        name = ("layers", "convert")[number % 2]
        size = max(4096, int(sizes[name] * (number // 2) / (count / 2)))
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
        subprocess.run(mount, check=True)
        try:
            out = disk / ("out" if name == "layers" else "out.geojson")
            arguments = jobs.layers(1, out) if name == "layers" else jobs.convert(1, out)
            code = finish(start(arguments, jobs.said))
            lines = [line for line in jobs.said.read_text().splitlines() if line.startswith("geoeval: error")]
            whole = digest(out) == digest(folder / out.name)
            left = [one.name for one in disk.iterdir() if one != out]
            if code == 0 and whole:
                outcomes["written"] += 1
            elif code == 1 and len(lines) == 1 and not out.exists() and not left:
                outcomes["one line, nothing left"] += 1
            else:
                outcomes[f"wrong: {name} {size} code {code} {lines} {out.exists()} {left}"] += 1
        finally:
            subprocess.run(["umount", str(disk)], check=True)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--full", type=int, default=0)
    given = parser.parse_args()
    for what, count in ((kills, given.kills), (full_disks, given.full)):
        if count:
            with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
                for outcome, number in sorted(what(count, Path(folder)).items()):
                    print(f"{what.__name__}: {number:5} {outcome}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
