"""Scores per class: objects match only within their class, and every reader says what its objects are."""

import json

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import geoeval
from geoeval import ObjectMap, evaluate_objects
from geoeval.exceptions import LayerChoiceError, ParameterError
from geoeval.model.object_map import NO_CLASS
from geoeval.objects.by_class import evaluate_by_class
from geoeval.objects.registry import METRICS
from tests.cli.test_cli import run

CRS = "EPSG:32616"
EVERY = ",".join(METRICS)


def houses(places, classes, **more):
    """Squares of 10 m with their lower left corners at places."""
    squares = [shapely.box(x, y, x + 10, y + 10) for x, y in places]
    return ObjectMap.from_polygons(squares, crs=CRS, classes=classes, **more)


def test_objects_match_only_within_their_class():
    """A church on a house is both missed and a false alarm, although the outlines are the same."""
    reference = houses([(0, 0), (50, 0), (100, 0)], ["house", "church", "house"])
    prediction = houses([(0, 0), (50, 0), (200, 0)], ["house", "house", "barn"])
    result = geoeval.evaluate(reference, prediction, kind="objects", metrics="iou,max-overlap", aoi="all")
    found = {name: tuple(own["iou"][score] for score in ("tp", "fp", "fn")) for name, own in result.classes.items()}
    assert found == {"barn": (0, 1, 0), "church": (0, 0, 1), "house": (1, 1, 1)}
    assert tuple(result.scores["iou"][name] for name in ("tp", "fp", "fn")) == (1, 2, 2)
    assert result.mean["iou"]["f1"] == pytest.approx((0 + 0 + 0.5) / 3)
    assert "tp" not in result.mean["iou"]
    assert "only in the reference: church; only in the prediction: barn" in result.notes["classes"]
    missed = result.errors_of("missed")
    assert sorted(missed["class"]) == ["church", "house"]
    assert sorted(result.errors_of("false_alarm")["class"]) == ["barn", "house"]
    plain = json.loads(result.to_json())
    assert plain["classes"]["house"]["iou"]["tp"] == 1
    assert plain["mean"]["iou"]["f1"] == result.mean["iou"]["f1"]
    table = result.class_table()
    assert len(table[table["headline"]]) == 2 * 4
    assert geoeval.evaluate(reference, reference, kind="objects").mean["hoover"]["score"] == 1.0


places = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.sampled_from("abc")), min_size=0, max_size=8)


@settings(max_examples=25, deadline=None)
@given(places, places)
def test_each_class_is_an_evaluation_of_its_own_and_counts_add_up(true, predicted):
    """Against evaluations of the classes one by one, with every metric; the sums are those of all pairs of a class."""
    maps = [houses([one[:2] for one in side], [one[2] for one in side]) for side in (true, predicted)]
    result = evaluate_by_class(*maps, metrics=EVERY)
    named = {one[2] for one in (*true, *predicted)}
    assert set(result.classes) == named
    for name in named:
        own = [houses([one[:2] for one in side if one[2] == name], None) for side in (true, predicted)]
        alone = evaluate_objects(*own, metrics=EVERY)
        assert result.classes[name] == alone.scores
    # The heaviest one-to-one matching of iou by brute force: pairs of a class only, the largest IoU first.
    free = [set(range(len(side))) for side in (true, predicted)]
    pairs = []
    for i, a in enumerate(true):
        for j, b in enumerate(predicted):
            common = max(10 - abs(a[0] - b[0]), 0) * max(10 - abs(a[1] - b[1]), 0)
            if a[2] == b[2] and common / (200 - common) >= 0.5:
                pairs.append((common, i, j))
    hits = dict.fromkeys("abc", 0)
    for _, i, j in sorted(pairs, reverse=True):
        if i in free[0] and j in free[1]:
            free[0].discard(i)
            free[1].discard(j)
            hits[true[i][2]] += 1
    if len({p[0] for p in pairs}) == len(pairs):  # ties may be resolved either way
        assert result.scores["iou"]["tp"] == sum(hits.values())


def test_classes_stay_with_their_objects():
    objects = houses([(50, 0), (0, 0), (100, 0)], ["b", "a", None])
    assert objects.classes.tolist() == ["a", "b", NO_CLASS]
    assert objects.take([1, 2]).classes.tolist() == ["b", NO_CLASS]
    assert objects.to_crs("EPSG:32617").classes is not None
    assert sorted(objects.clip((0, 0, 70, 10), aoi_crs=CRS).classes) == ["a", "b"]
    assert objects.with_classes(["x", "y", 3.0]).classes.tolist() == ["x", "y", "3"]
    assert objects.with_classes(None).classes is None


