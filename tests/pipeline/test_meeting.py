"""Two maps that cannot be compared: one without a place on Earth, or the two far apart. One line, before all else."""

import geopandas as gpd
import networkx as nx
import numpy as np
import pytest
import rasterio
import shapely
from PIL import Image
from typer.testing import CliRunner

import geoeval
from geoeval import Drawing, ObjectMap, RoadNetwork, evaluate
from geoeval.cli.main import app
from geoeval.crs import to_lonlat
from geoeval.diagnosis.place import metres_apart
from geoeval.exceptions import CRSError, GeoevalError
from geoeval.studies.comparison import evaluate_both
from tests.readers.osm.osm_files import node, way, xml

CRS = "EPSG:32633"
X, Y = 390_000.0, 5_820_000.0
CROSS = [[(0, 0), (200, 0)], [(100, -100), (100, 100)]]


def town(east=0.0, north=0.0, crs=CRS):
    x, y = (0.0, 0.0) if crs is None else (X, Y)
    return RoadNetwork.from_lines([[(x + east + a, y + north + b) for a, b in line] for line in CROSS], crs=crs)


def houses(east=0.0, crs=CRS):
    x, y = (0.0, 0.0) if crs is None else (X, Y)
    return ObjectMap.from_polygons([shapely.box(x + east, y, x + east + 10, y + 10)], crs=crs)


