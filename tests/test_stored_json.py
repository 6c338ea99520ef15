"""JSON of records: what geoeval writes is read, and what no record holds is a few words."""

import json
import math

import pytest

from geoeval.stored_json import parse_json, read_json


def test_what_is_written_is_read(tmp_path):
    value = {"a": [1, -2.5, None, True, "é\N{GRINNING FACE}"], "b": {"c": {}}}
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert read_json(tmp_path / "a.json") == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value
    assert math.isnan(parse_json("[NaN]", finite=False)[0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[NaN]", "not finite"), ("[1e999]", "not finite"), ('{"a": -Infinity}', "not finite"),
        (f"[{'9' * 4000}]", "too large"), (f"[{'9' * 5000}]", "not JSON"), ("[" * 22 + "]" * 22, "inside each other"),
        ("[" * 100_000, "not JSON"), ('"\\ud83d"', "not Unicode"), ('{"\\ud83d": 1}', "not Unicode"), ("", "not JSON"),
        (b"\xff", "not JSON"), ("{} {}", "not JSON"),
    ],
)  # fmt: skip
def test_what_no_record_holds_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        parse_json(text)


def test_a_file_that_is_too_long_is_not_read(tmp_path):
    with (tmp_path / "a.json").open("wb") as file:
        file.truncate(200_000_000)  # takes no room
    with pytest.raises(ValueError, match="200,000,000 bytes are more than a record has"):
        read_json(tmp_path / "a.json")
