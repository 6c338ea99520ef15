"""Geometries as files store them."""

import struct

import numpy as np
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval.readers.vector.wkb import decode


@given(st.binary(max_size=60))
@settings(max_examples=60)
def test_bytes_that_are_no_geometry_are_counted(data):
    geometries, problems = decode(np.array([data, None], dtype=object))
    assert geometries[1] is None
    assert shapely.get_num_geometries(geometries[0]) > 0 or problems or shapely.is_empty(geometries[0])


@given(st.integers(0, 3), st.booleans(), st.lists(st.integers(1, 4), min_size=1, max_size=4))
@settings(max_examples=40)
def test_lines_are_found_in_every_spelling_of_their_bytes(dimensions, big, sizes):
    order, numbers = (">" if big else "<"), 2 + (0, 1, 1, 2)[dimensions]
    head = struct.pack(f"{order}BII", 0 if big else 1, 5 + 1000 * dimensions, len(sizes))
    rows = [np.arange(size * numbers, dtype=float).reshape(size, numbers) for size in sizes]
    parts = [
        struct.pack(f"{order}BII", 0 if big else 1, 2 + 1000 * dimensions, len(row))
        + row.astype(f"{order}f8").tobytes()
        for row in rows
    ]
    geometries, problems = decode(np.array([head + b"".join(parts)], dtype=object))
    assert problems == ({"lines_of_one_point": sizes.count(1)} if 1 in sizes else {})
    expected = [row[:, :2].tolist() for row in rows if len(row) > 1]
    found = [shapely.get_coordinates(part).tolist() for part in shapely.get_parts(geometries[0])]
    assert found == expected