def drawing(east=0.0, crs=CRS):
    x, y = (0.0, 0.0) if crs is None else (X, Y)
    return Drawing.from_lines([[(x + east, y), (x + east + 50, y)]], width=2, crs=crs)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Roads and a house in degrees; a mask, a graph and a drawing in pixels; roads as OpenStreetMap."""
    folder = tmp_path_factory.mktemp("meeting")
    town().to_geodataframe().to_crs(4326).to_file(folder / "roads.geojson")
    gpd.GeoDataFrame(geometry=houses().polygons, crs=CRS).to_crs(4326).to_file(folder / "houses.geojson")
    pixels = np.zeros((60, 60), dtype=np.uint8)
    pixels[28:32, 5:55] = 255
    Image.fromarray(pixels).save(folder / "mask.png")
    (folder / "roads.graph").write_text("0 0\n50 0\n\n0 1\n1 0\n", encoding="utf-8")
    line = '<line x1="0" y1="0" x2="50" y2="50" stroke="black"/>'
    (folder / "lines.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{line}</svg>', encoding="utf-8")
    for name, east in (("here", 0.0), ("there", 30_000.0)):
        ends = to_lonlat(np.array([(X + east, Y), (X + east + 200, Y)]), town().crs)
        nodes = [node(number, *place) for number, place in enumerate(ends.tolist(), start=1)]
        (folder / f"{name}.osm").write_text(xml(*nodes, way(1, [1, 2], {"highway": "residential"})), encoding="utf-8")
    return folder


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments), "--progress", "none"])


def the_line(done):
    """The one line that a command which cannot go on says."""
    assert done.exit_code == 1, done.output
    assert done.output.count("\n") == 1, done.output
    assert done.output.startswith("geoeval: error: ")
    return done.output


# ------------------------------------------------------------------ pixels against ground


@pytest.mark.parametrize(
    ("kind", "pixels", "ground", "options"),
    [
        ("roads", "mask.png", "roads.geojson", ["--pixel-size", "1"]),
        ("roads", "roads.graph", "roads.geojson", ["--pixel-size", "0.3"]),
        ("roads", "roads.graph", "roads.geojson", ["--pixel-size", "0.3", "--tile-size", "500"]),
        ("roads", "mask.png", "roads.geojson", ["--pixel-size", "1", "--aoi", "all"]),
        ("roads", "mask.png", "roads.geojson", ["--pixel-size", "1", "--crs", CRS]),
        ("roads", "mask.png", "here.osm", ["--pixel-size", "1", "--tile-size", "500"]),
        ("objects", "mask.png", "houses.geojson", ["--pixel-size", "1"]),
        ("objects", "mask.png", "houses.geojson", ["--pixel-size", "1", "--tile-size", "500"]),
        ("lines", "lines.svg", "roads.geojson", []),
    ],
)
@pytest.mark.parametrize("pixels_first", [True, False])
def test_pixels_and_ground_are_one_line_that_says_how_to_place_the_image(files, kind, pixels, ground, options,
                                                                         pixels_first):  # fmt: skip
    side, other = ("reference", "prediction")[:: 1 if pixels_first else -1]
    pair = (files / pixels, files / ground)[:: 1 if pixels_first else -1]
    said = the_line(run(kind, *pair, *options))
    assert f"the {side} is in pixels or local metres, without a place on Earth, and the {other} is in {CRS}" in said
    assert f"--{side}-crs EPSG:n" in said
    assert ("--georeference IMAGE.tif" in said) == (kind != "lines")


def test_what_the_line_says_works(files):
    corner = to_lonlat(np.array([(X, Y)]), town().crs)[0].tolist()
    placed = f"0.00001,0,{corner[0]},0,-0.00001,{corner[1] + 0.0003}"
    done = run("roads", files / "mask.png", files / "roads.geojson", "--georeference", placed, "--metrics", "ccq")
    assert done.exit_code == 0, done.output


def test_the_message_on_pixels_does_not_lead_into_it(files):
    said = the_line(run("roads", files / "mask.png", files / "roads.geojson"))
    assert said.index("--georeference") < said.index("if both maps are in its pixels") < said.index("--pixel-size M")


GRAPH = nx.Graph([((0, 0), (100, 0)), ((100, 0), (100, 80))])
LOCAL = {"roads": town(crs=None), "objects": houses(crs=None), "lines": drawing(crs=None)}
PLACED = {"roads": town(), "objects": houses(), "lines": drawing()}


@pytest.mark.parametrize("options", [{}, {"aoi": "all"}, {"crs": CRS}, {"tile_size": 500.0}, {"aoi": (13, 52, 14, 53)}])
@pytest.mark.parametrize(
    ("kind", "pair"),
    [
        *((kind, (LOCAL[kind], PLACED[kind])) for kind in LOCAL),
        ("roads", (GRAPH, town().to_geodataframe())),
        ("roads", (RoadNetwork([], []), town())),
    ],
)
def test_local_metres_and_ground_in_python(kind, pair, options):
    if kind == "lines" and {"aoi", "tile_size"} & options.keys():
        return
    for maps, side in ((pair, "reference"), (pair[::-1], "prediction")):
        with pytest.raises(CRSError, match=f"the {side} is in pixels or local metres, without a place on Earth"):
            evaluate(*maps, kind=kind, **options)


def test_no_layer_below_shows_an_error_of_proj():
    for function, kind in ((geoeval.evaluate_roads, "roads"), (geoeval.evaluate_objects, "objects"),
                           (geoeval.evaluate_lines, "lines")):  # fmt: skip
        for pair in ((LOCAL[kind], PLACED[kind]), (PLACED[kind], LOCAL[kind])):
            with pytest.raises(GeoevalError, match=r"give both inputs a CRS|give the CRS of the input"):
                function(*pair)


# ------------------------------------------------------------------ maps that do not meet


@pytest.mark.parametrize(
    ("kind", "pair"),
    [
        ("roads", (town(), town(north=-250_000.0))),
        ("objects", (houses(), houses(250_000.0))),
        ("lines", (drawing(), drawing(250_000.0))),
        ("roads", (town(crs=None), town(9_000.0, crs=None))),
        ("objects", (houses(crs=None), houses(9_000.0, crs=None))),
    ],
)
@pytest.mark.parametrize("options", [{}, {"aoi": "all"}, {"aoi": "reference"}, {"tile_size": 500.0}, {"crs": CRS}])
def test_maps_far_apart_are_refused_whatever_was_asked_for(kind, pair, options):
    local = pair[0].crs.is_engineering
    if (kind == "lines" and {"aoi", "tile_size"} & options.keys()) or (local and "crs" in options):
        return
    with pytest.raises(CRSError, match=r"the two do not meet: the prediction lies .* of the reference; check that"):
        evaluate(*pair, kind=kind, **options)


@pytest.mark.parametrize("options", [[], ["--tile-size", "500"], ["--aoi", "all"], ["--grid", "1", "-o", "out"]])
def test_the_command_line_says_it_once_and_ends_with_1(files, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    said = the_line(run("roads", files / "here.osm", files / "there.osm", *options))
    assert "the two do not meet: the prediction lies 30 km" in said


def test_what_is_probably_wrong_is_said_with_the_option_that_helps():
    with pytest.raises(CRSError, match='would lie on the reference; give prediction_crs="EPSG:32633"'):
        evaluate(town(), town(crs="EPSG:32632"))
    degrees = town().to_geodataframe().to_crs(4326)
    turned = shapely.transform(degrees.geometry.to_numpy(), lambda xy: xy[:, ::-1])
    with pytest.raises(CRSError, match="latitude and longitude of the prediction exchanged they would meet"):
        evaluate(degrees, gpd.GeoDataFrame(geometry=turned, crs=4326))


def test_near_each_other_they_are_refused_only_if_an_area_is_to_be_found():
    pair = town(), town(1_200.0)
    with pytest.raises(CRSError, match='give aoi="all" to evaluate them all the same'):
        evaluate(*pair, metrics="ccq")
    result = evaluate(*pair, metrics="ccq", aoi="all")
    assert result.scores["ccq"]["quality"] == 0
    assert result.diagnosis[0]["check"] == "place"
    both = (X - 500, Y - 500, X + 3_000, Y + 500)
    assert evaluate(*pair, metrics="ccq", aoi=both).scores["ccq"]["quality"] == 0
    with pytest.raises(CRSError, match="do not meet"):
        evaluate(*pair, metrics="ccq", aoi=(X - 500, Y - 500, X + 500, Y + 500))
    # Next to each other they were always evaluated.
    assert evaluate(town(), town(500.0), metrics="ccq").scores["ccq"]["quality"] == 0
    # In the pixels of one image errors may be anywhere.
    assert evaluate(town(crs=None), town(1_200.0, crs=None), metrics="ccq").scores["ccq"]["quality"] == 0


def test_an_empty_map_is_evaluated_wherever_it_says_that_it_is():
    nothing = RoadNetwork([], [], crs="EPSG:32610")
    assert evaluate(town(), nothing, metrics="ccq").scores["ccq"]["completeness"] == 0
    assert evaluate(nothing, town(), metrics="ccq").scores["ccq"]["correctness"] == 0
    assert evaluate(houses(), ObjectMap([], crs=CRS), kind="objects", metrics="iou").scores["iou"]["f1"] == 0


def test_images_of_one_ground_meet_wherever_their_objects_are(tmp_path):
    """Two objects in opposite corners of one image: the ground is what the files declare, not where something is."""
    for name, rows in (("a", slice(0, 4)), ("b", slice(396, 400))):
        pixels = np.zeros((400, 400), dtype=np.uint8)
        pixels[rows, rows] = 1
        facts = {"width": 400, "height": 400, "count": 1, "dtype": "uint8", "crs": CRS}
        place = rasterio.Affine(5, 0, X, 0, -5, Y)
        with rasterio.open(tmp_path / f"{name}.tif", "w", driver="GTiff", transform=place, **facts) as image:
            image.write(pixels, 1)
    result = evaluate(tmp_path / "a.tif", tmp_path / "b.tif", kind="objects", metrics="iou")
    assert result.scores["iou"]["f1"] == 0


def test_a_comparison_of_two_predictions_is_refused_too():
    with pytest.raises(CRSError, match="do not meet"):
        evaluate_both(town(), town(), town(30_000.0), metrics="ccq")
    with pytest.raises(CRSError, match="without a place on Earth"):
        evaluate_both(town(), town(), town(crs=None), metrics="ccq")


def test_a_place_of_a_benchmark_fails_alone(tmp_path):
    from tests.benchmarking.folders import cross, write_tiles

    write_tiles(tmp_path / "truth", {"a": cross(), "b": cross()})
    write_tiles(tmp_path / "found", {"a": cross(), "b": cross(x=200_000.0)})
    result = geoeval.benchmark(tmp_path / "truth", tmp_path / "found", metrics="ccq")
    failed = {one.place: one.note for one in result.outcomes if one.status == "failed"}
    assert list(failed) == ["b"]
    assert "the two do not meet: the prediction lies 200 km east" in failed["b"]


def test_metres_apart_from_edge_to_edge():
    assert metres_apart(town(), town(1_200.0)) == pytest.approx(1000, rel=0.02)
    assert metres_apart(town(crs=None), town(1_200.0, crs=None)) == 1000
    assert metres_apart(town(), town(100.0)) == 0
    ends = [[(at, 10.0), (at + 0.001, 10.0)] for at in (-179.999, 179.998)]
    west, east = (RoadNetwork.from_lines([one], crs="EPSG:4326") for one in ends)
    assert metres_apart(east, west) == pytest.approx(219, rel=0.02)
