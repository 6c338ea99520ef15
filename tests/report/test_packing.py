"""What the page unpacks is what was packed, by an independent reader."""

from base64 import b64decode

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from geoeval.report.packing import pack_floats, pack_geometries, pack_numbers, pack_texts


def unpacked(text: str) -> list[int]:
    """Byte by byte, as the definition says."""
    numbers, value, shift = [], 0, 0
    for byte in b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    assert shift == 0
    return numbers


@given(st.lists(st.integers(0, 2**53)))
def test_numbers(numbers):
    assert unpacked(pack_numbers(np.array(numbers, dtype=np.int64))) == numbers


def test_small_numbers_take_one_byte():
    assert len(b64decode(pack_numbers(np.arange(128)))) == 128
    assert pack_numbers(np.zeros(0, dtype=np.int64)) == ""


coordinates = st.tuples(*[st.floats(-5e6, 5e6, allow_nan=False).map(lambda x: round(x, 3))] * 2)
lines = st.lists(coordinates, min_size=2, max_size=5).map(shapely.LineString)
features = st.one_of(lines, st.lists(lines, min_size=1, max_size=3).map(shapely.MultiLineString))


@given(rows=st.lists(features, max_size=5), origin=coordinates, step=st.sampled_from([0.1, 0.001, 2.0]))
def test_geometries_come_back_to_half_a_step(rows, origin, step):
    array = np.array([None, *rows], dtype=object)[1:]
    packed = pack_geometries(array, place=lambda xy: xy + 10.0, origin=np.array(origin), step=step)
    assert packed["rows"] == len(rows)
    steps = [-(number + 1) // 2 if number % 2 else number // 2 for number in unpacked(packed["xy"])]
    xy = np.array(origin) + step * np.cumsum(np.reshape(steps, (-1, 2)), axis=0)
    parts = [list(getattr(row, "geoms", [row])) for row in rows]
    counts = [1] * len(rows) if packed["parts"] is None else unpacked(packed["parts"])
    assert counts == [len(one) for one in parts]
    assert unpacked(packed["vertices"]) == [len(part.coords) for one in parts for part in one]
    given = np.array([place for one in parts for part in one for place in part.coords]).reshape(-1, 2) + 10.0
    assert np.abs(xy - given).max(initial=0.0) <= step / 2 + 1e-6


@given(st.lists(st.sampled_from(["", "a", "<b>", "ü", "other"])))
def test_texts(texts):
    packed = pack_texts(texts)
    found = packed["values"] if "index" not in packed else [packed["values"][i] for i in unpacked(packed["index"])]
    assert found == texts


def test_the_same_text_is_there_once():
    assert pack_texts(["a gap"] * 9)["values"] == ["a gap"]


def test_numbers_of_a_column():
    assert pack_floats(np.array([np.nan, 0.123456, 12345.6, np.inf])) == [None, 0.1235, pytest.approx(12350), None]
