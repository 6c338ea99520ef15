"""Where pixels are: a size, a registered image, or six numbers; the same for every format in pixels."""

import json
import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
import rasterio
import shapely
from pyproj import Transformer
from rasterio.transform import Affine

from geoeval.crs import WGS84, is_local
from geoeval.exceptions import MissingCRSError, MissingPixelSizeError, ParameterError, UnreadableInputError
from geoeval.readers.pixel_frame import place_pixels
from geoeval.readers.reading import read_network, read_objects

VEGAS = "2.7000000000043656e-06,0,-115.1706276,0,-2.7000000769233496e-06,36.2406177"
PLAN = (0.5, 0.0, 600000.0, 0.0, -0.5, 4000000.0)
REGISTERED = Affine(*PLAN)
# A road of three corners, as columns and rows.
COURSE = np.array([(10, 20), (110, 20), (110, 80)])


def image(path, *, transform=REGISTERED, crs="EPSG:32611", values=None):
    values = np.zeros((128, 128), dtype=np.uint8) if values is None else values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with rasterio.open(
            path,
            "w",
            width=values.shape[1],
            height=values.shape[0],
            count=1,
            dtype="uint8",
            transform=transform,
            crs=crs,
        ) as file:
            file.write(values, 1)
    return path


def lines(network):
    return shapely.multilinestrings(list(network.nodes[network.segments]))


def save_graph(folder, form):
    """The course in one of the formats of pixel graphs."""
    pairs = [(tuple(a), tuple(b)) for a, b in zip(COURSE[:-1].tolist(), COURSE[1:].tolist(), strict=True)]
    path = folder / f"roads.{form}"
    if form == "graph":
        path.write_text("".join(f"{x} {y}\n" for x, y in COURSE) + "\n0 1\n1 0\n1 2\n2 1\n")
    elif form == "p":
        rows = {}
        for (x, y), (x2, y2) in pairs:
            rows.setdefault((y, x), []).append((y2, x2))
            rows.setdefault((y2, x2), []).append((y, x))
        path.write_bytes(pickle.dumps(rows, 2))
    elif form == "csv":
        path.write_text(f'ImageId,WKT_Pix\nimg0,"{shapely.LineString(COURSE).wkt}"\n')
    elif form == "gpickle":
        graph = nx.MultiGraph()
        for number, (x, y) in enumerate(COURSE[[0, -1]].tolist()):
            graph.add_node(number, x_pix=x, y_pix=y)
        graph.add_edge(0, 1, geometry_pix=shapely.LineString(COURSE))
        path.write_bytes(pickle.dumps(graph))
    else:
        nodes = [{"id": i, "o": [y, x]} for i, (x, y) in enumerate(COURSE.tolist())]
        links = [{"source": 0, "target": 1}, {"source": 1, "target": 2}]
        graph = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "links": links}
        path.write_text(json.dumps(graph))
    return path


@pytest.mark.parametrize("form", ["graph", "p", "csv", "gpickle", "json"])
def test_every_pixel_format_lies_in_one_frame(tmp_path, form):
    path = save_graph(tmp_path, form)
    metres = read_network(path, pixel_size=0.5)
    assert is_local(metres.crs)
    assert metres.bounds == (5, -40, 55, -10)  # the right way up: further down in the image is further south
    registered = image(tmp_path / "image.tif")
    for georeference in (registered, str(registered), Affine(*PLAN)):
        crs = "EPSG:32611" if isinstance(georeference, Affine) else None
        placed = read_network(path, georeference=georeference, crs=crs)
        assert placed.crs.to_epsg() == 32611
        assert placed.bounds == (600005, 3999960, 600055, 3999990)
    with pytest.raises(MissingPixelSizeError, match="georeference="):
        read_network(path)
    degrees = read_network(path, georeference=VEGAS)
    ends = Transformer.from_crs(WGS84, degrees.crs, always_xy=True).transform(
        -115.1706276 + 2.7e-6 * COURSE[:, 0], 36.2406177 - 2.7e-6 * COURSE[:, 1]
    )
    expected = np.column_stack(ends)
    gaps = np.hypot(*np.moveaxis(degrees.nodes[:, None] - expected[None], -1, 0))
    assert gaps.min(axis=0).max() < 0.01


