"""Verdicts on the errors of a later run: the same error keeps its verdict, and no other gets it."""

from dataclasses import replace

import numpy as np
import pytest
from pyproj import Transformer

from geoeval import Drawing, evaluate, review
from geoeval.exceptions import ParameterError
from geoeval.model.courses import bar
from geoeval.reviewing.carrying import carried_verdicts
from geoeval.reviewing.verdicts import WORDS
from tests.networks import network
from tests.reviewing.runs import evaluated, place, renumbered, town, with_errors


def judged(opened):
    """Every error judged, each kind in turns; by id the verdict."""
    given = {}
    for number, name in enumerate(opened.errors["error_id"]):
        given[name] = WORDS[number % 4]
        opened.judge(name, given[name], remark=f"remark {number}")
    return given


def same_error(old, new):
    """The brute force: of the same kind, by the distance of all pairs of places; mutual nearest only."""
    pairs = {}
    for one in old.itertuples():
        near = [
            (np.hypot(one.x - two.x, one.y - two.y), two.error_id) for two in new.itertuples() if two.kind == one.kind
        ]
        if near and min(near)[0] <= 10:
            pairs[one.error_id] = min(near)[1]
    return pairs


@pytest.mark.parametrize(("moved", "how"), [(0.0, "id"), (0.4, "place")])
def test_a_prediction_that_changed_elsewhere_keeps_its_verdicts(result, opened, tmp_path, moved, how):
    """Some errors are mended and a new one is made; rows are renumbered and vertices moved where ids cannot serve."""
    given = judged(opened)
    mended = result.apply(top=3)
    if how == "place":
        mended = renumbered(mended, moved=moved)
    later = review(evaluated(result.inputs["reference"], mended), tmp_path / "later.gpkg")
    gone = len(given) - len(later.errors)
    assert gone >= 2
    found = later.carry_from(opened.run.path)
    assert found["id"] + found["place"] + found["gone"] == len(given)
    expected = same_error(opened.errors, later.errors)
    carried = later.verdicts.set_index("error_id")
    assert found["gone"] == len(given) - len(expected)
    if how == "id":
        assert found["place"] <= 2
    else:
        assert found["place"] > found["id"]
    for old, new in expected.items():
        assert carried["verdict"][new] == given[old]
    remarks = opened.verdicts.set_index("error_id")["remark"]
    assert {new: carried["remark"][new] for new in expected.values()} == {
        new: remarks[old] for old, new in expected.items()}  # fmt: skip
    assert later.judged()["gone"] == found["gone"]
    # A second time changes nothing.
    again = later.verdicts
    later.carry_from(opened)
    assert later.verdicts.to_dict("records") == again.to_dict("records")


def test_an_error_that_comes_back_has_its_verdict_again(result, opened, tmp_path):
    given = judged(opened)
    without = review(evaluated(result.inputs["reference"], result.apply()), tmp_path / "clean.gpkg")
    assert without.carry_from(opened)["gone"] == len(given)
    again = review(result, tmp_path / "again.gpkg")
    assert again.carry_from(without) == {"id": len(given), "place": 0, "gone": 0}
    assert again.verdicts.set_index("error_id")["verdict"].to_dict() == given


def test_a_run_that_is_written_over_hands_its_verdicts_on(result, opened):
    given = judged(opened)
    result.write_run(opened.run.path, overwrite=True)
    again = review(opened.run.path)
    assert again.verdicts.set_index("error_id")["verdict"].to_dict() == given
    assert set(again.verdicts["carried"]) == {"id"}
    assert [file.name for file in opened.run.path.parent.iterdir()] == ["run.gpkg"]
    opened.run.path.write_bytes(b"no run")
    result.write_run(opened.run.path, overwrite=True)
    assert len(review(opened.run.path).verdicts) == 0


