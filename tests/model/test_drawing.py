import geopandas as gpd
import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval import exceptions
from geoeval.model.courses import arc, bar, chords, piece_lengths, polyline
from geoeval.model.drawing import Drawing, line_style, line_width, style_code


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


# ---------------------------------------------------------------------- from lines and tables


def frame(lines, crs="EPSG:32610", **columns):
    return gpd.GeoDataFrame(columns, geometry=[shapely.LineString(line) for line in lines], crs=crs)


@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=4, unique=True),
            st.floats(0.01, 50),
            st.integers(1, 6),
        ),
        max_size=6,
    ),
    st.sampled_from(["EPSG:32610", None]),
)
def test_geodataframe_round_trip(rows, crs):
    drawing = Drawing(
        [polyline(points) for points, _, _ in rows],
        width=[width for _, width, _ in rows],
        style=[style for _, _, style in rows],
        ids=[f"line {i}" for i in range(len(rows))],
        crs=crs,
    )
    again = Drawing.from_geodataframe(drawing.to_geodataframe(), id_column="id")
    for name in ("pieces", "first", "lengths", "widths", "styles", "ids", "shapes", "closed"):
        assert np.array_equal(getattr(again, name), getattr(drawing, name)), name
    assert again.crs == drawing.crs
    assert again.problems == {}


def test_arcs_become_polylines_in_a_geodataframe():
    drawing = Drawing([arc((0, 0), 10, 0, np.pi)], crs="EPSG:32610", width=3)
    again = Drawing.from_geodataframe(drawing.to_geodataframe())
    assert again.shapes.tolist() == [3]
    assert again.length == pytest.approx(drawing.length, rel=1e-3)


def test_width_and_style_come_from_columns():
    lines = [[(0, 0), (10, 0)], [(0, 5), (10, 5)], [(0, 9), (10, 9)]]
    given = frame(lines, width=["4.5", "2 m", "wide"], style=["dashed", None, 3.0], name=["a", "b", "c"])
    drawing = Drawing.from_geodataframe(given, id_column="name", source="map.gpkg")
    assert drawing.widths.tolist() == [4.5, 2, 8]
    assert drawing.styles.tolist() == [2, 1, 3]
    assert drawing.ids.tolist() == ["a", "b", "c"]
    assert drawing.problems == {"width_not_known": 1}
    assert drawing.source == "map.gpkg"
    renamed = given.rename(columns={"width": "breadth", "style": "dash"})
    again = Drawing.from_geodataframe(renamed, width_column="breadth", style_column="dash", width=1.5)
    assert again.widths.tolist() == [4.5, 2, 1.5]
    assert again.styles.tolist() == [2, 1, 3]
    assert again.ids.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("crs", "width"), [("EPSG:32610", 8), ("EPSG:4326", 8), (None, 0.002)])
def test_lines_without_a_width_are_as_wide_as_usual(crs, width):
    drawing = Drawing.from_geodataframe(frame([[(0, 0), (1, 0)]], crs=crs))
    assert drawing.widths.tolist() == [width]
    assert Drawing.from_lines([[(0, 0), (1, 0)]], crs=crs).widths.tolist() == [width]
    assert drawing.problems == {}
    if crs == "EPSG:4326":
        assert drawing.length == pytest.approx(111_320, rel=1e-3)
        assert drawing.crs.is_projected
    assert drawing.assumed.all()


def test_assumed_widths_follow_the_extent_and_can_be_changed():
    """A 500th of the diagonal, to one digit; what is stated stays, also in another CRS."""
    lines = [bar((0, 0), (300, 0)), bar((0, 0), (0, 400)), bar((0, 10), (20, 10))]
    drawing = Drawing(lines, width=[np.nan, 2.5, np.nan])
    assert drawing.widths.tolist() == [1.0, 2.5, 1.0]  # the diagonal is 500
    assert drawing.assumed.tolist() == [True, False, True]
    assert drawing.usual_width == 1.0
    assert drawing.assuming_width(7.0).widths.tolist() == [7.0, 2.5, 7.0]
    assert drawing.assuming_width(None) is drawing
    assert Drawing(lines, width=[2, 4, 9]).usual_width == 4
    assert Drawing([]).usual_width is None
    assert Drawing([arc((0, 0), 50, 0, 2 * np.pi)], width=np.nan).widths.tolist() == [0.3]  # 141.4 / 500, one digit
    moved = Drawing(lines, width=[np.nan, 2.5, np.nan], crs="EPSG:32610").to_crs("EPSG:32611")
    assert moved.widths.tolist() == [8.0, 2.5, 8.0]
    assert moved.assumed.tolist() == [True, False, True]


def test_a_crs_can_be_given_instead_of_the_frame_s():
    given = frame([[(13, 52), (13, 52.01)]], crs=None)
    assert Drawing.from_geodataframe(given, crs="EPSG:4326").length == pytest.approx(1112.6, rel=1e-3)


def test_parts_share_the_id_and_width_of_their_row():
    shapes = [
        shapely.MultiLineString([[(0, 0), (10, 0)], [(0, 5), (10, 5), (10, 9)]]),
        None,
        shapely.Point(1, 1),
        shapely.GeometryCollection([shapely.MultiLineString([[(0, 9), (5, 9)]]), shapely.Point(0, 0)]),
        [(0, 20), (np.nan, 20), (7, 20)],
    ]
    drawing = Drawing.from_lines(shapes, ids=list("abcde"), width=[1, 2, 3, 4, 5], style=[1, 2, 3, 4, 1])
    assert drawing.ids.tolist() == ["a", "a", "d", "e"]
    assert drawing.widths.tolist() == [1, 1, 4, 5]
    assert drawing.shapes.tolist() == [1, 3, 1, 1]
    assert drawing.problems == {"not_lines": 2, "null_geometries": 1, "vertices_not_a_number": 1}


def test_wrong_tables_are_refused():
    with pytest.raises(exceptions.ParameterError, match="unknown line style 'dotty'"):
        Drawing.from_geodataframe(frame([[(0, 0), (1, 0)]], style=["dotty"]))
    with pytest.raises(exceptions.ParameterError, match="no column 'key'; choose id_column among name, geometry"):
        Drawing.from_geodataframe(frame([[(0, 0), (1, 0)]], name=["a"]), id_column="key")
    with pytest.raises(exceptions.ParameterError, match="1 ids for 2 lines; give one id per line"):
        Drawing.from_lines([[(0, 0), (1, 0)]] * 2, ids=["a"])
    with pytest.raises(exceptions.ParameterError, match="width 0"):
        Drawing.from_lines([[(0, 0), (1, 0)]], width=0)


@pytest.mark.parametrize(
    ("value", "width"),
    [(3, 3), ("2.5", 2.5), ("7 m", 7), ("7m", 7), (0, None), (-1, None), (None, None), (np.nan, None), ("inf", None)],
)
def test_widths_of_tables(value, width):
    assert line_width(value) == width


def test_styles_of_tables():
    assert [line_style(value) for value in (None, "", np.nan, 2.0, "dashed")] == [1, 1, 1, 2, 2]


def test_a_drawing_shows_itself_in_one_line():
    assert repr(Drawing([])) == "<Drawing: no lines, 0.0 long, local metres>"
    two = Drawing([bar((0, 0), (3, 4)), bar((0, 0), (0, 5)), polyline([(0, 0), (1, 0), (1, 1)])], crs="EPSG:32610")
    assert repr(two) == "<Drawing: 2 bars, 1 polyline, 12.0 long, EPSG:32610>"
