"""Drawings as tables of text: one line per row, ``x1 y1 x2 y2 width [style]`` or ``x1 y1 x2 y2 label``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.model.courses import bar
from geoeval.model.drawing import Drawing, style_code
from geoeval.readers.drawing.drawn_lines import DrawnLines
from geoeval.readers.reader import Reader, has_suffix
from geoeval.readers.text import finite_number, read_text


def read_line_table(
    path: Path,
    *,
    width: float | None = None,
    labels: str | Sequence[str] = "wall",
    crs: Any = None,
    pixel_size: float | None = None,
) -> Drawing:
    """Read a table of lines.

    Parameters
    ----------
    path
        Text, separated by spaces, tabs, commas or semicolons; ``#`` starts a comment.
    width
        Width of lines with a label in place of a width; by default as ``Drawing`` assumes it.
    labels
        Labels of the rows to read, as a list or as text with commas; other rows are counted in ``problems``.
    crs
        CRS of the coordinates; by default a plane without a place on Earth.
    pixel_size
        Metres per unit of the drawing; by default the unit is kept.

    Returns
    -------
    Drawing
        Ids are line numbers of the file. A table without rows gives an empty drawing.
    """
    wanted = [label.strip() for label in labels.split(",")] if isinstance(labels, str) else labels
    lines = DrawnLines()
    for number, text in enumerate(read_text(path).splitlines(), start=1):
        words = text.partition("#")[0].replace(",", " ").replace(";", " ").split()
        if words:
            _add_row(lines, words, wanted, number, f"{path}, row {number}: ")
    return lines.drawing(path, width=width, crs=crs, pixel_size=pixel_size)


def _add_row(lines: DrawnLines, words: list[str], labels: Sequence[str], number: int, where: str) -> None:
    values = [finite_number(word) for word in words[:5]]
    x1, y1, x2, y2 = (*values[:4], None, None, None, None)[:4]
    if len(values) < 5 or x1 is None or y1 is None or x2 is None or y2 is None:
        text = " ".join(words)[:60]
        raise UnreadableInputError(f"{where}{text!r} is not a line; write x1 y1 x2 y2 width [style]")
    course, width = bar((x1, y1), (x2, y2)), values[4]
    if width is None:
        if words[4] in labels:
            lines.add(course, np.nan, 1, number)
        else:
            lines.count("other_labels")
        return
    if not width > 0:
        raise UnreadableInputError(f"{where}the width is {width:g}; give a width above 0")
    try:
        style = style_code(words[5]) if len(words) > 5 else 1
    except ParameterError as error:
        raise UnreadableInputError(f"{where}{error}") from error
    lines.add(course, width, style, number)


READER = Reader("table", reads={"lines": read_line_table}, by_name=has_suffix(".txt", ".csv", ".tsv", ".dat", ".lines"))
