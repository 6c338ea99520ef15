import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geoeval._kernels.greedy import place_keys, take_in_order


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(-1, 4)), max_size=20))
def test_takes_what_is_free(candidates):
    ref, pred = np.array(candidates, dtype=np.int64).reshape(-1, 2).T
    taken = take_in_order(np.ascontiguousarray(ref), np.ascontiguousarray(pred), 5, 5)
    used = [set(), set()]
    for (i, j), got in zip(candidates, taken, strict=True):
        assert got == (i not in used[0] and j not in used[1])
        if got:
            used[0] |= {i} - {-1}
            used[1] |= {j} - {-1}


@given(st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=9))
def test_keys_do_not_tell_the_networks_apart(places):
    xy = np.array(places, dtype=float)
    there, back = place_keys(xy[:, :2], xy[:, 2:]), place_keys(xy[:, 2:], xy[:, :2])
    assert np.array_equal(there, back)
    for row, key in zip(places, np.transpose(there).tolist(), strict=True):
        assert tuple(key) == tuple(v for p in sorted([row[:2], row[2:]]) for v in p)
