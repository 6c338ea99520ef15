"""What a pair of maps is told before its scores: true, with the option that mends it, and nothing about a good pair."""

import json

import geopandas as gpd
import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from geoeval import RoadNetwork, evaluate
from geoeval.cli.main import app
from geoeval.crs import to_lonlat
from geoeval.diagnosis.place import check_place
from geoeval.model.source_classes import source_classes
from geoeval.pipeline.evaluate import prepare
from geoeval.roads.alignment import moved
from tests.conftest import DATA
from tests.networks import grid, network, noisy

X, Y = 550_000.0, 5_300_000.0
TOWN = [[(X + x, Y + y) for x, y in line] for line in noisy(grid(8, 8), 15.0, seed=3)]


def town(lines=TOWN, crs="EPSG:32610"):
    return RoadNetwork.from_lines(lines, crs=crs)


def checks(reference, prediction, **options):
    found = prepare(reference, prediction, **options).findings
    assert all(set(one) == {"check", "level", "message", "option"} for one in found)
    return {one["check"]: one for one in found}


def test_a_good_pair_is_told_nothing():
    worse = town([line for i, line in enumerate(noisy(TOWN, 0.5, seed=1)) if i % 7])
    assert checks(town(), worse) == {}
    assert checks(town(), town()) == {}
    assert checks(town(), RoadNetwork.from_lines([], crs="EPSG:32610")) == {}


@pytest.mark.parametrize("tiles", [{}, {"tile_size": 300.0}])
def test_a_shift_is_told_with_its_option_and_not_when_it_is_removed(tiles):
    shifted = moved(town(), 6.0, -4.0)
    (found,) = evaluate(town(), shifted, metrics="ccq", **tiles).diagnosis
    assert (found["check"], found["level"], found["option"]) == ("offset", "warning", "--align")
    assert "6.00 ± 0.01 m east, 4.00 ± 0.01 m south" in found["message"]
    assert evaluate(town(), shifted, metrics="ccq", align=True, **tiles).diagnosis == ()


def test_how_far_apart_and_in_which_direction():
    (found,) = check_place(town(), moved(town(), 0.0, -250_000.0))
    assert (found["check"], found["level"]) == ("place", "error")
    assert "the prediction lies 250 km south of the reference" in found["message"]
    (found,) = check_place(network(TOWN, crs=None), moved(network(TOWN, crs=None), 5_000.0, 0.0))
    assert "5,000 m east" in found["message"]


def test_exchanged_axes_are_recognised_on_either_side():
    lonlat = [to_lonlat(np.array(line), town().crs) for line in TOWN]
    # Degrees as latitude must stay below 90, so on the other side of the Earth.
    east = [line * [-0.5, 1.0] for line in lonlat]
    right, swapped = (
        RoadNetwork.from_lines(lines, crs="EPSG:4326") for lines in (east, [one[:, ::-1] for one in east])
    )
    for pair, side in (((right, swapped), "prediction"), ((swapped, right), "reference")):
        (found,) = check_place(*pair)
        assert found["check"] == "axes"
        assert f"latitude and longitude of the {side}" in found["message"] or "exchanged" in found["message"]


def test_a_wrong_label_is_told_with_the_crs_that_fits():
    wrong_zone = town(crs="EPSG:32611")
    (found,) = check_place(town(), wrong_zone)
    assert (found["check"], found["option"]) == ("crs", "--prediction-crs EPSG:32610")
    degrees = [to_lonlat(np.array(line), town().crs) for line in TOWN]
    (found,) = check_place(town(), RoadNetwork.from_lines(degrees, crs="EPSG:3857"))
    assert found["option"] == "--prediction-crs EPSG:4326"


def test_classes_that_the_other_map_lacks(tmp_path):
    frame = gpd.GeoDataFrame(
        {"highway": ["service" if i % 3 == 0 else "residential" for i in range(len(TOWN))]},
        geometry=[shapely.LineString(line) for line in TOWN], crs="EPSG:32610",
    )  # fmt: skip
    main = frame[frame["highway"] == "residential"]
    file = tmp_path / "town.gpkg"
    frame.to_file(file)
    found = checks(file, main)["classes"]
    share = frame[frame["highway"] == "service"].length.sum() / frame.length.sum()
    assert found["message"].startswith(f"service is {100 * share:.0f} % of the reference and ")
    assert "of what the prediction follows" in found["message"]
    assert found["option"] == ""  # rows of a file are not chosen by class
    assert "classes" not in checks(file, frame)
    assert "service is" in checks(main, file)["classes"]["message"]


