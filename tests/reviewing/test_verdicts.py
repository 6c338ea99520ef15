"""Verdicts: kept at once, exchanged as files, safe with several writers; files that are none are one line."""

import sqlite3
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from geoeval import review
from geoeval.exceptions import OutputError, ParameterError, UnreadableInputError
from geoeval.reviewing import run_database
from geoeval.reviewing.verdicts import WORDS, Verdict, read_verdicts, write_verdicts
from geoeval.writers.tables import clean_text

# A line break is one character, and an apostrophe in front is what the file itself adds to formulas.
TEXTS = st.text(max_size=40).map(lambda text: clean_text(text).replace("\r", "\n").lstrip("'"))
NUMBERS = st.none() | st.floats(-1e9, 1e9)


def test_a_verdict_is_in_the_file_at_once_and_can_be_changed_and_taken_back(opened):
    name = opened.errors["error_id"][2]
    opened.judge(name, "later", remark="look again", judged_by="Ada", seconds=2.5)
    other = review(opened.run.path)
    (row,) = other.verdicts.to_dict("records")
    assert (row["verdict"], row["remark"], row["judged_by"], row["seconds"]) == ("later", "look again", "Ada", 2.5)
    error = opened.errors.iloc[2]
    assert [row[key] for key in ("kind", "x", "y", "crs")] == [error["kind"], error["x"], error["y"], "EPSG:32610"]
    other.judge(name, "error")
    assert opened.verdicts["verdict"].tolist() == ["error"]
    opened.take_back(name)
    opened.take_back(name)
    assert len(other.verdicts) == 0


def test_what_cannot_be_judged_is_refused(opened):
    name = opened.errors["error_id"][0]
    with pytest.raises(ParameterError, match="'maybe' is no verdict; choose among error, not-an-error"):
        opened.judge(name, "maybe")
    with pytest.raises(ParameterError, match="no error 'nonsense'"):
        opened.judge("nonsense", "error")
    assert len(opened.verdicts) == 0


VERDICTS = st.builds(
    Verdict, TEXTS.filter(bool), st.sampled_from(WORDS), TEXTS, st.just("2026-01-02T03:04:05Z"), TEXTS, NUMBERS, TEXTS,
    TEXTS, TEXTS, NUMBERS, NUMBERS, NUMBERS, TEXTS,
)  # fmt: skip


@settings(max_examples=20)
@given(st.lists(VERDICTS, max_size=4))
def test_a_file_of_verdicts_reads_back(tmp_path_factory, verdicts):
    path = tmp_path_factory.getbasetemp() / "verdicts.csv"
    write_verdicts(verdicts, path, overwrite=True)
    assert read_verdicts(path) == verdicts


def test_files_are_interchangeable_and_the_later_verdict_wins(opened, tmp_path):
    names = opened.errors["error_id"].tolist()
    for name, word in zip(names, WORDS, strict=False):
        opened.judge(name, word, remark="=SUM(A1)")
    file = opened.write_verdicts(tmp_path / "verdicts.csv")
    before = opened.verdicts
    opened.take_back(names[0])
    assert opened.read_verdicts(file) == {"id": 4, "place": 0, "gone": 0}
    assert opened.verdicts.sort_values("error_id").to_dict("records") == before.sort_values("error_id").to_dict(
        "records"
    )
    text = file.read_text().replace(before["judged_at"][0], "2001-01-01T00:00:00Z").replace("not-an-error", "error")
    file.write_text(text)
    opened.read_verdicts(file)
    assert opened.verdicts.set_index("error_id")["verdict"][names[1]] == "not-an-error"
    file.write_text(text.replace("2001-", "2999-"))
    opened.read_verdicts(file)
    assert opened.verdicts.set_index("error_id")["verdict"][names[1]] == "error"


