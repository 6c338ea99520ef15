"""All benchmarks by name: ``python -m tests.benchmarks NAME [arguments]``; without a name, what there is."""

import runpy
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))

if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
    for name in NAMES:
        text = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
        print(f"{name:12} {text.split(chr(10))[0].strip(chr(34))}")
    sys.exit(0 if len(sys.argv) < 2 or sys.argv[1] in {"-h", "--help"} else 2)
sys.argv = [sys.argv[1], *sys.argv[2:]]
runpy.run_module(f"tests.benchmarks.{sys.argv[0]}", run_name="__main__", alter_sys=False)