def test_classes_are_compared_in_tiles_as_at_once(data):
    """Streamed into stores, whose segments know their classes: the same words, level and option, both ways round."""
    city = data / "osm" / "otp_portland-central-filtered.osm.pbf"
    asked = {"metrics": "ccq", "plan": False, "aoi": "all"}
    for sides in (("all", "drive"), ("drive", "all")):
        types = dict(zip(("reference_network_type", "prediction_network_type"), sides, strict=True))
        at_once = evaluate(city, city, **asked, **types)
        tiled = evaluate(city, city, **asked, **types, tile_size=2000)
        assert [one["check"] for one in at_once.diagnosis if one["check"] == "classes"] == ["classes"]
        assert tiled.diagnosis == at_once.diagnosis
        assert "--network-type" in str(tiled.diagnosis)


def test_classes_are_found_by_id_and_kept_through_cuts_and_projections():
    ids, names = np.array([7, 3, 7, 5]), np.array(["track", "road", "track", None], dtype=object)
    classes = source_classes(ids, names)
    assert [classes.names[one] for one in classes.of(np.array([3, 5, 7]))] == ["road", "no class", "track"]
    assert classes.of(np.array([4, 99])).tolist() == [-1, -1]
    assert source_classes(np.array(["a"], dtype=object), names[:1]) is None
    own = town().with_classes(classes)
    box = (X, Y, X + 200, Y + 200)
    assert own.clip(box).classes is own.to_crs("EPSG:32611").classes is moved(own, 1, 1).classes is classes


def test_what_reading_left_out_is_told_where_it_is_much():
    shapes = [shapely.LineString(line) for line in TOWN]
    few, many = (gpd.GeoDataFrame(geometry=[*shapes, *[None] * n], crs="EPSG:32610") for n in (1, 20))
    assert checks(few, town()) == {}
    (found,) = checks(many, town()).values()
    assert (found["level"], found["message"]) == ("info", "reading the reference left out 20 rows without geometry")


def test_crossings_without_a_node():
    crossing = [[(X + 100.0 * i, Y - 50), (X + 100.0 * i, Y + 950)] for i in range(9)]
    crossing += [[(X - 50, Y + 100.0 * i), (X + 850, Y + 100.0 * i)] for i in range(9)]
    noded = list(shapely.node(shapely.MultiLineString(crossing)).geoms)
    found = checks(town(noded), town(crossing))["crossings"]
    assert "the prediction has about 81 places" in found["message"]
    assert found["option"] == "--node crossings"
    assert "crossings" not in checks(town(crossing), town(crossing))


def test_lines_that_cross_where_they_part_are_no_crossings():
    """As in graphs that were drawn from masks: forks whose arms cross within a metre of their junction."""

    def forks(*second):
        arms = [[(0, 0), (1, 0.1), (90, 40)], [(0, 0), *second, (90, -40)], [(0, 0), (-90, 0)]]
        return town([[(X + x, Y + y + 200 * k) for x, y in arm] for arm in arms for k in range(20)])

    assert "crossings" not in checks(forks(), forks((0.5, 0.2)))
    assert "crossings" in checks(forks(), forks((40, 25)))


def test_two_lines_against_one_and_much_more_road():
    single = [[(X, Y + 300.0 * i), (X + 2000, Y + 300.0 * i)] for i in range(5)]
    double = [[(x, y + side) for x, y in line] for line in single for side in (-6.0, 6.0)]
    found = checks(town(double), town(single))
    assert (
        "100 % of the reference is drawn as two lines side by side where the prediction has one"
        in (found["carriageways"]["message"])
    )
    assert "the reference has 2.0 times as much road" in found["density"]["message"]
    assert "carriageways" not in checks(town(double), town(double))


def test_the_command_says_it_first_and_json_has_it(tmp_path):
    files = [tmp_path / "true.gpkg", tmp_path / "found.gpkg"]
    for file, one in zip(files, (town(), moved(town(), 6.0, -4.0)), strict=True):
        one.to_geodataframe()[["geometry"]].to_file(file)
    done = CliRunner().invoke(app, ["roads", *map(str, files), "--metrics", "ccq", "--json", str(tmp_path / "r.json"),
                                    "--report", str(tmp_path / "r.html")])  # fmt: skip
    assert done.exit_code == 0, done.output
    said = " ".join(done.output.split())
    assert "warning: the prediction is shifted as a whole" in said
    assert said.index("--align") < said.index("metric")
    (found,) = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["diagnosis"]
    assert found["check"] == "offset"
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("shifted as a whole") < page.index("Scores")


@pytest.mark.skipif(not (DATA / "roads" / "dc").exists(), reason="the real maps are not beside the project")
def test_real_pairs_are_mirrored_and_a_divided_road_is_no_offset():
    folder = DATA / "roads" / "dc"
    divided, single = folder / "DividedHighway.osm", folder / "UndividedHighway.osm"
    for pair, side in (((divided, single), "reference"), ((single, divided), "prediction")):
        found = checks(*pair)
        assert set(found) - {"ground"} == {"carriageways"}  # a few roads tell little of their ground
        assert f"of the {side} is drawn as two lines" in found["carriageways"]["message"]
