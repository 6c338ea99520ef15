"""Longitude, latitude and addresses in plans: where the errors are, of the right element, and nothing on no Earth."""

import json
import math

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
import shapely
from pyproj import Transformer

from geoeval import ObjectMap, edit_plan, evaluate, review, write_layers
from geoeval.model.plan import with_plan
from geoeval.readers.osm.recognition import is_osm_source
from geoeval.writers.osm_links import osm_elements, with_osm_links
from tests.networks import CRS, network
from tests.writers.results import make_result

HOUSES = [shapely.box(491_000 + 40 * i, 5_458_000, 491_012 + 40 * i, 5_458_012) for i in range(4)]


@pytest.fixture(scope="module")
def result():
    """Two of four streets are missing; the reference is a file of OpenStreetMap."""
    streets = [[(491_000, 5_458_000 + 100 * i), (491_400, 5_458_000 + 100 * i)] for i in range(4)]
    true, found = network(streets, ids=[7, -8, 9, 10], source="town.osm.pbf"), network([streets[0], streets[3]])
    return evaluate(true, found, metrics="ccq,opt-j", aoi="all")


def test_the_plan_has_places_and_elements(result, tmp_path):
    write_layers(result, tmp_path / "errors", grid=None)
    plan = pd.read_csv(tmp_path / "errors" / "plan.csv", keep_default_na=False)
    edits = plan[plan["kind"] == "missing"].sort_values("y")
    lon, lat = Transformer.from_crs(CRS, 4326, always_xy=True).transform(edits["x"], edits["y"])
    assert edits["lon"].to_numpy(dtype=float) == pytest.approx(lon, abs=1e-7)
    assert edits["lat"].to_numpy(dtype=float) == pytest.approx(lat, abs=1e-7)
    assert edits["ref_id"].astype(str).tolist() == ["-8", "9"]
    assert edits["osm_object"].tolist() == ["", "https://www.openstreetmap.org/way/9"]
    place = f"{lat[1]:.7f}/{lon[1]:.7f}"
    assert edits["osm_edit"].tolist()[1] == f"https://www.openstreetmap.org/edit?way=9#map=19/{place}"
    assert edits["osm_edit"].tolist()[0].startswith("https://www.openstreetmap.org/edit#map=19/")
    assert edits["osm_place"].tolist()[1].endswith(f"?mlat={lat[1]:.7f}&mlon={lon[1]:.7f}#map=19/{place}")
    fixed, whole = result.apply(tmp_path / "errors" / "plan.csv"), result.apply()
    assert fixed.nodes.tolist() == whole.nodes.tolist()


def test_the_run_and_its_export_have_them_too(result, tmp_path):
    opened = review(result, tmp_path / "run.gpkg")
    layer = gpd.read_file(tmp_path / "run.gpkg", layer="plan")
    there = layer[layer["osm_object"] == "https://www.openstreetmap.org/way/9"]
    assert len(there) == 1
    degrees = there.to_crs(4326).geometry.iloc[0]
    assert (degrees.x, degrees.y) == pytest.approx((there["lon"].iloc[0], there["lat"].iloc[0]), abs=1e-6)
    for name in opened.errors["error_id"]:
        opened.judge(name, "error")
    count = opened.export(tmp_path / "confirmed.csv")
    table = pd.read_csv(tmp_path / "confirmed.csv", keep_default_na=False)
    assert len(table) == count == 2
    assert sorted(table["osm_object"]) == ["", "https://www.openstreetmap.org/way/9"]
    assert table["lat"].to_numpy() == pytest.approx(np.sort(layer["lat"].dropna().unique())[:2], abs=0.01)
    opened.export(tmp_path / "confirmed.geojson")
    tasks = json.loads((tmp_path / "confirmed.geojson").read_text())["features"]
    assert sorted(task["properties"].get("@id", "") for task in tasks) == ["", "way/9"]


def test_plans_of_objects_have_them(tmp_path):
    ids = ["way/1", "relation/2", "node/x", "way/4"]
    true = ObjectMap.from_polygons(HOUSES, crs=CRS, ids=ids)
    result = evaluate(true, ObjectMap.from_polygons(HOUSES[:1], crs=CRS), kind="objects", plan=True, aoi="all")
    write_layers(result, tmp_path / "errors", grid=None, format="gpkg")
    plan = pd.read_csv(tmp_path / "errors" / "plan.csv", keep_default_na=False)
    found = dict(zip(plan["ref_id"], plan["osm_object"], strict=True))
    site = "https://www.openstreetmap.org"
    assert found == {"relation/2": f"{site}/relation/2", "node/x": "", "way/4": f"{site}/way/4"}


def test_coordinates_that_are_local_have_no_place_on_earth(tmp_path):
    lines = [[(0, 0), (90, 0)], [(0, 40), (90, 40)]]
    result = evaluate(network(lines, crs=None), network(lines[:1], crs=None), metrics="ccq", aoi="all")
    write_layers(result, tmp_path / "errors", grid=None)
    assert "lon" not in pd.read_csv(tmp_path / "errors" / "plan.csv")


def test_a_row_without_a_place_has_no_address():
    table = pd.DataFrame({"x": [np.nan], "y": [np.nan], "ref_id": "", "pred_id": ""})
    there = with_osm_links(table, make_result())
    assert all(math.isnan(value) for value in there["lon"])
    assert there[["osm_place", "osm_edit", "osm_object"]].eq("").all(axis=None)


@pytest.mark.parametrize(
    ("ref_id", "pred_id", "expected"),
    [
        ("12", "", "way/12"), ("12;13", "", "way/12"), ("12", "7", "way/12"), ("-12", "", ""), ("0", "", ""),
        ("12", "way/7", "way/7"), ("relation/5", "", "relation/5"), ("way/5?x=1", "", ""), ("12<script>", "", ""),
        ("", "", ""), ("٣", "", ""),
    ],
)  # fmt: skip
def test_which_ids_are_elements(ref_id, pred_id, expected):
    """Bare numbers of the file of OpenStreetMap alone; that of the prediction first, which is what is to be fixed."""
    result = make_result()
    result.reference["source"] = "osm:Athens"
    assert osm_elements(result, [ref_id], [pred_id]) == [expected]


@pytest.mark.parametrize(
    ("source", "is_osm"),
    [("a.osm", True), ("a.OSM.PBF", True), ("a.osm.bz2", True), ("osm:Bonn", True), ("a.gpkg", False), ("osm", False)],
)
def test_which_sources_have_ids_of_openstreetmap(source, is_osm):
    assert is_osm_source(source) is is_osm


def test_a_plan_without_edits_has_the_columns():
    same = network([[(491_000, 5_458_000), (491_400, 5_458_000)]])
    result = evaluate(same, same, metrics="ccq", aoi="all")
    result = with_plan(result, edit_plan(result))
    assert {"lon", "lat", "osm_place", "osm_edit", "osm_object"} <= set(with_osm_links(result.plan.edits, result))