def test_a_mask_and_a_graph_of_one_image_lie_upon_each_other(tmp_path):
    values = np.zeros((128, 128), dtype=np.uint8)
    values[19:22, 10:111] = values[19:81, 109:112] = 255
    mask = image(tmp_path / "mask.png", transform=None, crs=None, values=values)
    graph = save_graph(tmp_path, "graph")
    for options in ({"pixel_size": 1.0}, {"georeference": VEGAS}):
        traced, drawn = read_network(mask, **options), read_network(graph, **options)
        assert traced.crs == drawn.crs
        apart = shapely.hausdorff_distance(lines(traced), lines(drawn))
        assert apart < 3  # pixels: the thinned ends are shorter by half a width


def test_objects_of_an_image_and_of_a_table_lie_upon_each_other(tmp_path):
    values = np.zeros((64, 64), dtype=np.uint8)
    values[10:20, 30:50] = 255
    mask = image(tmp_path / "mask.png", transform=None, crs=None, values=values)
    table = tmp_path / "objects.csv"
    table.write_text('ImageId,PolygonWKT_Pix\nimg0,"POLYGON ((30 10, 50 10, 50 20, 30 20, 30 10))"\n')
    for options in ({"pixel_size": 0.5}, {"georeference": VEGAS}):
        found, given = read_objects(mask, **options), read_objects(table, **options)
        assert found.crs == given.crs
        assert found.area == pytest.approx(given.area, rel=1e-6)
        assert shapely.hausdorff_distance(found.polygons[0], given.polygons[0]) < 1e-3
    assert read_objects(mask, pixel_size=0.5).bounds == (15, -10, 25, -5)


def test_an_image_with_its_own_georeference_keeps_it(tmp_path):
    values = np.zeros((128, 128), dtype=np.uint8)
    values[19:22, 10:111] = 1
    mask = image(tmp_path / "mask.tif", values=values)
    assert read_network(mask, georeference=VEGAS).bounds == read_network(mask).bounds


@pytest.mark.parametrize(
    ("georeference", "error", "words"),
    [
        ("absent.tif", UnreadableInputError, "no such image"),
        ("1,2,3", ParameterError, "neither an image nor six numbers"),
        ("1,0,0,0,1,x", ParameterError, "neither an image nor six numbers"),
        ("1,0,0,0,nan,0", ParameterError, "neither an image nor six numbers"),
        ((0, 0, 5, 0, 0, 5), ParameterError, "on one line"),
        ("0.5,0,600000,0,-0.5,4000000", MissingCRSError, "not in degrees.*give crs="),
        (b"text.tif", UnreadableInputError, "is not an image"),
        (b"plain.png", MissingCRSError, "without georeference"),
    ],
)
def test_a_georeference_that_places_nothing_is_refused_in_one_line(tmp_path, georeference, error, words):
    (tmp_path / "text.tif").write_text("no image")
    image(tmp_path / "plain.png", transform=None, crs=None)
    given = tmp_path / georeference.decode() if isinstance(georeference, bytes) else georeference
    with pytest.raises(error, match=words) as caught:
        place_pixels("roads.graph", crs=None, pixel_size=None, georeference=given)
    assert "\n" not in str(caught.value)


def test_a_world_file_places_the_middle_of_the_first_pixel(tmp_path):
    path = tmp_path / "image.pgw"
    path.write_text("0.5\n0.1\n-0.1\n-0.4\n500000\n4000000\n")
    frame = place_pixels("a.png", crs="EPSG:32611", pixel_size=None, georeference=str(path))
    np.testing.assert_allclose(frame.places(np.array([(0.5, 0.5), (10.5, 0.5), (0.5, 10.5)])), [
        (500000, 4000000), (500005, 4000001), (499999, 3999996),
    ])  # fmt: skip
    for text in ("0.5 0 0\n", "0.5 0 0 nan 1 1", "1 0 0 1 ü 2"):
        path.write_text(text)
        with pytest.raises(UnreadableInputError, match="no world file of six numbers"):
            place_pixels("a.png", crs="EPSG:32611", pixel_size=None, georeference=path)


def test_a_rotated_georeference(tmp_path):
    angle = np.radians(30)
    turned = (np.cos(angle), np.sin(angle), 600000, np.sin(angle), -np.cos(angle), 4000000)
    network = read_network(save_graph(tmp_path, "graph"), georeference=turned, crs="EPSG:32611")
    assert network.length == pytest.approx(160)
    expected = [600000 + 10 * turned[0] + 20 * turned[1], 4000000 + 10 * turned[3] + 20 * turned[4]]
    assert np.hypot(*(network.nodes - expected).T).min() < 1e-6
