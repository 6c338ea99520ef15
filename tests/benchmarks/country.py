"""A synthetic road country of any length, in two noisy versions, as .osm.pbf.

    python -m tests.benchmarks.country KILOMETRES FOLDER [--seed 0]

writes ``reference.osm.pbf`` and ``prediction.osm.pbf``. Towns of irregular streets with dead ends, and roads between
them (see ``block``); about 4.4 km of road per km2, vertices about every 20 m, 7 junctions and ends per km. The
reference has noise of 0.3 m; the prediction has noise of 1 to 3 m by place, and about one road per km interrupted,
missing or invented. It lies around 49 N 9 E. The same length and seed give the same roads.

The country is made square by square, each square from the seed and its own place, and written as it is made:
memory does not grow with it. Squares know nothing of each other; a vertex on their common edge has one number, and
the square to its north-east says where it lies.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pyproj import Transformer

from tests.benchmarks.block import DENSITY, STEP, Block

CRS = "EPSG:32632"
MIDDLE = 500_000.0, 5_427_000.0  # 49 N 9 E
KM_OF_A_BLOCK = 40.0
VERSIONS = ("reference", "prediction")
LARGE_WAVES, SMALL_WAVES = (2500.0, 8000.0), (350.0, 1100.0)  # lengths of the waves that bend roads, metres


@dataclass(frozen=True)
class Part:
    """What a square adds to a version: its vertices, and roads as arrays of the vertices' ids."""

    ids: np.ndarray
    xy: np.ndarray
    roads: list


class Country:
    """Squares of ``side`` steps in rows; ``parts`` makes them one by one."""

    def __init__(self, kilometres, seed=0):
        self.seed = seed
        self.count = max(1, round(kilometres / KM_OF_A_BLOCK))
        metres = 1000 * kilometres / self.count
        self.columns = int(np.ceil(np.sqrt(self.count)))
        self.side = round(np.sqrt(metres / DENSITY) / STEP)
        rng = np.random.default_rng([seed, 0])
        share = rng.uniform(0.6, 1.5, self.count)
        self.metres = metres * share / share.mean()
        self.waves = [_waves(rng, *LARGE_WAVES, 0.028), _waves(rng, *SMALL_WAVES, 0.02)]

    def parts(self):
        """Reference and prediction, square by square; ids grow."""
        for number in range(self.count):
            yield self._parts_of(number)

    def _parts_of(self, number):
        side = self.side
        row, column = divmod(number, self.columns)
        rng = np.random.default_rng([self.seed, 1, number])
        east, north = number + 1, number + self.columns
        closed_east = column + 1 == self.columns or east >= self.count
        corner = np.array([column, row]) * side * STEP - self.columns * side * STEP / 2
        block = Block(
            side, self.metres[number], rng, lambda xy: self._bent(xy + corner),
            closed_east=closed_east, closed_north=north >= self.count,
        )  # fmt: skip

        # Vertices of the east and north edge belong to the next squares.
        rows, columns = np.divmod(np.arange((side + 1) ** 2), side + 1)
        owner = number + (columns == side) + (rows == side) * self.columns
        ids = owner * side**2 + rows % side * side + columns % side + 1
        made = []
        for roads, sigma in ((block.roads, 0.3), (block.predicted(), rng.uniform(1, 3))):
            used = np.zeros(len(ids), dtype=bool)
            used[np.concatenate(roads)] = True
            # A road of the square before may end here, even where this square lost its own.
            used[(rows == 0) | (columns == 0)] = True
            vertices = np.flatnonzero(used & (owner == number) & (block.degree > 0))
            xy = block.xy[vertices] + rng.normal(0, sigma / np.sqrt(2), (len(vertices), 2))
            made.append(Part(ids[vertices], xy + MIDDLE, [ids[road] for road in roads]))
        return made

    def _bent(self, xy):
        return xy + sum(np.sin(xy @ wave + phase) @ size for wave, phase, size in self.waves)


def write_country(folder, kilometres, seed=0):
    """Write both versions as .osm.pbf and return their paths. O(kilometres) time, memory of one square."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {(name, kind): folder / f"{name}.{kind}.opl" for name in VERSIONS for kind in ("nodes", "ways")}
    streams = {key: path.open("w", encoding="ascii") for key, path in texts.items()}
    to_degrees = Transformer.from_crs(CRS, 4326, always_xy=True)
    way = dict.fromkeys(VERSIONS, 1)
    for parts in Country(kilometres, seed).parts():
        for name, part in zip(VERSIONS, parts, strict=True):
            lon, lat = to_degrees.transform(*part.xy.T)
            places = zip(part.ids.tolist(), lon.tolist(), lat.tolist(), strict=True)
            streams[name, "nodes"].writelines(f"n{i} x{x:.7f} y{y:.7f}\n" for i, x, y in places)
            streams[name, "ways"].writelines(
                f"w{i} Thighway=residential Nn{',n'.join(map(str, road.tolist()))}\n"
                for i, road in enumerate(part.roads, way[name])
            )
            way[name] += len(part.roads)
    for stream in streams.values():
        stream.close()
    return tuple(_to_pbf(folder / f"{name}.osm.pbf", [texts[name, kind] for kind in ("nodes", "ways")])
                 for name in VERSIONS)  # fmt: skip


def country_networks(kilometres, seed=0):
    """Both versions as road networks, without a file; for countries that fit into memory."""
    from geoeval.model.road_network import RoadNetwork

    networks = []
    for version in zip(*Country(kilometres, seed).parts(), strict=True):
        ids = np.concatenate([part.ids for part in version])
        roads = [np.searchsorted(ids, road) for part in version for road in part.roads]
        segments = np.concatenate([np.column_stack([road[:-1], road[1:]]) for road in roads])
        names = np.repeat(np.arange(1, len(roads) + 1), [len(road) - 1 for road in roads])
        xy = np.concatenate([part.xy for part in version])
        networks.append(RoadNetwork(xy, segments, crs=CRS, source_ids=names, merge_coincident=False))
    return tuple(networks)


def _waves(rng, shortest, longest, steepness):
    """Three waves of each coordinate: their vectors, phases and sizes. The ground must not fold: keep them low."""
    lengths = rng.uniform(shortest, longest, 3)
    angles = rng.uniform(0, 2 * np.pi, 3)
    wave = 2 * np.pi / lengths * np.array([np.cos(angles), np.sin(angles)])
    directions = rng.uniform(0, 2 * np.pi, 3)
    size = steepness * lengths[:, None] * np.column_stack([np.cos(directions), np.sin(directions)])
    return wave, rng.uniform(0, 2 * np.pi, 3), size


def _to_pbf(path, texts):
    import osmium

    header = osmium.io.Header()
    header.set("sorting", "Type_then_ID")
    with osmium.SimpleWriter(str(path), overwrite=True, header=header) as writer:
        for text in texts:
            with osmium.io.Reader(osmium.io.File(str(text), "opl")) as reader:
                osmium.apply(reader, writer)
            text.unlink()
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kilometres", type=float)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for path in write_country(options.folder, options.kilometres, options.seed):
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
