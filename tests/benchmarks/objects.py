"""What the evaluation of buildings costs: 100,000 against a perturbed copy, and the Mallows scores of 3,000 pairs.

    python -m tests.benchmarks.objects [--buildings 100000] [--tiled 100000 500000] [--workers 1] [--mallows]

CPU seconds (user and system) and peak memory, each row in a process of its own; with several workers those are not
counted, and seconds of a clock are shown too.
In tiles the buildings are first written into stores, batch by batch, and then evaluated from there. The town has
streets of detached houses and rows of terraced ones that share walls; the copy is moved, turned and resized house by
house, some houses are cut in two, some joined with their neighbour, some missing, some invented. The seed is fixed.
"""

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import shapely

from geoeval import ObjectMap, evaluate_objects
from geoeval.objects.mallows import mallows_score, polygon_masks
from geoeval.scale.store.object_store import ObjectStore, write_object_store
from geoeval.scale.tiles.tiled_objects import DEFAULT_TILE_SIZE, evaluate_object_stores
from tests.benchmarks.measuring import in_own_process, peak_mb

WANTED = {"buildings": (15.0, 1.2), "pairs": 60.0}
CRS = "EPSG:32616"
BATCH = 50_000


def town(count: int, rng: np.random.Generator) -> np.ndarray:
    """Centre, size and angle of houses: every third row of ten is a terrace."""
    columns = int(np.ceil(np.sqrt(count)))
    k = np.arange(count)
    row, column = k // columns, k % columns
    terrace = row % 3 == 0
    x = np.where(terrace, 12.0 * column + 20.0 * (column // 10), 26.0 * column)
    width = np.where(terrace, 12.0, rng.uniform(9, 16, count))
    depth = np.where(terrace, 10.0, rng.uniform(8, 14, count))
    return np.column_stack([500_000 + x, 4_000_000 + 30.0 * row, width, depth, np.zeros(count)])


def polygons(houses: np.ndarray) -> np.ndarray:
    x, y, width, depth, angle = houses.T
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    local = corners[None] * np.stack([width, depth], axis=-1)[:, None]
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    turned = np.stack(
        [
            x[:, None] + cos * local[..., 0] - sin * local[..., 1],
            y[:, None] + sin * local[..., 0] + cos * local[..., 1],
        ],
        axis=-1,
    )
    return np.asarray(shapely.polygons(turned))


def perturbed(houses: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    moved = houses.copy()
    moved[:, :2] += rng.normal(0, 1.0, (len(houses), 2))
    moved[:, 2:4] *= rng.uniform(0.85, 1.15, (len(houses), 2))
    moved[:, 4] = rng.normal(0, 0.05, len(houses))
    fate = rng.random(len(houses))
    kept = moved[fate < 0.85]
    halved = moved[(fate >= 0.85) & (fate < 0.9)]
    left, right = halved.copy(), halved.copy()
    left[:, 0] -= halved[:, 2] / 4
    right[:, 0] += halved[:, 2] / 4
    left[:, 2] = right[:, 2] = halved[:, 2] / 2.1
    wide = moved[(fate >= 0.9) & (fate < 0.95)]
    wide[:, 0] += 6.0
    wide[:, 2] *= 2
    invented = moved[fate >= 0.99].copy()
    invented[:, 1] += 15.0
    return np.concatenate([kept, left, right, wide, invented])


def both(count: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    houses = town(count, rng)
    return houses, perturbed(houses, rng)


def evaluate(count: int, folder: Path | None, *, mallows: bool, workers: int) -> dict:
    """Evaluate buildings at once, or in tiles those that a folder holds."""
    before, start = time.process_time(), time.perf_counter()
    options = {"parameters": {"max-overlap": {"mallows": mallows}}}
    if folder is None:
        maps = [ObjectMap.from_polygons(polygons(own), crs=CRS) for own in both(count)]
        result = evaluate_objects(*maps, **options)
    else:
        stores = [ObjectStore(folder / f"{side}.parquet") for side in "ab"]
        # As many houses as there are in one row make the town wider than its projection is right.
        result = evaluate_object_stores(*stores, crs=stores[0].crs, workers=workers, **options)
    seconds, wall = time.process_time() - before, time.perf_counter() - start
    scores = result.scores["max-overlap"]
    shown = {name: scores[name] for name in ("f1", "one_to_one", "one_to_many", "many_to_one")}
    return {"cpu_s": seconds, "wall_s": wall, "mb": peak_mb(), "workers": workers, **shown}


def ratio(count: int) -> dict:
    """All metrics without Mallows, against finding the pairs and intersecting them, and no more."""
    maps = [ObjectMap.from_polygons(polygons(own), crs=CRS) for own in both(count)]
    options = {"parameters": {"max-overlap": {"mallows": False}}}
    evaluate_objects(*(ObjectMap.from_polygons(polygons(own), crs=CRS) for own in both(500)), **options)  # compiled
    first, second = (own.polygons for own in maps)
    before = time.process_time()
    pred, ref = shapely.STRtree(first).query(second)
    shapely.area(shapely.intersection(first[ref], second[pred]))
    between = time.process_time()
    evaluate_objects(*maps, **options)
    return {"pairs_s": between - before, "cpu_s": time.process_time() - between, "mb": peak_mb()}


def write(count: int, folder: Path) -> dict:
    """Write buildings into stores, batch by batch."""
    before = time.process_time()
    for side, houses in zip("ab", both(count), strict=True):
        batches = (ObjectMap(polygons(houses[k : k + BATCH]), crs=CRS) for k in range(0, len(houses), BATCH))
        write_object_store(folder / f"{side}.parquet", batches, crs=ObjectMap([], crs=CRS).crs, facts={})
    return {"cpu_s": time.process_time() - before, "mb": peak_mb()}


def show(name: str, count: int, row: dict) -> None:
    facts = [f"{row['cpu_s']:7.1f} CPU s", f"{row['cpu_s'] / count * 1e6:7.0f} a million", f"{row['mb']:6.0f} MB"]
    if row.get("workers", 1) > 1:
        facts.append(f"{row['wall_s']:.1f} s by the clock")
    facts += [f"{key} {row[key]:.6g}" for key in ("f1", "one_to_one", "one_to_many", "many_to_one") if key in row]
    print(f"{name:6} {count:9,} buildings: " + ", ".join(facts), flush=True)


def pairs(count: int) -> None:
    """Houses of about 30 x 30 pixels of a metre against their perturbed copies."""
    rng = np.random.default_rng(1)
    first = np.column_stack([rng.uniform(0, 100, (count, 2)), rng.uniform(28, 32, (count, 2)), np.zeros(count)])
    second = first.copy()
    second[:, :2] += rng.normal(0, 2.0, (count, 2))
    second[:, 2:4] *= rng.uniform(0.9, 1.1, (count, 2))
    second[:, 4] = rng.normal(0, 0.05, count)
    start = time.process_time()
    scores = []
    for u, v in zip(polygons(first), polygons(second), strict=True):
        a, b, _ = polygon_masks([u], [v], resolution=1.0, across=8, most=2500)
        scores.append(mallows_score(a, b))
    print(f"{count:7,} Mallows scores: {time.process_time() - start:6.1f} CPU s; mean {np.mean(scores):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--buildings", type=int, default=100_000)
    parser.add_argument("--tiled", type=int, nargs="*", default=[100_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--mallows", action="store_true")
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--row", nargs=3, metavar=("KIND", "COUNT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        kind, count, folder = options.row[0], int(options.row[1]), Path(options.row[2])
        if kind == "write":
            row = write(count, folder)
        elif kind == "ratio":
            row = ratio(count)
        else:
            place = folder if kind == "tiled" else None
            row = evaluate(count, place, mallows=options.mallows, workers=options.workers)
        print(json.dumps(row))
        return
    print(f"wanted: 100,000 buildings in {WANTED['buildings'][0]:.0f} CPU s and {WANTED['buildings'][1]:.1f} GB; "
          f"3,000 Mallows scores in {WANTED['pairs']:.0f} CPU s; time linear in the buildings")  # fmt: skip
    more = ["--workers", options.workers, *(["--mallows"] if options.mallows else [])]
    for count in [options.buildings // share for share in (4, 2, 1)] if options.buildings else []:
        show("whole", count, in_own_process("tests.benchmarks.objects", *more, "--row", "whole", count, "."))
    if options.buildings:
        row = in_own_process("tests.benchmarks.objects", "--row", "ratio", options.buildings, ".")
        print(f"all metrics without Mallows: {row['cpu_s']:.2f} CPU s, {row['cpu_s'] / row['pairs_s']:.1f} times the "
              f"{row['pairs_s']:.2f} of finding the pairs and intersecting them (wanted: 3)")  # fmt: skip
    for count in options.tiled:
        with TemporaryDirectory() as folder:
            for kind in ("write", "tiled"):
                show(kind, count, in_own_process("tests.benchmarks.objects", *more, "--row", kind, count, folder))
    print(f"tiles of {DEFAULT_TILE_SIZE:g} m")
    if options.pairs:
        pairs(options.pairs)


if __name__ == "__main__":
    main()
