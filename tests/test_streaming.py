"""Road scores inside training: shards in any order give the same bits, and all forms of maps are taken."""

import multiprocessing
import pickle
import sys
import types

import networkx as nx
import numpy as np
import pytest

from geoeval import RoadNetwork, benchmark, evaluate
from geoeval.exceptions import GeoevalError, ParameterError
from geoeval.streaming import RoadScores
from tests.benchmarking.folders import grid_dict

METRICS = "ccq,opt-j,apls"


def town(seed):
    """A dictionary of a grid with some of its streets."""
    rng = np.random.default_rng(seed)
    rows = sorted(rng.choice(np.arange(30, 280, 40), size=int(rng.integers(1, 4)), replace=False).tolist())
    return grid_dict(300, rows=rows)


PAIRS = [(town(2 * i), town(2 * i + 1)) for i in range(4)] + [({}, town(3)), (town(4), {})]


def scored(pairs, **options):
    scores = RoadScores(**{"metrics": METRICS, "pixel_size": 1.0, **options})
    for prediction, reference in pairs:
        scores.update(prediction, reference)
    return scores


@pytest.fixture(scope="module")
def parts():
    return [scored([pair]) for pair in PAIRS]


def test_shuffled_shards_give_the_same_bits(parts):
    whole = RoadScores(METRICS, pixel_size=1.0)
    for part in parts:
        whole.merge(part)
    expected = whole.compute()
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(len(parts)).tolist()
        cut = int(rng.integers(1, len(parts)))
        shards = [RoadScores(METRICS, pixel_size=1.0) for _ in range(2)]
        for number, which in enumerate(order):
            shards[number >= cut].merge(parts[which])
        first, second = shards if rng.random() < 0.5 else shards[::-1]
        merged = first.merge(pickle.loads(pickle.dumps(second)))
        assert merged.compute() == expected  # to the last bit
        assert merged.aggregates(repetitions=50) == whole.aggregates(repetitions=50)
    assert len(whole) == len(PAIRS)
    whole.reset()
    assert len(whole) == 0


def test_it_is_the_benchmark_of_the_same_pairs(parts):
    truth = {str(i): reference for i, (_, reference) in enumerate(PAIRS)}
    predictions = {str(i): prediction for i, (prediction, _) in enumerate(PAIRS)}
    found = benchmark(truth, {"m": predictions}, metrics=METRICS, pixel_size=1.0, empty="score", repetitions=0)
    for rule in ("pooled", "mean"):
        scores = RoadScores(METRICS, pixel_size=1.0, rule=rule)
        for part in parts:
            scores.merge(part)
        assert scores.compute() == found.scores["m"][rule], rule


def test_pooled_counts_by_hand():
    results = [evaluate(b, a, metrics="opt-j", pixel_size=1.0, aoi="all") for a, b in PAIRS]
    tp, pp, ap = (sum(one.counts["opt-j"][name] for one in results) for name in ("tp", "pp", "ap"))
    found = scored(PAIRS, metrics="opt-j").compute()
    assert found["opt-j.precision"] == pytest.approx(tp / pp)
    assert found["opt-j.f1"] == pytest.approx(2 * tp / (pp + ap))


def test_protocols():
    topo = scored(PAIRS[:3], metrics="all", protocol="sat2graph-topo", rule="spacenet")
    assert set(topo.compute()) == {"sat2graph-topo.f1", "sat2graph-topo.precision", "sat2graph-topo.recall"}
    shuffled = scored(PAIRS[2::-1], metrics="all", protocol="sat2graph-topo", rule="spacenet")
    assert shuffled.compute() == topo.compute()
    mask = np.zeros((2, 60, 60))
    mask[:, 20:24, 5:50] = 0.9
    masks = RoadScores(protocol="cldice")
    masks.update(mask, mask > 0)
    assert (masks.compute()["cldice.cldice"], len(masks), masks.rule) == (1.0, 2, "mean")
    with pytest.raises(ParameterError, match="unknown rule 'nonsense'; there are"):
        RoadScores(protocol="cldice", rule="nonsense")


def test_every_form_of_a_map_is_the_same_map():
    dictionary = {(50, 10): [(50, 90)], (50, 90): [(50, 10), (90, 90)], (90, 90): [(50, 90)]}
    nodes, edges = np.array([(50, 10), (50, 90), (90, 90)]), np.array([(0, 1), (1, 2)])
    graph = nx.Graph()
    for number, (row, column) in enumerate(nodes.tolist()):
        graph.add_node(number, x=float(column), y=-float(row))
    graph.add_edges_from(edges.tolist())
    network = RoadNetwork.from_lines([[(10, -50), (90, -50), (90, -90)]])
    numpy_keys = {tuple(np.array(key)): [tuple(np.array(other)) for other in others]
                  for key, others in dictionary.items()}  # fmt: skip
    mask = np.zeros((100, 100), dtype=np.uint8)
    mask[49:52, 9:92] = mask[50:92, 89:92] = 255
    tensor = types.SimpleNamespace(detach=lambda: types.SimpleNamespace(cpu=lambda: types.SimpleNamespace(
        numpy=lambda: np.stack([mask / 255.0, mask / 255.0])[:, None])))  # fmt: skip
    scores = RoadScores("ccq,opt-j", pixel_size=1.0)
    for given in (dictionary, (nodes, edges), network, numpy_keys, mask, mask > 0, mask / 255.0, [dictionary, mask]):
        scores.update(given, [dictionary, dictionary] if isinstance(given, list) else dictionary)
    scores.update(tensor, [dictionary, network])
    local = RoadScores("ccq,opt-j", crs=network.crs)
    local.update(graph, network)
    for one in (scores, local):
        assert one.compute()["opt-j.f1"] == 1.0
        assert one.compute()["ccq.quality"] > 0.999
    assert len(scores) == 11


