"""DXF drawings."""

import numpy as np
import pytest
import shapely

from geoeval import exceptions
from geoeval.readers import read_drawing

ezdxf = pytest.importorskip("ezdxf")


@pytest.fixture
def dxf(tmp_path):
    def save(draw):
        document = ezdxf.new(setup=True)
        draw(document, document.modelspace())
        document.saveas(tmp_path / "drawing.dxf")
        return tmp_path / "drawing.dxf"

    return save


def test_dxf_entities_widths_and_styles(dxf):
    def draw(document, space):
        document.layers.add("thick", lineweight=70, linetype="DASHED")
        space.add_line((0, 0), (10, 0), dxfattribs={"lineweight": 35})
        space.add_line((0, 5), (10, 5), dxfattribs={"layer": "thick"})
        space.add_arc((50, 50), 10, 350, 20, dxfattribs={"linetype": "DASHDOT"})
        space.add_circle((80, 50), 7, dxfattribs={"linetype": "DIVIDE"})
        space.add_lwpolyline([(0, 0, 0), (10, 0, 1), (10, 10, 0)], format="xyb", dxfattribs={"const_width": 2})
        space.add_polyline2d([(0, 0), (5, 0), (5, 5)], close=True)
        space.add_text("no line")

    drawing = read_drawing(dxf(draw))
    assert drawing.shapes.tolist() == [1, 1, 2, 2, 3, 3]
    assert drawing.widths.tolist() == [0.35, 0.7, 0.2, 0.2, 2, 0.2]  # 105 / 500, to one digit
    assert drawing.styles.tolist() == [1, 2, 3, 4, 1, 1]
    assert drawing.lengths == pytest.approx(
        [10, 10, np.radians(30) * 10, 14 * np.pi, 10 + 5 * np.pi, 10 + np.hypot(5, 5)]
    )
    assert drawing.problems == {"not_lines": 1}
    assert read_drawing(drawing.source, layer="thick").lengths.tolist() == [10]
    with pytest.raises(exceptions.LayerChoiceError, match="thick"):
        read_drawing(drawing.source, layer="thin")


def test_dxf_blocks_are_exploded_and_mirrored_arcs_lie_where_they_are_drawn(dxf):
    def draw(document, space):
        block = document.blocks.new("part")
        block.add_line((0, 0), (4, 0))
        block.add_arc((0, 0), 5, 0, 90)
        space.add_blockref("part", (100, 0))
        space.add_blockref("part", (200, 0), dxfattribs={"xscale": -1})

    drawing = read_drawing(dxf(draw))
    assert sorted(drawing.shapes.tolist()) == [1, 1, 2, 2]
    middles = shapely.get_coordinates(shapely.line_interpolate_point(drawing.geometries(), 0.5, normalized=True))
    found = {tuple(np.round(middle, 3)) for middle in middles[drawing.shapes == 2]}
    diagonal = round(5 * np.sqrt(0.5), 3)
    assert found == {(100 + diagonal, diagonal), (200 - diagonal, diagonal)}


def test_dxf_curves_become_polylines(dxf):
    def draw(document, space):
        space.add_ellipse((0, 0), (10, 0), ratio=0.5)
        space.add_spline([(0, 0), (10, 10), (20, 0), (30, 10)])

    drawing = read_drawing(dxf(draw))
    assert drawing.shapes.tolist() == [3, 3]
    assert drawing.lengths[0] == pytest.approx(48.44, rel=1e-3)  # Ramanujan's formula for half axes 10 and 5


def test_files_that_are_no_drawings(tmp_path, dxf):
    for name in ("broken.dxf", "broken.svg"):
        (tmp_path / name).write_text("this is no drawing")
        with pytest.raises(exceptions.GeoevalError, match=name):
            read_drawing(tmp_path / name)
    with pytest.raises(exceptions.EmptyInputError, match="no lines"):
        read_drawing(dxf(lambda document, space: space.add_text("nothing")))
    with pytest.raises(exceptions.UnreadableInputError, match="no such file"):
        read_drawing(tmp_path / "absent.dxf")
    with pytest.raises(exceptions.ParameterError, match="width"):
        read_drawing(tmp_path / "broken.dxf", width=0)


def test_dxf_with_endless_lines_images_and_wipeouts(dxf):
    """They are no lines of the drawing: counted, not refused, and without a say in its extent."""

    def draw(document, space):
        space.add_line((0, 0), (500, 0))
        space.add_ray((0, 0), (1, 1))
        space.add_xline((0, 0), (1, 0))
        picture = document.add_image_def(filename="plan.png", size_in_pixel=(64, 36))
        space.add_image(insert=(2, 1), size_in_units=(6400, 3600), image_def=picture)
        space.add_wipeout([(0, 0), (10, 10)])
        space.add_mtext("a note")
        space.add_point((1, 1))

    drawing = read_drawing(dxf(draw))
    assert drawing.lengths.tolist() == [500]
    assert drawing.widths.tolist() == [1]
    assert drawing.problems == {"endless_lines": 2, "not_lines": 4}

    def only_rays(_, space):
        space.add_ray((0, 0), (1, 1))

    with pytest.raises(exceptions.EmptyInputError, match="no lines"):
        read_drawing(dxf(only_rays))
