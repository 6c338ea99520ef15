"""Nothing that somebody wrote into the file of a run acts, here or in the plugin."""

import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

import geoeval.reviewing.run_schema as engines
from geoeval import review
from geoeval.exceptions import LinkedFileError, OutputError
from tests.fuzz.hostile.run_files import ACTING, altered
from tests.fuzz.own_inputs import small_result, small_run

PLUGIN = Path(__file__).parents[2] / "qgis_plugin"


@pytest.fixture(scope="module")
def run_file():
    """The plugin's own module."""
    sys.path.insert(0, str(PLUGIN))
    from geoeval_qgis import run_file

    yield run_file
    sys.path.remove(str(PLUGIN))


@pytest.fixture
def sound(tmp_path):
    path = tmp_path / "run.gpkg"
    path.write_bytes(small_run()[0])
    return path


def test_the_plugin_has_the_same_module():
    theirs = PLUGIN / "geoeval_qgis" / "run_schema.py"
    assert theirs.read_bytes() == Path(engines.__file__).read_bytes()


@pytest.mark.parametrize("name", ACTING)
def test_what_acts_is_refused_by_both(sound, run_file, name):
    altered(sound, ACTING[name])
    before = sound.read_bytes()
    with pytest.raises(LinkedFileError, match="give a run that geoeval wrote") as caught:
        review(sound)
    assert "\n" not in str(caught.value)
    with pytest.raises(run_file.RunFileError, match="does what its author wrote"):
        run_file.facts(sound)
    # Verdicts in it are not lost when a run is written over it.
    with pytest.raises(LinkedFileError):
        small_result().write_run(sound, overwrite=True)
    assert sound.read_bytes() == before


def test_a_sound_run_is_opened_by_both_after_others_have_edited_it(sound, run_file):
    """GDAL adds columns with defaults, indexes and tables of its own, and sees that all is in order."""
    altered(
        sound,
        'ALTER TABLE verdicts ADD COLUMN mine TEXT; ALTER TABLE errors ADD COLUMN "check as" MEDIUMINT DEFAULT 3;'
        "CREATE INDEX of_mine ON verdicts (mine); CREATE TABLE mine (a TEXT DEFAULT (strftime('%Y', 'now')));"
        "CREATE TABLE comments (a TEXT /* a view AS text, CHECK */)",
    )  # fmt: skip
    opened = review(sound)
    opened.judge(opened.errors["error_id"][0], "error")
    assert run_file.record(sound)["kind"] == "roads"
    assert run_file.layers(sound)


@pytest.mark.parametrize("name", ["a trigger that deletes verdicts", "a trigger in upper case that empties the list"])
def test_a_trigger_that_came_later_does_nothing(sound, run_file, name):
    """The file may change while it is open."""
    opened = review(sound)
    listed = len(opened.errors)
    altered(sound, ACTING[name])
    with pytest.raises(OutputError, match="the verdict cannot be kept"):
        opened.judge(opened.errors["error_id"][0], "error", remark="new")
    with closing(sqlite3.connect(sound)) as database:
        engines.refuse_what_acts(database)
        with pytest.raises(sqlite3.DatabaseError):
            database.execute("INSERT INTO verdicts (error_id) VALUES ('x')")
        assert database.execute("SELECT count(*) FROM errors").fetchone() == (listed,)
        assert database.execute("SELECT remark FROM verdicts").fetchall() == [("gone",)]


def test_a_damaged_record_is_one_line_in_the_plugin(sound, run_file):
    for value in ("", "[", "[1]", "{}", '{"kind": "roads"}', '{"kind": "x", "scores": {}}', "[" * 100_000,
                  '{"kind": "roads", "scores": {"ccq": {"f1": "x"}}, "reference": {}, "prediction": {}}'):  # fmt: skip
        with closing(sqlite3.connect(sound)) as database, database:
            database.execute("UPDATE run SET value = ? WHERE name = 'record'", (value,))
        with pytest.raises(run_file.RunFileError):
            run_file.record(sound)


def test_a_copy_of_the_plugin_is_refused_too(sound, tmp_path, run_file):
    altered(sound, ACTING["a trigger that deletes verdicts"])
    with pytest.raises(run_file.RunFileError):
        run_file.record(shutil.copy(sound, tmp_path / "copy.gpkg"))
