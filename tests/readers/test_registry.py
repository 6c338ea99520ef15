"""Which reader reads which file, and what it takes to add one."""

import gzip
import json
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import geopandas as gpd
import pytest
import shapely

import geoeval
from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.readers import read_map, read_network, registry
from geoeval.readers.options import INPUT_OPTIONS, InputOption
from geoeval.readers.osm import download
from geoeval.readers.reader import HEAD_SIZE, Reader, has_suffix
from geoeval.readers.registry import readers, recognise

OSM = b"<?xml version='1.0'?>\n<osm version='0.6'></osm>"
PNG = b"\x89PNG\r\n\x1a\n"
GRAPHML = b"<?xml version='1.0'?>\n<!-- " + b"x" * 2500 + b" --><graphml></graphml>"
NODE_LINK = json.dumps({"nodes": [], "links": []}).encode()
GEOJSON = b'\xef\xbb\xbf \n{"type": "FeatureCollection", "features": []}'

# Name, content, and the kind as roads, objects and lines.
FILES = [
    ("a.osm", b"", "osm osm vector"),
    ("a.osm.pbf", b"", "osm osm vector"),
    ("A.OSM.BZ2", b"", "osm osm vector"),
    ("a.foo", OSM, "osm osm vector"),
    ("a.foo", b"\x00\x00\x00\x0d\x0a\x09OSMHeader", "osm osm vector"),
    ("a.gz", gzip.compress(OSM, mtime=0), "osm osm vector"),
    ("a.tif", OSM, "osm osm vector"),
    ("a.png", b"", "raster raster raster"),
    ("a.VRT", b"", "raster raster raster"),
    ("a.foo", PNG, "raster raster raster"),
    ("a.osm", PNG, "raster raster raster"),
    ("a.csv", PNG, "raster raster raster"),
    ("a.foo", b"II*\x00", "raster raster raster"),
    ("a.foo", GRAPHML, "graphml graphml vector"),
    ("edges.graphml", b"", "graphml graphml vector"),
    ("a.foo", NODE_LINK, "node-link node-link vector"),
    ("edges.json", NODE_LINK, "node-link node-link vector"),
    ("a.foo", GEOJSON, "vector vector vector"),
    ("a.txt", GEOJSON, "vector vector vector"),
    ("a.p", b"", "pickle pickle vector"),
    ("a.GPICKLE", b"", "pickle pickle vector"),
    ("town_vertices.txt", b"", "map-construction map-construction table"),
    ("Edges.TXT", b"", "map-construction map-construction table"),
    ("edges.graph", b"", "roadtracer roadtracer vector"),
    ("a.txt", b"", "roadtracer roadtracer table"),
    ("a.csv", b"", "csv csv table"),
    ("a.tsv", b"", "csv csv table"),
    ("a.dxf", b"", "vector vector dxf"),
    ("a.SVG", b"", "vector vector svg"),
    ("a.lines", b"", "vector vector table"),
    ("a.shp", b"", "vector vector vector"),
    ("a", b"", "vector vector vector"),
]


@pytest.mark.parametrize(("name", "content", "kinds"), FILES)
def test_content_comes_first_and_the_name_second(tmp_path, name, content, kinds):
    path = tmp_path / name
    path.write_bytes(content)
    assert " ".join(recognise(path, wanted).kind for wanted in CONTENTS) == kinds


@pytest.mark.parametrize(
    ("name", "inside", "kinds"),
    [
        ("a.gdb", None, "vector vector vector"),
        ("a.parquet", None, "vector vector vector"),
        ("shapes", "roads.shp", "vector vector vector"),
        ("plain", "a_vertices.txt", "map-construction map-construction vector"),
        ("a.osm", None, "map-construction map-construction vector"),
        ("a.dxf", None, "map-construction map-construction vector"),
    ],
)
def test_folders_are_recognised_by_what_is_in_them(tmp_path, name, inside, kinds):
    (tmp_path / name).mkdir()
    if inside:
        (tmp_path / name / inside).touch()
    assert " ".join(recognise(tmp_path / name, wanted).kind for wanted in CONTENTS) == kinds


