"""Every protocol against a second implementation, on small random towns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from skimage.morphology import skeletonize

from geoeval import RoadNetwork, evaluate
from geoeval.metrics.registry import registry_of
from geoeval.protocols.cosmiq.apls import cosmiq_apls
from geoeval.protocols.cosmiq.line_graph import LineGraph
from geoeval.protocols.cosmiq.topo import cosmiq_topo
from tests.protocols.slow import cosmiq, go_apls, junct, lanes, masks, topo

SEEDS = st.integers(0, 10**6)
FEW = settings(max_examples=5)
SOME = settings(max_examples=20)


def town(rng, *, side, spacing, at, jitter):
    """Crossings of a grid out of place, and the streets between them that were not left out."""
    places = {
        (i, j): (at + spacing * i + rng.uniform(-jitter, jitter), at + spacing * j + rng.uniform(-jitter, jitter))
        for i in range(side) for j in range(side)
    }  # fmt: skip
    pairs = [((i, j), (i + 1, j)) for i in range(side - 1) for j in range(side)]
    pairs += [((i, j), (i, j + 1)) for i in range(side) for j in range(side - 1)]
    return [(places[a], places[b]) for a, b in pairs if rng.random() < 0.8]


def guess_of(streets, rng, *, off):
    """The same streets a little off, some gone and some doubled by a slanted one."""
    moved = {}
    for street in streets:
        for place in street:
            moved.setdefault(place, tuple(part + rng.normal(0, off) for part in place))
    kept = [(moved[a], moved[b]) for a, b in streets if rng.random() < 0.85]
    return kept + [
        (moved[a], (moved[b][0] + rng.uniform(10, 40), moved[b][1])) for a, b in streets if rng.random() < 0.15
    ]


def neighbours(streets):
    found = {}
    for a, b in streets:
        for one, other in ((a, b), (b, a)):
            if other not in found.setdefault(one, []):
                found[one].append(other)
    return found


def pair_of_towns(seed, *, side=3, spacing=90.0, at=200.0, jitter=15.0, off=2.0):
    rng = np.random.default_rng(seed)
    streets = town(rng, side=side, spacing=spacing, at=at, jitter=jitter)
    guess = guess_of(streets, rng, off=off)
    return (streets or [((200.0, 200.0), (200.0, 290.0))]), (guess or [((205.0, 200.0), (205.0, 290.0))])


def scores_of(protocol, reference, prediction, **parameters):
    result = evaluate(reference, prediction, protocol=protocol, parameters={protocol: parameters})
    return result.scores[protocol], result


@FEW
@given(SEEDS, st.sampled_from([(2, 1100.0), (3, 200.0)]))
def test_topo_of_sat2graph(seed, size_and_place):
    side, at = size_and_place
    true, guess = (neighbours(one) for one in pair_of_towns(seed, side=side, at=at))
    precision, recall, starts = topo.topo(true, guess)
    scores, result = scores_of("sat2graph-topo", true, guess)
    assert (scores["precision"], scores["recall"]) == pytest.approx((precision, recall), abs=1e-9)
    assert result.counts["sat2graph-topo"].get("starts", 0) == starts


@FEW
@given(SEEDS, st.sampled_from(["city", "15", "10"]))
def test_apls_of_sat2graph(seed, table):
    place = {"spacing": 150.0, "at": 250.0} if table == "city" else {"spacing": 80.0, "at": 80.0}
    true, guess = (neighbours(one) for one in pair_of_towns(seed, **place))
    scores, _ = scores_of("sat2graph-apls", true, guess, table=table)
    ways = scores["reference_to_prediction"], scores["prediction_to_reference"]
    assert ways == pytest.approx(go_apls.apls(true, guess, table), abs=1e-9)


def line_graphs(seed, **place):
    """Two towns as graphs of lines, for both implementations, with the nodes in one order."""
    made = []
    for streets in pair_of_towns(seed, **place):
        slow = cosmiq.graph_of(streets)
        nodes = np.array([at for _, at in slow.nodes(data="at")])
        ends = np.array([(a, b) for a, b in slow.edges()])
        lines = [nodes[[a, b]] for a, b in ends]
        lengths = np.hypot(*(nodes[ends[:, 1]] - nodes[ends[:, 0]]).T)
        made.append((slow, LineGraph(nodes, ends, lines, lengths)))
    return made


@SOME
@given(SEEDS, st.sampled_from([0.001, 60.0, 0.0]))
def test_apls_of_cosmiq(seed, min_path):
    (true, fast_true), (guess, fast_guess) = line_graphs(seed, side=3, spacing=70.0)
    found = cosmiq_apls(fast_true, fast_guess, min_path=min_path).scores
    names = ("reference_to_prediction", "prediction_to_reference", "apls")
    assert [found[name] for name in names] == pytest.approx(cosmiq.apls(true, guess, min_path=min_path), abs=1e-9)


@SOME
@given(SEEDS)
def test_topo_of_cosmiq(seed):
    (true, fast_true), (guess, fast_guess) = line_graphs(seed, side=3, spacing=70.0, off=1.0)
    found = cosmiq_topo(fast_true, fast_guess, rng=np.random.default_rng(seed))
    origins = np.random.default_rng(seed).choice(len(true), 20)
    assert list(found.counts.values()) == cosmiq.topo(true, guess, origins)


@SOME
@given(SEEDS, st.sampled_from([40.0, 90.0, 200.0]))
def test_junctions_of_roadtracer(seed, spacing):
    true, guess = (neighbours(one) for one in pair_of_towns(seed, side=4, spacing=spacing, at=500.0, off=12.0))
    _, result = scores_of("roadtracer-junct", true, guess, region=[0, 0, 2000, 2000], border=260)
    expected = junct.junct(true, guess, 0.0, 2000.0, 260.0)
    assert list(result.counts["roadtracer-junct"].values()) == pytest.approx(expected, abs=1e-9)


@FEW
@given(SEEDS, st.sampled_from([60.0, 400.0]), st.sampled_from([-30.0, 200.0]))
def test_lanes(seed, travel, at):
    true, guess = (neighbours(one) for one in pair_of_towns(seed, spacing=40.0, at=at, off=3.0))
    scores, _ = scores_of("lane-geo-topo", true, guess, travel=travel)
    names = ("geo_precision", "geo_recall", "topo_precision", "topo_recall")
    assert [scores[name] for name in names] == pytest.approx(lanes.geo_topo(true, guess, travel), abs=1e-9)


@given(SEEDS, st.integers(3, 12), st.sampled_from(["image", "window=4", "closed-border"]))
def test_betti_numbers(seed, size, convention):
    true, guess = np.random.default_rng(seed).random((2, size, size)) < 0.55
    scores, _ = scores_of("betti", true, guess, convention=convention)
    windows = [(slice(None), slice(None))]
    if convention == "window=4":
        windows = [(slice(r, r + 4), slice(c, c + 4)) for r in range(0, size, 4) for c in range(0, size, 4)]
    if convention == "closed-border":
        for mask in (true, guess):
            mask[[0, -1]] = mask[:, [0, -1]] = False
    pairs = [(masks.betti(true[window]), masks.betti(guess[window])) for window in windows]
    b0, b1 = (np.mean([abs(one[k] - other[k]) for one, other in pairs]) for k in (0, 1))
    assert scores["b1_error"] == pytest.approx(b1)
    assert scores["b0_error"] == (None if convention == "closed-border" else pytest.approx(b0))


@given(SEEDS)
def test_cldice(seed):
    true, guess = np.random.default_rng(seed).random((2, 15, 15)) < 0.6
    scores, _ = scores_of("cldice", true, guess)
    shares = []
    for own, other in ((guess, true), (true, guess)):
        thin = [(r, c) for r, c in np.ndindex(own.shape) if skeletonize(own)[r, c]]
        shares.append(sum(other[cell] for cell in thin) / len(thin))
    assert (scores["precision"], scores["sensitivity"]) == pytest.approx(shares)
    assert scores["cldice"] == pytest.approx(2 * shares[0] * shares[1] / sum(shares))


@FEW
@given(SEEDS)
def test_citraro_is_our_metrics_in_pixels(seed):
    true, guess = (RoadNetwork.from_lines(one) for one in pair_of_towns(seed))
    scores, _ = scores_of("citraro", true, guess)
    own = {"opt-p": {"max_distance": 25.0}, "opt-j": {"max_distance": 25.0}}
    own["opt-g"] = {"max_distance": 25.0, "radius": 300.0}
    ours = evaluate(true, guess, metrics="opt-p,opt-j,opt-g", preset="roadtracer-px", parameters=own, aoi="all").scores
    assert set(registry_of("roads").presets) >= {"roadtracer-px"}
    for name, values in ours.items():
        for score in ("f1", "precision", "recall"):
            assert scores[f"{name.replace('-', '_')}_{score}"] == pytest.approx(values[score], abs=1e-9)
