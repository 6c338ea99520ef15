"""How tiles are put together in parts, and sums by tile, against slow ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoeval.exceptions import OutputError
from geoeval.scale.tiles.part import counts_by_tile, exact_sums
from geoeval.scale.tiles.tiling import neighbouring, positions_of
from tests.scale.tiles.test_tiled_roads import evaluate_tiled, town

KEYS = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
TILES = st.dictionaries(KEYS, st.integers(0, 30), min_size=1, max_size=60)


@given(TILES, st.integers(0, 100))
def test_neighbouring_tiles_share_a_box_that_no_other_group_reaches_into(tiles, most):
    groups = neighbouring(tiles, most)
    assert sorted(key for group in groups for key in group) == sorted(tiles)
    weights = [sum(tiles[key] for key in group) for group in groups]
    assert weights == sorted(weights, reverse=True)
    assert all(len(group) == 1 or weight <= most for group, weight in zip(groups, weights, strict=True))
    for group in groups:
        low, high = np.min(group, axis=0), np.max(group, axis=0)
        inside = {key for key in tiles if (low <= key).all() and (key <= high).all()}
        assert inside == set(group)
        assert list(group) == [key for key in tiles if key in inside]


def test_tiles_that_fit_together_are_one_part_and_halves_have_nearly_as_many():
    row = {(x, 0): 10 for x in range(8)}
    assert neighbouring(row, 80) == [tuple(row)]
    assert neighbouring(row, 79) == [tuple(list(row)[:4]), tuple(list(row)[4:])]
    assert neighbouring({}, 5) == []


@given(TILES, st.lists(KEYS, max_size=20))
def test_positions_are_those_of_a_list(tiles, keys):
    listed = list(tiles)
    found = positions_of(np.array(keys, dtype=np.int64).reshape(-1, 2), listed)
    assert found.tolist() == [listed.index(key) if key in tiles else -1 for key in keys]


NUMBERS = st.one_of(st.floats(-1e12, 1e12), st.floats(-1e-9, 1e-9), st.integers(-(2**40), 2**40).map(float))


@given(st.lists(st.tuples(NUMBERS, st.integers(-1, 3)), max_size=40))
def test_sums_by_tile_are_those_of_fractions(rows):
    values = np.array([value for value, _ in rows])
    tile = np.array([number for _, number in rows], dtype=np.int64)
    keys = [(0, 0), (1, 0), (0, 1), (-5, 7)]
    wanted = [sum((Fraction(value) for value, own in rows if own == number), Fraction(0)) for number in range(4)]
    assert counts_by_tile({"n": values}, tile, keys) == {
        key: {"n": total} for key, total in zip(keys, wanted, strict=True)
    }
    own = tile >= 0
    assert exact_sums(values[own], tile[own], 4) == wanted


def test_a_run_that_was_kept_in_other_parts_is_refused_in_one_line(tmp_path, monkeypatch):
    from geoeval.scale.tiles import running

    maps, options = town(), {"tile_size": 150.0, "metrics": "ccq", "resume": tmp_path / "run"}
    monkeypatch.setattr(running, "PART_FORMAT", 1)
    evaluate_tiled(*maps, **options)
    monkeypatch.undo()
    with pytest.raises(OutputError, match=r"holds a run with another kind of parts; .* or another folder"):
        evaluate_tiled(*maps, **options)
