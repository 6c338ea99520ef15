"""What the evaluation of buildings costs: 100,000 against a perturbed copy, and the Mallows scores of 3,000 pairs.

    python -m tests.benchmarks.objects [--buildings 100000] [--pairs 3000]

CPU seconds of the process (user and system) and its largest memory. The town has streets of detached houses and rows of
terraced ones that share walls; the copy is moved, turned and resized house by house, some houses are cut in two, some
joined with their neighbour, some missing, some invented. The seed is fixed.
"""

import argparse
import resource
import time

import numpy as np
import shapely

from geoeval import ObjectMap, evaluate_objects
from geoeval.objects.mallows import mallows_score, polygon_masks

WANTED = {"buildings": (60.0, 2.0), "pairs": 60.0}
CRS = "EPSG:32616"


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


def buildings(count: int) -> None:
    rng = np.random.default_rng(0)
    houses = town(count, rng)
    pair = [polygons(houses), polygons(perturbed(houses, rng))]
    start = time.process_time()
    maps = [ObjectMap.from_polygons(one, crs=CRS) for one in pair]
    result = evaluate_objects(*maps, parameters={"max-overlap": {"mallows": False}})
    seconds = time.process_time() - start
    scores = result.scores["max-overlap"]
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"{count:7,} buildings: {seconds:6.1f} CPU s, {memory:.2f} GB; f1 {scores['f1']:.4f}, "
        + ", ".join(f"{name} {scores[name]}" for name in ("one_to_one", "one_to_many", "many_to_one"))
    )
    print("        ", ", ".join(f"{name} {value:.2f}" for name, value in result.seconds.items()), "(wall)")


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
    parser.add_argument("--pairs", type=int, default=3000)
    options = parser.parse_args()
    print(f"wanted: 100,000 buildings in {WANTED['buildings'][0]:.0f} CPU s and {WANTED['buildings'][1]:.0f} GB; "
          f"3,000 Mallows scores in {WANTED['pairs']:.0f} CPU s; time linear in the buildings")  # fmt: skip
    for share in (4, 2, 1):
        buildings(options.buildings // share)
    pairs(options.pairs)


if __name__ == "__main__":
    main()
