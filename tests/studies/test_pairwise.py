"""Differences of two methods at the places that both folders have."""

import json

import numpy as np
import pytest

from geoeval import GeoevalError
from geoeval.studies.comparison import paired
from geoeval.studies.pairwise import score_differences


def folder(path, places, *, kind="roads"):
    """A folder of results with these scores."""
    path.mkdir()
    for place, scores in places.items():
        (path / f"{place}.json").write_text(json.dumps({"geoeval": "0", "kind": kind, "scores": scores}))
    return path


def scores(f1, chamfer=1.0):
    return {"opt-j": {"precision": 0.3, "f1": f1}, "distance": {"chamfer": chamfer}}


def test_positive_is_better_whatever_the_direction_of_the_score(tmp_path):
    good = folder(tmp_path / "good", {"rome": scores(0.75, 2.0), "oslo": scores(0.5, 2.0), "only here": scores(1.0)})
    bad = folder(tmp_path / "bad", {"oslo": scores(0.25, 5.0), "rome": scores(None, 3.0)})
    table = score_differences(good, str(bad))
    assert list(table.columns) == ["place", "opt-j.f1", "distance.chamfer"]
    assert table["place"].tolist() == ["oslo", "rome"]
    assert table["distance.chamfer"].tolist() == [3.0, 1.0]
    assert table["opt-j.f1"].tolist() == pytest.approx([0.25, np.nan], nan_ok=True)
    back = score_differences(bad, good).set_index("place")
    assert (back["distance.chamfer"] == -table.set_index("place")["distance.chamfer"]).all()
    assert paired(table["distance.chamfer"]).winner == "A"


def test_metrics_that_one_method_lacks_are_left_out(tmp_path):
    a = folder(tmp_path / "a", dict.fromkeys("xy", scores(0.5)))
    b = folder(tmp_path / "b", {key: {"opt-j": {"f1": 0.25}} for key in "xy"})
    assert list(score_differences(a, b).columns) == ["place", "opt-j.f1"]


def test_wrong_folders_are_one_clear_line(tmp_path):
    a = folder(tmp_path / "a", dict.fromkeys("xy", scores(0.5)))
    one = folder(tmp_path / "one", {"x": scores(0.5)})
    other = folder(tmp_path / "other", {key: {"ccq": {"quality": 0.5}} for key in "xy"})
    mixed = folder(tmp_path / "mixed", {"x": scores(0.5)})
    (mixed / "y.json").write_text(json.dumps({"kind": "objects", "scores": {}}))
    broken = folder(tmp_path / "broken", {"x": scores(0.5)})
    (broken / "y.json").write_text("{")
    for second, words in (
        (tmp_path / "absent", "there is no folder .*absent; give two folders of results"),
        (a / "x.json", "there is no folder"),
        (one, "a and .*one have 1 file names in common; give at least 2 places"),
        (other, "no metric in common"),
        (mixed, "different kinds"),
        (broken, "y.json cannot be read"),
    ):
        with pytest.raises(GeoevalError, match=words) as caught:
            score_differences(a, second)
        assert "\n" not in str(caught.value)
