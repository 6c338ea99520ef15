"""A whole benchmark in one call: rules, layouts, several methods, what is written."""

import json
import pickle
import warnings

import numpy as np
import pytest

import geoeval
from geoeval import benchmark, evaluate
from geoeval.benchmarking.inputs import cropped
from geoeval.exceptions import ParameterError
from geoeval.protocols.file_graph import FileGraph
from geoeval.readers.vector.spacenet import images_of
from tests.benchmarking.folders import cross, grid_dict, street, two_sides, write_pickles, write_tiles
from tests.report.hostile import addresses

QUICK = {"metrics": "ccq,opt-j"}


@pytest.fixture(scope="module")
def messy(tmp_path_factory):
    """Folders with one of everything that can be wrong."""
    import rasterio

    folder = tmp_path_factory.mktemp("messy")
    truth, prediction = two_sides(folder, count=6)
    (prediction / "t0.geojson").unlink()
    (prediction / "t1.geojson").write_text('{"type": "FeatureCollection", "features": [{"ty')
    (truth / "t2.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    (prediction / "extra.geojson").write_bytes((prediction / "t3.geojson").read_bytes())
    for side, size in ((truth, 64), (prediction, 48)):
        values = np.zeros((size, size), dtype=np.uint8)
        values[20:23, 4:40] = 255
        made = {"driver": "PNG", "width": size, "height": size, "count": 1, "dtype": "uint8"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.open(side / "m.png", "w", **made) as image:
                image.write(values, 1)
    return truth, prediction


def statuses(found):
    return {outcome.place: outcome.status for outcome in found.outcomes}


def test_what_is_wrong_with_a_place_is_one_line_and_the_others_are_scored(messy):
    found = benchmark(*messy, **QUICK, pixel_size=1.0)
    assert statuses(found) == {"m": "failed", "t0": "missing", "t1": "failed", "t2": "empty", "t3": "scored",
                               "t4": "scored", "t5": "scored"}  # fmt: skip
    lines = {line.split(",")[1].split(":")[0].strip(): line for line in found.left_out}
    assert set(lines) == {"m", "t0", "t1", "t2", "extra"}
    assert "64 x 64 and 48 x 48 pixels" in lines["m"]
    assert "no truth" in lines["extra"]
    assert all("\n" not in line for line in lines.values())
    table = found.table.set_index("place")
    assert table.loc["t3", "counted"] == "own scores"
    assert np.isnan(table.loc["t0", "ccq.quality"])
    # The number of each place is that of the one door.
    for place in ("t3", "t4"):
        one = evaluate(messy[0] / f"{place}.geojson", messy[1] / f"{place}.geojson", aoi="all", **QUICK)
        assert table.loc[place, "ccq.quality"] == one.scores["ccq"]["quality"]
        assert found.result_of(place).scores == one.scores
    mean = table.loc[["t3", "t4", "t5"], "opt-j.f1"].mean()
    assert found.scores["prediction"]["mean"]["opt-j.f1"] == pytest.approx(mean)


def test_rules_for_places_without_a_score(messy):
    options = {**QUICK, "pixel_size": 1.0, "repetitions": 10}
    found = benchmark(*messy, **options, missing="zero", failed="zero", empty="score")
    assert found.left_out == ["prediction, extra: no truth of this name"]
    table = found.table.set_index("place")
    assert table.loc["t0", "ccq.quality"] == table.loc["t1", "ccq.quality"] == table.loc["m", "opt-j.f1"] == 0
    scored = benchmark(*messy, **options)
    kept = scored.table.set_index("place")["ccq.quality"].sum()
    # Three at their worst; the empty truth against roads scores 0 by the metric's own rule.
    assert found.scores["prediction"]["mean"]["ccq.quality"] == pytest.approx(kept / 7)
    # A missing prediction is an empty one to the counts: 400 m of roads that are not there.
    pooled = [one.scores["prediction"]["pooled"]["ccq.completeness"] for one in (scored, found)]
    lengths = [sum(one.counts["ccq"]["ref_length"] for one in scored.outcomes if one.status == "scored"), 400.0]
    assert pooled[1] == pytest.approx(pooled[0] * lengths[0] / sum(lengths))
    for rule in ("missing", "failed", "empty"):
        with pytest.raises(ParameterError, match=f'to go on without it, give {rule}="skip"'):
            benchmark(*messy, **{**options, rule: "fail"})
    with pytest.raises(ParameterError, match="is no rule"):
        benchmark(*messy, missing="perhaps")


def test_several_methods_are_compared_over_the_places_that_all_have(tmp_path):
    truth = write_tiles(tmp_path / "t", {f"t{i}": cross(x=300.0 * i) for i in range(5)})
    good = write_tiles(tmp_path / "good", {f"t{i}": cross(x=300.0 * i) for i in range(5)})
    poor = write_tiles(tmp_path / "poor", {f"t{i}": street(x=300.0 * i) for i in range(1, 5)})
    found = benchmark(truth, [good, poor], **QUICK)
    assert found.methods == ("good", "poor")
    for first, second, one in found.comparisons():
        assert (first, second, one.winner, one.units, one.confidence) == ("good", "poor", "A", 4, 1.0)
    assert found.ranking().ranks == [1, 2]
    assert found.common_places == {"t1", "t2", "t3", "t4"}
    swapped = benchmark(truth, {"b": poor, "a": good}, **QUICK)
    assert [one.winner for _, _, one in swapped.comparisons()] == ["B", "B"]
    with pytest.raises(ParameterError, match="given twice"):
        benchmark(truth, [good, good], **QUICK)


def test_what_is_written_is_complete_and_the_same_every_time(messy, tmp_path):
    found = benchmark(*messy, **QUICK, pixel_size=1.0)
    folders = [found.write(tmp_path / name, maps=1) for name in ("a", "b")]
    files = [{path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()} for one in folders]
    assert files[0] == files[1]
    names = {str(path) for path in files[0]}
    assert {"places.csv", "scores.csv", "scores.md", "scores.tex", "benchmark.json", "page.html", "maps/001.html",
            "errors/errors.gpkg"} <= names  # fmt: skip
    read = json.loads((folders[0] / "benchmark.json").read_text())
    assert read["methods"][0]["scores"] == found.scores["prediction"]
    assert len(read["places"]) == 7
    assert len(read["left_out"]) == 5
    import geopandas as gpd

    missing = gpd.read_file(folders[0] / "errors" / "errors.gpkg", layer="missing")
    assert set(missing["place"]) == {"t4"}
    assert missing.crs == "EPSG:32610"
    places = gpd.read_file(folders[0] / "errors" / "errors.gpkg", layer="grid")
    assert sorted(places["place"]) == ["t3", "t4", "t5"]
    page = (folders[0] / "page.html").read_text()
    assert addresses(page) == set()
    assert "tile.openstreetmap.org" not in page
    assert addresses((folders[0] / "maps" / "001.html").read_text()) == set()


def test_text_from_data_is_no_command_anywhere(tmp_path):
    name = "=cmd|' _x%\\input{y}<script>alert(1)</script>&$"
    maps = {name: cross(), "b": cross(x=300.0)}
    found = benchmark(maps, {"m_1 & <b>": maps}, metrics="ccq")
    found.write(tmp_path / "out", maps=1)
    assert "<script>alert" not in (tmp_path / "out" / "page.html").read_text()
    tex = (tmp_path / "out" / "scores.tex").read_text()
    assert r"m\_1 \& \textless{}b\textgreater{}" in tex
    assert (tmp_path / "out" / "places.csv").read_text().splitlines()[1].split(",")[1].strip('"').startswith("'=cmd")
    assert "<b>" not in (tmp_path / "out" / "scores.md").read_text().replace("\\<b\\>", "")


# ------------------------------------------------------------------ layouts


def test_city_scale_by_protocol_and_by_metrics(tmp_path):
    truth = write_pickles(tmp_path / "gt", {f"region_{n}_graph_gt.pickle": grid_dict(600) for n in (8, 9, 10)})
    out = write_pickles(tmp_path / "out", {"8.p": grid_dict(600), "9.p": grid_dict(600, rows=[50, 350])})
    found = benchmark(truth, out, protocol="sat2graph-topo")
    assert (found.rule, len(found.pairing.places)) == ("city", 27)
    alone = evaluate(truth / "region_9_graph_gt.pickle", out / "9.p", protocol="sat2graph-topo")
    own = found.table.set_index("place").loc["9"]
    assert own["sat2graph-topo.f1"] == alone.scores["sat2graph-topo"]["f1"]
    f1 = found.table["sat2graph-topo.f1"].dropna()
    assert found.headline_scores("out")["sat2graph-topo.f1"] == pytest.approx(f1.mean())
    assert sum("no truth" in line for line in found.left_out) == 25
    by_metric = benchmark(truth, out, **QUICK)
    table = by_metric.table.set_index("place")
    assert table.loc["8", "ccq.quality"] == 1.0
    assert {one.unit for one in by_metric.outcomes if one.status == "scored"} == {"px"}


def test_spacenet_as_rngdet_crops_predictions_and_uses_the_small_tables(tmp_path):
    whole = grid_dict(400)
    graph = FileGraph.from_neighbours(whole)
    # The rule of the script, on dictionaries.
    kept = {
        (a - 24, b - 24): [(c - 24, d - 24) for c, d in around if 24 < c < 376 and 24 < d < 376]
        for (a, b), around in whole.items() if 24 < a < 376 and 24 < b < 376
    }  # fmt: skip
    slow, quick = FileGraph.from_neighbours(kept), cropped(graph, 24.0, 376.0)
    assert np.array_equal(slow.nodes, quick.nodes)
    assert np.array_equal(slow.edges, quick.edges)
    truth = write_pickles(tmp_path / "gt", {"AOI_1__gt_graph_dense_spacenet.p": kept})
    out = write_pickles(tmp_path / "out", {"AOI_1.p": whole})
    found = benchmark(truth, out, protocol="sat2graph-apls")
    assert found.headline_scores("out") == {"sat2graph-apls.apls": 1.0}
    assert found.rule == "spacenet"
    assert found.outcomes[0].parameters["sat2graph-apls"]["table"] == "10"
    assert benchmark(truth, out, **QUICK).headline_scores("out") == {"ccq.quality": 1.0, "opt-j.f1": 1.0}
    topo = benchmark(truth, out, protocol="sat2graph-topo").outcomes[0]
    assert topo.parameters["sat2graph-topo"]["small"] is True


def test_predictions_in_image_pixels_are_turned(tmp_path):
    one_sided = grid_dict(400, rows=[50, 80])
    turned = {(400 - a, b): [(400 - c, d) for c, d in around] for (a, b), around in one_sided.items()}
    truth = write_pickles(tmp_path / "gt", {"X_1__gt_graph.p": one_sided})
    out = write_pickles(tmp_path / "out", {"X_1.p": turned})
    scores = {frame: benchmark(truth, out, metrics="ccq", frame=frame).headline_scores("out")["ccq.quality"]
              for frame in ("file", "image")}  # fmt: skip
    assert scores["image"] == 1.0
    assert scores["file"] < 0.8


def test_an_empty_prediction_counts_and_an_empty_dictionary_is_one(tmp_path):
    truth = write_pickles(tmp_path / "gt", {"a.p": grid_dict(), "b.p": {}})
    out = write_pickles(tmp_path / "out", {"a.p": {}, "b.p": grid_dict()})
    for options in (QUICK, {"protocol": "sat2graph-topo"}, {"protocol": "citraro"}):
        found = benchmark(truth, out, pixel_size=1.0, **options)
        assert statuses(found) == {"a": "scored", "b": "empty"}, options
        assert found.outcomes[0].note.startswith("the prediction is empty")
        assert next(iter(found.headline_scores("out").values())) == 0.0


def test_a_spacenet_table_of_many_images(data, tmp_path):
    submission = data / "roads" / "vegas" / "sn3_sample_submission_albu.csv"
    text = submission.read_text().splitlines()
    images = images_of(submission)
    (tmp_path / "truth.csv").write_text("\n".join([*text, *(line.replace(images[0], "other") for line in text[1:])]))
    found = benchmark(tmp_path / "truth.csv", submission, metrics="ccq", pixel_size=0.3)
    assert statuses(found) == {images[0]: "scored", "other": "missing"}
    assert found.headline_scores(submission.stem) == {"ccq.quality": 1.0}


def test_objects_and_lines(tmp_path):
    from shapely.geometry import box

    from geoeval import Drawing, ObjectMap

    houses = ObjectMap.from_polygons([box(0, 0, 10, 10), box(30, 0, 40, 10)], crs="EPSG:32610")
    one = ObjectMap.from_polygons([box(0, 0, 10, 10)], crs="EPSG:32610")
    found = benchmark({"a": houses, "b": houses}, {"m": {"a": houses, "b": one}}, kind="objects", metrics="iou")
    assert found.scores["m"]["pooled"]["iou.recall"] == 0.75
    zero = benchmark({"a": houses, "b": houses}, {"m": {"a": houses}}, kind="objects", metrics="iou", missing="zero")
    assert zero.scores["m"]["pooled"]["iou.recall"] == 0.5
    lines = Drawing.from_lines([[(0, 0), (100, 0)]], width=2.0)
    drawn = benchmark({"a": lines}, {"m": {"a": lines}}, kind="lines")
    assert drawn.headline_scores("m")["combined.cdi"] == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="cldice scores roads, not objects"):
        benchmark({"a": houses}, {"m": {"a": houses}}, kind="objects", protocol="cldice")


def test_masks_by_protocol(tmp_path):
    mask = np.zeros((50, 50), dtype=bool)
    mask[20:24, 5:45] = True
    nothing = np.zeros_like(mask)
    truth = {"a": mask, "b": mask, "c": nothing, "d": mask}
    found = benchmark(truth, {"m": {"a": mask, "b": mask[:40], "c": mask, "d": nothing}}, protocol="cldice")
    assert statuses(found) == {"a": "scored", "b": "failed", "c": "empty", "d": "scored"}
    assert found.headline_scores("m") == {"cldice.cldice": 1.0}  # that of d is undefined, as the skeleton is empty


def test_a_defect_in_one_place_does_not_cost_the_others(monkeypatch):
    import geoeval.benchmarking.evaluating as module

    real = module.run_evaluation
    monkeypatch.setattr(
        module, "run_evaluation", lambda asked, a, b: 1 / 0 if a.bounds[0] < 500_001 else real(asked, a, b)
    )
    maps = {"a": cross(), "b": cross(x=300.0)}
    found = benchmark(maps, {"m": maps}, metrics="ccq")
    assert statuses(found) == {"a": "failed", "b": "scored"}
    assert "unexpected ZeroDivisionError" in found.left_out[0]


def test_it_is_public_and_pickles():
    maps = {"a": cross()}
    found = geoeval.benchmark(maps, maps, metrics="ccq")
    assert found.methods == ("prediction",)
    assert pickle.loads(pickle.dumps(found)).scores == found.scores
    assert "ccq.quality 1.000" in repr(found)
