import numpy as np
import pytest

from geoeval import exceptions
from geoeval.model.courses import arc, bar, chords, piece_lengths, polyline
from geoeval.model.drawing import Drawing, style_code


def test_bulges_are_circular_pieces():
    # A bulge of 1 is a half circle to the right of its chord, seen from its begin; tan(22.5 degrees) a quarter.
    half = polyline([(0, 0), (10, 0)], bulges=[1.0])
    assert half[0, 4:6] == pytest.approx([5, 0])
    assert half[0, 6] == pytest.approx(np.pi)
    assert chords(half)[0][:, 1].min() == pytest.approx(-5)
    quarter = polyline([(10, 0), (0, 10)], bulges=[np.tan(np.pi / 8)])
    assert quarter[0, 4:6] == pytest.approx([0, 0], abs=1e-12)
    assert piece_lengths(quarter) == pytest.approx([5 * np.pi])
    assert polyline([(10, 0), (0, 10)], bulges=[-np.tan(np.pi / 8)])[0, 4:6] == pytest.approx([10, 10])


def test_shapes_lengths_and_geometries():
    drawing = Drawing(
        [bar((0, 0), (3, 4)), arc((0, 0), 2), polyline([(0, 0), (1, 0), (1, 1)], closed=True)], width=[1, 2, 3]
    )
    assert drawing.shapes.tolist() == [1, 2, 3]
    assert drawing.closed.tolist() == [False, True, True]
    assert drawing.lengths == pytest.approx([5, 4 * np.pi, 2 + np.sqrt(2)])
    lines = drawing.geometries()
    assert [line.is_ring for line in lines] == [False, True, True]
    assert [line.length for line in lines] == pytest.approx(drawing.lengths, rel=1e-3)
    assert drawing.bounds == pytest.approx((-2, -2, 3, 4))
    frame = drawing.to_geodataframe()
    assert frame["shape"].tolist() == ["bar", "arc", "polyline"]
    assert frame["width"].tolist() == [1, 2, 3]


def test_what_cannot_be_a_line_is_dropped_and_counted():
    courses = [bar((0, 0), (0, 0)), bar((0, 0), (np.nan, 1)), bar((0, 0), (1, 0)), polyline([(0, 0), (0, 0), (2, 0)])]
    drawing = Drawing(courses, ids=["a", "b", "c", "d"], width=[1, 1, 1, 2])
    assert drawing.ids.tolist() == ["c", "d"]
    assert drawing.problems == {"not_a_number": 1, "without_length": 1}
    assert drawing.shapes.tolist() == [1, 1]
    assert Drawing([]).is_empty
    assert len(Drawing([]).geometries()) == 0
    assert Drawing([]).to_geodataframe().empty


def test_wrong_values_are_refused():
    with pytest.raises(exceptions.ParameterError, match="width 0"):
        Drawing([bar((0, 0), (1, 0))], width=0)
    with pytest.raises(exceptions.ParameterError, match="2 ids"):
        Drawing([bar((0, 0), (1, 0))], ids=["a", "b"])
    with pytest.raises(exceptions.ParameterError, match="2 styles"):
        Drawing([bar((0, 0), (1, 0))], style=[1, 2])
    for wrong in ("dotty", 0, 1.5, "nan", "inf"):
        with pytest.raises(exceptions.ParameterError, match="style"):
            style_code(wrong)
    assert [style_code(value) for value in ("solid", "Dash_dotted", 4, "2", 7)] == [1, 3, 4, 2, 7]


def test_arrays_cannot_be_changed():
    drawing = Drawing([bar((0, 0), (1, 0))])
    with pytest.raises(ValueError, match="read-only"):
        drawing.widths[0] = 3
