"""What is written reads back as the same graph, in every format."""

import json
import sqlite3
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pyogrio
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pyproj import CRS

from geoeval import read_network
from geoeval.crs import LOCAL_METRES, to_lonlat, transform
from geoeval.exceptions import CRSError, EmptyInputError, OutputError
from geoeval.model.road_network import RoadNetwork
from geoeval.writers.network_files import WRITERS, write_network

UTM = "EPSG:32610"
ORIGIN = np.array([500_000.0, 5_400_000.0])
GRAPH_FORMATS = (".graph", ".graphml", ".json")
LINE_FORMATS = tuple(suffix for suffix in WRITERS if suffix not in GRAPH_FORMATS)

TOWN = {
    "Hauptstraße": [(-100, 0), (100, 0)],
    "橋": [(0, -100), (0, 100)],  # a bridge over it
    "parallel": [(-100, 0), (0, 40.123456), (100, 0)],
    'ring "one" & <two>': [(200, 200), (240, 200), (240, 240), (200, 240), (200, 200)],
    "007": [(100, 0), (150, 20), (150, -20), (100, 0)],  # a loop at a junction
    "[12, 13]": [(50, 50), (50, 0)],  # ends on the main road without joining it
    "12": [(100, 0), (130.5, 3.3), (170, 0)],
    "-": [(170, 0), (300, 0)],  # goes on under another id
}


def town(crs=UTM, ids=None) -> RoadNetwork:
    lines = [np.array(one, dtype=float) + ORIGIN for one in TOWN.values()]
    return RoadNetwork.from_lines(lines, crs=crs, ids=list(TOWN) if ids is None else ids)


def read_back(path: Path, network: RoadNetwork, crs=None) -> RoadNetwork:
    return read_network(path, crs=(crs or network.crs) if path.suffix == ".graph" else None)


def assert_same(found: RoadNetwork, network: RoadNetwork, *, ids: bool = True, exact: bool = True) -> None:
    """The same graph: every node of one near one node of the other, and the same segments between them."""
    assert len(found.nodes) == len(network.nodes)
    assert len(found.segments) == len(network.segments)
    if network.is_empty:
        return
    places = transform(found.nodes, found.crs, network.crs)
    gap = np.hypot(*np.moveaxis(places[:, None] - network.nodes[None], -1, 0))
    number = gap.argmin(axis=1)
    assert len(set(number.tolist())) == len(number)
    assert gap.min(axis=1).max() < 2e-6
    if exact:
        np.testing.assert_array_equal(found.nodes, network.nodes)

    def course(graph, numbers):
        pairs = np.sort(numbers[graph.segments], axis=1).tolist()
        names = graph.source_ids.tolist() if ids else [None] * len(pairs)
        return dict(zip(map(tuple, pairs), names, strict=True))

    assert course(found, number) == course(network, np.arange(len(network.nodes)))
    np.testing.assert_array_equal(found.cut, network.cut[number])


# ---------------------------------------------------------------------- the same graph


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("crs", [UTM, LOCAL_METRES, "+proj=tmerc +lat_0=48 +lon_0=-123.1 +x_0=5e5 +y_0=54e5"])
def test_a_town_comes_back_in_its_own_crs(tmp_path, suffix, crs):
    network = town(crs)
    path = write_network(network, tmp_path / f"town{suffix}")
    found = read_back(path, network)
    same_crs = suffix != ".geojson" or network.crs in (CRS(UTM), LOCAL_METRES)
    assert_same(found, network, ids=suffix != ".graph", exact=same_crs)
    assert (found.crs == network.crs) == same_crs
    assert found.problems == {}


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857", "EPSG:2927"])
def test_a_town_comes_back_through_another_crs(tmp_path, suffix, crs):
    network = town()
    path = write_network(network, tmp_path / f"town{suffix}", crs=crs)
    assert_same(read_back(path, network, crs), network, ids=suffix != ".graph", exact=False)
    if suffix in LINE_FORMATS and suffix not in {".parquet", ".geoparquet"}:
        assert CRS(pyogrio.read_info(path)["crs"]).equals(CRS(crs), ignore_axis_order=True)


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if suffix != ".graph"])
def test_whole_numbers_stay_numbers(tmp_path, suffix):
    network = town(ids=[10**15 + i for i in range(len(TOWN))])
    found = read_back(write_network(network, tmp_path / f"town{suffix}"), network)
    assert found.source_ids.dtype == np.int64
    assert_same(found, network)


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if suffix != ".graph"])
def test_cut_ends_stay_cut(tmp_path, suffix):
    x, y = ORIGIN.tolist()
    network = town().clip((x - 60, y - 60, x + 160, y + 210))
    assert network.cut.sum() > 3
    assert_same(read_back(write_network(network, tmp_path / f"town{suffix}"), network), network)