def test_a_file_from_qgis_may_have_few_columns_in_any_order(opened, tmp_path):
    first = opened.errors.iloc[0]
    file = tmp_path / "short.csv"
    file.write_text(f"\ufeffverdict,y,x,kind,extra\nerror,{first['y']},{first['x'] + 1},{first['kind']},1\n\n")
    assert opened.read_verdicts(file) == {"id": 0, "place": 1, "gone": 0}
    assert opened.verdicts["error_id"].tolist() == [first["error_id"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "no columns 'error_id' and 'verdict'"),
        (b"error_id,verdict\na,perhaps\n", "line 2: 'perhaps' is no verdict"),
        (b"error_id,verdict\na,error\nb\n", "line 3: '' is no verdict"),
        (b"error_id,verdict,judged_at\na,error,yesterday\n", "line 2: 'yesterday' is no time"),
        (b"error_id,verdict,x\na,error,nan\n", "line 2: x is 'nan'"),
        (b"error_id,verdict,seconds\na,error,1e999\n", "line 2: seconds is '1e999'"),
        (b"error_id,verdict\n,error\n", "line 2: neither an id nor a place"),
        (b'error_id,verdict\n"a,error\n', "no CSV in UTF-8"),
        (b"\xff\xfe\x00", "no CSV in UTF-8"),
        (b"error_id,verdict\na," + b"x" * 200_000 + b"\n", "no CSV in UTF-8"),
        (b"PK\x03\x04 not a table\x00\x01", "no columns|no CSV"),
    ],
)
def test_hostile_verdict_files_are_one_line_and_change_nothing(opened, tmp_path, text, said):
    file = tmp_path / "verdicts.csv"
    file.write_bytes(text)
    with pytest.raises(UnreadableInputError, match=said) as caught:
        opened.read_verdicts(file)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert len(opened.verdicts) == 0


def test_a_missing_verdict_file_is_one_line(opened, tmp_path):
    with pytest.raises(UnreadableInputError, match="cannot be read"):
        opened.read_verdicts(tmp_path / "none.csv")


def test_several_writers_lose_nothing(opened):
    """Six writers at once on one file: every error has one of the verdicts that were given, and no file is left."""
    names = opened.errors["error_id"].tolist()
    failed = []

    def work(number):
        mine = review(opened.run.path)
        try:
            for name in names[number % 2 :: 2]:
                mine.judge(name, WORDS[number % 4], judged_by=str(number))
        except Exception as error:  # noqa: BLE001 - a thread must say what failed
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    kept = opened.verdicts
    assert sorted(kept["error_id"]) == sorted(names)
    for name, word, who in zip(kept["error_id"], kept["verdict"], kept["judged_by"], strict=True):
        assert word == WORDS[int(who) % 4]
        assert names.index(name) % 2 == int(who) % 2
    assert [file.name for file in opened.run.path.parent.iterdir()] == ["run.gpkg"]


def test_a_file_that_somebody_holds_is_one_line_and_keeps_what_it_had(opened, monkeypatch):
    monkeypatch.setattr(run_database, "_PATIENCE", 0.05)
    first, second = opened.errors["error_id"][:2]
    opened.judge(first, "error")
    holder = sqlite3.connect(opened.run.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(OutputError, match="the verdict cannot be kept"):
        opened.judge(second, "error")
    holder.execute("ROLLBACK")
    holder.close()
    assert opened.verdicts["error_id"].tolist() == [first]


def test_a_file_that_qgis_has_open_can_be_judged(opened):
    """QGIS turns the file into WAL while it edits it; a verdict goes in all the same."""
    qgis = sqlite3.connect(opened.run.path, isolation_level=None)
    assert qgis.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    qgis.execute("UPDATE run SET value = 'px' WHERE name = 'unit'")
    opened.judge(opened.errors["error_id"][0], "error")
    assert qgis.execute("SELECT verdict FROM verdicts").fetchall() == [("error",)]
    assert qgis.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    qgis.close()
    assert [file.name for file in opened.run.path.parent.iterdir()] == ["run.gpkg"]
