"""A review of many errors: how long it takes to write and open, to move on, and to judge, in a real browser.

python -m tests.benchmarks review [--errors N] [--repeats N]
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import shapely

from geoeval import RoadNetwork, review
from geoeval.model.features import ErrorFeatures
from geoeval.reviewing.page_server import PageServer
from tests.conftest import CHROMIUM
from tests.writers.results import EAST, NORTH, UTM10, make_result

SHOWN = "document.documentElement.dataset.shown"


def town_of_errors(count):
    """A town of as many blocks as errors, drawn in both maps, each block of the reference an error."""
    side = int(np.ceil(np.sqrt(count / 2)))
    y, x = np.divmod(np.arange(2 * side * side) // 2, side)
    along = np.arange(2 * side * side) % 2 == 0
    start = np.column_stack([EAST + 80.0 * x, NORTH + 80.0 * y])
    end = start + np.where(along[:, None], [80.0, 0.0], [0.0, 80.0])
    lines = shapely.linestrings(np.stack([start, end], axis=1))
    chosen = lines[:count]
    kinds = np.array(["missing", "spurious", "displaced"])[np.arange(count) % 3]
    features = ErrorFeatures("ccq")
    features.add("", chosen, ref_id=[str(k) for k in range(count)], dist_m=9.0,
                 severity=(np.arange(count) % 100) / 100, note="made for the benchmark",
                 ref_m=70.0, pred_m=0.0, gain=np.linspace(1e-4, 1e-9, count))  # fmt: skip
    features.rows["kind"] = kinds.tolist()
    metres = 80.0 * len(lines)
    counts = {"ref_length": metres, "ref_matched": metres - 70.0 * count, "pred_length": metres, "pred_matched": metres}
    result = make_result(features, scores={"ccq": {"quality": 0.5, "completeness": 0.5, "correctness": 1.0}})
    result.counts["ccq"] = counts
    network = RoadNetwork.from_lines(lines, crs=UTM10)
    result.inputs.update(reference=network, prediction=network)
    return result


def until(page, condition):
    while not page.evaluate(condition):
        page.wait_for_timeout(2)


def timed(page, key):
    """Seconds from a key to the next error on the map."""
    before, start = page.evaluate(SHOWN), perf_counter()
    page.keyboard.press(key)
    until(page, f"{SHOWN} && {SHOWN} !== {before!r}")
    return perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--errors", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=20)
    given = parser.parse_args()
    result = town_of_errors(given.errors)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.gpkg"
        start = perf_counter()
        result.write_run(path, grid=None)
        print(f"write the run        {perf_counter() - start:7.2f} s, {path.stat().st_size / 1e6:.0f} MB")
        start = perf_counter()
        opened = review(path)
        server = PageServer(opened)
        server.start()
        server.answers.listed()
        print(f"open and list        {perf_counter() - start:7.2f} s")
        if CHROMIUM is None:
            print("no Chromium on this machine: the page is not measured")
            return
        from playwright.sync_api import sync_playwright

        with sync_playwright() as driver:
            chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = chromium.new_page(viewport={"width": 1300, "height": 900})
            start = perf_counter()
            page.goto(server.url)
            until(page, "document.documentElement.dataset.ready !== undefined")
            print(f"page with first error{perf_counter() - start:7.2f} s")
            for name, keys in (("next error", "j"), ("verdict and next", "12")):
                taken = [timed(page, keys[number % len(keys)]) for number in range(given.repeats)]
                print(f"{name:21}{statistics.median(taken):7.3f} s, at most {max(taken):.3f} s")
            start = perf_counter()
            page.select_option("#order", "random")
            until(page, f"{SHOWN}")
            print(f"another order        {perf_counter() - start:7.3f} s")
            chromium.close()
        server.shutdown()
        start = perf_counter()
        opened.judged()
        print(f"scores as judged     {perf_counter() - start:7.3f} s")


if __name__ == "__main__":
    main()
