"""What the evaluation of buildings costs, against finding the pairs and intersecting them, and the Mallows scores.

    python -m tests.benchmarks.objects [--buildings 100000] [--tiled 100000 1000000] [--workers 1] [--mallows]
                                       [--metrics every|all]

CPU seconds (user and system) and peak memory, each row in a process of its own, functions compiled before; with several
workers theirs are not counted, and seconds of a clock are shown too. ``every`` are all object metrics, ``all`` the four
that are computed unless others are named; Mallows scores only with ``--mallows``.

- *whole*: polygons to maps (validity, order) to scores. Features on the map are made when somebody looks at them, so
  they are not in it; the row of ratios has them.
- *ratio*: from maps that nothing was asked of before to scores, and then to the GeoDataFrames of all errors and
  matches; as multiples of an STRtree query plus the areas of the intersections of the pairs that it finds.
- *write*, *tiled*: the buildings are first written into stores, batch by batch, and then evaluated from there, to
  scores and features.
- *Mallows*: matched buildings of 100 to 400 pixels, from polygons to scores; and the transport alone, ours and POT's.

The town has streets of detached houses and rows of terraced ones that share walls; the copy is moved, turned and
resized house by house, some houses are cut in two, some joined with their neighbour, some missing, some invented. The
seed is fixed.
"""

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import ot
import shapely
from scipy.ndimage import distance_transform_edt
from scipy.spatial.distance import cdist

from geoeval import ObjectMap, evaluate_objects
from geoeval.objects.content import CONTENT as OBJECTS
from geoeval.objects.mallows import scores_of_polygons
from geoeval.objects.registry import METRICS
from geoeval.objects.transport import least_cost
from geoeval.scale.store.object_store import ObjectStore, write_object_store
from geoeval.scale.tiles.tiled_objects import evaluate_object_stores
from tests.benchmarks.measuring import in_own_process, peak_mb

WANTED = "100,000 buildings in 15 CPU s and 1.2 GB, a million in tiles in 150 CPU s; 0.7 ms a Mallows score"
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


def maps_of(count: int) -> list[ObjectMap]:
    return [ObjectMap.from_polygons(polygons(own), crs=CRS) for own in both(count)]


def choice(metrics: str, *, mallows: bool = False) -> dict:
    """What is evaluated: every metric, or those that are unless others are named."""
    names = list(METRICS) if metrics == "every" else metrics
    return {"metrics": names, "parameters": {"max-overlap": {"mallows": mallows}}}


def compile_all(options: dict) -> None:
    evaluate_objects(*maps_of(500), **options).errors.copy()


def evaluate(count: int, folder: Path | None, *, metrics: str, mallows: bool, workers: int) -> dict:
    """Evaluate buildings at once, or in tiles those that a folder holds."""
    options = choice(metrics, mallows=mallows)
    compile_all(options)
    before, start = time.process_time(), time.perf_counter()
    if folder is None:
        result = evaluate_objects(*maps_of(count), workers=workers, **options)
    else:
        stores = [ObjectStore(folder / f"{side}.parquet") for side in "ab"]
        # As many houses as there are in one row make the town wider than its projection is right.
        result = evaluate_object_stores(*stores, crs=stores[0].crs, workers=workers, **options)
    seconds, wall = time.process_time() - before, time.perf_counter() - start
    scores = result.scores["max-overlap"]
    shown = {name: scores[name] for name in ("f1", "one_to_one", "one_to_many", "many_to_one")}
    return {"cpu_s": seconds, "wall_s": wall, "mb": peak_mb(), "workers": workers, **shown}


def ratio(count: int, metrics: str) -> dict:
    """Metrics without Mallows and their features, against finding the pairs and intersecting them, and no more."""
    options = choice(metrics)
    compile_all(options)
    maps = maps_of(count)
    first, second = (own.polygons for own in maps)
    times = [time.process_time()]
    pred, ref = shapely.STRtree(first).query(second)
    shapely.area(shapely.intersection(first[ref], second[pred]))
    times.append(time.process_time())
    result = evaluate_objects(*maps, **options)
    times.append(time.process_time())
    result.errors.copy()
    times.append(time.process_time())
    pairs_s, cpu_s, features_s = np.diff(times).tolist()
    return {"pairs_s": pairs_s, "cpu_s": cpu_s, "features_s": features_s, "mb": peak_mb()}


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


