"""What each metric declares about itself is what it gives."""

import pickle

import numpy as np
import pytest

from geoeval.perturbation.perturb import perturb
from geoeval.roads.registry import METRICS
from tests.networks import LINE, RING, grid, network, noisy

TOWN = network(noisy(grid(5, 5), 5.0, seed=1))
WORSE = perturb(perturb(TOWN, "missing", 6, seed=1).prediction, "overconnections", 3, seed=1).prediction
NOTHING = network([])
PAIRS = {
    "with errors": (TOWN, WORSE),
    "the other way": (WORSE, TOWN),
    "perfect": (TOWN, TOWN),
    "far apart": (network(LINE), network([[(0, 900), (100, 900)]])),
    "rings only": (network(RING), network(RING)),
    "reference empty": (NOTHING, TOWN),
    "prediction empty": (TOWN, NOTHING),
    "both empty": (NOTHING, NOTHING),
}
FEW = {"opt-p": {"decompositions": 2}, "tlts": {"pairs": 100}}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", METRICS)
def test_scores_come_as_declared(name, pair):
    metric = METRICS[name]
    result = metric.function(*PAIRS[pair], **FEW.get(name, {}))
    assert list(result.scores) == [score.name for score in metric.scores]
    for score in metric.scores:
        value = result.scores[score.name]
        if value is None:
            assert result.notes[score.name]
            continue
        low, high = score.range
        assert low - 1e-12 <= value <= (np.inf if high is None else high + 1e-12)
        assert isinstance(value, int) == (score.unit == "count")


@pytest.mark.parametrize("name", METRICS)
def test_errors_make_scores_worse_in_the_declared_direction(name):
    metric = METRICS[name]
    good, bad = (metric.function(TOWN, prediction, **FEW.get(name, {})).scores for prediction in (TOWN, WORSE))
    assert metric.headline in good
    for score in metric.scores:
        change = bad[score.name] - good[score.name]
        if score.better == "higher":
            assert change <= 1e-9, score.name
        elif score.better == "lower":
            assert change >= -1e-9, score.name
        if score.name == metric.headline:
            assert abs(change) > 0.01


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.scores_from_counts])
def test_scores_follow_from_counts(name):
    metric = METRICS[name]
    result = metric.function(TOWN, WORSE)
    pooled, notes = metric.scores_of(result.counts, metric.defaults)
    assert pooled == pytest.approx({score: result.scores[score] for score in pooled})
    assert metric.headline in pooled
    assert notes == {}


def test_the_notes_of_features_that_tiles_cut_are_true_of_every_part():
    """Tiles cut the features of metrics that count along roads: their notes repeat nothing that a feature measures."""
    cut = set()
    for name in (name for name, metric in METRICS.items() if metric.counting != "whole"):
        result = METRICS[name].function(TOWN, network(noisy(grid(5, 5)[:-6], 12.0, seed=2)))
        if result.details["local"].item_is_node:
            continue
        cut.add(name)
        rows, notes = result.errors.rows, {}
        for kind, note, length in zip(rows["kind"], rows["note"], rows["length_m"], strict=True):
            notes.setdefault(kind, set()).add(note)
            assert f"{length:.1f}" not in note
        assert len(result.errors) > 3
        assert all(len(of_kind) == 1 for of_kind in notes.values())
    assert cut == {"ccq", "subg", "opt-g"}


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_can_be_sent_to_another_process(name):
    again = pickle.loads(pickle.dumps(METRICS[name]))
    assert (again.name, again.scores, again.defaults) == (name, METRICS[name].scores, METRICS[name].defaults)
    if again.scores_from_starts is not None:
        counts = np.array([[3, 4, 2, 5], [1, 1, 0, 2]])
        assert again.scores_from_starts(counts, 1, 2) == METRICS[name].scores_from_starts(counts, 1, 2)
