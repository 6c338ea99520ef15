"""What the readers of drawings share: lines on their way from a file to a ``Drawing``, and their styles."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.crs import LOCAL_METRES, parse_crs, to_metres
from geoeval.exceptions import EmptyInputError, GeoevalError, MissingExtraError, UnreadableInputError
from geoeval.model.drawing import Drawing
from geoeval.readers.options import check_options


@dataclass
class DrawnLines:
    """Lines collected from a file; NaN stands for a width that the file does not give."""

    courses: list[Floats] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    styles: list[int] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    problems: dict[str, int] = field(default_factory=dict)

    def add(self, course: Floats, width: float, style: int, name: Any) -> None:
        """Add a line."""
        self.courses.append(course)
        self.widths.append(width)
        self.styles.append(style)
        self.ids.append(name)

    def count(self, problem: str) -> None:
        """Count something that was left out."""
        self.problems[problem] = self.problems.get(problem, 0) + 1

    def check_not_empty(self, path: Path) -> None:
        """Raise ``EmptyInputError`` if there is no line."""
        if not self.courses:
            held = ", ".join(f"{count} {name}" for name, count in self.problems.items()) or "nothing"
            raise EmptyInputError(f"{path} holds {held}, no lines; give a drawing with lines")

    def drawing(self, path: Path, *, width: float | None, crs: Any, pixel_size: float | None) -> Drawing:
        """The drawing, with ``width`` where the file gives none, scaled from units of ``pixel_size`` metres.

        Coordinates in a CRS that does not measure in metres are projected.
        """
        check_options({"width": width, "pixel_size": pixel_size})
        scale = pixel_size or 1.0
        widths = np.array(self.widths, dtype=np.float64)
        drawn = Drawing(
            [course * np.array([scale] * 6 + [1.0]) for course in self.courses],
            width=np.where(np.isnan(widths), np.nan if width is None else width, widths) * scale,
            style=self.styles,
            crs=LOCAL_METRES if crs is None else parse_crs(crs),
            ids=self.ids,
            problems=self.problems,
            source=str(path),
        )
        return drawn.to_crs(to_metres(drawn.ends.reshape(-1, 2), drawn.crs)[1])


@contextmanager
def drawing_errors(path: Path, form: str) -> Iterator[None]:
    """Whatever goes wrong in the library that reads a drawing, the file is at fault, and that is one line."""
    try:
        yield
    except (GeoevalError, MemoryError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:120] or type(error).__name__
        msg = f"{path} cannot be read as {form} ({reason}); check that the file is complete"
        raise UnreadableInputError(msg) from error


def dash_style(marks: Sequence[float]) -> int:
    """Style of a line whose pattern repeats these marks: the lengths of its dashes and dots, without the gaps.

    No mark is solid; equal marks are dashed; one long and one short are dash-dotted, one long and several short
    dash-dot-dotted.
    """
    if not marks:
        return 1
    if max(marks) - min(marks) <= 1e-9 * max(marks):
        return 2
    return 3 if len(marks) == 2 else 4


def missing_extra(package: str) -> MissingExtraError:
    """The error for a package for drawings that is not installed."""
    return MissingExtraError(f'this drawing needs {package}, which is not installed; pip install "geoeval[drawings]"')
