"""CSV that harms nobody and loses nothing."""

import csv

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from geoeval.exceptions import OutputError
from geoeval.writers.tables import clean_text, cut_text, harmless, write_csv


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize(
    "text",
    ["=cmd()", "+cmd()", "-cmd()", "@SUM(A1)", "\t=1", "\n=1", "=1+1", "-2+3", "\uff1d1", "-", "-1e", "+1 2"],
)
def test_formulas_are_made_text(text):
    assert harmless(text) == f"'{text}"
    assert harmless(np.str_(text)) == f"'{text}"


def test_a_carriage_return_hides_no_formula():
    assert harmless("\r=1") == harmless("\r\n=1") == "'\n=1"


@pytest.mark.parametrize("text", ["", "plain", "a=1", "'=1", "-12", "+3.5", "-1e-7", "<script>", "1-2", "Ü"])
def test_other_text_stays(text):
    assert harmless(text) == text


@pytest.mark.parametrize("value", [0, -1, -1.5, True, np.float64(-2.5), np.int64(-3), np.bool_(1)])
def test_numbers_stay(value):
    assert harmless(value) is value


def test_rows_and_frames_give_the_same_file(tmp_path):
    rows = [
        {"name": '=HYPERLINK("x")', "gain": -0.5, "note": 'say "hi", twice\nor more'},
        {"name": "-x", "gain": float("nan"), "note": None},
        {"name": "Straße", "gain": 1e-9, "note": "<script>alert(1)</script>"},
    ]
    write_csv(rows, tmp_path / "rows.csv")
    write_csv(pd.DataFrame(rows), tmp_path / "frame.csv")
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes()
    assert read(tmp_path / "rows.csv") == [
        ["name", "gain", "note"],
        ['\'=HYPERLINK("x")', "-0.5", 'say "hi", twice\nor more'],
        ["'-x", "", ""],
        ["Straße", "1e-09", "<script>alert(1)</script>"],
    ]
    assert not (tmp_path / "rows.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_columns_are_chosen_and_missing_cells_are_empty(tmp_path):
    write_csv([{"a": 1}, {"b": 2, "a": 3}], tmp_path / "all.csv")
    assert read(tmp_path / "all.csv") == [["a", "b"], ["1", ""], ["3", "2"]]
    write_csv([{"a": 1}, {"b": 2, "a": 3}], tmp_path / "b.csv", columns=["b"])
    assert read(tmp_path / "b.csv") == [["b"], [""], ["2"]]
    write_csv(pd.DataFrame({"a": [1], "b": [pd.NA]}), tmp_path / "c.csv", columns=["b", "a"])
    assert read(tmp_path / "c.csv") == [["b", "a"], ["", "1"]]


def test_empty_tables(tmp_path):
    write_csv([], tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b""
    write_csv([], tmp_path / "b.csv", columns=["=a", "b"])
    assert read(tmp_path / "b.csv") == [["'=a", "b"]]
    write_csv(pd.DataFrame({"a": []}), tmp_path / "c.csv")
    assert read(tmp_path / "c.csv") == [["a"]]


def test_an_existing_table_is_kept(tmp_path):
    write_csv([{"a": 1}], tmp_path / "a.csv")
    with pytest.raises(OutputError, match=r"a\.csv exists already; give overwrite=True"):
        write_csv([{"a": 2}], tmp_path / "a.csv")
    write_csv([{"a": 2}], tmp_path / "a.csv", overwrite=True)
    assert read(tmp_path / "a.csv") == [["a"], ["2"]]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(), max_size=20), min_size=1, max_size=5))
def test_any_text_comes_back_and_never_as_a_formula(tmp_path, cells):
    write_csv([{"x": cell, "y": 1} for cell in cells], tmp_path / "a.csv", overwrite=True)
    rows = read(tmp_path / "a.csv")[1:]
    assert len(rows) == len(cells)
    for (got, _), cell in zip(rows, cells, strict=True):
        lines = clean_text(cell).replace("\r\n", "\n").replace("\r", "\n")
        assert got.removeprefix("'") == lines.removeprefix("'")
        assert not got.startswith(("=", "@", "\t", "\r"))
        if got.startswith(("+", "-")):
            float(got)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.integers(0, 300))
def test_text_is_cut_between_characters(text, size):
    short = cut_text(text, size)
    assert text.startswith(short)
    assert len(short.encode()) <= size
    following = text[len(short) : len(short) + 1]
    assert not following or len((short + following).encode()) > size


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters()))
def test_clean_text_can_be_written_anywhere(text):
    clean = clean_text(text)
    clean.encode()
    assert len(clean) == len(text)
    assert not set(clean) & {chr(code) for code in range(32)} - {"\t", "\n", "\r"}
