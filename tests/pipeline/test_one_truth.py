"""The same two inputs give the same numbers, whatever the way of asking.

Real pairs, one of them with a reference that covers far more ground than the prediction. QGIS has a test of its own
that compares with the command line.
"""

import json

import geopandas as gpd
import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from geoeval import Drawing, evaluate, perturb, read_drawing, read_network, read_objects, write_network
from geoeval.cli.demo import helsinki
from geoeval.cli.main import app
from geoeval.roads.alignment import moved
from tests.conftest import DATA

METRICS = "ccq,tlts,apls,junct,subg,opt-p,opt-j,opt-g"
# Quick and as telling: one decomposition into paths, few starts and pairs.
QUICK = {"opt-p": {"decompositions": 1}, "subg": {"starts": 100}, "opt-g": {"starts": 100}, "tlts": {"pairs": 200}}
SETTINGS = [word for metric, values in QUICK.items() for name, value in values.items()
            for word in ("--set", f"{metric}.{name}={value}")]  # fmt: skip
ASKED = {"metrics": METRICS, "parameters": QUICK}


def truth(result):
    """All numbers of a result that do not tell how it was asked for."""
    plain = result if isinstance(result, dict) else json.loads(result.to_json())
    kept = ("kind", "crs", "scores", "counts", "area", "offset", "parameters", "seed")
    amounts = [{name: plain[side][name] for name in ("nodes", "segments", "length_m")} for side in SIDES]
    return {name: plain[name] for name in kept} | {"amounts": amounts}


SIDES = ("reference", "prediction")


@pytest.fixture(scope="module")
def helsinki_quarter(tmp_path_factory):
    """All of central Helsinki against a prediction of one quarter of it: the reference is far larger."""
    folder = tmp_path_factory.mktemp("quarter")
    whole = read_network(helsinki())
    west, south, east, north = whole.bounds
    quarter = whole.clip((west, south, (west + east) / 2, (south + north) / 2))
    made = perturb(perturb(quarter, "missing", 5, seed=1).prediction, "interruptions", 5, seed=2).prediction
    write_network(made, folder / "prediction.gpkg")
    # Rows and graphs cannot declare the bounds of an extract, so all are asked for a copy without.
    write_osm_without_bounds(helsinki(), folder / "reference.osm.pbf")
    return folder / "reference.osm.pbf", folder / "prediction.gpkg", {}


def write_osm_without_bounds(source, path):
    import osmium

    with osmium.SimpleWriter(str(path)) as writer:
        for thing in osmium.FileProcessor(str(source)):
            writer.add(thing)


@pytest.fixture(scope="module")
def washington():
    """The city's own GIS against TIGER, two sources of the same streets."""
    folder = DATA / "roads" / "dc"
    files = sorted(folder.glob("*.osm*")) if folder.exists() else []
    chosen = [next((file for file in files if word in file.name.lower()), None) for word in ("gis", "tiger")]
    if None in chosen:
        pytest.skip("the two extracts of Washington are not beside the project")
    return *chosen, {}


