"""Which errors a metric sees: 0 to 12 errors of one kind on a 4 x 4 grid of streets, mean of two seeds.

Sensitive: the score falls by at least 0.02 and never rises on the way. Blind: it stays where it was, exactly.
"""

from functools import partial

import numpy as np
import pytest

from geoeval.roads.ccq.ccq import ccq
from geoeval.roads.junctions.junct import junct
from geoeval.roads.junctions.opt_j import opt_j
from tests.networks import grid, network
from tests.roads import errors

COUNTS = (0, 3, 6, 12)
SEEDS = (0, 1)

# What the paper says or the definition implies, with the score that 12 errors leave.
SENSITIVE = {
    "CCQ, gaps of 30 m": (ccq, "quality", partial(errors.interruptions, gap=30.0), 0.92),
    "CCQ, overconnections": (ccq, "quality", errors.overconnections, 0.75),
    "CCQ, perturbations": (ccq, "quality", errors.perturbations, 0.24),
    "CCQ, doubled 8 m aside": (ccq, "quality", errors.doubled, 0.79),
    "CCQ, doubled reference": (ccq, "quality", errors.doubled_reference, 0.79),
    "CCQ, far false positives": (ccq, "quality", errors.far_false_positives, 0.51),
    "JUNCT, overconnections": (junct, "f1", errors.overconnections, 0.50),
    "JUNCT, doubled": (junct, "f1", errors.doubled, 0.50),
    "JUNCT, doubled reference": (junct, "f1", errors.doubled_reference, 0.50),
    "JUNCT, far false positives": (junct, "f1", errors.far_false_positives, 0.59),
    "OPT-J, interruptions": (opt_j, "f1", errors.interruptions, 0.84),
    "OPT-J, overconnections": (opt_j, "f1", errors.overconnections, 0.88),
    "OPT-J, perturbations": (opt_j, "f1", errors.perturbations, 0.70),
    "OPT-J, doubled": (opt_j, "f1", errors.doubled, 0.88),
    "OPT-J, doubled reference": (opt_j, "f1", errors.doubled_reference, 0.88),
    "OPT-J, far false positives": (opt_j, "f1", errors.far_false_positives, 0.67),
}
BLIND = {
    "CCQ, gaps of 8 m": (ccq, "quality", errors.interruptions),
    "CCQ, doubled 4 m aside": (ccq, "quality", partial(errors.doubled, shift=4.0)),
    "CCQ, doubled reference 4 m aside": (ccq, "quality", partial(errors.doubled_reference, shift=4.0)),
    "JUNCT, interruptions": (junct, "f1", errors.interruptions),
    "JUNCT, gaps of 30 m": (junct, "f1", partial(errors.interruptions, gap=30.0)),
    "JUNCT, perturbations of 20 m": (junct, "f1", errors.perturbations),
}


def curve(metric, score, error):
    """The mean score after each number of errors."""
    values = [
        [metric(*map(network, error(grid(), count, seed=seed))).scores[score] for seed in SEEDS] for count in COUNTS
    ]
    return np.mean(values, axis=1)


@pytest.mark.parametrize("name", SENSITIVE)
def test_sees(name):
    metric, score, error, left = SENSITIVE[name]
    values = curve(metric, score, error)
    assert values[0] == pytest.approx(1.0)
    assert (np.diff(values) < 0).all()
    assert values[-1] <= 0.98
    # Where the errors fall is a matter of the seed: the value only says how much was to be expected.
    assert values[-1] == pytest.approx(left, abs=0.06)


@pytest.mark.parametrize("name", BLIND)
def test_does_not_see(name):
    assert curve(*BLIND[name]) == pytest.approx(np.ones(len(COUNTS)), abs=1e-12)


@pytest.mark.parametrize(("metric", "score"), [(ccq, "quality"), (junct, "f1"), (opt_j, "f1")])
def test_what_is_right_elsewhere_never_harms(metric, score):
    lines = errors.overconnections(grid(), 6)
    far = [[(x + 5000, y) for x, y in line] for line in grid()]
    before = metric(*map(network, lines)).scores[score]
    after = metric(network(lines[0] + far), network(lines[1] + far)).scores[score]
    assert before < after < 1