def test_each_object_has_one_class_and_one_confidence():
    for one in ([], ["a"], ["a", "b", "c"]):
        with pytest.raises(ParameterError, match=f"{len(one)} classes for 2 polygons; give one class per polygon"):
            houses([(0, 0), (50, 0)], one)
        with pytest.raises(ParameterError, match=f"{len(one)} classes for 2 polygons"):
            houses([(0, 0), (50, 0)], None).with_classes(one)
        numbers = [0.5] * len(one)
        with pytest.raises(ParameterError, match=f"{len(one)} confidences for 2 polygons; give one confidence per"):
            houses([(0, 0), (50, 0)], None, confidence=numbers)
        with pytest.raises(ParameterError, match=f"{len(one)} ids for 2 polygons; give one id per polygon"):
            houses([(0, 0), (50, 0)], None, ids=one)
        squares = [shapely.box(0, 0, 1, 1), shapely.box(5, 0, 6, 1)]
        for column in ({"classes": one}, {"confidence": numbers}, {"ids": one}):
            with pytest.raises(ParameterError, match=f"{len(one)} .* for 2 polygons"):
                ObjectMap(squares, **column)


@pytest.mark.parametrize("name", ["a.gpkg", "a.geojson", "a.shp", "a.fgb", "a.parquet"])
def test_a_file_of_objects_keeps_classes_and_confidences(tmp_path, name):
    places, kinds, sure = [(500_000, 4_000_000), (500_050, 4_000_000)], ["house", None], [0.25, 0.75]
    objects = houses(places, kinds, confidence=sure)
    assert "class" not in houses(places, None).to_geodataframe()
    geoeval.write_objects(objects, tmp_path / name)
    again = geoeval.read_objects(tmp_path / name, class_column="class")
    assert (again.classes.tolist(), again.confidence.tolist()) == (["house", NO_CLASS], sure)


