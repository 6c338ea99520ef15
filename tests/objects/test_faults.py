"""What is said of outlines that match but lie elsewhere, and which of their sides are displaced."""

import pytest
import shapely
from shapely.affinity import rotate, scale, translate

from geoeval import ObjectMap, evaluate_objects
from geoeval.exceptions import ParameterError
from geoeval.objects.faults import FAULTS
from tests.objects.shapes_for_tests import CRS, rectangle

HOUSE = rectangle(0, 0, 20, 10)
QUICK = {"mallows": False, "boundary": 1.0}


def found(prediction, **more):
    maps = (ObjectMap.from_polygons([one], crs=CRS) for one in (HOUSE, prediction))
    return evaluate_objects(*maps, metrics="max-overlap", parameters={"max-overlap": {**QUICK, **more}})


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        (translate(HOUSE, 3, 4), "shifted by 5.0 m"),
        (rotate(HOUSE, 8), "turned by 8° to the left"),
        (rotate(HOUSE, -20), "turned by 20° to the right"),
        (scale(HOUSE, 1.2, 1.0), "20 % too large"),
        (scale(HOUSE, 1.0, 0.7), "30 % too small"),
        (shapely.Polygon([(0, 0), (20, 0), (20, 9), (19, 10), (0, 10)]), "1 corner too many"),
        (shapely.Polygon([(0, 0), (20, 0), (20, 10)]), "1 corner missing"),
    ],
)
def test_faults_in_words(prediction, words):
    frame = found(prediction).errors_of("boundary")
    assert words in frame["note"].iloc[0]
    assert len(frame["note"].iloc[0].split(": ")[1].split(", ")) == (4 if "missing" in words else 1)


def test_a_turned_house_has_numbers_too():
    row = found(rotate(scale(HOUSE, 1.1, 1.0), 8)).errors_of("boundary").iloc[0]
    assert (row["turn_deg"], row["size_ratio"], row["corners"]) == pytest.approx((8.0, 1.1, 0.0))


def test_every_match_says_what_is_wrong_with_it():
    result = found(translate(rotate(HOUSE, 8), 1, 0), boundary=0.1)
    assert len(result.errors_of("boundary")) == 0
    row = result.errors_of("matched").iloc[0]
    assert row["note"] == "shifted by 1.0 m, turned by 8° to the left"
    assert [row[name] for name in FAULTS] == pytest.approx([1.0, 8.0, 1.0, 0.0])
    assert found(HOUSE).errors_of("matched")["note"].tolist() == [""]


def test_only_the_displaced_side_is_a_line():
    # The right side of the house lies 2 m off; upper and lower sides stretch so far too.
    result = found(rectangle(0, 0, 22, 10), displaced=1.0)
    sides = result.errors_of("displaced")
    assert sorted(sides["length_m"]) == pytest.approx([10.0, 22.0, 22.0])
    assert sides["dist_m"].tolist() == pytest.approx([2.0] * 3)
    assert len(found(rectangle(0, 0, 22, 10), displaced=2.5).errors_of("displaced")) == 0
    with pytest.raises(ParameterError, match="give metres above 0"):
        found(HOUSE, displaced=0)
