"""``python -m tests.golden``: keep the results of all runs as they are now, or only of those named (part of a name)."""

import json
import sys
import warnings
from pathlib import Path
from time import process_time

from tests.golden.digests import environment, kept
from tests.golden.runs import RUNS

PATH = Path(__file__).with_name("kept.json")


def main() -> None:
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:] or [""]
    before = json.loads(PATH.read_text(encoding="utf-8"))["runs"] if PATH.exists() else {}
    runs = {}
    for name, make in RUNS.items():
        if name in before and not any(part in name for part in wanted):
            runs[name] = before[name]
            continue
        start = process_time()
        runs[name] = kept(make())
        old = before.get(name, {"scores": {}, "digests": {}})
        changed = [part for part, value in runs[name]["digests"].items() if old["digests"].get(part) != value]
        changed += ["scores"] * (runs[name]["scores"] != old["scores"])
        changed += [f"no {part}" for part in old["digests"] if part not in runs[name]["digests"]]
        print(f"{name}: {process_time() - start:.1f} CPU s; changed: {', '.join(changed) or 'nothing'}")
    text = json.dumps({"environment": environment(), "runs": runs}, indent=1)
    PATH.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
