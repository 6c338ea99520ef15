import geopandas as gpd
import numpy as np
import pytest
import shapely

from geoeval import exceptions
from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.courses import bar
from geoeval.model.drawing import Drawing
from geoeval.readers.drawings import dash_style, read_drawing, read_image

ezdxf = pytest.importorskip("ezdxf")
pytest.importorskip("svgelements")


# ---------------------------------------------------------------------- plain tables


def test_plain_table(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("# x1 y1 x2 y2 width style\n10 20 90 20 8\n\n0,0,3,4,1.5,dashed  # a comment\n1\t1\t1\t9\t2\t4\n")
    drawing = read_drawing(file)
    assert drawing.lengths.tolist() == [80, 5, 8]
    assert drawing.widths.tolist() == [8, 1.5, 2]
    assert drawing.styles.tolist() == [1, 2, 4]
    assert drawing.ids.tolist() == [2, 4, 5]
    assert read_drawing(file, pixel_size=0.5).lengths.tolist() == [40, 2.5, 4]
    assert read_drawing(file, pixel_size=0.5).widths.tolist() == [4, 0.75, 1]


def test_labelled_table(tmp_path):
    file = tmp_path / "plan.txt"
    file.write_text("9\t30\t9\t128\twall\t1\t1\n9 178 9 259 door 1 1\n")
    drawing = read_drawing(file, width=4)
    assert (len(drawing), drawing.widths.tolist(), drawing.problems) == (1, [4], {"other_labels": 1})
    assert len(read_drawing(file, labels=("wall", "door"))) == 2


@pytest.mark.parametrize("row", ["1 2 3 4", "1 2 3 x 5", "1 2 3 4 0", "1 2 3 4 -1", "1 2 3 4 5 dotty", "1 2 3 nan 5"])
def test_rows_that_are_no_lines_are_named(tmp_path, row):
    file = tmp_path / "lines.txt"
    file.write_text(f"0 0 1 1 1\n{row}\n")
    with pytest.raises(exceptions.UnreadableInputError, match="row 2"):
        read_drawing(file)


def test_an_empty_table_is_an_empty_drawing(tmp_path):
    file = tmp_path / "none.txt"
    file.write_text("# nothing detected\n")
    assert read_drawing(file).is_empty


# ---------------------------------------------------------------------- DXF


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
    assert drawing.widths.tolist() == [0.35, 0.7, 1, 1, 2, 1]
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


# ---------------------------------------------------------------------- SVG


def test_svg_shapes_widths_and_styles(tmp_path):
    file = tmp_path / "drawing.svg"
    file.write_text(
        """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">
        <style>.d { stroke-dasharray: 4 2 }</style>
        <g transform="translate(10, 0) scale(2)"><line id="a" x1="0" y1="0" x2="10" y2="0" stroke="black"
            stroke-width="3" class="d"/></g>
        <circle cx="50" cy="50" r="20" stroke="black" stroke-dasharray="8 2 1 2"/>
        <path d="M0 0 L10 0 A5 5 0 0 1 10 10 M 50 0 L 60 0" stroke="red" stroke-dasharray="8 2 1 2 1 2"/>
        <polyline points="0,0 1,1 2,0" stroke="black" fill="none"/>
        <path d="M0 0 C 0 10 10 10 10 0" stroke="black"/>
        <rect x="0" y="0" width="4" height="4" fill="red"/></svg>"""
    )
    drawing = read_drawing(file)
    assert drawing.shapes.tolist() == [1, 2, 3, 1, 3, 3]
    assert drawing.widths.tolist() == [6, 1, 1, 1, 1, 1]
    assert drawing.styles.tolist() == [2, 3, 4, 4, 1, 1]
    assert drawing.lengths == pytest.approx([20, 40 * np.pi, 10 + 5 * np.pi, 10, 2 * np.sqrt(2), 20], rel=1e-2)
    assert drawing.ids[0] == "a"
    assert drawing.problems == {"without_stroke": 1}
    assert drawing.ends[0].tolist() == [[10, 0], [30, 0]]


@pytest.mark.parametrize(("marks", "style"), [([], 1), ([4], 2), ([4, 4], 2), ([0], 2), ([8, 1], 3), ([8, 1, 1], 4)])
def test_dashes(marks, style):
    assert dash_style(marks) == style


# ---------------------------------------------------------------------- map layers


def test_map_layers_with_width_and_style(tmp_path):
    file = tmp_path / "roads.gpkg"
    lines = [
        shapely.LineString([(500000, 5000000), (500100, 5000000)]),
        shapely.LineString([(500000, 5000100), (500100, 5000100), (500200, 5000150)]),
        shapely.MultiLineString([[(500000, 5000300), (500050, 5000300)], [(500060, 5000300), (500100, 5000300)]]),
    ]
    table = {"breite": ["12", None, "6 m"], "strich": ["solid", "dashed", None]}
    gpd.GeoDataFrame(table, geometry=lines, crs="EPSG:32633").to_file(file)
    drawing = read_drawing(file, width_column="breite", style_column="strich")
    assert drawing.shapes.tolist() == [1, 3, 1, 1]
    assert drawing.widths.tolist() == [12, 8, 6, 6]
    assert drawing.styles.tolist() == [1, 2, 1, 1]
    assert drawing.ids.tolist() == [1, 2, 3, 3]
    assert drawing.problems == {"width_not_known": 1}
    assert read_drawing(file, width=5).widths.tolist() == [5] * 4
    degrees = tmp_path / "roads.geojson"
    gpd.read_file(file).to_crs(4326).to_file(degrees)
    there = read_drawing(degrees, width_column="breite", style_column="strich")
    assert there.crs.to_epsg() == 32633
    assert evaluate_lines(drawing, there, metrics="vector").scores["vector"]["vri"] == pytest.approx(1, abs=1e-3)


def test_map_layers_that_are_no_lines_or_nowhere(tmp_path):
    points = tmp_path / "points.geojson"
    gpd.GeoDataFrame(geometry=[shapely.Point(1, 1)], crs=4326).to_file(points)
    with pytest.raises(exceptions.EmptyInputError, match="no lines"):
        read_drawing(points)
    nowhere = tmp_path / "nowhere.shp"
    with pytest.warns(UserWarning, match="crs"):
        gpd.GeoDataFrame({"n": [1]}, geometry=[shapely.LineString([(0, 0), (9, 0)])]).to_file(nowhere)
    with pytest.raises(exceptions.MissingCRSError):
        read_drawing(nowhere)
    assert read_drawing(nowhere, pixel_size=2.0).lengths.tolist() == [18]


# ---------------------------------------------------------------------- images


def test_images_dark_on_bright_and_the_other_way(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    ink = np.zeros((40, 100), dtype=bool)
    ink[17:24, 10:91] = True
    options = {"driver": "PNG", "width": 100, "height": 40, "count": 1, "dtype": "uint8"}
    found = {}
    for name, values in (("dark", np.where(ink, 0, 255)), ("bright", np.where(ink, 255, 0))):
        warned = pytest.warns(rasterio.errors.NotGeoreferencedWarning)
        with warned, rasterio.open(tmp_path / f"{name}.png", "w", **options) as dataset:
            dataset.write(values.astype(np.uint8), 1)
        found[name] = read_image(tmp_path / f"{name}.png")
        assert (found[name].ink == ink).all()
        assert (read_image(tmp_path / f"{name}.png", ink="dark").ink == (ink if name == "dark" else ~ink)).all()
    # The caps of a bar of 7 are round, those of the image are not: a few pixels at the corners.
    drawing = Drawing([bar((13, 20), (87, 20))], width=7)
    scores = evaluate_lines(drawing, drawing, image=found["dark"], metrics="pixel").scores["pixel"]
    assert scores["fp"] == 0
    assert 0.95 < scores["dp"] < 1
    with pytest.raises(exceptions.UnreadableInputError, match="--image"):
        read_drawing(tmp_path / "dark.png")
    with pytest.raises(exceptions.ParameterError, match="ink"):
        read_image(tmp_path / "dark.png", ink="blue")


def test_georeferenced_images_are_placed_by_the_middles_of_their_pixels(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    ink = np.zeros((50, 50), dtype=np.uint8)
    ink[10, 5:45] = 255
    options = {"driver": "GTiff", "width": 50, "height": 50, "count": 1, "dtype": "uint8", "crs": "EPSG:32633"}
    transform = rasterio.Affine(2.0, 0.0, 500000.0, 0.0, -2.0, 5000100.0)
    with rasterio.open(tmp_path / "map.tif", "w", transform=transform, **options) as dataset:
        dataset.write(ink, 1)
    image = read_image(tmp_path / "map.tif")
    # The middle of column 5 lies at 500000 + 5.5 * 2, that of row 10 at 5000100 - 10.5 * 2.
    road = Drawing([bar((500011, 5000079), (500089, 5000079))], width=2, crs="EPSG:32633")
    assert evaluate_lines(road, road, image=image, metrics="pixel").scores["pixel"] == {"dp": 1, "fp": 0, "pri": 1}
    elsewhere = Drawing([bar((0, 0), (9, 0))])
    with pytest.raises(exceptions.CRSError):
        evaluate_lines(elsewhere, elsewhere, image=image)


# ---------------------------------------------------------------------- real drawings


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
