"""Test any program that claims a published protocol, case by case.

    python examples/conformance/run.py                       # geoeval itself, all protocols
    python examples/conformance/run.py --protocol sat2graph-apls --command "my-program {truth} {prediction}"

The program is started once a case. ``{truth}`` and ``{prediction}`` are the files of the case; ``{truth_pickle}`` and
``{prediction_pickle}`` the same graphs as pickled dictionaries (row, column) -> neighbours, for scripts that take
these; ``{options}`` what the case asks for beyond the defaults, as ``NAME=VALUE``, a word each. Cases with options are
skipped where the command has no place for them.

Scores are taken from what the program prints: JSON that has their names anywhere in it, or the last line with numbers,
in the order that ``--order`` states. NaN, null and ``undefined`` are undefined scores. The exit code is 1 where a case
fails.
"""

import argparse
import json
import math
import pickle
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
# In which order programs print plain numbers, unless --order says otherwise.
ORDERS = {
    "sat2graph-topo": ("precision", "recall"),
    "sat2graph-apls": ("reference_to_prediction", "prediction_to_reference", "apls"),
    "cosmiq-apls": ("apls", "reference_to_prediction", "prediction_to_reference"),
    "cosmiq-topo": ("precision", "recall", "f1"),
    "roadtracer-junct": ("f_correct", "f_error", "f1"),
    "lane-geo-topo": ("geo_precision", "geo_recall", "topo_precision", "topo_recall"),
    "cldice": ("cldice", "precision", "sensitivity"),
    "betti": ("b0_error", "b1_error", "betti_error"),
    "citraro": ("opt_j_precision", "opt_j_recall", "opt_j_f1"),
}
NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w])|\b(?:nan|null|none|undefined)\b", re.IGNORECASE
)
Scores = dict[str, float | None]


