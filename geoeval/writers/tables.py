"""CSV that a spreadsheet can open without harm, and text without what files cannot hold."""

import csv
import math
import re
from collections.abc import Iterable, Mapping
from numbers import Number
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.files import new_file

if TYPE_CHECKING:
    import pandas as pd

# Spreadsheets take a cell that begins so for a formula; the wide forms are what some of them make plain first.
FORMULA_STARTS = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
# Neither XML nor a C string can hold these, and UTF-8 cannot hold a lone half of a surrogate pair.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def write_csv(
    rows: "Iterable[Mapping[str, Any]] | pd.DataFrame",
    path: str | Path,
    *,
    columns: Iterable[str] | None = None,
    overwrite: bool = False,
) -> Path:
    """Write a table as CSV in UTF-8 that a spreadsheet can open without harm.

    A text cell that a spreadsheet would take for a formula gets an apostrophe in front; numbers, and text that is a
    plain number, stay as they are. Missing values and NaN are empty cells.

    Parameters
    ----------
    rows
        A DataFrame, whose index is not written, or mappings from column to value.
    path
        The file.
    columns
        The columns to write, in this order; by default all, in the order of their first appearance. Without rows the
        file holds the given columns as its header, or nothing.
    overwrite
        Replace an existing file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        The file exists or cannot be written.

    Examples
    --------
    >>> from geoeval.writers.tables import write_csv
    >>> file = write_csv([{"name": "=1+1", "gain": 0.5}], "plan.csv", overwrite=True)
    >>> print(file.read_text())
    name,gain
    '=1+1,0.5
    <BLANKLINE>
    """
    import pandas as pd

    listed: list[Any]
    if isinstance(rows, pd.DataFrame):
        columns = list(rows.columns if columns is None else columns)
        listed = rows.astype(object).where(rows.notna(), None).to_dict("records")
    else:
        listed = list(rows)
    names = list(dict.fromkeys(name for row in listed for name in row)) if columns is None else list(columns)
    with new_file(path, overwrite=overwrite) as unfinished, unfinished.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if names:
            writer.writerow([harmless(name) for name in names])
        writer.writerows([harmless(row.get(name)) for name in names] for row in listed)
    return Path(path)


def harmless(value: Any) -> Any:
    """The value as a CSV cell that no spreadsheet takes for a formula."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, Number | np.bool_):
        return value
    # A line break is one character: readers disagree on the others.
    text = clean_text(value).replace("\r\n", "\n").replace("\r", "\n")
    if text.startswith(FORMULA_STARTS) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def clean_text(value: Any) -> str:
    """The value as text, with what no file format can hold replaced by U+FFFD."""
    return _UNWRITABLE.sub("\ufffd", str(value))


def cut_text(text: str, size: int) -> str:
    """The longest beginning of the text that takes at most ``size`` bytes of UTF-8, in whole characters."""
    encoded = text.encode()
    return text if len(encoded) <= size else encoded[:size].decode(errors="ignore")
