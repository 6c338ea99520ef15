"""Every map draws itself on matplotlib axes."""

import builtins

import numpy as np
import pytest
import shapely

from geoeval import Drawing, ObjectMap
from geoeval.exceptions import MissingExtraError
from geoeval.model.courses import arc, bar
from tests.networks import LINE, TEE, network

matplotlib = pytest.importorskip("matplotlib")
RING = shapely.Polygon(shapely.box(0, 0, 100, 100).exterior, [shapely.box(30, 30, 70, 70).exterior.coords])


@pytest.fixture(autouse=True)
def without_a_window():
    import matplotlib.pyplot as plt

    before = matplotlib.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


MAPS = {
    "network": network(TEE),
    "objects": ObjectMap([RING], crs="EPSG:32610"),
    "drawing": Drawing([bar((0, 0), (100, 0)), arc((0, 50), 20)], width=[4, 8], style=[1, 2]),
}
EMPTY = {"network": network([]), "objects": ObjectMap([]), "drawing": Drawing([])}


def colour_at(ax, x, y):
    """The colour of the picture at a place of the map."""
    ax.figure.canvas.draw()
    picture = np.asarray(ax.figure.canvas.buffer_rgba())
    column, row = ax.transData.transform((x, y))
    return tuple(picture[picture.shape[0] - 1 - int(row), int(column), :3].tolist())


@pytest.mark.parametrize("name", MAPS)
def test_a_plot_has_equal_aspect_and_shows_everything(name):
    one = MAPS[name]
    ax = one.plot()
    assert ax.get_aspect() == 1
    minx, miny, maxx, maxy = one.bounds
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left <= minx
    assert bottom <= miny
    assert right >= maxx
    assert top >= maxy
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", MAPS)
def test_a_plot_goes_on_the_axes_that_are_given(name):
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert MAPS[name].plot(ax, color="red", lw=3) is ax
    last = ax.collections[-1]
    assert last.get_linewidth()[0] == 3
    assert matplotlib.colors.same_color(last.get_edgecolor()[0], "red")
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_map_is_an_empty_plot(name):
    ax = EMPTY[name].plot()
    ax.figure.canvas.draw()
    assert not any(len(drawn.get_paths()) for drawn in ax.collections)
    assert not ax.lines


def test_a_hole_is_not_filled():
    ax = MAPS["objects"].plot(facecolor="red")
    assert colour_at(ax, 15, 50) == (255, 0, 0)
    assert colour_at(ax, 50, 50) == (255, 255, 255)


def test_lines_of_a_drawing_are_as_wide_as_they_are():
    ax = MAPS["drawing"].plot()
    assert colour_at(ax, 50, 1.5) == colour_at(ax, 50, -1.5) != (255, 255, 255)
    assert colour_at(ax, 50, 3) == (255, 255, 255)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r'^a plot needs matplotlib; pip install "geoeval\[plot\]"$'):
        network(LINE).plot()
