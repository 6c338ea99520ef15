"""Hasse diagrams: readable labels, and lines that cross no box."""

import numpy as np
import pandas as pd
import pytest
import shapely

from geoeval import rank
from geoeval.ranking.diagram import hasse_diagram, layout
from geoeval.ranking.linear_extensions import Frequencies
from geoeval.ranking.order import covers, dominance, intervals
from geoeval.ranking.rank import Ranking


def ordered(names, values):
    """A ranking without its frequencies, which take their time and are not drawn."""
    better = dominance(values)
    ranks = intervals(better)[:, 0].tolist()
    return Ranking(names, [], better, ranks, Frequencies([], 0, exact=False, error=0.0), list(range(len(names))), 0)


def test_a_diagram_of_thirty_long_names_has_no_label_on_another(tmp_path):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from geoeval.writers.pictures import save_figure

    rng = np.random.default_rng(1)
    for width, spread in ((3, 0.3), (12, 1.0)):  # a usual order, and one of a single wide level
        names = [f"Method number {i} with a very long name indeed, v{i}" for i in range(30)]
        values = (1 - spread) * rng.random((30, 1)) + spread * rng.random((30, width))
        found = ordered(names, values)
        figure = hasse_diagram(found)
        FigureCanvasAgg(figure).draw()
        boxes = [text.get_bbox_patch().get_window_extent() for text in figure.axes[0].texts]
        assert len(boxes) == 30
        for i, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:i])
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1
        assert figure.get_size_inches().max() < 20
        place = layout(found)[0]
        assert (place[found.better.any(axis=0)][:, 1] > 0).all()
        for a, b in np.argwhere(found.better):
            assert place[a, 1] < place[b, 1]
        first = save_figure(figure, tmp_path / f"{width}.svg").read_bytes()
        assert save_figure(hasse_diagram(found), tmp_path / f"{width}again.svg").read_bytes() == first


def drawn(figure):
    """Boxes of the labels and courses of the lines, in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure).draw()
    axes = figure.axes[0]
    boxes = [shapely.box(*text.get_bbox_patch().get_window_extent().extents) for text in axes.texts]
    lines = [shapely.LineString(axes.transData.transform(line.get_xydata())) for line in axes.lines]
    return boxes, lines


@pytest.mark.parametrize(
    ("count", "width", "spread"), [(12, 3, 0.7), (30, 2, 1.0), (30, 3, 0.3), (30, 5, 0.5), (30, 8, 0.9)]
)
def test_no_line_of_a_diagram_crosses_a_box_that_it_does_not_join(count, width, spread):
    rng = np.random.default_rng(count)
    names = [f"Method number {i} with a very long name indeed, v{i}" for i in range(count)]
    values = (1 - spread) * rng.random((count, 1)) + spread * rng.random((count, width))
    found = ordered(names, values)
    figure = hasse_diagram(found)
    boxes, lines = drawn(figure)
    pairs = covers(found.better)
    assert len(lines) == len(pairs)
    for (a, b), line in zip(pairs, lines, strict=True):
        ends = [shapely.Point(line.coords[i]) for i in (0, -1)]
        assert boxes[a].contains(ends[0])
        assert boxes[b].contains(ends[1])
        foreign = [box for i, box in enumerate(boxes) if i not in (a, b)]
        assert not shapely.intersects(line, foreign).any()
        assert np.diff(shapely.get_coordinates(line)[:, 1]).max() <= 0  # always down
        assert figure.bbox.x0 < line.bounds[0] <= line.bounds[2] < figure.bbox.x1
    for i, box in enumerate(boxes):
        assert not shapely.intersects(box, boxes[:i]).any()
    assert figure.get_size_inches().max() < 22


def test_a_diagram_does_not_depend_on_the_order_of_the_items():
    values = pd.DataFrame(np.random.default_rng(4).random((15, 3)), index=[f"m{i}" for i in range(15)])
    one, two = layout(rank(values)), layout(rank(values[::-1]))
    assert np.array_equal(one[0], two[0][::-1])
    assert sorted(map(np.ndarray.tolist, one[1])) == sorted(map(np.ndarray.tolist, two[1]))


def test_rows_are_ordered_so_that_lines_do_not_cross():
    # Four chains of three, their items named so that the order by name crosses everywhere.
    heights = {
        f"{(3 * i + 2 * depth) % 4}{depth}{i}": [10 * i - depth, -10 * i - depth]
        for i in range(4)
        for depth in range(3)
    }
    lines = [shapely.LineString(course) for course in layout(rank(pd.DataFrame(heights).T))[1]]
    assert len(lines) == 8
    for i, line in enumerate(lines):
        assert not any(line.crosses(other) for other in lines[:i])


def test_names_that_look_like_formulas_are_drawn_as_they_are():
    figure = hasse_diagram(rank({"$\\frac": {"p": 1}, "": {"p": 2}, "x_{y}$": {"p": 3}}))
    figure.canvas.draw()
    assert figure.axes[0].texts[0].get_text().startswith("$\\frac\n3 (3)")


def test_a_diagram_of_nothing():
    assert len(hasse_diagram(rank([])).axes[0].texts) == 0
