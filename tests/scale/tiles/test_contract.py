"""Tiles give what an evaluation at once gives: every metric of every content, also where a side is empty."""

import itertools

import pytest

from geoeval import ObjectMap, RoadNetwork, evaluate
from geoeval.scale.tiles import running
from tests.golden.digests import digest, frame_rows
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
@pytest.mark.parametrize(("size", "features"), [(250.0, 0), (120.0, 150), (250.0, 100_000), (5000.0, 0)])
@pytest.mark.parametrize(("content", "pair"), list(itertools.product(MAPS, PAIRS)))
def test_tiles_give_what_is_given_at_once(content, pair, size, features, monkeypatch):
    """Each tile by itself, a few together, or all in one part."""
    monkeypatch.setattr(running, "PART_FEATURES", features)
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


@pytest.mark.parametrize("content", MAPS)
def test_tiles_are_the_same_in_whatever_parts_they_are_evaluated(content, monkeypatch):
    """Local scores and amounts of each tile, and errors of metrics that look at places, cut where tiles end."""
    maps = [make() for make in MAPS[content]]
    asked = {"kind": content, "tile_size": 120.0, "metrics": "ccq,opt-j,junct" if content == "roads" else "all"}
    found = []
    for features in (0, 150, 100_000):
        monkeypatch.setattr(running, "PART_FEATURES", features)
        result = evaluate(*maps, **asked)
        # Of two roads that fit a junction equally well, either may be named.
        frames = [result.cells, *(frame.drop(columns="pred_id") for frame in result.errors.values())]
        found.append([digest(frame_rows(frame)) for frame in frames])
    assert len(result.cells) > 5
    assert found[1:] == [found[0]] * 2


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