@st.composite
def graphs(draw):
    """Any graph over few places, so that nodes lie upon each other and on roads that they do not join."""
    coordinate = st.integers(0, 4).map(float)
    nodes = draw(st.lists(st.tuples(coordinate, coordinate), min_size=2, max_size=9))
    number = st.integers(0, len(nodes) - 1)
    segments = draw(st.lists(st.tuples(number, number), min_size=1, max_size=14))
    names = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Co"]), min_size=1, max_size=8)
    ids = draw(
        st.one_of(
            st.lists(names.filter(lambda name: name == name.strip()), min_size=len(segments), max_size=len(segments)),
            st.lists(st.integers(-(10**16), 10**16), min_size=len(segments), max_size=len(segments)),
        )
    )
    return RoadNetwork(
        10 * np.array(nodes) + ORIGIN,
        segments,
        crs=UTM,
        source_ids=np.array([None, *ids], dtype=object)[1:],
        merge_coincident=False,
    )


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if suffix != ".geoparquet"])
@given(network=graphs())
@settings(max_examples=25)
def test_any_graph_comes_back(tmp_path_factory, suffix, network):
    if network.is_empty and suffix in GRAPH_FORMATS:
        return
    path = tmp_path_factory.mktemp("any") / f"any{suffix}"
    found = read_back(write_network(network, path), network)
    assert_same(found, network, ids=suffix != ".graph")


def test_roads_a_micrometre_apart_stay_apart(tmp_path):
    # North lies askew in this CRS, so that in another one both coordinates of two such nodes may be rounded alike.
    askew = CRS("+proj=stere +lat_0=90 +lat_ts=48.7 +lon_0=-78")
    rng = np.random.default_rng(1)
    starts = transform(ORIGIN[None], CRS(UTM), askew) + rng.uniform(0, 5000, (60, 2))
    nodes = np.concatenate([starts.round(6) + shift for shift in np.array([(0, 0), (1e-6, 0), (20, 10), (-20, -10)])])
    count = np.arange(60)
    segments = np.concatenate([np.column_stack([count, count + 120]), np.column_stack([count + 60, count + 180])])
    network = RoadNetwork(nodes, segments, crs=askew)
    found = read_network(write_network(network, tmp_path / "close.geojson"))
    assert len(network.nodes) == len(found.nodes) == 240
    assert found.components.max() == network.components.max() == 119


def test_a_network_beyond_the_antimeridian_comes_back_and_looks_whole(tmp_path):
    lines = [[(179.99, -17.0), (-179.99, -17.01)], [(-179.99, -17.01), (-179.98, -17.02)]]
    network = RoadNetwork.from_lines(lines, crs="EPSG:4326")
    assert network.length < 6000
    path = write_network(network, tmp_path / "fiji.geojson")
    longitudes = shapely.get_coordinates(pyogrio.read_dataframe(path).geometry)[:, 0]
    assert np.ptp(longitudes) < 1
    assert_same(read_network(path), network, exact=False)


@pytest.mark.parametrize("suffix", LINE_FORMATS)
def test_an_empty_network_comes_back(tmp_path, suffix):
    network = RoadNetwork([], np.zeros((0, 2)), crs=UTM)
    found = read_back(write_network(network, tmp_path / f"nothing{suffix}"), network)
    assert found.is_empty
    if suffix != ".geojson":
        assert found.crs == network.crs


@pytest.mark.parametrize("suffix", GRAPH_FORMATS)
def test_an_empty_graph_can_be_written_but_says_so_when_read(tmp_path, suffix):
    path = write_network(RoadNetwork([], np.zeros((0, 2)), crs=UTM), tmp_path / f"nothing{suffix}")
    with pytest.raises(EmptyInputError):
        read_network(path, crs=UTM)


def test_the_road_network_of_a_town_comes_back(data, tmp_path):
    network = read_network(data / "roads" / "apalachicola_simplified_standard.gpkg")
    for suffix in WRITERS:
        path = write_network(network, tmp_path / f"town{suffix}")
        assert_same(read_back(path, network), network, ids=suffix != ".graph")


# ---------------------------------------------------------------------- what other programs see


def test_geojson_is_in_longitude_and_latitude_as_the_standard_says(tmp_path):
    network = town()
    content = json.loads(write_network(network, tmp_path / "town.geojson").read_text(encoding="utf-8"))
    assert "crs" not in content
    first = content["features"][0]
    assert set(first["properties"]) == {"source_id", "length_m", "ge_from", "ge_to"}
    start = network.nodes[first["properties"]["ge_from"]]
    np.testing.assert_allclose(first["geometry"]["coordinates"][0], to_lonlat(start[None], network.crs)[0], atol=1e-12)


def test_a_shapefile_has_all_its_parts_and_short_names(tmp_path):
    write_network(town(), tmp_path / "town.shp")
    assert {file.suffix for file in tmp_path.iterdir()} == {".shp", ".shx", ".dbf", ".prj", ".cpg"}
    assert (tmp_path / "town.cpg").read_text() == "UTF-8"
    assert pyogrio.read_info(tmp_path / "town.shp")["fields"].tolist() == ["source_id", "length_m", "ge_from", "ge_to"]


@pytest.mark.parametrize(("name", "layer"), [("town", "town"), ("Straßen 1", "Straßen 1"), ("gpkg_town", "roads")])
def test_a_geopackage_has_one_layer_named_as_the_file(tmp_path, name, layer):
    path = write_network(town(), tmp_path / f"{name}.gpkg")
    assert pyogrio.list_layers(path).tolist() == [[layer, "LineString"]]