def test_another_projection_is_the_same_place(result, opened, tmp_path):
    judged(opened)
    other = review(evaluated(result.inputs["reference"], result.inputs["prediction"], crs="EPSG:32609"),
                   tmp_path / "other.gpkg")  # fmt: skip
    assert other.run.crs == "EPSG:32609"
    found = other.carry_from(opened)
    assert found["place"] == len(opened.errors)


def test_a_verdict_of_this_run_stays_where_it_is_later(result, opened, tmp_path):
    name = opened.errors["error_id"][0]
    opened.judge(name, "error")
    later = review(result, tmp_path / "later.gpkg")
    later.judge(name, "not-an-error")
    with_time(later, name, "2999-01-01T00:00:00Z")
    later.carry_from(opened)
    assert later.verdicts["verdict"].tolist() == ["not-an-error"]
    with_time(later, name, "2000-01-01T00:00:00Z")
    later.carry_from(opened)
    assert later.verdicts["verdict"].tolist() == ["error"]


def with_time(opened, name, when):
    with opened.run._writing() as database:
        database.execute("UPDATE verdicts SET judged_at = ? WHERE error_id = ?", (when, name))


def test_a_road_that_is_half_as_long_is_another_error(tmp_path):
    street = [(0, 0), (400, 0)]
    reference = network(place([street, [(0, 200), (400, 200)]]))
    whole = review(evaluated(reference, network(place([street]))), tmp_path / "whole.gpkg")
    whole.judge(whole.errors["error_id"][0], "not-an-error")
    half = network(place([street, [(0, 200), (200, 200)]]))
    later = review(evaluated(reference, half), tmp_path / "half.gpkg")
    assert later.carry_from(whole) == {"id": 0, "place": 0, "gone": 1}


def test_the_nearest_pair_first_and_each_once(opened):
    """Two verdicts near one error, and the other way round: one-to-one, by the least distance."""
    first = opened.errors.iloc[[0]]
    opened.judge(first["error_id"].item(), "error")
    (one,) = opened.run.verdicts().values()
    near, nearer = replace(one, error_id="n1", x=one.x + 3, verdict="later"), replace(one, error_id="n2", x=one.x + 1)
    far = replace(one, error_id="n3", x=one.x + 10.01)
    got = carried_verdicts([near, nearer, far], first, opened.run.crs)
    assert [(each.error_id, each.carried) for each in got] == [("n1", ""), (one.error_id, "place"), ("n3", "")]
    lonlat = Transformer.from_crs(32610, 4326, always_xy=True).transform(one.x, one.y)
    got = carried_verdicts(
        [replace(one, error_id="g", x=lonlat[0], y=lonlat[1], crs="EPSG:4326")], first, opened.run.crs
    )
    assert got[0].carried == "place"
    lost = [replace(one, error_id="x", crs="nonsense"), replace(one, error_id="y", crs="local metres"),
            replace(one, error_id="z", x=None), replace(one, error_id="w", kind="spurious")]  # fmt: skip
    assert {each.carried for each in carried_verdicts(lost, first, opened.run.crs)} == {""}


def test_what_cannot_be_carried_is_one_line(opened, tmp_path):
    with pytest.raises(ParameterError, match="this run itself"):
        opened.carry_from(opened.run.path)
    drawn = Drawing([bar((0, 0), (80, 0))], width=4)
    lines = review(evaluate(drawn, drawn, kind="lines"), tmp_path / "lines.gpkg")
    with pytest.raises(ParameterError, match="a run of lines, not of roads"):
        opened.carry_from(lines)


def test_ids_survive_a_change_elsewhere(result):
    """The rule of the id itself: errors of a prediction that lost another road keep theirs."""
    reference = town()
    first = evaluated(reference, with_errors(reference)).map_errors()["lines"]
    again = evaluated(reference, result.apply(top=1)).map_errors()["lines"]
    assert len(set(first["error_id"]) & set(again["error_id"])) >= len(first) - 3
