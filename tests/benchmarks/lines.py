"""What the evaluation of a drawing costs, and how it grows: N lines against N, every shape, perturbed copies.

    python -m tests.benchmarks lines [--lines 10000] [--steps 4]

CPU time is that of the process after a first run that may compile; lines are as dense in every drawing, so the time
should grow as their number does.
"""

import argparse
import time

import numpy as np

from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.courses import arc, bar, polyline
from geoeval.model.drawing import Drawing

LIMIT = 10.0  # CPU seconds wanted for 10,000 lines against 10,000


def drawing(count: int, seed: int, *, moved: float = 0.0) -> Drawing:
    """Bars, arcs and polylines of about 60 units, 4 to 8 wide, two in each square of 100."""
    rng, noise = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    side = 100 * np.sqrt(count / 2)
    courses = []
    for number in range(count):
        place = rng.uniform(0, side, 2)
        shape, angle = number % 3, rng.uniform(0, 2 * np.pi)
        along = np.array([np.cos(angle), np.sin(angle)])
        place = place + noise.normal(0, 1, 2) * moved
        if shape == 0:
            courses.append(bar(place, place + 60 * along))
        elif shape == 1:
            courses.append(arc(place, rng.uniform(15, 40), angle, 1.8))
        else:
            steps = np.cumsum(np.vstack([[0, 0], rng.normal(0, 5, (4, 2)) + 15 * along]), axis=0)
            courses.append(polyline(place + steps))
    return Drawing(courses, width=rng.uniform(4, 8, count))


def measure(count: int) -> tuple[float, dict[str, float]]:
    """CPU seconds of an evaluation, and those of its parts."""
    reference, prediction = drawing(count, 0), drawing(count, 0, moved=0.5)
    before = time.process_time()
    result = evaluate_lines(reference, prediction, seconds=1.0)
    return time.process_time() - before, result.seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=4)
    options = parser.parse_args()
    before = time.process_time()
    evaluate_lines(drawing(100, 0), drawing(100, 0, moved=0.5))
    print(f"first run {time.process_time() - before:.2f} s CPU")
    for step in range(options.steps)[::-1]:
        count = options.lines >> step
        total, parts = measure(count)
        shares = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
        print(f"{count:>8,} lines  {total:6.2f} s CPU  {1e6 * total / count:7.1f} µs a line   ({shares})")
    print(f"wanted: {LIMIT:g} s for 10,000 lines")


if __name__ == "__main__":
    main()