@pytest.fixture(scope="module", params=["helsinki_quarter", "washington"])
def pair(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def asked_by_command(pair, tmp_path_factory):
    reference, prediction, _ = pair
    file = tmp_path_factory.mktemp("command") / "scores.json"
    command = ["roads", str(reference), str(prediction), "--metrics", METRICS, *SETTINGS, "--json", str(file)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    return truth(json.loads(file.read_text(encoding="utf-8")))


def test_paths(pair, asked_by_command):
    assert truth(evaluate(pair[0], pair[1], **ASKED)) == asked_by_command


def test_networks(pair, asked_by_command):
    networks = [read_network(path) for path in pair[:2]]
    assert truth(evaluate(*networks, **ASKED)) == asked_by_command


def test_geodataframes(pair, asked_by_command):
    frames = [read_network(path).to_geodataframe() for path in pair[:2]]
    assert truth(evaluate(*frames, **ASKED)) == asked_by_command


def test_the_rows_of_a_file(helsinki_quarter):
    """A GeoDataFrame is read as its file is: ends that lie on other lines join them."""
    reference, prediction, _ = helsinki_quarter
    rows = gpd.read_file(prediction).drop(columns=["ge_from", "ge_to", "ge_cut"], errors="ignore")
    without = prediction.with_name("plain.gpkg")
    rows.to_file(without)
    by_rows, by_file = (evaluate(reference, one, metrics="ccq,opt-j,junct") for one in (rows, without))
    assert truth(by_rows) == truth(by_file)


def test_graphs(pair, asked_by_command):
    graphs = [read_network(path).to_networkx() for path in pair[:2]]
    assert truth(evaluate(*graphs, **ASKED)) == asked_by_command


@pytest.mark.parametrize(("tile_size", "workers"), [(500.0, 1), (2000.0, 2)])
def test_tiles(pair, asked_by_command, tile_size, workers):
    result = evaluate(pair[0], pair[1], **ASKED, tile_size=tile_size, workers=workers)
    assert truth(result) == asked_by_command
    assert [result.reference["source"], result.prediction["source"]] == [str(path) for path in pair[:2]]


def test_tiles_by_command(pair, asked_by_command, tmp_path):
    file = tmp_path / "scores.json"
    command = ["roads", *map(str, pair[:2]), "--metrics", METRICS, *SETTINGS, "--json", str(file)]
    command += ["--tile-size", "1000", "--resume", str(tmp_path / "run")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert truth(json.loads(file.read_text(encoding="utf-8"))) == asked_by_command


def test_workers(pair, asked_by_command):
    assert truth(evaluate(pair[0], pair[1], **ASKED, workers=2)) == asked_by_command


@pytest.mark.parametrize("way", [{}, {"tile_size": 700.0}])
def test_an_offset_is_removed_alike(pair, way, tmp_path):
    """The same shift is found and taken away at once and in tiles, and only one that is real."""
    shifted = tmp_path / "shifted.gpkg"
    networks = [read_network(path) for path in pair[:2]]
    write_network(moved(networks[1], 6.0, -4.0), shifted)
    plain = evaluate(networks[0], read_network(shifted), metrics="ccq,opt-j", align=True)
    assert truth(evaluate(pair[0], shifted, metrics="ccq,opt-j", align=True, **way)) == truth(plain)
    assert plain.offset["removed"] is plain.offset["significant"] is True
    assert (plain.offset["dx"], plain.offset["dy"]) == pytest.approx((6.0, -4.0), abs=0.05)
    unshifted = evaluate(pair[0], pair[1], metrics="ccq,opt-j", align=True, **way)
    assert unshifted.offset["removed"] is unshifted.offset["significant"] is False
    assert unshifted.scores == evaluate(pair[0], pair[1], metrics="ccq,opt-j", **way).scores


def test_declared_bounds_are_the_same_in_tiles(helsinki_quarter):
    prediction = helsinki_quarter[1]
    at_once = evaluate(helsinki(), prediction, metrics="ccq")
    assert at_once.ground["how"] == "the reference's declared bounds and the prediction's coverage"
    assert truth(evaluate(helsinki(), prediction, metrics="ccq", tile_size=700.0)) == truth(at_once)
    assert evaluate(helsinki(), prediction, metrics="ccq", tile_size=700.0).diagnosis == at_once.diagnosis
    swapped = evaluate(prediction, helsinki(), metrics="ccq", tile_size=700.0)
    assert swapped.area.equals(at_once.area)


def test_the_quarter_is_cut_to_what_the_prediction_covers(helsinki_quarter):
    result = evaluate(helsinki_quarter[0], helsinki_quarter[1], metrics="ccq")
    everything = evaluate(helsinki_quarter[0], helsinki_quarter[1], metrics="ccq", aoi="all")
    assert result.scores["ccq"]["completeness"] > 0.8
    assert everything.scores["ccq"]["completeness"] < 0.5
    assert result.area is not None
    assert everything.area is None


# ------------------------------------------------------------------ objects and lines


# Shapes are compared one by one, which takes its time and tells nothing more here.
FLAT = {"max-overlap": {"mallows": False}}


def as_asked(kind, files, folder, *options):
    """What the command line gives."""
    file = folder / "scores.json"
    done = CliRunner().invoke(app, [kind, *map(str, files), "--json", str(file), "--overwrite", *options])
    assert done.exit_code == 0, done.output
    return numbers(json.loads(file.read_text(encoding="utf-8")))


def numbers(result):
    plain = result if isinstance(result, dict) else json.loads(result.to_json())
    return {name: plain[name] for name in ("kind", "crs", "scores", "counts", "area", "offset", "parameters")}


@pytest.fixture
def houses(tmp_path):
    """Made houses, the reference on four times the prediction's ground."""
    rng = np.random.default_rng(0)
    corners = rng.uniform([550_000, 5_300_000], [550_800, 5_300_800], (150, 2))
    shapes = shapely.box(*corners.T, *(corners + rng.uniform(5, 30, corners.shape)).T)
    shifted = shapely.transform(shapes[(corners < [550_400, 5_300_400]).all(axis=1)], lambda xy: xy + 1.5)
    files = []
    for name, own in (("reference", shapes), ("prediction", shifted)):
        files.append(tmp_path / f"{name}.gpkg")
        gpd.GeoDataFrame({"confidence": np.linspace(0, 1, len(own))}, geometry=own, crs="EPSG:32610").to_file(files[-1])
    return files


def test_objects(houses, tmp_path):
    flat = ("--set", "max-overlap.mallows=false")
    expected = as_asked("objects", houses, tmp_path, *flat)
    assert expected["area"] is not None
    assert numbers(evaluate(*houses, kind="objects", parameters=FLAT)) == expected
    assert numbers(evaluate(*(gpd.read_file(file) for file in houses), kind="objects", parameters=FLAT)) == expected
    assert numbers(evaluate(*(read_objects(file) for file in houses), kind="objects", parameters=FLAT)) == expected
    assert numbers(evaluate(*houses, kind="objects", parameters=FLAT, workers=2)) == expected
    assert numbers(evaluate(*houses, kind="objects", parameters=FLAT, tile_size=130.0, workers=2)) == expected
    assert as_asked("objects", houses, tmp_path, *flat, "--tile-size", "300") == expected


def test_an_offset_of_objects_is_removed_alike(houses, tmp_path):
    expected = as_asked("objects", houses, tmp_path, "--metrics", "iou", "--align")
    assert expected["offset"]["removed"] is True
    assert (expected["offset"]["dx"], expected["offset"]["dy"]) == pytest.approx((1.5, 1.5), abs=0.01)
    unaligned = as_asked("objects", houses, tmp_path, "--metrics", "iou", "--set", "iou.threshold=0.9")
    aligned = as_asked("objects", houses, tmp_path, "--metrics", "iou", "--set", "iou.threshold=0.9", "--align")
    assert aligned["scores"]["iou"]["f1"] > unaligned["scores"]["iou"]["f1"] + 0.3
    asked = {"kind": "objects", "metrics": "iou", "align": True}
    assert numbers(evaluate(*houses, **asked)) == expected
    assert numbers(evaluate(*houses, **asked, tile_size=130.0)) == expected


def test_lines(tmp_path):
    files = [tmp_path / "true.txt", tmp_path / "found.txt"]
    files[0].write_text("10 10 110 10 5\n10 50 110 90 3\n", encoding="utf-8")
    files[1].write_text("12 10 60 10 5\n65 10 110 11 5\n", encoding="utf-8")
    expected = as_asked("lines", files, tmp_path)
    assert numbers(evaluate(*files, kind="lines")) == expected
    assert numbers(evaluate(*(read_drawing(file) for file in files), kind="lines")) == expected


def test_lines_of_a_map(tmp_path):
    frame = gpd.GeoDataFrame(
        {"width": [6.0, 9.0]}, crs="EPSG:32610",
        geometry=[shapely.LineString([(550_000, 5_300_000 + y), (550_200, 5_300_000 + y)]) for y in (0, 60)],
    )  # fmt: skip
    moved = frame.set_geometry(frame.translate(3.0, 1.0))
    files = [tmp_path / "true.gpkg", tmp_path / "found.gpkg"]
    for one, file in zip((frame, moved), files, strict=True):
        one.to_file(file)
    expected = as_asked("lines", files, tmp_path)
    assert numbers(evaluate(*files, kind="lines")) == expected
    assert numbers(evaluate(frame, moved, kind="lines")) == expected
    assert numbers(evaluate(*(Drawing.from_geodataframe(one) for one in (frame, moved)), kind="lines")) == expected
