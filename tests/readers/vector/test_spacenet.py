"""SpaceNet tables: lines of WKT in pixels."""

import json
import re

import numpy as np
import pytest
import shapely

from geoeval import evaluate_objects, read_objects
from geoeval.crs import is_local
from geoeval.exceptions import (
    EmptyInputError,
    GeoevalError,
    LayerChoiceError,
    MissingPixelSizeError,
    UnreadableInputError,
)
from geoeval.readers.vector.spacenet import read_spacenet

ROADS = """ImageId,WKT_Pix
img0,"LINESTRING (0 0, 30 40)"
img0,"LINESTRING (30 40, 30 140)"
img1,"LINESTRING EMPTY"
img1,"LINESTRING (0 0, 0 10)"
img2,LINESTRING EMPTY
"""


def save(tmp_path, text, name="a.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_one_image_in_metres(tmp_path):
    path = save(tmp_path, ROADS)
    got = read_spacenet(path, pixel_size=0.5, layer="img0")
    assert got.length == 75
    assert is_local(got.crs)
    assert len(got.roads) == 1  # lines join where they share a vertex
    assert got.source_ids.tolist() == [1, 2]
    assert got.bounds == (0, -70, 15, 0)  # rows go down
    assert got.source == str(path)


def test_empty_lines_are_counted(tmp_path):
    path = save(tmp_path, ROADS)
    got = read_spacenet(path, pixel_size=1, layer="img1")
    assert got.problems == {"empty_geometries": 1}
    assert got.source_ids.tolist() == [4]
    empty = read_spacenet(path, pixel_size=1, layer="img2")
    assert empty.is_empty
    assert empty.problems == {"empty_geometries": 1}


def test_several_images_must_be_chosen_from(tmp_path):
    path = save(tmp_path, ROADS)
    with pytest.raises(LayerChoiceError, match=r"3 images \(img0, img1, img2\).*give layer=NAME"):
        read_spacenet(path, pixel_size=1)
    with pytest.raises(LayerChoiceError, match=r"img9.*img0, img1, img2"):
        read_spacenet(path, pixel_size=1, layer="img9")
    many = "ImageId,WKT_Pix\n" + "".join(f'chip{i:03},"LINESTRING (0 0, 1 1)"\n' for i in range(300))
    with pytest.raises(LayerChoiceError, match="and 295 more"):
        read_spacenet(save(tmp_path, many), pixel_size=1)
    alone = save(tmp_path, 'id,wkt\n1,"LINESTRING (0 0, 1 1)"\n')
    with pytest.raises(LayerChoiceError, match="no column of images"):
        read_spacenet(alone, pixel_size=1, layer="img0")


@pytest.mark.parametrize(
    "header",
    ["ImageId,WKT_Pix", "image_id,wkt_pix", "IMAGEID,WKT", "Image ID,geometry", "chip,Geom", "Image,LineStringWKT_Pix",
     "imgid,the road"],
)  # fmt: skip
def test_any_spelling_of_the_columns(tmp_path, header):
    text = f'{header}\nimg0,"LINESTRING (0 0, 3 4)"\nimg1,"LINESTRING (0 0, 6 8)"\n'
    assert read_spacenet(save(tmp_path, text), pixel_size=1, layer="img1").length == 10


def test_pixels_go_before_degrees(tmp_path):
    for other in ("WKT_Geo", "WKT", "geometry"):
        text = f'ImageId,{other},X,WKT_Pix\nimg0,"LINESTRING (7 50, 7.1 50)",1,"LINESTRING (0 0, 3 4)"\n'
        assert read_spacenet(save(tmp_path, text), pixel_size=1).length == 5


@pytest.mark.parametrize(
    "text",
    [
        ROADS.replace("\n", "\r\n"),
        "\ufeff" + ROADS,
        re.sub(r"^(\w+),", r"\1;", ROADS, flags=re.MULTILINE),
        re.sub(r"^(\w+),", r"\1\t", ROADS, flags=re.MULTILINE),
        ROADS.replace(",", ", ", 1).replace("img0,", "img0, "),
        ROADS.replace("LINESTRING (", "linestring("),
        ROADS.replace('"LINESTRING (0 0, 30', '"SRID=4326;LINESTRING (0 0, 30'),
        ROADS.replace("(0 0, 30 40)", "Z (0 0 7, 30 40 7)"),
    ],
)  # fmt: skip
def test_any_form_of_the_table(tmp_path, text):
    assert read_spacenet(save(tmp_path, text), pixel_size=1, layer="img0").length == 150


def test_long_lines(tmp_path):
    course = ", ".join(f"{i} {i % 2}" for i in range(100_000))
    got = read_spacenet(save(tmp_path, f'ImageId,WKT_Pix\nimg0,"LINESTRING ({course})"\n'), pixel_size=1)
    assert len(got.segments) == 99_999


def test_crs_instead_of_pixels(tmp_path):
    path = save(tmp_path, 'wkt\n"LINESTRING (3 50, 3.001 50)"\n')
    assert read_spacenet(path, crs="EPSG:4326").length == pytest.approx(71.7, abs=0.1)
    with pytest.raises(MissingPixelSizeError, match="pixel_size=M"):
        read_spacenet(path)


@pytest.mark.parametrize(
    ("text", "error", "word"),
    [
        ("", EmptyInputError, "empty"),
        ("ImageId,length\nimg0,3\n", UnreadableInputError, "no column with WKT"),
        ('ImageId,WKT_Pix\nimg0,"LINESTRING (0 0, 1 1)"\nimg0,"LINESTRING (0 0"\n', UnreadableInputError, "row 2"),
        ('ImageId,WKT_Pix\nimg0,"POLYGON ((0 0, 1 0, 1 1))"\n', UnreadableInputError, "first corner last"),
        ('ImageId,WKT_Pix\nimg0,"POLYGON ((0 0, 1 0, 1 1, 0 0))"\n', EmptyInputError, "none of them a line"),
        ('ImageId,WKT_Pix\nimg0,"LINESTRING (0 0, 1 1)",3,4,5\n1\n', UnreadableInputError, "table"),
        ('ImageId,WKT_Pix\nimg0,"' + "GEOMETRYCOLLECTION (" * 200_000 + '"\n', UnreadableInputError, "row 1"),
        (b"\xff\xfe\x00\x01", UnreadableInputError, "not text"),
    ],
)
def test_bad_tables_are_refused_in_one_line(tmp_path, text, error, word):
    with pytest.raises(error, match=word) as caught:
        read_spacenet(save(tmp_path, text), pixel_size=1)
    assert "\n" not in str(caught.value)


def test_header_alone_is_an_empty_network(tmp_path):
    assert read_spacenet(save(tmp_path, "ImageId,WKT_Pix\n"), pixel_size=1).is_empty
    blanks = read_spacenet(save(tmp_path, "ImageId,WKT_Pix\nimg0,\n"), pixel_size=1)
    assert blanks.problems == {"null_geometries": 1}


def test_lines_that_are_no_roads_are_counted(tmp_path):
    text = 'WKT\n"LINESTRING (0 0, 1 0)"\n"POINT (1 1)"\n"MULTILINESTRING ((5 5, 6 5), (7 7, 7 9))"\n'
    got = read_spacenet(save(tmp_path, text), pixel_size=1)
    assert got.problems == {"not_lines": 1}
    assert got.length == 4


def test_absent_file(tmp_path):
    with pytest.raises(GeoevalError, match="path"):
        read_spacenet(tmp_path / "absent.csv", pixel_size=1)


def test_vegas(data):
    got = read_spacenet(data / "roads/vegas/sn3_sample_submission_albu.csv", pixel_size=0.3)
    assert got.problems == {}
    text = (data / "roads/vegas/sn3_sample_submission_albu.csv").read_text().splitlines()[1:]
    lines = [shapely.from_wkt(row.split('"')[1]) for row in text]
    assert got.length == pytest.approx(0.3 * sum(line.length for line in lines))
    assert set(got.source_ids) == set(range(1, len(lines) + 1))
    assert max(got.bounds) < 1300 * 0.3
    # The reference of the same chip, in degrees, is a town of about the same length of streets.
    features = json.loads((data / "roads/vegas/img0_reference.geojson").read_text())["features"]
    assert len(features) > 0
    assert np.isfinite(got.nodes).all()


BUILDINGS = """ImageId,BuildingId,PolygonWKT_Pix,Confidence
a,1,"POLYGON ((0 0 0, 10 0 0, 10 10 0, 0 10 0, 0 0 0))",0.5
a,2,"POLYGON ((20 0, 30 0, 30 10, 20 10, 20 0))",0.75
b,-1,POLYGON EMPTY,1
"""


def test_spacenet_tables(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(BUILDINGS)
    read = read_objects(path, layer="a", pixel_size=0.5)
    assert read.areas.tolist() == [25, 25]
    assert read.ids.tolist() == [1, 2]
    assert read.confidence.tolist() == [0.5, 0.75]
    empty = read_objects(path, layer="b", pixel_size=0.5)
    assert empty.is_empty
    assert empty.problems == {"without_geometry": 1}
    with pytest.raises(LayerChoiceError, match="2 images"):
        read_objects(path, pixel_size=1)


def test_spacenet_tables_as_published(data):
    """Every row of the published results, and the IoU of every building to the last digits."""
    pd = pytest.importorskip("pandas")
    folder = data / "buildings"
    published = pd.read_csv(folder / "SN2_test_results_full.csv")
    by_building = pd.read_csv(folder / "SN2_sample_iou_by_building.csv")
    seen = 0
    for row in published.itertuples():
        maps = [
            read_objects(folder / f"SN2_sample_{name}.csv", layer=row.imageID, pixel_size=1)
            for name in ("truth", "preds")
        ]
        result = evaluate_objects(*maps, metrics="iou", parameters={"iou": {"min_area": 20}})
        scores = result.scores["iou"]
        assert (scores["tp"], scores["fp"], scores["fn"]) == (row.TruePos, row.FalsePos, row.FalseNeg)
        if row.TruePos:
            assert scores["precision"] == pytest.approx(row.Precision, abs=1e-12)
            assert scores["recall"] == pytest.approx(row.Recall, abs=1e-12)
            assert scores["f1"] == pytest.approx(row.F1Score, abs=1e-12)
        # The row in the table is one less than the number of the line below the header.
        for number, value in zip(maps[0].ids, result.details["iou"]["reference_iou"], strict=True):
            assert value == pytest.approx(by_building.iou_score[number - 1], abs=1e-9)
            seen += 1
    assert seen == 171