def test_what_cannot_be_scored_is_refused_and_nothing_is_added():
    scores = RoadScores("ccq", pixel_size=1.0)
    for prediction, reference, words in (
        ([{}, {}], [{}], "2 predictions for 1 references"),
        (np.ones((5, 5)), np.ones((6, 6)), "5 x 5|6 x 6"),
        ((np.zeros((3, 2)), np.array([[0, 9]])), {}, "names a node that is not there"),
        (np.zeros((2, 2, 2, 2)), {}, "no mask"),
        (object(), {}, "is a object"),
    ):
        with pytest.raises(GeoevalError, match=words):
            scores.update(prediction, reference)
    assert len(scores) == 0
    with pytest.raises(ParameterError, match="other metrics or parameters"):
        scores.merge(RoadScores("opt-j", pixel_size=1.0))


@pytest.mark.parametrize(
    "rows",
    [b"x", b"[]", b"{}", b"\xff", b"null", b'{"ccq": 5}', b'{"ccq": [{"quality": "x"}, {}]}',
     b'{"ccq": [{}, {"a": [1]}]}', b'{"ccq": [{"quality": NaN}, {}]}', b'{"ccq": [{}, {}, {}]}',
     b'{"opt-j": [{}, {}]}', b'{"ccq": ' + b"[" * 100_000],
)  # fmt: skip
def test_rows_of_others_are_refused_and_nothing_is_added(rows):
    scores = RoadScores(metrics="ccq", pixel_size=1.0)
    scores.update({(0, 0): [(0, 9)], (0, 9): [(0, 0)]}, {(0, 0): [(0, 9)], (0, 9): [(0, 0)]})
    kept = scores.to_bytes()
    with pytest.raises(ParameterError, match="add only what to_bytes gave"):
        scores.add_bytes(kept + rows + b"\n")
    assert scores.to_bytes() == kept
    scores.add_bytes(kept)
    assert len(scores) == 2


def test_processes_share_the_work():
    with multiprocessing.get_context("forkserver").Pool(2) as pool:
        first, second = pool.map(_shard, [PAIRS[:1], PAIRS[1:2]])
    assert second.merge(first).compute() == scored(PAIRS[:2], metrics="ccq").compute()


def _shard(pairs):
    return scored(pairs, metrics="ccq")


def test_it_is_there_without_an_import_of_its_own():
    import geoeval

    assert geoeval.streaming.RoadScores is RoadScores


def test_plot(tmp_path):
    axes = scored(PAIRS[:2]).plot()
    assert [label.get_text().split("\n")[0] for label in axes.get_xticklabels()] == ["ccq", "apls", "opt-j"]
    assert len(axes.patches) == 3


# ------------------------------------------------------------------ torchmetrics


class _StandIn:
    """What a torchmetrics metric does with states, in a few lines."""

    def __init__(self, **options):
        self.options, self._defaults = options, {}

    def add_state(self, name, default, dist_reduce_fx):
        assert (default, dist_reduce_fx) == ([], "cat")
        self._defaults[name] = default
        setattr(self, name, [])

    def reset(self):
        for name in self._defaults:
            setattr(self, name, [])


class _Tensor:
    def __init__(self, values, dtype=None):
        self.values = values

    def detach(self):
        return self

    cpu = detach

    def tolist(self):
        return list(self.values)

    def __float__(self):
        return float(self.values)


@pytest.fixture
def torch_like(monkeypatch):
    torch = types.ModuleType("torch")
    torch.tensor, torch.uint8, torch.float64 = _Tensor, "uint8", "float64"
    metrics = types.ModuleType("torchmetrics")
    metrics.Metric = _StandIn
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torchmetrics", metrics)
    import geoeval.streaming

    geoeval.streaming.__dict__.pop("RoadScoresMetric", None)
    yield geoeval.streaming.RoadScoresMetric
    geoeval.streaming.__dict__.pop("RoadScoresMetric", None)


def test_as_a_torchmetrics_metric(torch_like):
    expected = scored(PAIRS[-3:], metrics="ccq").compute()
    shards = [torch_like("ccq", pixel_size=1.0, sync_on_compute=True) for _ in range(2)]
    for number, pair in enumerate(PAIRS[-3:]):
        shards[number % 2].update(*pair)
    shards[0].rows = _Tensor([byte for one in shards[::-1] for part in one.rows for byte in part.values])
    found = shards[0].compute()
    assert {name: float(value) for name, value in found.items()} == expected
    assert shards[0].options == {"sync_on_compute": True}
    shards[1].reset()
    assert all(np.isnan(float(value)) for value in shards[1].compute().values())


def test_without_torch_it_says_what_is_needed(monkeypatch):
    import geoeval.streaming

    monkeypatch.setitem(sys.modules, "torchmetrics", None)
    with pytest.raises(GeoevalError, match="needs torch and torchmetrics"):
        geoeval.streaming.RoadScoresMetric  # noqa: B018


def test_a_pair_without_a_prediction_weighs_in_the_pool():
    street = {(0, 0): [(0, 300)], (0, 300): [(0, 0)]}
    scores = RoadScores(metrics="subg,opt-g", pixel_size=1.0)
    scores.update(street, street)
    assert scores.compute()["subg.f1"] == scores.compute()["opt-g.f1"] == 1
    scores.update({}, street)
    assert scores.compute()["subg.recall"] == 0.5
    assert 0.5 < scores.compute()["opt-g.recall"] < 0.9
