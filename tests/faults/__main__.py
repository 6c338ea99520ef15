"""The campaigns: ``python -m tests.faults --kills 200 --full 100 --damaged 300``; counts by outcome."""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults.damaged import damaged
from tests.faults.full_disks import full_disks
from tests.faults.kills import kills
from tests.faults.outcomes import GOOD


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=0, help="runs to kill")
    parser.add_argument("--full", type=int, default=0, help="disks that are too small; needs the right to mount")
    parser.add_argument("--damaged", type=int, default=0, help="stores in which a byte is changed")
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills and of the bytes")
    given = parser.parse_args()
    wrong = False
    for name, campaign, count in (
        ("kills", lambda *asked: kills(*asked, seed=given.seed), given.kills),
        ("full disks", full_disks, given.full),
        ("bytes", lambda *asked: damaged(*asked, seed=given.seed), given.damaged),
    ):
        if count:
            with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
                for outcome, number in sorted(campaign(count, Path(folder)).items()):
                    print(f"{name}: {number:5} {outcome}", flush=True)
                    wrong |= outcome not in GOOD
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