def cases(protocols: list[str]) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Name, folder and facts of each case."""
    for protocol in protocols:
        for folder in sorted((CASES / protocol).iterdir()):
            yield f"{protocol}/{folder.name}", folder, json.loads((folder / "case.json").read_text(encoding="utf-8"))


def number(text: Any) -> float | None:
    """A number, or None for one that is undefined."""
    if text is None or str(text).strip().lower() in {"nan", "null", "none", "undefined"}:
        return None
    value = float(Fraction(text)) if isinstance(text, str) and "/" in text else float(text)
    return None if math.isnan(value) else value


def scores_in(printed: str, wanted: list[str], order: tuple[str, ...]) -> Scores:
    """The wanted scores in what a program printed; empty where there is nothing like it."""
    for text in (printed, *reversed(printed.splitlines())):
        try:
            held = json.loads(text)
        except ValueError:
            continue
        found = _named(held, wanted)
        if found:
            return found
    for row in reversed(printed.splitlines()):
        numbers = NUMBER.findall(row)
        if len(numbers) >= min(len(order), len(wanted)):
            return {name: number(value) for name, value in zip(order, numbers, strict=False)}
    return {}


def _named(held: Any, wanted: list[str]) -> Scores:
    """Scores by name in the innermost dictionary that has any of them."""
    if isinstance(held, dict):
        for value in held.values():
            inner = _named(value, wanted)
            if inner:
                return inner
        plain = {name: held[name] for name in wanted if name in held}
        if plain and all(value is None or isinstance(value, int | float | str) for value in plain.values()):
            return {name: number(value) for name, value in plain.items()}
    if isinstance(held, list):
        return next((inner for value in held if (inner := _named(value, wanted))), {})
    return {}


def by_geoeval(folder: Path, facts: dict[str, Any]) -> Scores:
    """What geoeval gives."""
    from geoeval import evaluate

    truth, prediction = files_of(folder)
    protocol = facts["protocol"]
    result = evaluate(truth, prediction, protocol=protocol, parameters={protocol: facts["options"]}, pixel_size=1.0)
    return dict(result.scores[protocol])


def by_command(command: str, order: tuple[str, ...], seconds: float) -> Callable[[Path, dict[str, Any]], Scores]:
    """How a program is asked."""

    def ask(folder: Path, facts: dict[str, Any]) -> Scores:
        truth, prediction = files_of(folder)
        options = [f"{name}={value}" for name, value in facts["options"].items()]
        with tempfile.TemporaryDirectory() as room:
            places = {"{truth}": str(truth), "{prediction}": str(prediction)}
            for side, path in (("truth", truth), ("prediction", prediction)):
                if f"{{{side}_pickle}}" in command:
                    places[f"{{{side}_pickle}}"] = str(pickled(path, Path(room) / f"{side}.p"))
            words = []
            for word in shlex.split(command):
                parts = [word.replace("{options}", option) for option in options]
                words += parts if "{options}" in word else [word]
            for name, place in places.items():
                words = [word.replace(name, place) for word in words]
            # The command is the user's own, and no shell sees it.
            done = subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)  # noqa: S603
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip() or "nothing printed").splitlines()[-1]
            raise RuntimeError(f"exit code {done.returncode}: {last}")
        return scores_in(done.stdout, list(facts["expected"]), order)

    return ask


def files_of(folder: Path) -> tuple[Path, Path]:
    """Truth and prediction of a case."""
    return next(folder.glob("truth.*")), next(folder.glob("prediction.*"))


def pickled(path: Path, to: Path) -> Path:
    """A graph in JSON as a dictionary of neighbours in pixels, in a pickle that Python 2 can read too."""
    if path.suffix != ".json":
        raise RuntimeError(f"{path.name} is no graph of a tile, so it has no pickle")
    places, pairs = json.loads(path.read_text(encoding="utf-8"))
    wide = math.cos(math.radians(41.0))
    pixels = [(round((41.0 - lat) * 111111.0, 6), round((lon + 71.0) * 111111.0 * wide, 6)) for lat, lon in places]
    neighbours: dict[tuple[float, float], list[tuple[float, float]]] = {pixel: [] for pixel in pixels}
    for a, b in pairs:
        neighbours[pixels[a]].append(pixels[b])
        neighbours[pixels[b]].append(pixels[a])
    to.write_bytes(pickle.dumps(neighbours, protocol=2))
    return to


def differences(expected: dict[str, str], found: Scores, tolerance: float) -> list[str]:
    """What is wrong, a phrase each."""
    wrong = []
    for name, text in expected.items():
        wanted = number(text)
        if name not in found:
            wrong.append(f"{name} is not in the output")
            continue
        value = found[name]
        same = value is wanted is None or (
            value is not None and wanted is not None and abs(value - wanted) <= tolerance
        )
        if not same:
            shown = "undefined" if value is None else f"{value:.6f}"
            wrong.append(
                f"{name} is {shown}, not {text}" + (f" = {wanted:.6f}" if "/" in text and wanted is not None else "")
            )
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--protocol", choices=[*ORDERS, "all"], default="all", help="whose cases to run")
    parser.add_argument("--command", help="the program with {truth} and {prediction}; by default geoeval")
    parser.add_argument(
        "--order", help="names of the scores in the order in which the program prints them, with commas"
    )
    parser.add_argument("--tolerance", type=float, default=1e-4, help="how far a score may be off (default: 0.0001)")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="for one case (default: 600)")
    asked = parser.parse_args()
    if asked.command and asked.protocol == "all":
        parser.error("a program is tested on one protocol; give --protocol NAME with --command")
    protocols = list(ORDERS) if asked.protocol == "all" else [asked.protocol]
    order = tuple(asked.order.split(",")) if asked.order else ORDERS[protocols[0]]
    ask = by_command(asked.command, order, asked.timeout) if asked.command else by_geoeval
    tally = {"passed": 0, "failed": 0, "skipped": 0}
    for name, folder, facts in cases(protocols):
        if asked.command and facts["options"] and "{options}" not in asked.command:
            tally["skipped"] += 1
            print(f"SKIP  {name}: needs {', '.join(f'{key}={value}' for key, value in facts['options'].items())}")
            continue
        try:
            wrong = differences(facts["expected"], ask(folder, facts), asked.tolerance)
        except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
            wrong = [str(error)]
        tally["failed" if wrong else "passed"] += 1
        print(f"{'FAIL' if wrong else 'PASS'}  {name}" + (f": {'; '.join(wrong)}" if wrong else ""))
        if wrong:
            print(f"      {facts['rule']} {facts['reasoning']}")
    print(", ".join(f"{count} {what}" for what, count in tally.items()))
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