def test_a_mended_file_is_evaluated_by_class_again(tmp_path):
    """``geoeval apply`` writes what ``geoeval objects --class`` reads, and a mended map has no error of its classes."""
    squares = [shapely.box(x, 4_000_000, x + 10, 4_000_010) for x in (500_000, 500_050, 500_100)]
    frame = gpd.GeoDataFrame({"class": ["house", "church", "house"]}, geometry=squares, crs=CRS)
    frame.to_file(tmp_path / "reference.gpkg")
    found = frame.iloc[:2].assign(score=[0.9, 0.4])
    found.set_geometry(found.translate(2, 0)).to_file(tmp_path / "prediction.gpkg")
    options = ("--kind", "objects", "--class", "class", "--metrics", "iou,max-overlap", "--aoi", "all")
    done = run("apply", "reference.gpkg", "prediction.gpkg", "-o", "mended.gpkg", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    again = geoeval.evaluate(
        tmp_path / "reference.gpkg", tmp_path / "mended.gpkg", kind="objects", metrics="iou", class_column="class"
    )
    assert {name: own["iou"]["tp"] for name, own in again.classes.items()} == {"church": 1, "house": 2}
    assert again.scores["iou"]["f1"] == 1.0
    assert again.inputs["prediction"].confidence is not None


def test_one_side_without_classes_and_tiles_are_refused():
    with_them, without = houses([(0, 0)], ["a"]), houses([(0, 0)], None)
    with pytest.raises(ParameterError, match=r"the prediction has no classes.*prediction_class_column=NAME, or leave"):
        geoeval.evaluate(with_them, without, kind="objects")
    with pytest.raises(ParameterError, match="the reference has no classes"):
        geoeval.evaluate(without, with_them, kind="objects")
    with pytest.raises(ParameterError, match="not evaluated in tiles"):
        geoeval.evaluate(with_them, with_them, kind="objects", tile_size=100)


@pytest.fixture
def frame():
    squares = [shapely.box(500000 + 40 * k, 4000000, 500010 + 40 * k, 4000010) for k in range(4)]
    return gpd.GeoDataFrame({"use": ["a", "b", None, "b"], "number": [1, 2, 3, 3]}, geometry=squares, crs=CRS)


def test_columns_of_layers_frames_and_tables(frame, tmp_path):
    frame.to_file(tmp_path / "a.geojson", driver="GeoJSON")
    frame.to_file(tmp_path / "a.gpkg")
    rows = frame.assign(PolygonWKT_Pix=frame.geometry.to_wkt(), ImageId="one").drop(columns="geometry")
    rows.to_csv(tmp_path / "a.csv", index=False)
    for held, options in ((tmp_path / "a.geojson", {}), (tmp_path / "a.gpkg", {}), (frame, {}),
                           (tmp_path / "a.csv", {"crs": CRS})):  # fmt: skip
        found = geoeval.evaluate(held, held, kind="objects", metrics="iou", class_column="use",
                                 **{f"{side}_{name}": value for name, value in options.items()
                                    for side in ("reference", "prediction")})  # fmt: skip
        assert {name: own["iou"]["tp"] for name, own in found.classes.items()} == {"a": 1, "b": 2, NO_CLASS: 1}
    numbers = geoeval.evaluate(frame, tmp_path / "a.gpkg", kind="objects", metrics="iou", class_column="number")
    assert list(numbers.classes) == ["1", "2", "3"]
    other = geoeval.evaluate(
        frame.rename(columns={"use": "kind"}), frame, kind="objects", metrics="iou", class_column="use",
        reference_class_column="kind",
    )  # fmt: skip
    assert other.classes["b"]["iou"]["tp"] == 2
    for held, own in ((tmp_path / "a.gpkg", {}), (tmp_path / "a.csv", {"pixel_size": 1}), (frame, {"crs": CRS})):
        with pytest.raises(LayerChoiceError, match="no column 'nothing' for the classes; its columns are use"):
            geoeval.evaluate(held, held, kind="objects", class_column="nothing", **own)


def test_categories_of_coco_files(tmp_path):
    """Results name their categories by id only; the annotations know what they are called."""
    boxes = [[10, 10, 20, 20], [60, 10, 20, 20], [10, 60, 20, 20]]
    rows = [{"id": k + 1, "image_id": 1, "category_id": 1 + k % 2, "bbox": box, "area": 400, "iscrowd": 0}
            for k, box in enumerate(boxes)]  # fmt: skip
    content = {"images": [{"id": 1, "width": 100, "height": 100, "file_name": "a.png"}], "annotations": rows,
               "categories": [{"id": 1, "name": "house"}, {"id": 2, "name": "barn"}]}  # fmt: skip
    (tmp_path / "truth.json").write_text(json.dumps(content))
    found = [{"image_id": 1, "category_id": 1, "bbox": box, "score": 0.5} for box in boxes]
    (tmp_path / "results.json").write_text(json.dumps(found))
    result = geoeval.evaluate(tmp_path / "truth.json", tmp_path / "results.json", kind="objects", metrics="iou",
                              pixel_size=1, class_column="category")  # fmt: skip
    assert {name: (own["iou"]["tp"], own["iou"]["fp"]) for name, own in result.classes.items()} == {
        "house": (2, 1), "barn": (0, 0)}  # fmt: skip
    # Large images are read as they are allowed to be, and in a process of their own, for the names too.
    content["images"][0] |= {"width": 20_000, "height": 20_000}
    (tmp_path / "large.json").write_text(json.dumps(content))
    for options in ({"limits": "none"}, {"limits": "none", "untrusted": True}):
        again = geoeval.evaluate(tmp_path / "large.json", tmp_path / "results.json", kind="objects", metrics="iou",
                                 pixel_size=1, class_column="category", **options)  # fmt: skip
        assert again.classes == result.classes
    with pytest.raises(ParameterError, match="leave class_column out"):
        geoeval.evaluate(tmp_path / "truth.json", tmp_path / "results.json", kind="objects", protocol="coco",
                         class_column="category")  # fmt: skip


def test_names_of_categories_are_for_lists_of_results_alone(tmp_path):
    """A class that is called 1 somewhere else is no category of a COCO file."""
    row = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0}
    content = {"images": [{"id": 1, "width": 100, "height": 100, "file_name": "a.png"}], "annotations": [row],
               "categories": [{"id": 1, "name": "house"}]}  # fmt: skip
    (tmp_path / "truth.json").write_text(json.dumps(content))
    (tmp_path / "a.csv").write_text(
        'ImageId,PolygonWKT_Pix,category\na,"POLYGON ((10 10, 30 10, 30 30, 10 30, 10 10))",1\n'
    )
    result = geoeval.evaluate(tmp_path / "truth.json", tmp_path / "a.csv", kind="objects", metrics="iou", pixel_size=1,
                              class_column="category")  # fmt: skip
    assert sorted(result.classes) == ["1", "house"]


def test_what_is_written(frame, tmp_path):
    result = geoeval.evaluate(frame, frame.iloc[:3], kind="objects", metrics="iou", class_column="use", aoi="all")
    result.write_layers(tmp_path / "layers", format="gpkg")
    missed = gpd.read_file(tmp_path / "layers" / "errors.gpkg", layer="missed")
    assert missed["class"].tolist() == ["b"]
    written = (tmp_path / "layers" / "classes.csv").read_text().splitlines()
    assert written[0] == "class,metric,score,value,headline"
    assert any(line.startswith("mean of the classes,iou,f1,0.888") for line in written)
    result.write_report(tmp_path / "report.html")
    assert "By class" in (tmp_path / "report.html").read_text()
    plain = geoeval.evaluate(frame, frame, kind="objects", metrics="iou")
    assert plain.classes == {}
    assert plain.mean == {}
    assert len(plain.class_table()) == 0
    assert np.isnan(result.class_table()["value"]).sum() == 0


def test_maps_without_classes_are_evaluated_as_any_objects():
    squares = [shapely.box(x, 0, x + 10, 10) for x in (0, 30, 60)]
    one, other = (ObjectMap.from_polygons(squares[:count], crs="EPSG:32610") for count in (3, 2))
    assert evaluate_by_class(one, other, metrics="iou").scores == evaluate_objects(one, other, metrics="iou").scores
