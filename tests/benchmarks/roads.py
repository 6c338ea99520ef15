"""What the road metrics cost and say on Vancouver, beside the authors' code.

    python -m tests.benchmarks roads [FOLDER] [--json]

FOLDER holds ``reference.graph`` and ``roadtracer.graph`` (pixels); both are cut to 3836 px around the origin and
evaluated with the preset ``roadtracer-px``. Measured as in ``suite``. The authors' code took 433 CPU seconds for the
six metrics marked with a star.
"""

import argparse
import json
import tempfile
from pathlib import Path

from tests.benchmarks import places
from tests.benchmarks.measuring import in_own_process

METRICS = ("ccq", "tlts", "apls", "junct", "subg", "opt-p", "opt-j", "opt-g")
AUTHORS = {"ccq": 1.3, "tlts": 174.0, "subg": 76.0, "opt-p": 97.0, "opt-j": 8.8, "opt-g": 76.0}
AUTHORS_SUM = 433.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=places.VANCOUVER)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geoeval-") as scratch:
        folder = places.save_vancouver(Path(scratch) / "vancouver", options.folder)
        small = places.save_country(Path(scratch) / "small", places.SMALL)
        found = {m: in_own_process("tests.benchmarks.suite", "--one", m, folder, small) for m in METRICS}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{'metric':8} {'CPU s':>8} {'peak MB':>8} {'authors':>8} {'ratio':>7}  scores")
    for metric, one in found.items():
        theirs = AUTHORS.get(metric)
        ratio = f"{theirs / one['cpu_s']:.0f}x" if theirs else ""
        scores = "  ".join(f"{k} {v:.3f}" for k, v in one["scores"].items() if isinstance(v, float))
        print(f"{metric + '*' * (metric in AUTHORS):8} {one['cpu_s']:8.3f} {one['peak_mb']:8.0f} "
              f"{theirs or '':>8} {ratio:>7}  {scores}")  # fmt: skip
    total = sum(found[metric]["cpu_s"] for metric in AUTHORS)
    print(f"six starred together: {total:.2f} CPU s, 1/{AUTHORS_SUM / total:.0f} of the authors' {AUTHORS_SUM:.0f} s "
          f"(1/100 is wanted)")  # fmt: skip


if __name__ == "__main__":
    main()
