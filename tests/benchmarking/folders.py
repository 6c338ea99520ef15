"""Small folders of tiles."""

import itertools
import pickle

from geoeval import RoadNetwork, write_network

CRS = "EPSG:32610"


def network(*lines, x=0.0):
    """Roads in metres, moved to the right."""
    moved = [[(500_000 + x + a, 5_000_000 + b) for a, b in line] for line in lines]
    return RoadNetwork.from_lines(moved, crs=CRS)


def cross(size=200.0, x=0.0):
    """Two roads that cross."""
    half = size / 2
    return network([(0, half), (half, half)], [(half, half), (size, half)], [(half, 0), (half, half)],
                   [(half, half), (half, size)], x=x)  # fmt: skip


def street(size=200.0, x=0.0):
    """One of them."""
    return network([(0, size / 2), (size, size / 2)], x=x)


def write_tiles(folder, maps):
    """Write networks by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, one in maps.items():
        write_network(one, folder / f"{name}.geojson")
    return folder


def two_sides(folder, count=4):
    """A truth and a prediction, of which every second misses a street."""
    truth = write_tiles(folder / "truth", {f"t{i}": cross(x=300.0 * i) for i in range(count)})
    maps = {f"t{i}": cross(x=300.0 * i) if i % 2 else street(x=300.0 * i) for i in range(count)}
    return truth, write_tiles(folder / "prediction", maps)


def grid_dict(size=400, step=100, rows=None):
    """An adjacency dictionary of a grid of streets, nodes every 10 px."""
    around = {}
    lines = [[(a, b) for b in range(0, size, 10)] for a in (rows or range(step // 2, size, step))]
    lines += [[(a, b) for a in range(0, size, 10)] for b in range(step // 2, size, step)]
    for line in lines:
        for one, other in itertools.pairwise(line):
            around.setdefault(one, []).append(other)
            around.setdefault(other, []).append(one)
    return around


def write_pickles(folder, graphs):
    folder.mkdir(parents=True, exist_ok=True)
    for name, graph in graphs.items():
        (folder / name).write_bytes(pickle.dumps(graph))
    return folder
