"""All benchmarks, or one of them by its name with its own arguments.

python -m tests.benchmarks [all] [--largest KM] [--json FILE]
python -m tests.benchmarks NAME [arguments]      (--help after a name tells more of it)
"""

import argparse
import json
import runpy
import subprocess
import sys
from pathlib import Path

# What needs real data is left out where there is none; the road networks of the suite say so themselves.
NAMES = ("suite", "roads", "read_pbf", "apls_vegas", "lines", "objects", "scale", "protocols", "review")


def summary(name):
    text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    return f"{name:12} {text.split(chr(10))[0].strip(chr(34))}"


def run_all(largest, path):
    """Everything, one after the other; the suite's figures and the others' text as JSON."""
    from tests.benchmarks import places, suite

    def show(line):
        print(line, flush=True)

    needs = {
        "protocols": places.DATA / "protocols",
        "roads": places.VANCOUVER,
        "read_pbf": places.CITY,
        "apls_vegas": places.DATA / "roads" / "vegas",
    }
    found = suite.run(largest, show=show)
    found["others"] = {}
    for name in NAMES[1:]:
        show(f"\n{summary(name)}")
        if name in needs and not needs[name].exists():
            show(f"skipped, its data is not beside the project ({needs[name].name})")
            continue
        command = [sys.executable, "-m", f"tests.benchmarks.{name}"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        show(done.stdout + done.stderr if done.returncode else done.stdout.rstrip())
        found["others"][name] = {"text": done.stdout.splitlines(), "failed": bool(done.returncode)}
    if path:
        path.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return any(other["failed"] for other in found["others"].values())


def main():
    if len(sys.argv) > 1 and sys.argv[1] in NAMES:
        sys.argv = sys.argv[1:]
        runpy.run_module(f"tests.benchmarks.{sys.argv[0]}", run_name="__main__", alter_sys=False)
        return None
    names = "\n".join(map(summary, NAMES))
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=f"{__doc__}\n{names}",
    )  # fmt: skip
    parser.add_argument("name", nargs="?", default="all", choices=["all", *NAMES])
    parser.add_argument("--largest", type=float, default=1000.0, metavar="KM", help="largest synthetic country (1000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    options = parser.parse_args()
    return run_all(options.largest, options.json)


if __name__ == "__main__":
    sys.exit(main())
