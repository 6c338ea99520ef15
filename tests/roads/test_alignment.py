"""A constant offset is found and removed; the evaluated area follows the prediction."""

from collections import Counter

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import RoadNetwork
from geoeval.offsets import busiest
from geoeval.offsets.busiest import offset_ground
from geoeval.roads.alignment import estimate_offset, moved, prevailing_offset
from geoeval.scale.store.road_store import network_of, store_network
from tests.networks import CRS, LINE, grid, network, noisy

TOWN = noisy(grid(8, 8), 15.0, seed=3)


@pytest.mark.parametrize(("dx", "dy"), [(0.0, 0.0), (7.0, -4.0), (-12.5, 3.0), (22.0, 18.0)])
def test_a_shift_is_found(dx, dy):
    reference = network(TOWN)
    found = estimate_offset(reference, moved(reference, dx, dy))
    assert (found.dx, found.dy) == pytest.approx((dx, dy), abs=0.02)


def test_a_shift_is_found_among_noise_and_missing_roads():
    reference = network(TOWN)
    prediction = moved(network(noisy(TOWN[::2], 1.0, seed=1)), 9.0, 6.0)
    found = estimate_offset(reference, prediction)
    assert (found.dx, found.dy) == pytest.approx((9.0, 6.0), abs=0.6)


def test_along_a_single_road_only_the_part_across_is_seen():
    reference = network([[(0, 0), (1000, 0)]])
    found = estimate_offset(reference, network([[(200, 5), (800, 5)]]))
    assert found.dy == pytest.approx(5, abs=0.01)
    assert found.dx == pytest.approx(0, abs=0.01)
    assert found.interval[0] == pytest.approx((-30, 30), abs=0.01)  # along the road it may be anything


def test_nothing_close_gives_no_offset():
    assert estimate_offset(network(LINE), network([[(0, 5000), (100, 5000)]])) is None
    assert estimate_offset(network(LINE), RoadNetwork.from_lines([])) is None


@given(
    dx=st.floats(-20, 20), dy=st.floats(-20, 20), sigma=st.sampled_from([0.0, 0.5, 2.0]), seed=st.integers(0, 1000),
    every=st.sampled_from([1, 2, 3]),
)  # fmt: skip
@settings(max_examples=25)
def test_swapping_turns_the_offset_round(dx, dy, sigma, seed, every):
    reference, prediction = network(TOWN), moved(network(noisy(TOWN[::every], sigma, seed=seed)), dx, dy)
    there, back = estimate_offset(reference, prediction), estimate_offset(prediction, reference)
    assert (there is None) == (back is None)
    if there is not None:
        assert (there.dx, there.dy) == pytest.approx((-back.dx, -back.dy), abs=1e-6)
        assert np.array(there.interval) == pytest.approx(-np.array(back.interval)[:, ::-1], abs=1e-6)
        assert (there.places, there.significant) == (back.places, back.significant)


@pytest.mark.parametrize("sigma", [0.3, 2.0])
def test_the_interval_holds_the_true_shift_nineteen_times_in_twenty(sigma):
    """Noise at every vertex and a road in three missing; without a shift, none is called real."""
    reference, held, real, false = network(TOWN), 0, 0, 0
    rng = np.random.default_rng(7)
    for seed in range(40):
        prediction = network([line for line in noisy(TOWN, sigma, seed=seed) if rng.random() > 0.3])
        shift = rng.uniform(-12, 12, 2)
        found, none = estimate_offset(reference, moved(prediction, *shift)), estimate_offset(reference, prediction)
        held += sum(low <= true <= high for true, (low, high) in zip(shift, found.interval, strict=True))
        real, false = real + found.significant, false + none.significant
    assert 70 <= held <= 80  # 76 expected, and a binomial count is below 70 once in a hundred times
    assert real == 40
    assert false <= 2


def test_an_interval_of_exact_copies_is_a_centimetre_and_the_shift_is_real():
    found = estimate_offset(network(TOWN), moved(network(TOWN[::2]), 0.4, -0.1))
    assert found.significant
    assert found.interval == ((pytest.approx(0.395, abs=1e-3), pytest.approx(0.405, abs=1e-3)),
                              (pytest.approx(-0.105, abs=1e-3), pytest.approx(-0.095, abs=1e-3)))  # fmt: skip


def test_a_road_between_two_carriageways_could_go_to_either():
    """The shift onto one of them serves as well as the shift onto the other, so there is none to be told."""
    divided = [[(0, -9), (600, -9)], [(0, 9), (600, 9)], [(300 - 9, -300), (300 - 9, 300)], [(309, -300), (309, 300)]]
    single = [[(0, 0), (600, 0)], [(300, -300), (300, 300)]]
    for pair in ((divided, single), (single, divided)):
        found = estimate_offset(*map(network, pair))
        assert found is None or (not found.significant and found.distance < 0.5)


