"""Tiles give what an evaluation at once gives: every metric of every content, also where a side is empty."""

import itertools

import pytest

from geoeval import ObjectMap, RoadNetwork, evaluate
from tests.golden.runs import QUICK, houses, imperfect, streets

NOTHING = {"roads": lambda: RoadNetwork.from_lines([], crs="EPSG:32635"),
           "objects": lambda: ObjectMap.from_polygons([], crs="EPSG:32635")}  # fmt: skip
MAPS = {"roads": (streets, imperfect), "objects": (lambda: houses(1), lambda: houses(2))}
OPTIONS = {"roads": {"parameters": QUICK}, "objects": {}}
PAIRS = {
    "two maps": lambda one, other, nothing: (one, other),
    "a map and itself": lambda one, other, nothing: (one, one),
    "no prediction": lambda one, other, nothing: (one, nothing),
    "no reference": lambda one, other, nothing: (nothing, other),
    "nothing at all": lambda one, other, nothing: (nothing, nothing),
}


@pytest.mark.filterwarnings("ignore::geoeval.exceptions.GeoevalWarning")
@pytest.mark.parametrize("size", [250.0, 5000.0])
@pytest.mark.parametrize(("content", "pair"), list(itertools.product(MAPS, PAIRS)))
def test_tiles_give_what_is_given_at_once(content, pair, size):
    one, other = (make() for make in MAPS[content])
    maps = PAIRS[pair](one, other, NOTHING[content]())
    whole = evaluate(*maps, kind=content, **OPTIONS[content])
    tiled = evaluate(*maps, kind=content, tile_size=size, **OPTIONS[content])
    assert tiled.scores == whole.scores
    assert tiled.counts == whole.counts
    assert tiled.ground == whole.ground
    assert tiled.offset == whole.offset
    assert tiled.error_summary() == whole.error_summary()
    assert tiled.diagnosis == whole.diagnosis


@pytest.mark.filterwarnings("ignore::geoeval.exceptions.GeoevalWarning")
@pytest.mark.parametrize("side", ["reference", "prediction"])
@pytest.mark.parametrize("content", MAPS)
def test_so_do_tiles_of_an_area_where_one_side_has_nothing(content, side):
    """The map is there, but not in the area: a side is empty that has a store full of things."""
    one, other = (make() for make in MAPS[content])
    maps = {"reference": one, "prediction": other}
    west, south, east, north = one.bounds
    middle = (west + east) / 2
    maps[side] = maps[side].clip((west - 100, south - 100, middle - 50, north + 100))
    area = (middle + 50, south - 100, east + 100, north + 100)
    asked = {"kind": content, "aoi": area, **OPTIONS[content]}
    whole = evaluate(*maps.values(), **asked)
    tiled = evaluate(*maps.values(), tile_size=200.0, **asked)
    assert tiled.scores == whole.scores
    assert tiled.counts == whole.counts
    assert tiled.error_summary() == whole.error_summary()