def test_a_damaged_archive_is_recognised_by_its_name(tmp_path):
    (tmp_path / "a.osm.gz").write_bytes(b"\x1f\x8b\x08\x00cut")
    assert recognise(tmp_path / "a.osm.gz").kind == "osm"


HEAVY = {
    "ezdxf", "geopandas", "networkx", "osmium", "osmnx", "pandas", "pyarrow", "pyogrio", "rasterio", "requests",
    "scipy.ndimage", "scipy.sparse", "scipy.spatial", "skimage", "svgelements",
}  # fmt: skip


def test_recognising_imports_no_package_of_any_reader(tmp_path):
    files = [tmp_path / name for name in ("a.shp", "a.osm", "a.png", "a.graphml", "a.csv", "a.dxf", "a.p")]
    for file in files:
        file.touch()
    code = (
        "import sys; from geoeval.readers.registry import recognise\n"
        "for file in sys.argv[1:]:\n"
        "    for content in ('roads', 'objects', 'lines'): recognise(file, content)\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *map(str, files)], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "geoeval.readers.vector.line_layers" in loaded
    assert HEAVY & loaded == set()


def test_importing_the_functions_loads_no_reader():
    code = "import sys; from geoeval.readers import read_map, read_network; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "shapely", "geoeval.readers.osm.osm_roads"} & set(done.stdout.split())


# ---------------------------------------------------------------------- adding one


@pytest.fixture
def newcomer(monkeypatch):
    """A reader in a module of its own, one line in the registry, and one option in the table."""
    calls = []

    def read_ferries(path, *, crs=None, depth=1.0):
        calls.append((path, crs, depth))
        return "ferries"

    module = ModuleType("geoeval.readers.vector.ferries")
    module.READER = Reader("ferries", reads={"roads": read_ferries}, by_name=has_suffix(".ferry", ".shp"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(registry, "READERS", ("vector.ferries", *registry.READERS))
    monkeypatch.setitem(INPUT_OPTIONS, "depth", InputOption("depth", float, 1.0, "Depth of water.", positive=True))
    return calls


def test_a_module_a_line_and_a_row_are_enough(tmp_path, newcomer):
    path = tmp_path / "a.ferry"
    path.touch()
    assert read_map("roads", path, depth=3.0, crs="EPSG:4326", layer="ignored", node="none") == "ferries"
    assert read_network(path, depth=4.0) == "ferries"
    assert newcomer == [(path, "EPSG:4326", 3.0), (path, None, 4.0)]
    with pytest.raises(ParameterError, match="depth is 0; give a number above 0"):
        read_map("roads", path, depth=0)


def test_the_order_of_the_lines_decides(tmp_path, newcomer, monkeypatch):
    (tmp_path / "a.shp").touch()
    assert recognise(tmp_path / "a.shp").kind == "ferries"
    assert recognise(tmp_path / "a.shp", "objects").kind == "vector"
    monkeypatch.setattr(registry, "READERS", (*registry.READERS[1:], "vector.ferries"))
    assert recognise(tmp_path / "a.shp").kind == "vector"


def test_content_comes_before_an_earlier_line(tmp_path, newcomer):
    (tmp_path / "a.ferry").write_bytes(PNG)
    assert recognise(tmp_path / "a.ferry").kind == "raster"


# ---------------------------------------------------------------------- reading


def test_every_content_has_readers_and_every_reader_a_content():
    assert {content for reader in readers() for content in reader.reads} == set(CONTENTS)
    for reader in readers():
        assert set(reader.reads) | set(reader.refuses) <= set(CONTENTS)
        assert not set(reader.reads) & set(reader.refuses)
        assert reader.reads or reader.refuses


def test_a_map_has_its_source_and_options_that_do_not_apply_are_ignored(tmp_path):
    lines = gpd.GeoDataFrame(geometry=[shapely.LineString([(500_000, 5_000_000), (500_100, 5_000_000)])], crs=32633)
    lines.to_file(tmp_path / "a.gpkg")
    read = read_map("roads", str(tmp_path / "a.gpkg"), network_type="walk", threshold=3.0, width=2.0)
    assert read.length == 100
    assert read.source == str(tmp_path / "a.gpkg")
    drawing = read_map("lines", tmp_path / "a.gpkg", width=2.0, node="none")
    assert drawing.widths.tolist() == [2]
    lines.set_geometry(lines.buffer(5)).to_file(tmp_path / "b.gpkg")
    assert read_map("objects", tmp_path / "b.gpkg", width=2.0).source == str(tmp_path / "b.gpkg")
    (tmp_path / "a.p").write_bytes(pickle.dumps({(0, 0): [(3, 4)]}))
    assert read_map("roads", tmp_path / "a.p", pixel_size=2.0).length == 10


def test_a_place_is_downloaded_with_the_options_of_downloads(monkeypatch):
    asked = []

    def fake(query, *, network_type="drive"):
        asked.append((query, network_type))

    monkeypatch.setitem(download.READER.reads, "roads", fake)
    read_map("roads", "osm:Monaco", network_type="walk", crs="EPSG:4326")
    assert asked == [("Monaco", "walk")]
    monkeypatch.setitem(download.READER.reads, "objects", asked.append)
    read_map("objects", "osm:Monaco", crs="EPSG:4326")
    assert asked[1:] == ["Monaco"]
    with pytest.raises(UnreadableInputError, match=r"osm:Monaco is a place.*; give a.*layer of lines"):
        read_map("lines", "osm:Monaco")


def test_what_a_file_cannot_hold_is_said(tmp_path):
    (tmp_path / "a.graph").write_text("0 0\n1 1\n\n0 1\n")
    with pytest.raises(UnreadableInputError, match=r"a\.graph holds a graph; give polygons"):
        read_map("objects", tmp_path / "a.graph")
    (tmp_path / "a.png").write_bytes(PNG)
    with pytest.raises(
        UnreadableInputError, match=r"a\.png is an image, not lines; to measure against it, give image=FILE"
    ):
        read_map("lines", tmp_path / "a.png")


def test_wrong_requests_are_refused_before_anything_is_opened(tmp_path):
    with pytest.raises(ParameterError, match="unknown content 'rivers'; choose one of roads, objects, lines"):
        read_map("rivers", tmp_path / "absent.shp")
    with pytest.raises(ParameterError, match="did you mean network_type"):
        read_map("roads", tmp_path / "absent.shp", networktype="walk")
    with pytest.raises(ParameterError, match="ends, crossings, none"):
        read_map("roads", tmp_path / "absent.shp", node="all")
    for content in CONTENTS:
        with pytest.raises(UnreadableInputError, match=r"absent\.shp: no such file; check the path"):
            read_map(content, tmp_path / "absent.shp")


def test_no_more_of_a_file_is_looked_at_than_needed(tmp_path):
    (tmp_path / "a.foo").write_bytes(b" " * HEAD_SIZE + OSM)
    assert recognise(tmp_path / "a.foo").kind == "vector"


@pytest.mark.parametrize(
    "address",
    ["https://example.org/a.geojson", "http://example.org/a.osm.pbf", "s3://bucket/a.shp", "file:///tmp/a.gpkg",
     "ftp://example.org/{name}.tif", "/vsicurl/https://example.org/a.gpkg"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["roads", "objects", "lines"])
def test_an_address_is_told_that_files_are_meant(address, kind):
    given = [address] if "{name}" in address else [address, Path(address)]
    for one in given:
        with pytest.raises(UnreadableInputError) as raised:
            read_map(kind, one)
        assert str(raised.value).endswith(" is an address, and local files are meant; download it and give the file")


def test_an_address_in_place_of_other_files():
    address = "https://example.org/a.json"
    square = geoeval.RoadNetwork.from_lines([[(0, 0), (90, 0)]], crs="EPSG:32610")
    asked = (
        lambda: geoeval.evaluate(square, square, aoi=address),
        lambda: geoeval.review(address),
        lambda: geoeval.benchmark(address, address),
        lambda: geoeval.benchmark(address),
        lambda: geoeval.verify(address),
        lambda: geoeval.read_image(address),
    )
    for ask in asked:
        with pytest.raises(UnreadableInputError, match=r"https://example\.org/a\.json is an address"):
            ask()
