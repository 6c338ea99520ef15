"""What is asked of an evaluation and how it is run are two things, and every door asks in the same words."""

import inspect
from dataclasses import MISSING, fields

import pytest

from geoeval import evaluate
from geoeval.content import content_of
from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.pipeline.evaluation import Evaluation, Execution
from geoeval.pipeline.recorded_call import RECORDED
from geoeval.readers.options import INPUT_OPTIONS

ASKED = {one.name: None if one.default is MISSING else one.default for one in fields(Evaluation)} | {"reading": {}}
RUN = {one.name for one in fields(Execution)}


def test_evaluate_takes_what_is_asked_and_how_it_is_run_with_the_same_defaults():
    own = inspect.signature(evaluate).parameters
    words = {name for name, one in own.items() if one.kind is one.KEYWORD_ONLY} | {"reading"}
    assert words == set(ASKED) | RUN | {"rng"}
    for name in words - {"rng", "reading", "parameters", "progress"}:
        assert own[name].default == (ASKED | {one.name: one.default for one in fields(Execution)})[name], name


def test_a_record_holds_all_that_was_asked_and_nothing_of_how_it_was_run():
    asked = Evaluation.checked(parameters={"ccq": {"tolerance": 5}}, reading={"reference_layer": "roads"})
    readers = {f"{side}{name}" for name in INPUT_OPTIONS for side in ("", "reference_", "prediction_")}
    assert set(asked.call) == (set(ASKED) - {"reading"}) | {"reference_layer"}
    assert set(ASKED) - {"reading"} == set(RECORDED) - readers - {"reference", "prediction"} | {"crs"}
    assert not RUN & set(RECORDED)


def test_the_call_asks_for_the_same():
    asked = Evaluation.checked(kind="objects", metrics=["iou"], align=True, tile_size=500, reading={"layer": "b"})
    call = asked.call
    reading = {name: call.pop(name) for name in ("layer",)}
    assert Evaluation.checked(**call, reading=reading).call == asked.call


@pytest.mark.parametrize("content", [*map(content_of, CONTENTS)], ids=CONTENTS)
def test_a_plan_is_wanted_where_the_content_has_one(content):
    asked = Evaluation.checked(kind=content.name)
    assert asked.wants_plan is bool(content.plans)
    assert asked.call["plan"] is content.plans
    assert Evaluation.checked(kind=content.name, plan=False).wants_plan is False


@pytest.mark.parametrize("how", [{"scheduler": "tcp://127.0.0.1:1"}, {"resume": "here"}])
def test_an_execution_in_tiles_has_tiles_of_the_usual_size(how):
    execution = Execution(**how)
    for content in map(content_of, CONTENTS):
        if content.tile_size is None:
            with pytest.raises(ParameterError, match="not evaluated in tiles"):
                Evaluation.checked(kind=content.name, execution=execution)
        else:
            assert Evaluation.checked(kind=content.name, execution=execution).tile_size == content.tile_size
            assert Evaluation.checked(kind=content.name, tile_size=50, execution=execution).tile_size == 50
            assert Evaluation.checked(kind=content.name).tile_size is None
