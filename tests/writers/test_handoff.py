"""Tasks and files for people who fix maps, read back with other programs' libraries."""

import itertools
import json
from dataclasses import replace

import geopandas as gpd
import numpy as np
import osmium
import pytest
import shapely
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyproj import CRS, Transformer
from shapely.affinity import translate

from geoeval import ObjectMap, evaluate, evaluate_objects
from geoeval.crs import LOCAL_METRES
from geoeval.exceptions import OutputError, ParameterError
from geoeval.model.error_kinds import KINDS
from geoeval.model.features import ErrorFeatures
from geoeval.writers import handoff
from geoeval.writers.handoff import _tidy, instruction, numbered, write_josm, write_maproulette
from geoeval.writers.tables import clean_text
from tests.networks import network
from tests.writers.results import EAST, HOSTILE, NORTH, UTM10, box, line, make_result, point, roads_with_errors

PLACE = Transformer.from_crs(32610, 4326, always_xy=True).transform(EAST, NORTH)


def tasks(path):
    """The tasks of a file, as MapRoulette takes them: a whole collection, or one a line."""
    if path.suffix in {".geojson", ".json"}:
        return json.loads(path.read_text(encoding="utf-8"))["features"]
    collections = []
    for text in path.read_text(encoding="utf-8").split("\n")[:-1]:
        assert text[0] == "\x1e"
        collections.append(json.loads(text[1:]))
    assert all(one["type"] == "FeatureCollection" and len(one["features"]) == 1 for one in collections)
    return [one["features"][0] for one in collections]


def elements(path):
    """What pyosmium finds: type, id, tags, and places or members."""
    found, places = [], {}
    for item in osmium.FileProcessor(str(path)):
        tags = {tag.k: tag.v for tag in item.tags}
        if item.is_node():
            places[item.id] = (item.location.lon, item.location.lat)
            found.append(("node", item.id, tags, places[item.id]))
        elif item.is_way():
            found.append(("way", item.id, tags, [places[node.ref] for node in item.nodes]))
        else:
            found.append(("relation", item.id, tags, [(member.ref, member.role) for member in item.members]))
    return found


def test_one_task_an_error(tmp_path):
    result = roads_with_errors()
    count = write_maproulette(result, tmp_path / "tasks.geojson")
    features = tasks(tmp_path / "tasks.geojson")
    assert count == len(features) == sum(len(frame) for frame in result.errors.values())
    assert all(feature["properties"]["instruction"].endswith(".") for feature in features)
    ids = [feature["id"] for feature in features]
    assert ids == [feature["properties"]["id"] for feature in features]
    assert len(set(ids)) == len(ids)
    first = next(feature for feature in features if feature["properties"]["kind"] == "missing")
    assert first["geometry"]["type"] == "LineString"
    assert first["geometry"]["coordinates"][0] == pytest.approx(PLACE, abs=1e-6)
    assert first["properties"]["length_m"] == 100
    assert first["properties"]["ref_id"] == "way/1"
    assert "pred_id" not in first["properties"]
    assert {f["properties"]["note"] for f in features if f["properties"]["kind"] == "junction"} == set(HOSTILE)


def test_gis_programs_read_tasks_with_all_attributes(tmp_path):
    """A feature a task, also where there is none; each on a line of its own."""
    for name, result in (("tasks.geojson", roads_with_errors()), ("none.json", make_result())):
        count = write_maproulette(result, tmp_path / name)
        frame = gpd.read_file(tmp_path / name)
        assert len(frame) == count
        assert len((tmp_path / name).read_text(encoding="utf-8").splitlines()) in {count + 2, 3}
    frame = gpd.read_file(tmp_path / "tasks.geojson")
    assert {"id", "instruction", "kind", "ref_id", "length_m", "error_id"} <= set(frame)
    assert frame["id"].is_unique
    assert not frame.geometry.isna().any()
    assert frame.crs == 4326


