"""The real desktop on a day on which nothing goes as planned: see ``inside/rough_day.py`` for what is done there."""

import json
import re
import sqlite3
from contextlib import closing

import pytest

from tests.qgis.desk import Desk, in_the_desktop, needs_desktop, needs_qgis
from tests.qgis.test_inside import INSIDE

pytestmark = [needs_qgis, needs_desktop]


@pytest.fixture(scope="module")
def day(plugin_zip, tmp_path_factory):
    """What was seen on that day; the profile is its own, because the plugin in it is changed."""
    folder = tmp_path_factory.mktemp("rough")
    desk = Desk(tmp_path_factory.mktemp("desk"), plugin_zip)
    return {**in_the_desktop(desk, INSIDE / "rough_day.py", folder), "folder": folder}


def test_keys_judge_in_the_panel_and_nowhere_else(day):
    # The window's own key works where the panel has nothing to do with it.
    assert day["own_before_any_run"] == 2
    assert set(day["wrong"].values()) == {0}
    assert day["own_in_wrong_places"] == len(day["wrong"])
    assert not day["in_sight_behind"]
    assert day["marks_behind"] == 0
    # A key that is held down is no verdict on all that follows.
    assert day["held"] == 0
    assert day["in_the_panel"] == 1


def test_keys_judge_on_the_map_while_their_tool_is_chosen(day):
    assert day["chosen"]
    assert day["with_tool"] == day["in_the_panel"] + 2
    assert day["own_with_tool"] == 0
    assert day["put_away"]
    assert day["other_tool"]
    assert day["after_tool"] == day["after_other_tool"] == day["with_tool"]


def test_a_blink_shows_one_map_at_a_time_and_leaves_all_as_it_was(day):
    seen = day["blink"]
    assert {"My reference", "My prediction", "Breaks: 12"} <= set(seen["before"])
    assert seen["first"] == ["Reference as compared: My reference"]
    assert seen["second"] == ["Prediction as compared: My prediction"]
    assert seen["after"] == seen["hidden"] == seen["before"]


def test_tips_show_values(day):
    tips = [*day["tips"].values(), *day["drawing"]["tips"]]
    assert len(day["tips"]) > 5
    assert len(day["drawing"]["tips"]) > 3
    assert not [tip for tip in tips if "[%" in tip or '"' in tip]


def test_a_new_project_has_nothing_of_the_run_before(day):
    assert day["marks"] == 1
    assert day["new"] == {
        "marks": 0, "verdicts": 0, "own": 2, "page": "Evaluate two layers; their scores come here.", "rows": 0,
        "about": "", "scores": "", "run": True, "known": None, "tool": False,
    }  # fmt: skip


def test_a_drawing_without_a_place_is_in_its_own_unit(day):
    drawing = day["drawing"]
    assert drawing["bar"] == []
    assert "Reference 8,100 units, Prediction 8,050 units" in drawing["page"]
    assert drawing["table"] == ["100", "50", "8,000"]
    assert "reference: 8,100 units" in drawing["log"]
    said = "\n".join([drawing["page"], *drawing["log"], *drawing["tips"]])
    assert not re.search(r"\d (km|m)\b", said)
    page = (day["folder"] / "drawing.html").read_text(encoding="utf-8")
    assert "units of the drawing" in page
    assert not re.search(r">[^<{}]*\b(metres|km)\b[^<{}]*</", page)


def test_a_run_of_layers_is_named_after_them(day):
    title = "My prediction against My reference"
    page = (day["folder"] / "rough.html").read_text(encoding="utf-8")
    assert title in page
    with closing(sqlite3.connect(day["file"])) as connection:
        (record,) = connection.execute("SELECT value FROM run WHERE name = 'record'").fetchone()
    for role, facts in ((role, json.loads(record)[role]) for role in ("reference", "prediction")):
        assert facts["name"] == facts["source"] == f"My {role}"
    assert ".fgb" not in page


def test_the_command_in_the_history_runs_again(day):
    assert "'METRICS':['ccq','opt-j']" in day["command"]
    assert {"CCQ_QUALITY", "OPT_J_F1"} <= set(day["again"])


def test_switching_off_and_on_leaves_nothing_behind(day):
    off, on = day["counts"][::2], day["counts"][1::2]
    assert day["started"]
    assert len(off) == len(on) == 4
    assert all(one == off[0] for one in off)
    assert all(one == on[0] for one in on)


def test_an_upgrade_needs_no_restart(day):
    assert day["loaded"] > 30
    assert day["old"] == []
