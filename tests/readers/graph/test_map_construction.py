"""Text of map construction."""

import pytest

from geoeval.exceptions import (
    EmptyInputError,
    LayerChoiceError,
    MissingCRSError,
    UnreadableInputError,
)
from geoeval.readers.graph.map_construction import read_map_construction
from tests.readers.graph.graph_files import save

VERTICES = "10,500000,0\n11,500100,0,7\n\n12,500100.0,50.5\n"
EDGES = "1,10,11\n2,11,12,0\n3,12,11,1\n"


@pytest.fixture
def town(tmp_path):
    save(tmp_path, "town_vertices_osm.txt", VERTICES)
    save(tmp_path, "town_edges_osm.txt", EDGES)
    return tmp_path


def test_map_construction_from_either_file_or_the_folder(town):
    for path in (town, town / "town_vertices_osm.txt", town / "town_edges_osm.txt"):
        got = read_map_construction(path, crs="EPSG:32634")
        assert got.length == 150.5
        assert got.crs.to_epsg() == 32634
        assert got.source_ids.tolist() == [1, 2]
        assert got.problems == {}
    assert read_map_construction(town, pixel_size=2).length == 301
    with pytest.raises(MissingCRSError, match="give crs="):
        read_map_construction(town)


def test_map_construction_in_another_spelling(tmp_path):
    save(tmp_path, "Vertices.TXT", "id,x,y\r\na, 0 , 0\r\nb,3,4\r\n")
    save(tmp_path, "Edges.TXT", "id,from,to\r\ne1,a,b")
    got = read_map_construction(tmp_path, pixel_size=1)
    assert got.length == 5
    assert got.source_ids.tolist() == ["e1"]


@pytest.mark.parametrize(
    ("vertices", "edges", "error", "word"),
    [
        ("1,0\n", EDGES, UnreadableInputError, "vertices.txt line 1"),
        ("1,0,a\n", EDGES, UnreadableInputError, "vertices.txt line 1"),
        ("1,0,0\n1,0,1\n", EDGES, UnreadableInputError, "line 2"),
        (VERTICES, "1,10,99\n", UnreadableInputError, "edges.txt line 1"),
        (VERTICES, "1;10;11\n", UnreadableInputError, "edges.txt line 1"),
        ("", EDGES, EmptyInputError, "no vertex"),
    ],
)
def test_malformed_map_construction(tmp_path, vertices, edges, error, word):
    save(tmp_path, "vertices.txt", vertices)
    save(tmp_path, "edges.txt", edges)
    with pytest.raises(error, match=word):
        read_map_construction(tmp_path, crs="EPSG:32634")


def test_map_construction_that_is_not_there(tmp_path, town):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(UnreadableInputError, match="vertices"):
        read_map_construction(empty, crs="EPSG:32634")
    save(empty, "a_vertices.txt", VERTICES)
    with pytest.raises(UnreadableInputError, match=r"a_edges\.txt"):
        read_map_construction(empty, crs="EPSG:32634")
    save(town, "other_vertices.txt", VERTICES)
    with pytest.raises(LayerChoiceError, match=r"other_vertices\.txt"):
        read_map_construction(town, crs="EPSG:32634")


def test_athens(data):
    got = read_map_construction(data / "roads/athens", crs="EPSG:32634")
    assert (len(got.nodes), len(got.segments)) == (2692, 3436)
    assert got.problems == {"nodes_without_edges": 2}
    assert 190_000 < got.length < 195_000
    assert got.scale_error < 0.001
