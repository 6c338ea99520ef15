"""Runs whose results are kept: every kind of map, at once and in tiles, from files and from memory, and odd pairs.

They are small, made here or Helsinki's real streets, and each takes another way through the evaluation.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import shapely

from geoeval import Drawing, ObjectMap, RoadNetwork, evaluate, perturb, read_network
from geoeval.cli.demo import helsinki
from geoeval.objects.alignment import moved as moved_objects
from geoeval.roads.alignment import moved
from tests.networks import grid, noisy
from tests.readers.osm.osm_files import node, way, xml

UTM = "EPSG:32635"
# Quick and as telling: one decomposition into paths, few starts and pairs.
QUICK = {"opt-p": {"decompositions": 1}, "subg": {"starts": 60}, "opt-g": {"starts": 60}, "tlts": {"pairs": 100}}
RUNS: dict[str, Callable] = {}


def run(name):
    """Keep a function that gives a result as a run of this name."""

    def keep(function):
        RUNS[name] = function
        return function

    return keep


@cache
def folder() -> Path:
    """A folder for the files of this process."""
    return Path(mkdtemp(prefix="geoeval-golden-"))


def file(name: str, text: str) -> Path:
    path = folder() / name
    if not path.exists():
        path.write_text(text, encoding="utf-8")
    return path


# ---------------------------------------------------------------------------------------------- roads


@cache
def streets() -> RoadNetwork:
    """A quarter of Helsinki."""
    whole = read_network(helsinki())
    west, south, east, north = whole.bounds
    return whole.clip((west, south, (west + east) / 2, (south + north) / 2))


@cache
def imperfect() -> RoadNetwork:
    """The quarter with errors of five kinds."""
    made = streets()
    for seed, (error, count) in enumerate(
        (("missing", 5), ("interruptions", 8), ("overconnections", 4), ("doubled", 3), ("perturbations", 5)), start=1
    ):
        made = perturb(made, error, count, seed=seed).prediction
    return made


def towns_far_apart() -> list[list[tuple[float, float]]]:
    """Three small towns for which no projection is right, in degrees."""
    return [
        [(lon + x / 50_000, lat + y / 50_000) for x, y in line]
        for lon, lat in ((0.0, 5.0), (40.0, 60.0), (100.0, -45.0))
        for line in noisy(grid(3, 3), 5.0, seed=3)
    ]


@run("roads of files")
def _roads_of_files():
    return evaluate(helsinki(), _written(imperfect(), "imperfect.gpkg"), metrics="ccq,opt-j,junct,subg",
                    parameters={"subg": {"starts": 60}}, network_type="drive")  # fmt: skip


@run("roads in memory, every metric")
def _roads_in_memory():
    return evaluate(streets(), imperfect(), parameters=QUICK)


@run("roads in tiles, maps kept")
def _roads_in_tiles():
    return evaluate(streets(), imperfect(), parameters=QUICK, tile_size=500.0)


@run("roads streamed, maps not kept")
def _roads_streamed():
    return evaluate(helsinki(), _written(imperfect(), "imperfect.gpkg"), metrics="ccq,opt-j,opt-g", tile_size=700.0,
                    parameters={"opt-g": {"starts": 60}}, keep_inputs=False)  # fmt: skip


@run("roads aligned")
def _roads_aligned():
    return evaluate(streets(), moved(imperfect(), 4.0, -3.0), metrics="ccq,opt-j", align=True)


@run("roads aligned in tiles of an area")
def _roads_aligned_in_tiles():
    west, south, east, north = streets().bounds
    area = shapely.Polygon([(west, south), (east, south), (west, north)])
    return evaluate(streets(), moved(imperfect(), 4.0, -3.0), metrics="ccq,opt-j", align=True, aoi=area, tile_size=400)


def _one_empty(**options):
    nothing = RoadNetwork.from_lines([], crs=streets().crs)
    return [evaluate(*pair, parameters=QUICK, **options) for pair in ((streets(), nothing), (nothing, streets()))]


@run("roads, no prediction")
def _roads_without_prediction():
    return _one_empty()[0]


@run("roads, no reference, in tiles")
def _roads_without_reference_in_tiles():
    return _one_empty(tile_size=600.0, keep_inputs=False)[1]


@run("roads in degrees, each tile in a projection of its own")
def _roads_in_degrees():
    towns = (towns_far_apart(), towns_far_apart()[:-3])
    paths = [file(f"far{number}.osm", osm_of_roads(lines)) for number, lines in enumerate(towns)]
    return evaluate(*paths, metrics="ccq,opt-j,apls", tile_size=2000.0, aoi="all")


def osm_of_roads(lines: list[list[tuple[float, float]]]) -> str:
    """Lines in degrees as an OpenStreetMap file; they are joined where they share a place."""
    numbers = {place: number for number, place in enumerate(sorted({p for line in lines for p in line}), start=1)}
    nodes = [node(number, f"{lon:.7f}", f"{lat:.7f}") for (lon, lat), number in numbers.items()]
    ways = [way(number, [numbers[place] for place in line], {"highway": "residential"})
            for number, line in enumerate(lines, start=1)]  # fmt: skip
    return xml(*nodes, *ways)


def _written(network: RoadNetwork, name: str) -> Path:
    from geoeval import write_network

    path = folder() / name
    if not path.exists():
        write_network(network, path)
    return path


# -------------------------------------------------------------------------------------------- objects


def blocks(seed: int, shift: float = 0.0) -> list[shapely.Polygon]:
    """Houses in rows: some left out, split, merged or turned."""
    rng = np.random.default_rng(seed)
    houses = []
    for x in range(0, 400, 25):
        for y in range(0, 300, 25):
            chance = rng.random()
            wide = 20.0 if chance > 0.85 else 12.0
            house = shapely.box(x + shift, y, x + wide + shift, y + 10)
            if chance < 0.1:
                continue
            if chance < 0.2:
                houses += [shapely.box(x, y, x + 5, y + 10), shapely.box(x + 6, y, x + 12, y + 10)]
                continue
            houses.append(shapely.affinity.rotate(house, 10 * rng.normal()) if chance < 0.5 else house)
    return houses


def houses(seed: int, shift: float = 0.0, **more) -> ObjectMap:
    at_home = [shapely.affinity.translate(one, 386_000, 6_672_000) for one in blocks(seed, shift)]
    return ObjectMap.from_polygons(at_home, crs=UTM, **more)


@run("objects, every metric, with a plan")
def _objects_at_once():
    return evaluate(houses(1), houses(2), kind="objects", plan=True)


@run("objects in tiles")
def _objects_in_tiles():
    return evaluate(houses(1), houses(2), kind="objects", tile_size=90.0)


@run("objects streamed")
def _objects_streamed():
    paths = [file(f"houses{seed}.osm", osm_of(houses(seed))) for seed in (1, 2)]
    return evaluate(*paths, kind="objects", metrics="bgm,iou,hoover", tile_size=120.0)


@run("objects aligned")
def _objects_aligned():
    return evaluate(houses(1), moved_objects(houses(1), 3.0, 1.0), kind="objects", metrics="iou,bgm", align=True)


@run("objects of classes")
def _objects_of_classes():
    maps = [houses(seed) for seed in (1, 2)]
    named = [one.with_classes(["barn" if x % 3 else "house" for x in range(len(one))]) for one in maps]
    return evaluate(*named, kind="objects", metrics="iou,hoover")


@run("objects, none predicted, in tiles")
def _objects_without_prediction():
    nothing = ObjectMap.from_polygons([], crs=UTM)
    return evaluate(houses(1), nothing, kind="objects", tile_size=90.0)


def osm_of(objects: ObjectMap) -> str:
    """The outlines as buildings of an OpenStreetMap file."""
    from geoeval.crs import to_lonlat

    nodes, ways = [], []
    for number, polygon in enumerate(objects.polygons, start=1):
        places = to_lonlat(shapely.get_coordinates(polygon)[:-1], objects.crs)
        first = 10 * number
        nodes += [node(first + k, f"{lon:.7f}", f"{lat:.7f}") for k, (lon, lat) in enumerate(places.tolist())]
        refs = [first + k for k in range(len(places))]
        ways.append(way(number, [*refs, first], {"building": "yes"}))
    return xml(*nodes, *ways)


# ---------------------------------------------------------------------------------------------- lines


@run("lines")
def _lines():
    rng = np.random.default_rng(5)
    bars = rng.uniform(0, 200, (12, 2, 2)).round()
    drawn, found = (Drawing.from_lines(one, width=4) for one in (bars, np.add(bars[:-2], [1.0, 0.0])))
    return evaluate(drawn, found, kind="lines")


@run("a protocol")
def _protocol():
    return evaluate(streets(), imperfect(), protocol="cosmiq-apls")