def matched_houses(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Houses of 100 to 400 square metres, and their perturbed copies."""
    rng = np.random.default_rng(1)
    area, longer = rng.uniform(100, 400, count), rng.uniform(1, 2, count)
    width = np.sqrt(area * longer)
    first = np.column_stack([rng.uniform(0, 100, (count, 2)), width, area / width, np.zeros(count)])
    second = first.copy()
    second[:, :2] += rng.normal(0, 1.5, (count, 2))
    second[:, 2:4] *= rng.uniform(0.85, 1.15, (count, 2))
    second[:, 4] = rng.normal(0, 0.05, count)
    return polygons(first), polygons(second)


def surplus(one: shapely.Polygon, other: shapely.Polygon) -> tuple[np.ndarray, ...]:
    """What has to be moved for a match: places and weights of sources, and of sinks."""
    low_x, low_y, high_x, high_y = shapely.total_bounds([one, other])
    x, y = np.meshgrid(np.arange(low_x + 0.5, high_x), np.arange(low_y + 0.5, high_y))
    weights = [distance_transform_edt(np.pad(shapely.contains_xy(own, x, y), 1)) for own in (one, other)]
    moved = weights[0] / weights[0].sum() - weights[1] / weights[1].sum()
    source, sink = np.argwhere(moved > 1e-12), np.argwhere(moved < -1e-12)
    have, want = moved[tuple(source.T)], -moved[tuple(sink.T)]
    places, goals = (np.ascontiguousarray(own, dtype=float) for own in (source, sink))
    return places, have / have.sum(), goals, want / want.sum()


def pairs(count: int) -> None:
    """Mallows scores from polygons, on pixels of a metre; and the transport of some of them, ours and POT's."""
    first, second = matched_houses(count)
    houses = np.stack([first, second], axis=1).ravel()
    start = np.arange(0, 2 * count + 1, 2)
    options = {"resolution": 1.0, "across": 8, "most": 2500}
    scores_of_polygons(houses[:20], start[:11], start[:10] + 1, **options)  # compiled
    before = time.process_time()
    scores, _ = scores_of_polygons(houses, start, start[:-1] + 1, **options)
    seconds = time.process_time() - before
    print(f"{count:,} Mallows scores of buildings of 100 to 400 pixels: {1e3 * seconds / count:.2f} ms each; "
          f"mean {scores.mean():.6f}")  # fmt: skip
    problems = [surplus(*own) for own in zip(first[:200], second[:200], strict=True)]
    least_cost(*problems[0])  # compiled
    times = [time.process_time()]
    ours = [least_cost(*own) for own in problems]
    times.append(time.process_time())
    theirs = [
        ot.emd2(have, want, cdist(source, sink), numItermax=10**7, numThreads=1)
        for source, have, sink, want in problems
    ]
    times.append(time.process_time())
    own, pot = 1e3 * np.diff(times) / len(problems)
    apart = np.abs(np.subtract(ours, theirs)).max()
    print(f"transport alone: {own:.2f} ms, POT {pot:.2f} ms; costs differ by at most {apart:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--buildings", type=int, default=100_000)
    parser.add_argument("--tiled", type=int, nargs="*", default=[100_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--mallows", action="store_true")
    parser.add_argument("--metrics", choices=("every", "all"), default="every")
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--row", nargs=3, metavar=("KIND", "COUNT", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(json.dumps(measured(options, options.row[0], int(options.row[1]), Path(options.row[2]))))
        return
    print(f"wanted: {WANTED}; time linear in the buildings; 3 times finding and intersecting pairs; tiles of "
          f"{OBJECTS.tile_size:g} m")  # fmt: skip
    for metrics in ("all", "every") if options.buildings else ():
        row = in_own_process("tests.benchmarks.objects", "--metrics", metrics, "--row", "ratio", options.buildings, ".")
        print(f"{metrics} metrics, {row['mb']:.0f} MB: {row['cpu_s']:.2f} CPU s, {row['cpu_s'] / row['pairs_s']:.2f} "
              f"times the {row['pairs_s']:.2f} of finding and intersecting pairs; with features "
              f"{(row['cpu_s'] + row['features_s']) / row['pairs_s']:.2f} times", flush=True)  # fmt: skip
    more = ["--metrics", options.metrics, "--workers", options.workers, *(["--mallows"] if options.mallows else [])]
    for count in [options.buildings // share for share in (4, 2, 1)] if options.buildings else []:
        show("whole", count, in_own_process("tests.benchmarks.objects", *more, "--row", "whole", count, "."))
    for count in options.tiled:
        with TemporaryDirectory() as folder:
            for kind in ("write", "tiled"):
                show(kind, count, in_own_process("tests.benchmarks.objects", *more, "--row", kind, count, folder))
    if options.pairs:
        pairs(options.pairs)


def measured(options: argparse.Namespace, kind: str, count: int, folder: Path) -> dict:
    """One row, in this process."""
    if kind == "write":
        return write(count, folder)
    if kind == "ratio":
        return ratio(count, options.metrics)
    place = folder if kind == "tiled" else None
    return evaluate(count, place, metrics=options.metrics, mallows=options.mallows, workers=options.workers)


if __name__ == "__main__":
    main()