def test_networkx_reads_the_graph_formats(tmp_path):
    network = town()
    graphml = nx.read_graphml(write_network(network, tmp_path / "town.graphml"), force_multigraph=True)
    text = write_network(network, tmp_path / "town.json").read_text(encoding="utf-8")
    for graph in (graphml, nx.node_link_graph(json.loads(text), edges="edges")):
        assert graph.is_multigraph()
        assert not graph.is_directed()
        assert graph.number_of_edges() == len(network.roads)
        assert sum(length for _, _, length in graph.edges(data="length")) == pytest.approx(network.length)
        assert CRS(graph.graph["crs"]) == network.crs


def test_a_roadtracer_graph_has_every_edge_in_both_directions(tmp_path):
    network = RoadNetwork.from_lines([[(0.1, 0.2), (3, 4)]])
    text = write_network(network, tmp_path / "town.graph").read_text()
    assert text == "0.1 -0.2\n3.0 -4.0\n\n0 1\n1 0\n"  # rows of an image go down


@pytest.mark.parametrize("suffix", WRITERS)
def test_the_same_network_gives_the_same_bytes(tmp_path, suffix):
    write_network(town(), tmp_path / "a" / f"town{suffix}")
    write_network(town(), tmp_path / "b" / f"town{suffix}")
    first, second = ({file.name: file.read_bytes() for file in (tmp_path / one).iterdir()} for one in "ab")
    assert first == second


# ---------------------------------------------------------------------- refusals


def test_an_unknown_suffix_is_refused_with_the_known_ones(tmp_path):
    for name in ("town.dwg", "town"):
        with pytest.raises(OutputError, match=r"\.shp, \.gpkg.*\.json"):
            write_network(town(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_existing_file_is_replaced_only_when_asked(tmp_path, suffix):
    path = tmp_path / f"town{suffix}"
    path.write_text("mine")
    with pytest.raises(OutputError, match="overwrite=True"):
        write_network(town(), path)
    assert path.read_text() == "mine"
    network = town()
    write_network(network, path, overwrite=True)
    assert_same(read_back(path, network), network, ids=suffix != ".graph")


def test_the_old_journal_and_index_do_not_outlive_the_file(tmp_path):
    for name in ("town.shp", "town.qix", "town.gpkg", "town.gpkg-wal"):
        (tmp_path / name).write_bytes(b"old")
    network = town()
    for name in ("town.shp", "town.gpkg"):
        write_network(network, tmp_path / name, overwrite=True)
        assert_same(read_network(tmp_path / name), network)
    assert not (tmp_path / "town.qix").exists()
    assert not (tmp_path / "town.gpkg-wal").exists()


def test_a_network_without_a_place_cannot_be_brought_to_one(tmp_path):
    for network, crs in ((town(None), "EPSG:4326"), (town(), LOCAL_METRES)):
        with pytest.raises(CRSError, match=r"local metres.*give the CRS"):
            write_network(network, tmp_path / "town.gpkg", crs=crs)
    assert list(tmp_path.iterdir()) == []


def test_an_id_that_a_shapefile_would_cut_is_refused(tmp_path):
    ids = ["ß" * 100] * (len(TOWN) - 1)
    assert_same(
        read_network(write_network(town(ids=[*ids, "x" * 254]), tmp_path / "a.shp")), town(ids=[*ids, "x" * 254])
    )
    with pytest.raises(OutputError, match=r"254 bytes.*\.gpkg"):
        write_network(town(ids=[*ids, "ß" * 128]), tmp_path / "town.shp")
    assert {file.stem for file in tmp_path.iterdir()} == {"a"}


def test_a_number_too_wide_for_a_shapefile_is_kept_as_text(tmp_path):
    network = town(ids=[2**62 + i for i in range(len(TOWN))])
    found = read_network(write_network(network, tmp_path / "town.shp"))
    assert sorted(map(int, found.source_ids)) == sorted(network.source_ids.tolist())
    assert_same(read_network(write_network(network, tmp_path / "town.gpkg")), network)


def test_what_goes_wrong_leaves_what_was_there(tmp_path, monkeypatch):
    path = write_network(town(), tmp_path / "town.gpkg")
    before = path.read_bytes()

    write = pyogrio.write_dataframe

    def warn(*given, **options):
        write(*given, **options)
        warnings.warn("a value was cut off", UserWarning, stacklevel=1)

    monkeypatch.setattr(pyogrio, "write_dataframe", warn)
    with pytest.raises(OutputError, match=r"cut off.*;"):
        write_network(town(), path, overwrite=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_writing_leaves_the_settings_of_gdal_alone(tmp_path):
    write_network(town(), tmp_path / "town.gpkg")
    assert pyogrio.get_gdal_config_option("OGR_CURRENT_DATE") is None
    with sqlite3.connect(tmp_path / "town.gpkg") as connection:
        assert connection.execute("SELECT last_change FROM gpkg_contents").fetchone() == ("2000-01-01T00:00:00.000Z",)
    connection.close()