def test_the_format_of_maproulette_alone_is_written_where_the_name_asks_for_it(tmp_path):
    """A record separator and a FeatureCollection a line, which GDAL reads as rows without geometry."""
    result = roads_with_errors()
    count = write_maproulette(result, tmp_path / "tasks.geojson")
    assert count == write_maproulette(result, tmp_path / "tasks.geojsonl")
    lines = (tmp_path / "tasks.geojsonl").read_bytes().splitlines()
    assert len(lines) == count
    assert all(one.startswith(b'\x1e{"type":"FeatureCollection"') for one in lines)
    assert tasks(tmp_path / "tasks.geojsonl") == tasks(tmp_path / "tasks.geojson")
    write_maproulette(make_result(), tmp_path / "none.jsonl")
    assert (tmp_path / "none.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("write", "name"),
    [(write_maproulette, "tasks.txt"), (write_maproulette, "tasks"), (write_josm, "j.txt"), (write_josm, "j")],
)
def test_a_name_that_does_not_say_the_format_is_refused(tmp_path, write, name):
    with pytest.raises(OutputError, match=rf"{name}: .*give a name that ends in \."):
        write(roads_with_errors(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_tasks_of_chosen_kinds_lie_where_the_errors_are(tmp_path):
    chosen = {"kinds": ["missing", "junction"], "metrics": ["ccq"]}
    assert write_maproulette(roads_with_errors(), tmp_path / "tasks.json", **chosen) == 3
    frame = gpd.GeoDataFrame.from_features(tasks(tmp_path / "tasks.json"), crs=4326)
    assert list(frame["kind"]) == ["missing"] * 3
    assert frame.to_crs(UTM10).length.to_numpy() == pytest.approx([100, 80 + 200**0.5, 0], rel=1e-3)


def test_an_error_keeps_its_id_whatever_else_is_there(tmp_path):
    one, many = ErrorFeatures("ccq"), ErrorFeatures("ccq")
    one.add("missing", [line((0, 0), (9, 0))], ref_id="7", note="as it was")
    many.add("missing", [line((5, 5), (9, 9)), line((0, 0), (9, 0))], ref_id=["6", "7"], note="other words")
    write_maproulette(make_result(one), tmp_path / "one.json")
    write_maproulette(make_result(many), tmp_path / "many.json")
    assert tasks(tmp_path / "one.json")[0]["id"] == tasks(tmp_path / "many.json")[1]["id"]
    assert tasks(tmp_path / "many.json")[0]["id"] != tasks(tmp_path / "many.json")[1]["id"]


def test_a_task_keeps_its_id_where_features_are_numbered_anew_and_others_come(tmp_path):
    """Real evaluations: a feature before all others gives each another number, and adds errors elsewhere."""
    streets = [[(0, 0), (600, 0)], [(0, 300), (600, 300)], [(0, 0), (0, 300)], [(600, 0), (600, 300)]]
    extra = [(0, 120), (60, 180)]
    true = network(streets)
    before = evaluate(true, network([*streets[1:], [(200, 300), (260, 380)]]), metrics="ccq,opt-j", aoi="all")
    after = evaluate(true, network([extra, *streets[1:], [(200, 300), (260, 380)]]), metrics="ccq", aoi="all")
    elsewhere = replace(after, crs=UTM10, decided={n: f.to_crs(UTM10) for n, f in after.map_errors().items()})
    names = {}
    for name, result in (("before", before), ("after", after), ("elsewhere", elsewhere)):
        write_maproulette(result, tmp_path / f"{name}.json")
        found = tasks(tmp_path / f"{name}.json")
        names[name] = {one["id"]: one["properties"]["kind"] for one in found}
        assert len(names[name]) == len(found)
    assert len(names["before"]) >= 2
    assert names["before"].items() < names["after"].items()
    assert names["after"] == names["elsewhere"]
    assert all(name.startswith("geoeval-") for name in names["after"])


def test_a_chosen_task_has_the_id_that_it_has_among_all(tmp_path):
    many = ErrorFeatures("ccq")
    many.add("missing", [point(0, 0)] * 3, ref_id=["9", "7", "8"])
    ids = {}
    for metrics in (None, ["ccq"]):
        write_maproulette(make_result(many), tmp_path / "tasks.json", metrics=metrics, overwrite=True)
        ids[str(metrics)] = {one["properties"]["ref_id"]: one["id"] for one in tasks(tmp_path / "tasks.json")}
    assert ids["None"] == ids["['ccq']"]
    assert len(set(ids["None"].values())) == 3


def test_equal_errors_are_two_tasks(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [point(0, 0)] * 2)
    write_maproulette(make_result(features), tmp_path / "tasks.json")
    first, second = (feature["id"] for feature in tasks(tmp_path / "tasks.json"))
    assert second != first


def test_what_nobody_can_fix_is_left_out_unless_named(tmp_path):
    paths, lengths = ErrorFeatures("tlts"), ErrorFeatures("ccq")
    for kind in ("path", "culprit"):
        paths.add(kind, [line((0, 0), (1, 1))])
    lengths.add("missing", [line((0, 0), (1, 1))])
    result = make_result(paths, lengths)
    assert write_maproulette(result, tmp_path / "a.json") == 1
    assert write_maproulette(result, tmp_path / "b.json", kinds=["path", "missing"]) == 2
    assert write_maproulette(result, tmp_path / "c.json", metrics=["tlts"]) == 0
    assert tasks(tmp_path / "c.json") == []
    assert write_josm(result, tmp_path / "d.osm") == 1


def test_a_map_of_objects_against_itself_leaves_nothing_to_do(tmp_path):
    houses = ObjectMap.from_polygons([box(30 * i, 0, 12) for i in range(5)], crs=UTM10)
    result = evaluate_objects(houses, houses)
    assert {kind for frame in result.errors.values() for kind in frame["kind"]} == {"matched"}
    assert write_maproulette(result, tmp_path / "tasks.json") == 0
    assert tasks(tmp_path / "tasks.json") == []
    assert write_josm(result, tmp_path / "errors.osm") == 0
    assert elements(tmp_path / "errors.osm") == []
    assert write_maproulette(result, tmp_path / "named.json", kinds=["matched"]) == 5
    assert {task["properties"]["instruction"] for task in tasks(tmp_path / "named.json")} == {
        "Look at this place: matched."
    }
    assert write_josm(result, tmp_path / "named.osm", kinds=["matched"]) == 5


def test_areas_whose_slivers_collapse_stay_areas(tmp_path):
    """What is thinner than the seventh decimal of a degree becomes a line in GeoJSON; the rest is still an area."""
    sliver = shapely.Polygon([(0, 0), (40, 3), (40, 3.0001), (0, 0.0001)])
    area = translate(shapely.MultiPolygon([sliver, shapely.box(0, 20, 10, 30)]), EAST, NORTH)
    features = ErrorFeatures("max-overlap")
    features.add("boundary", [area], ref_id=["1"])
    result = make_result(features, kind="objects")
    assert write_maproulette(result, tmp_path / "tasks.json") == write_josm(result, tmp_path / "errors.osm") == 1
    assert [one["geometry"]["type"] for one in tasks(tmp_path / "tasks.json")] == ["MultiPolygon"]
    assert sum(item.is_way() for item in osmium.FileProcessor(str(tmp_path / "errors.osm"))) == 1


def test_links_between_matched_objects_are_no_tasks(tmp_path):
    features = ErrorFeatures("max-overlap")
    features.add("link", [line((0, 0), (3, 0))])
    features.add("matched", [box(0, 0, 9)])
    result = make_result(features, kind="objects")
    assert write_maproulette(result, tmp_path / "a.json") == write_josm(result, tmp_path / "b.osm") == 0
    assert write_maproulette(result, tmp_path / "c.json", kinds=["link"]) == 1


def test_errors_of_objects_reach_both(tmp_path):
    """Of four houses one is missed and two are drawn as one; a fifth is not there."""
    reference = ObjectMap.from_polygons([box(30 * i, 0, 20) for i in range(4)], crs=UTM10)
    merged = shapely.box(EAST, NORTH, EAST + 50, NORTH + 20)
    prediction = ObjectMap.from_polygons([merged, box(60, 0, 20), box(500, 0, 20)], crs=UTM10)
    result = evaluate_objects(reference, prediction, metrics="max-overlap")
    expected = {"missed": 1, "false_alarm": 1, "merge": 1}
    summary = {kind: entry["count"] for kind, entry in result.error_summary().items()}
    assert {kind: summary[kind] for kind in expected} == expected
    assert write_maproulette(result, tmp_path / "tasks.json") == sum(summary.values())
    features = tasks(tmp_path / "tasks.json")
    assert {feature["properties"]["kind"] for feature in features} == set(summary)
    missed = next(feature for feature in features if feature["properties"]["kind"] == "missed")
    assert missed["properties"]["instruction"] == KINDS["missed"].instruction
    place = gpd.GeoSeries([shapely.geometry.shape(missed["geometry"])], crs=4326).to_crs(UTM10)[0]
    assert shapely.hausdorff_distance(place, box(90, 0, 20)) < 0.05
    assert write_josm(result, tmp_path / "errors.osm") == sum(summary.values())
    ways = [tags["kind"] for kind, _, tags, _ in elements(tmp_path / "errors.osm") if kind == "way" and "kind" in tags]
    assert {"missed", "false_alarm"} <= set(ways)


def test_every_kind_that_is_a_task_has_its_instruction():
    for kind in KINDS.values():
        assert bool(kind.instruction) == kind.is_task
        assert kind.is_task <= kind.is_error
        assert instruction(kind.name).endswith(".")
    assert instruction("brand_new") == "Look at this place and correct it: brand new."
    assert instruction("path") == "Look at this place: wrong path."


def test_heights_do_not_reach_maproulette(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [shapely.Point(EAST, NORTH, 100.0)])
    write_maproulette(make_result(features), tmp_path / "tasks.json")
    assert len(tasks(tmp_path / "tasks.json")[0]["geometry"]["coordinates"]) == 2


@pytest.mark.parametrize(("write", "name"), [(write_maproulette, "out.geojson"), (write_josm, "out.osm")])
def test_local_coordinates_are_refused_in_one_line(tmp_path, write, name):
    with pytest.raises(OutputError, match=r"needs places on Earth.*local; give the CRS of the inputs$"):
        write(roads_with_errors(LOCAL_METRES), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("write", "name"), [(write_maproulette, "out.geojson"), (write_josm, "out.osm")])
def test_an_existing_file_is_kept(tmp_path, write, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(OutputError, match="give overwrite=True"):
        write(roads_with_errors(), tmp_path / name)
    assert (tmp_path / name).read_text() == "mine"
    write(roads_with_errors(), tmp_path / name, overwrite=True)
    assert (tmp_path / name).read_text() != "mine"


def test_josm_gets_nodes_and_ways(tmp_path):
    result = roads_with_errors()
    count = write_josm(result, tmp_path / "errors.osm")
    assert count == sum(len(frame) for frame in result.errors.values())
    assert 'upload="never"' in (tmp_path / "errors.osm").read_text(encoding="utf-8").splitlines()[1]
    found = elements(tmp_path / "errors.osm")
    assert all(number < 0 for _, number, _, _ in found)
    assert len({(kind, number) for kind, number, _, _ in found}) == len(found)
    marked = [item for item in found if "kind" in item[2]]
    assert len(marked) == count
    ways = [item for item in marked if item[0] == "way" and item[2]["kind"] == "missing"]
    assert ways[0][2] == {
        "error_id": ways[0][2]["error_id"],
        "fixme": KINDS["missing"].instruction,
        "instruction": KINDS["missing"].instruction,
        "kind": "missing",
        "length_m": "100",
        "metric": "ccq",
        "note": "Übergang fehlt",
        "osm_object": "https://www.openstreetmap.org/way/1",
        "ref_id": "way/1",
        "severity": "1",
        "task_id": ways[0][2]["task_id"],
    }
    assert ways[0][3][0] == pytest.approx(PLACE, abs=1e-6)
    assert [len(way[3]) for way in ways] == [2, 3]
    notes = {item[2]["note"] for item in marked if item[2]["kind"] == "junction"}
    assert notes == set(HOSTILE)


def test_josm_gets_polygons(tmp_path):
    features = ErrorFeatures("hoover")
    hole = box(0, 0, 50).difference(box(10, 10, 5)).difference(box(20, 20, 5))
    features.add("missed", [box(100, 0, 10), shapely.MultiPolygon([box(200, 0, 10), box(220, 0, 10)]), hole])
    assert write_josm(make_result(features, kind="objects"), tmp_path / "errors.osm") == 3
    found = elements(tmp_path / "errors.osm")
    ways = {number: (tags, places) for kind, number, tags, places in found if kind == "way"}
    assert all(places[0] == places[-1] and len(places) == 5 for _, places in ways.values())
    assert len([tags for tags, _ in ways.values() if tags.get("kind") == "missed"]) == 3
    ((_, _, tags, members),) = [item for item in found if item[0] == "relation"]
    assert tags["type"] == "multipolygon"
    assert [role for _, role in members] == ["outer", "inner", "inner"]
    assert all(number in ways for number, _ in members)
    # A closed way uses its first node again; a copy would leave the ring open.
    assert len([item for item in found if item[0] == "node"]) == 4 * len(ways)


def test_what_collapses_is_a_point_and_no_way_has_equal_nodes_in_a_row(tmp_path):
    """Vertices a millimetre apart are one after rounding to the seventh decimal of a degree."""
    features, breaks = ErrorFeatures("ccq"), ErrorFeatures("opt-j")
    breaks.add("break", [line((0, 0), (0.001, 0))])
    features.add(
        "missing", [line((0, 0), (0.001, 0), (50, 0), (50.001, 0), (50, 0.001)), line((0, 9), (20, 9), (0, 9))]
    )
    features.add("spurious", [shapely.MultiLineString([line((0, 0), (0.001, 0)), line((3, 0), (9, 0))])])
    result = make_result(features, breaks)
    assert write_josm(result, tmp_path / "errors.osm") == 4
    found = elements(tmp_path / "errors.osm")
    ways = [places for kind, _, _, places in found if kind == "way"]
    assert sorted(map(len, ways)) == [2, 2, 3]
    assert all(a != b for places in ways for a, b in itertools.pairwise(places))
    assert [tags["kind"] for kind, _, tags, _ in found if kind == "node" and tags] == ["break"]
    # There and back is one node twice, not two nodes at one place.
    assert len([item for item in found if item[0] == "node"]) == 1 + 2 + 2 + 2
    write_maproulette(result, tmp_path / "tasks.json")
    kinds = {one["properties"]["kind"]: one["geometry"]["type"] for one in tasks(tmp_path / "tasks.json")}
    assert kinds == {"break": "Point", "missing": "LineString", "spurious": "MultiLineString"}


def test_areas_that_collapse_are_lines_or_points(tmp_path):
    features = ErrorFeatures("hoover")
    thin = shapely.Polygon([(EAST, NORTH), (EAST + 40, NORTH), (EAST + 40, NORTH + 0.001)])
    hole = box(100, 0, 50).difference(box(110, 10, 0.001))
    features.add("missed", [box(0, 0, 0.001), thin, hole])
    assert write_josm(make_result(features, kind="objects"), tmp_path / "errors.osm") == 3
    found = elements(tmp_path / "errors.osm")
    assert all(a != b for kind, _, _, places in found if kind == "way" for a, b in itertools.pairwise(places))
    assert [item[0] for item in found if "kind" in item[2]] == ["node", "way", "way"]
    assert all(gpd.GeoSeries.from_wkt([f"POINT ({item[3][0]} {item[3][1]})"]).is_valid[0] for item in found[:1])
    write_maproulette(make_result(features, kind="objects"), tmp_path / "tasks.json")
    assert gpd.read_file(tmp_path / "tasks.json").geometry.is_valid.all()


@pytest.mark.parametrize(("write", "name"), [(write_maproulette, "t.geojson"), (write_josm, "t.osm")])
def test_at_most_so_many_tasks_a_file(tmp_path, write, name):
    result = roads_with_errors()
    whole = tmp_path / "whole" / name
    count = write(result, whole)
    assert write(result, tmp_path / name, tasks_per_file=5) == count
    files = sorted(path.name for path in tmp_path.glob("t*"))
    assert files == [numbered(tmp_path / name, i + 1).name for i in range(-(-count // 5))]
    assert files[0] in {"t-001.geojson", "t-001.osm"}
    read = _names_of if name.endswith("osm") else tasks
    parts = [read(tmp_path / file) for file in files]
    assert [len(part) for part in parts[:-1]] == [5] * (len(files) - 1)
    assert (
        list(itertools.chain.from_iterable(parts)) == read(whole)
        if read is tasks
        else sorted(itertools.chain.from_iterable(parts)) == sorted(read(whole))
    )
    with pytest.raises(OutputError, match="exists already"):
        write(result, tmp_path / name, tasks_per_file=100)
    # An earlier run is replaced whole, so that no file of it stands among those of this one; other files stay.
    other = tmp_path / files[0].replace("001", "2024")
    other.write_bytes((tmp_path / files[0]).read_bytes())
    write(result, tmp_path / name, tasks_per_file=100, overwrite=True)
    assert sorted(path.name for path in tmp_path.glob("t*")) == [files[0], other.name]
    assert read(tmp_path / files[0]) == read(whole)
    with pytest.raises(ParameterError, match="give 1 or more"):
        write(result, tmp_path / name, tasks_per_file=0, overwrite=True)


def _names_of(path):
    return [tags["task_id"] for _, _, tags, _ in elements(path) if "task_id" in tags]


def test_numbered_files_are_there_together_or_not_at_all(tmp_path, monkeypatch):
    """A folder in the way of the third file: nothing of this run, and all of the earlier one."""
    result = roads_with_errors()
    write_maproulette(result, tmp_path / "t.geojson", tasks_per_file=3)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / "t-009.geojson").mkdir()
    with pytest.raises(OutputError, match="is a directory"):
        write_maproulette(result, tmp_path / "t.geojson", tasks_per_file=1, overwrite=True)
    (tmp_path / "t-009.geojson").rmdir()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    calls = iter(range(100))
    real = handoff._json

    def fail_late(value):
        if next(calls) == 8:
            raise OSError(28, "No space left on device")
        return real(value)

    monkeypatch.setattr(handoff, "_json", fail_late)
    with pytest.raises(OutputError, match="No space left"):
        write_maproulette(result, tmp_path / "t.geojson", tasks_per_file=2, overwrite=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_of_an_earlier_run_is_not_left_among_those_of_another(tmp_path):
    """Without --overwrite a second file that would follow the one to be written is in the way."""
    result = roads_with_errors()
    write_maproulette(result, tmp_path / "t.json", tasks_per_file=7)
    (tmp_path / "t-001.json").unlink()
    with pytest.raises(OutputError, match=r"t-002\.json exists already"):
        write_maproulette(result, tmp_path / "t.json", tasks_per_file=100)
    assert not (tmp_path / "t-001.json").exists()


def test_a_file_that_geoeval_did_not_write_is_not_removed(tmp_path):
    result = roads_with_errors()
    write_josm(result, tmp_path / "t.osm", tasks_per_file=100)
    before = (tmp_path / "t-001.osm").read_bytes()
    (tmp_path / "t-002.osm").write_text("mine")
    with pytest.raises(OutputError, match=r"t-002\.osm would be taken for one of the files.*move it away"):
        write_josm(result, tmp_path / "t.osm", tasks_per_file=100, overwrite=True)
    assert (tmp_path / "t-002.osm").read_text() == "mine"
    assert (tmp_path / "t-001.osm").read_bytes() == before


def test_a_name_that_has_no_room_for_a_number_is_one_line(tmp_path):
    with pytest.raises(OutputError, match="too long"):
        write_josm(roads_with_errors(), tmp_path / f"{'j' * 250}.osm", tasks_per_file=5)


def test_what_is_wrong_in_the_reference_is_no_task_unless_named(tmp_path):
    street, other = [(0, 0), (400, 0)], [(0, 200), (400, 200)]
    result = evaluate(network([street, street, other]), network([street, other, other]), metrics="ccq", aoi="all")
    assert write_maproulette(result, tmp_path / "tasks.json") == 1
    (task,) = tasks(tmp_path / "tasks.json")
    assert task["properties"]["note"] == "the same segment twice in the prediction; counted once"
    assert write_maproulette(result, tmp_path / "named.json", kinds=["duplicate"]) == 2
    assert write_josm(result, tmp_path / "errors.osm") == 1


def test_no_errors_give_a_file_that_can_be_read(tmp_path):
    assert write_josm(make_result(), tmp_path / "errors.osm") == 0
    assert elements(tmp_path / "errors.osm") == []


def test_lines_across_the_antimeridian_are_cut(tmp_path):
    x, y = Transformer.from_crs(4326, 3460, always_xy=True).transform([179.99, -179.99], [-16.8, -16.8])
    features = ErrorFeatures("ccq")
    features.add("missing", [shapely.LineString(np.column_stack([x, y]))])
    result = make_result(features, crs=CRS.from_epsg(3460))
    write_josm(result, tmp_path / "errors.osm")
    ways = [places for kind, _, _, places in elements(tmp_path / "errors.osm") if kind == "way"]
    assert len(ways) == 2
    assert all(np.ptp([lon for lon, _ in places]) < 0.02 for places in ways)
    write_maproulette(result, tmp_path / "tasks.json")
    assert tasks(tmp_path / "tasks.json")[0]["geometry"]["type"] == "MultiLineString"


def test_long_text_fits_a_tag(tmp_path):
    features = ErrorFeatures("ccq")
    features.add("missing", [point(0, 0)], note="界" * 3000)
    write_josm(make_result(features), tmp_path / "errors.osm")
    ((_, _, tags, _),) = elements(tmp_path / "errors.osm")
    assert tags["note"] == "界" * 255
    write_maproulette(make_result(features), tmp_path / "tasks.json")
    assert tasks(tmp_path / "tasks.json")[0]["properties"]["note"] == "界" * 3000


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(note=st.text(st.characters(), max_size=60), ref_id=st.text(max_size=20))
def test_any_text_reaches_both(tmp_path, note, ref_id):
    features = ErrorFeatures("ccq")
    features.add("missing", [point(0, 0)], note=note, ref_id=ref_id)
    result = make_result(features, crs=UTM10)
    write_maproulette(result, tmp_path / "tasks.json", overwrite=True)
    write_josm(result, tmp_path / "errors.osm", overwrite=True)
    (task,) = tasks(tmp_path / "tasks.json")
    ((_, _, tags, _),) = elements(tmp_path / "errors.osm")
    for name, text in (("note", note), ("ref_id", ref_id)):
        assert task["properties"].get(name, "") == clean_text(text)
        assert tags.get(name, "") == clean_text(text)


@pytest.mark.parametrize(
    ("kind", "parts", "left"),
    [
        ("MultiLineString", [[]], None),
        ("MultiLineString", [[], [[1, 2], [3, 4]]], [[[1, 2], [3, 4]]]),
        ("MultiPolygon", [[]], None),
        ("Polygon", [[]], None),
    ],
)
def test_parts_without_a_place_are_left_out(kind, parts, left):
    """As those of a run that somebody else has changed may be."""
    found = _tidy({"type": kind, "coordinates": parts})
    assert (found is None) if left is None else found["coordinates"] == left
