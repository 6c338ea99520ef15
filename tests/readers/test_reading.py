"""The functions that users call."""

import sys

import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval import read_objects
from geoeval.exceptions import EmptyInputError, ParameterError
from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.drawing import Drawing
from geoeval.readers import read_drawing, read_network
from tests.readers.graph.graph_files import FORMS, streets, written

CRS = "EPSG:32616"
HOUSES = [shapely.box(500_000 + 40 * k, 3_700_000, 500_000 + 40 * k + 12 + k, 3_700_010) for k in range(4)]


def frame(geometries, **columns):
    return gpd.GeoDataFrame(columns, geometry=list(geometries), crs=CRS)


def test_an_area_cuts_both_kinds_alike(tmp_path):
    frame(HOUSES).to_file(tmp_path / "h.gpkg")
    cut = read_objects(tmp_path / "h.gpkg", aoi=(499_990, 3_699_990, 500_046, 3_700_020))
    assert cut.areas.tolist() == [120, 60]
    assert cut.problems == {"cut_objects": 1}


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_options_of_masks_reach_the_reader(tmp_path):
    """They are not named by ``read_network`` and ``read_objects``: whatever a reader takes can be given."""
    rasterio = pytest.importorskip("rasterio")
    pytest.importorskip("skimage")
    values = np.zeros((40, 60), dtype=np.float32)
    values[18:23, 5:55] = 0.3
    values[23:30, 30:33] = 0.3  # a stub of 7 pixels
    path = tmp_path / "a.tif"
    with rasterio.open(path, "w", driver="GTiff", width=60, height=40, count=1, dtype="float32") as dataset:
        dataset.write(values, 1)
    with pytest.raises(EmptyInputError, match=r"no pixel of at least 0\.5"):
        read_network(path, pixel_size=1)
    assert (read_network(path, pixel_size=1, threshold=0.2).degrees == 3).sum() == 0
    assert (read_network(path, pixel_size=1, threshold=0.2, min_spur=2).degrees == 3).sum() == 1
    assert len(read_network(path, pixel_size=1, threshold=0.2, simplify=0).nodes) > 40
    assert read_objects(path, pixel_size=1, threshold=0.2).area == 5 * 50 + 7 * 3
    with pytest.raises(ParameterError, match="did you mean threshold"):
        read_objects(path, pixel_size=1, treshold=0.2)


def test_real_drawings_and_their_changed_copies(data):
    """Every drawing is read; a copy changed in one way shows that error and no other that was not there before."""
    for file in sorted((data / "drawings").iterdir()):
        width = 0.02 if file.stem == "usa" else 4.0
        drawing = read_drawing(file, width=width)
        own = evaluate_lines(drawing, drawing, metrics="vector")
        assert own.scores["vector"]["vri"] > 0.99
        courses = np.split(drawing.pieces, drawing.first[1:-1])
        options = {"style": drawing.styles}
        rest = {"width": drawing.widths[1:], "style": drawing.styles[1:]}
        copies = {
            "missed": Drawing(courses[1:], **rest),
            "wrong_width": Drawing(courses, width=[drawing.widths[0] * 1.2, *drawing.widths[1:]], **options),
            "wrong_style": Drawing(courses, width=drawing.widths, style=[3, *drawing.styles[1:]]),
        }
        before = set(own.error_summary())
        for kind, copy in copies.items():
            found = evaluate_lines(drawing, copy, metrics="vector")
            assert set(found.error_summary()) - before == {kind}, (file.name, kind)
            assert found.scores["vector"]["dv"] < own.scores["vector"]["dv"]
        gone = evaluate_lines(drawing, copies["missed"], metrics="vector").scores["vector"]
        assert gone["fv"] == pytest.approx(own.scores["vector"]["fv"], abs=0.01)


def test_content_decides_where_the_suffix_does_not(tmp_path):
    graph = streets()
    for form in FORMS:
        path = written(graph, tmp_path, form)
        assert len(read_network(path.rename(tmp_path / "graph.dat")).roads) == 4


@given(st.binary(max_size=300), st.sampled_from(["a.graph", "a.graphml", "a.json", "a.txt", "a_edges.txt"]))
def test_noise_is_never_a_traceback(tmp_path_factory, noise, name):
    from geoeval.exceptions import GeoevalError

    folder = tmp_path_factory.mktemp("noise")
    (folder / name).write_bytes(noise)
    before = sys.getrecursionlimit()
    with pytest.raises(GeoevalError):
        read_network(folder / name)
    assert sys.getrecursionlimit() == before
