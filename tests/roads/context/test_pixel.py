import math

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.exceptions import ParameterError
from geoeval.roads.context import pixel as module
from geoeval.roads.context.pixel import pixel, scores_from_counts
from tests.networks import LINE, grid, network, noisy, small_lines
from tests.roads.metamorphic import SPELLINGS, moved, scaled


@st.composite
def pairs(draw):
    """Two networks whose vertices are nowhere on a lattice, so that no pixel is touched exactly."""
    lines = noisy(draw(small_lines(max_lines=4)), 1.0, seed=draw(st.integers(0, 99)))
    return lines, noisy(lines, 3.0, seed=draw(st.integers(100, 199)))


def counts(lines, **options):
    return pixel(network(lines[0]), network(lines[1]), **options).counts


def slow_mask(lines, size, width, span=90):
    """Pixels set, each asked on its own."""
    network_ = shapely.multilinestrings([shapely.LineString(line) for line in lines])
    steps = math.ceil(span / size)
    low = -math.floor(15 / size)
    x, y = np.meshgrid(np.arange(low, low + steps), np.arange(low, low + steps))
    if width == 0:
        return shapely.intersects(shapely.box(x * size, y * size, (x + 1) * size, (y + 1) * size), network_)
    return shapely.distance(shapely.points((x + 0.5) * size, (y + 0.5) * size), network_) <= width / 2


@settings(max_examples=30)
@given(lines=pairs(), size=st.sampled_from([1.0, 1.7]), width=st.sampled_from([0.0, 1.0, 4.0]))
def test_against_one_pixel_at_a_time(lines, size, width):
    ours, theirs = (slow_mask(one, size, width) for one in lines)
    expected = {"tp": (ours & theirs).sum(), "fp": (theirs & ~ours).sum(), "fn": (ours & ~theirs).sum()}
    assert counts(lines, pixel_size=size, width=width) == expected


def test_closed_forms():
    # 100 m by 8 m with round ends, on pixels of 1 m: rows of 100, and the pixels of a disc of diameter 8.
    disc = sum(math.hypot(x + 0.5, y + 0.5) <= 4 for x in range(-4, 4) for y in range(-4, 4))
    same = pixel(network(LINE), network(LINE))
    assert same.counts == {"tp": 800 + disc, "fp": 0, "fn": 0}
    assert set(same.scores.values()) == {1.0}
    aside = pixel(network(LINE), network([[(0, 4), (100, 4)]]))
    assert aside.counts["tp"] + aside.counts["fn"] == 800 + disc
    # One line of pixels: x from 0 to 100 touches 101 of them, the last with its end.
    assert pixel(network(LINE), network([[(0, 0.5), (100, 0.5)]]), width=0).counts == {"tp": 101, "fp": 0, "fn": 0}
    assert pixel(network(LINE), network([[(0, 1), (100, 1)]]), width=0).counts == {"tp": 0, "fp": 101, "fn": 101}
    steep = pixel(network([[(0.5, 0.5), (0.5, 9.5)]]), network([[(0.5, 0.5), (3.5, 0.5)]]), width=0)
    assert steep.counts == {"tp": 1, "fp": 3, "fn": 9}


def test_scores_from_counts():
    scores, _ = scores_from_counts({"tp": 2, "fp": 1, "fn": 3})
    assert scores == {"precision": 2 / 3, "recall": 0.4, "iou": 1 / 3, "f1": 0.5}


def test_empty_and_too_thin():
    nothing, line = network([]), network(LINE)
    assert set(pixel(nothing, nothing).scores.values()) == {1.0}
    assert set(pixel(line, nothing).scores.values()) == set(pixel(nothing, line).scores.values()) == {0.0}
    thin = pixel(line, line, width=0.1)
    assert set(thin.scores.values()) == {None}
    assert "wider" in thin.notes["iou"]


@pytest.mark.parametrize("wrong", [{"pixel_size": 0.0}, {"pixel_size": np.nan}, {"width": -1.0}, {"width": np.inf}])
def test_wrong_parameters(wrong):
    with pytest.raises(ParameterError, match=f"pixel: {next(iter(wrong))}"):
        pixel(network(LINE), network(LINE), **wrong)


@settings(max_examples=20)
@given(lines=pairs(), width=st.sampled_from([0.0, 5.0]))
def test_swap_spellings_shift_and_scale(lines, width):
    expected = counts(lines, width=width)
    back = counts(lines[::-1], width=width)
    assert (back["tp"], back["fp"], back["fn"]) == (expected["tp"], expected["fn"], expected["fp"])
    assert counts([moved(one, 431234.0, 5412345.0) for one in lines], width=width) == expected
    assert counts([scaled(one, 2.0) for one in lines], width=2 * width, pixel_size=2.0) == expected
    # A vertex added on a line is rounded to a micrometre and may push a pixel at the very edge.
    spelled = counts([SPELLINGS["extra vertices"](one) for one in lines], width=width)
    assert all(abs(spelled[key] - expected[key]) <= 2 for key in expected)


def test_tiles_change_nothing(monkeypatch):
    lines = grid(), noisy(grid(), 6.0)
    whole = counts(lines), counts(lines, width=0)
    monkeypatch.setattr(module, "_TILE", 37)
    assert (counts(lines), counts(lines, width=0)) == whole
    far = counts([one + moved(one, 9000.0, 9000.0) for one in lines])
    assert far == {key: 2 * value for key, value in whole[0].items()}
