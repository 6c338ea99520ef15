"""What the text formats of graphs share: places, and messages that name the line."""

import math
from pathlib import Path
from typing import NoReturn

from geoeval.exceptions import UnreadableInputError


def place_in(fields: list[str], path: str | Path, line: int) -> tuple[float, float]:
    """The place that two fields of a line give."""
    try:
        x, y = map(float, fields)
    except ValueError:
        refuse_line(path, line, f"{' '.join(fields)[:40]!r} is not a place; two numbers x and y are expected")
    if not (math.isfinite(x) and math.isfinite(y)):
        refuse_line(path, line, f"{' '.join(fields)[:40]!r} is not a place; the coordinates must be finite")
    return x, y


def refuse_line(path: str | Path, line: int, why: str) -> NoReturn:
    """Raise the error for a line that makes no sense."""
    raise UnreadableInputError(f"{path} line {line}: {why}")
