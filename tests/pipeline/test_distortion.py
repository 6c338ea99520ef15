"""A CRS that cannot be measured in is refused, however the evaluation is made."""

import pickle

import pytest

from geoeval import ObjectMap, RoadNetwork, evaluate, write_network
from geoeval.crs import MAX_SCALE_ERROR
from geoeval.exceptions import ParameterError
from geoeval.model.courses import bar
from geoeval.model.drawing import Drawing
from tests.readers.osm.osm_files import node, way, write, xml

ROADS = RoadNetwork.from_lines([[(385000, 6672000), (386000, 6672000)]], crs="EPSG:32635")  # Helsinki


def refused(*given, crs, **options):
    with pytest.raises(ParameterError) as caught:
        evaluate(*given, crs=crs, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_mercator_and_degrees_are_refused_and_a_good_projection_is_not():
    assert "lengths in EPSG:3857 are 10" in refused(ROADS, ROADS, crs="EPSG:3857")  # cos 60.2 is .497
    assert "% off the ground here; give a CRS made for this place" in refused(ROADS, ROADS, crs="EPSG:3857")
    assert "does not measure in metres" in refused(ROADS, ROADS, crs="EPSG:4326")
    assert "off the ground" in refused(ROADS, ROADS, crs="EPSG:32610")  # another continent
    for crs in ("EPSG:32635", "EPSG:3067", "EPSG:3035"):
        assert evaluate(ROADS, ROADS, crs=crs, metrics="ccq").scores["ccq"]["quality"] == 1.0


def test_the_same_for_objects_lines_and_tiles(tmp_path):
    house = ObjectMap.from_polygons(ROADS.to_geodataframe().buffer(9), crs=ROADS.crs)
    assert "EPSG:3857" in refused(house, house, crs="EPSG:3857", kind="objects")
    drawing = Drawing([bar((385000, 6672000), (386000, 6672000))], crs=ROADS.crs)
    assert "EPSG:3857" in refused(drawing, drawing, crs="EPSG:3857", kind="lines")
    street = xml(node(1, 24.9, 60.2), node(2, 24.91, 60.2), way(5, [1, 2], {"highway": "residential"}))
    path = write(tmp_path / "helsinki.osm.pbf", street)
    assert "EPSG:3857" in refused(path, path, crs="EPSG:3857", tile_size=1000)


def test_a_distorted_projection_of_a_graph_is_replaced_as_for_other_roads(tmp_path):
    """In EPSG:3035 lengths in Helsinki are .2 % off; a graph that names it is measured, not trusted."""
    distorted = ROADS.to_crs("EPSG:3035")
    assert distorted.scale_error > MAX_SCALE_ERROR
    assert abs(distorted.length / ROADS.length - 1) > MAX_SCALE_ERROR
    pickled, text = tmp_path / "helsinki.gpickle", tmp_path / "helsinki.graphml"
    pickled.write_bytes(pickle.dumps(distorted.to_networkx()))
    write_network(distorted, text)
    for given in (distorted.to_networkx(), pickled, text, distorted.to_geodataframe()):
        result = evaluate(given, given, metrics="ccq")
        assert result.crs.to_epsg() == 32635
        assert result.scale_error <= MAX_SCALE_ERROR
        assert result.reference["length_m"] == pytest.approx(ROADS.length, rel=MAX_SCALE_ERROR)
    kept = evaluate(ROADS.to_networkx(), ROADS.to_networkx(), metrics="ccq")
    assert kept.reference["length_m"] == pytest.approx(ROADS.length, abs=1e-6)