def test_a_shift_of_one_part_of_the_ground_is_no_offset():
    town = network(TOWN)
    middle = float(np.median(town.nodes[:, 0]))
    lines = [[(x + (8.0 if x > middle + 120 else 0.0), y) for x, y in line] for line in TOWN]
    assert not estimate_offset(town, network(lines)).significant


def test_moving_changes_nothing_else():
    net = network(TOWN)
    again = moved(moved(net, 3.25, -8.5), -3.25, 8.5)
    assert np.array_equal(again.nodes, net.nodes)
    assert np.array_equal(again.segments, net.segments)


def slow_busiest_cell(segments):
    """By the definition, one segment after the other."""
    lower = [min((x, y), (u, v)) for (x, y), (u, v) in np.round(segments, 6).tolist()]
    counts = Counter((int(x // 10_000), int(y // 10_000)) for x, y in lower)
    column, row = min(counts, key=lambda cell: (-counts[cell], cell))
    return column * 1e4 - 50, row * 1e4 - 50, (column + 1) * 1e4 + 50, (row + 1) * 1e4 + 50


metres = st.one_of(st.sampled_from([-1e4, -1e-7, 0.0, 9999.9999999, 1e4, 2e4]), st.floats(-3e4, 3e4))
segment = st.tuples(st.tuples(metres, metres), st.tuples(metres, metres))


@given(segments=st.lists(segment, min_size=1, max_size=30, unique=True), size=st.integers(1, 30))
def test_the_busiest_cell_is_that_of_the_definition(segments, size):
    segments = np.unique(np.array([sorted(one) for one in np.round(segments, 6).tolist()]), axis=0)
    expected = slow_busiest_cell(segments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(busiest, "MANY_SEGMENTS", 0)
        assert offset_ground([segments]) == expected
        assert offset_ground(np.split(segments[::-1, ::-1], range(size, len(segments), size))) == expected
        # Duplicates, which stores keep one after the other, count once, also where one batch ends and the next begins.
        again = np.repeat(segments, 3, axis=0)
        assert offset_ground(np.split(again, range(size, 3 * len(segments), size))) == expected
    assert offset_ground([segments]) is None


def test_without_segments_no_cell_is_the_busiest():
    assert offset_ground([]) is None
    assert offset_ground([np.zeros((0, 2, 2))]) is None


def test_coordinates_stay_as_they_were():
    given = np.array([[(5.123456789, 0.0), (1.0, 0.0)]])
    before = given.copy()
    offset_ground([given])
    assert np.array_equal(given, before)


@pytest.fixture
def three_towns():
    """Towns in three cells, with other offsets; most roads are in the one on the border of two cells."""
    at = {(9_700.0, 3_000.0): (11, (9.0, 6.0)), (25_000.0, -4_000.0): (8, (-4.0, 3.0)), (0.0, 0.0): (5, (0.0, -8.0))}
    true, predicted = [], []
    for seed, ((x, y), (size, (dx, dy))) in enumerate(at.items()):
        lines = noisy([[(x + u, y + v) for u, v in line] for line in grid(size, size)], 15.0, seed=seed)
        true += lines
        predicted += [[(u + dx, v + dy) for u, v in line] for line in noisy(lines, 1.0, seed=seed)]
    # A road of two towns, and one twice.
    true += [[(9_800.0, 3_000.0), (25_000.0, -4_000.0)], true[0]]
    return network(true), network(predicted)


def test_a_large_network_is_aligned_where_most_roads_are(three_towns, monkeypatch):
    everywhere = estimate_offset(*three_towns)
    assert prevailing_offset(*three_towns) == everywhere
    monkeypatch.setattr(busiest, "MANY_SEGMENTS", len(three_towns[1].segments))
    assert prevailing_offset(*three_towns) == everywhere
    monkeypatch.setattr(busiest, "MANY_SEGMENTS", busiest.MANY_SEGMENTS - 1)
    found = prevailing_offset(*three_towns)
    assert (found.dx, found.dy) == pytest.approx((9.0, 6.0), abs=0.6)
    assert found != everywhere
    assert offset_ground([three_towns[1].nodes[three_towns[1].segments]]) == (9_950.0, -50.0, 20_050.0, 10_050.0)


def test_stores_give_the_identical_offset(three_towns, monkeypatch, tmp_path):
    monkeypatch.setattr(busiest, "MANY_SEGMENTS", 100)
    monkeypatch.setattr("geoeval.scale.store.store_file.GROUP_ROWS", 37)
    stores = [store_network(tmp_path / f"{i}.parquet", one) for i, one in enumerate(three_towns)]
    assert stores[0].count > len(three_towns[0].segments)  # with its duplicates
    assert len(stores[0].group_bounds) > 5
    box = offset_ground(batch.xy for batch in stores[1].batches())
    near = [network_of(store.read(box), crs=CRS, to_crs=CRS) for store in stores]
    assert len(near[0].segments) < len(three_towns[0].segments)
    found = estimate_offset(*(one.clip(shapely.box(*box), aoi_crs=CRS) for one in near))
    assert found == prevailing_offset(*three_towns)
