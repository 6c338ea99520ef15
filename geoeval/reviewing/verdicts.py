"""What a person says of an error, and files of it that people and programs exchange."""

import csv
import math
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.files import check_output
from geoeval.writers.tables import FORMULA_STARTS, clean_text, write_csv

ERROR, NOT_AN_ERROR, REFERENCE_IS_WRONG, LATER = "error", "not-an-error", "reference-is-wrong", "later"
WORDS = (ERROR, NOT_AN_ERROR, REFERENCE_IS_WRONG, LATER)
# An error with one of these is judged; with one of the second it is taken out of the scores.
JUDGED = (ERROR, NOT_AN_ERROR, REFERENCE_IS_WRONG)
REJECTED = (NOT_AN_ERROR, REFERENCE_IS_WRONG)

# The columns of the table of verdicts, with their types in SQL.
COLUMNS = {
    "error_id": "TEXT", "verdict": "TEXT", "remark": "TEXT", "judged_at": "TEXT", "judged_by": "TEXT",
    "seconds": "REAL", "kind": "TEXT", "ref_id": "TEXT", "pred_id": "TEXT", "length_m": "REAL", "x": "REAL",
    "y": "REAL", "crs": "TEXT", "carried": "TEXT",
}  # fmt: skip
REMARK_CHARACTERS = 2_000
# A file with more is no verdict file of a person.
_MOST_BYTES = 500_000_000
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True)
class Verdict:
    """One verdict; ``docs/review.md`` explains the fields."""

    error_id: str
    verdict: str
    remark: str = ""
    judged_at: str = ""
    judged_by: str = ""
    seconds: float | None = None
    kind: str = ""
    ref_id: str = ""
    pred_id: str = ""
    length_m: float | None = None
    x: float | None = None
    y: float | None = None
    crs: str = ""
    carried: str = ""

    def as_row(self) -> tuple[Any, ...]:
        """The values in the order of ``COLUMNS``."""
        return tuple(asdict(self)[name] for name in COLUMNS)


def check_word(verdict: str) -> str:
    """One of the four words, or an error that names them."""
    if verdict not in WORDS:
        raise ParameterError(f"{str(verdict)[:40]!r} is no verdict; choose among {', '.join(WORDS)}")
    return verdict


def now() -> str:
    """The present as verdicts state it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def user_name() -> str:
    """Who judges, as the system calls them; empty where it does not say."""
    return clean_text(os.environ.get("USER") or os.environ.get("USERNAME") or "")[:100]


def write_verdicts(verdicts: Iterable[Verdict], path: str | Path, *, overwrite: bool = False) -> Path:
    """Write verdicts as CSV that the page, the command and QGIS read."""
    columns = [name for name in COLUMNS if name != "carried"]
    check_output(path, "tables", overwrite=overwrite)
    return write_csv([asdict(one) for one in verdicts], path, columns=columns, overwrite=overwrite)


def read_verdicts(path: str | Path) -> list[Verdict]:
    """Read a verdict file.

    Raises
    ------
    UnreadableInputError
        The file is missing or no verdict file; the message says in which line and why.
    """
    file = Path(path)
    try:
        if file.stat().st_size > _MOST_BYTES:
            raise UnreadableInputError(f"{file} has {file.stat().st_size:,} bytes; give a verdict file")
        with file.open(encoding="utf-8-sig", newline="") as text:
            return _parsed(csv.DictReader(text, strict=True), file)
    except OSError as error:
        raise UnreadableInputError(f"{file} cannot be read ({error.strerror}); give a verdict file (CSV)") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableInputError(
            f"{file} is no CSV in UTF-8 ({str(error)[:100]}); give a verdict file that geoeval or QGIS wrote"
        ) from error


def _parsed(rows: "csv.DictReader[str]", file: Path) -> list[Verdict]:
    header = set(rows.fieldnames or ())
    if "verdict" not in header or not ("error_id" in header or {"kind", "x", "y"} <= header):
        raise UnreadableInputError(
            f"{file} has no columns 'error_id' and 'verdict'; give a verdict file that geoeval or QGIS wrote"
        )
    found: list[Verdict] = []
    for row in rows:
        where = f"{file}, line {rows.line_num}"
        texts = {name: _text(row.get(name)) for name in COLUMNS}
        if not any(texts.values()):
            continue
        if texts["verdict"] not in WORDS:
            raise UnreadableInputError(
                f"{where}: {texts['verdict'][:40]!r} is no verdict; choose among {', '.join(WORDS)}"
            )
        if texts["judged_at"] and not _TIME.fullmatch(texts["judged_at"]):
            raise UnreadableInputError(
                f"{where}: {texts['judged_at'][:40]!r} is no time; write it as 2026-03-01T12:34:56Z"
            )
        numbers = {name: _number(texts[name], name, where) for name, kind in COLUMNS.items() if kind == "REAL"}
        if not texts["error_id"] and (numbers["x"] is None or numbers["y"] is None):
            raise UnreadableInputError(f"{where}: neither an id nor a place; give error_id, or kind, x and y")
        texts["remark"] = texts["remark"][:REMARK_CHARACTERS]
        values: dict[str, Any] = {**texts, **numbers, "carried": ""}
        found.append(Verdict(**{one.name: values[one.name] for one in fields(Verdict)}))
    return found


def _text(value: Any) -> str:
    """The text of a cell, without the apostrophe that keeps spreadsheets from running it."""
    text = clean_text(value) if isinstance(value, str) else ""
    return text[1:] if text.startswith("'") and text[1:].startswith(FORMULA_STARTS) else text


def _number(text: str, name: str, where: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UnreadableInputError(f"{where}: {name} is {text[:40]!r}; give a number or leave it empty")
    return value
