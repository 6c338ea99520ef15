"""The terminal: all text passes through here on its way there, and nothing else writes to it.

Names of places, files and classes, notes and messages of libraries come from data. A terminal obeys some of what could
stand in them (colours, titles, a cursor that goes back over what was said), shows right-to-left marks as another text
than the one that is there, and lets a name of 5,000 characters push all else aside. A test holds every module of the
command line to this one.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    import pandas as pd

# The exit code that shells know from programs whose reader has gone.
NO_READER = 141
# The longest name, cell and line, in characters.
NAME, _CELL, _LINE = 60, 1_000, 2_000
# Controls, marks that turn or hide text, line ends that are no line feed, tags, and halves of characters. Joiners
# (U+200C, U+200D) belong to words of several languages.
_OBEYED = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_BREAKS = re.compile("[\t\n\v\f\r]+")

# A cell of a table: a line, or several below each other.
Cell = str | Sequence[str]


def printable(text: str, longest: int = _LINE) -> str:
    """Text from data in one line, without what a terminal would take for a command; too much is cut from the middle."""
    line = _OBEYED.sub("\ufffd", _BREAKS.sub(" ", text.rstrip()))
    if len(line) <= longest:
        return line
    end = longest // 3
    return f"{line[: longest - end - 1]}…{line[-end:]}"


def say(line: str = "", *, err: bool = False, colour: str | None = None) -> None:
    """Print one line, on standard output or error."""
    typer.echo(typer.style(printable(line), fg=colour) if colour else printable(line), err=err)


def say_json(text: str) -> None:
    """Print JSON text on standard output; what a terminal would obey is written by its number, which means the same."""
    typer.echo(_OBEYED.sub(lambda found: found[0] if found[0] == "\n" else json.dumps(found[0])[1:-1], text))


def say_table(
    columns: Sequence[Cell], rows: Sequence[Sequence[Cell]], *, err: bool = False, right: Sequence[int] = (),
    bold: Sequence[int] = (), header: bool = True, width: int | None = None,
) -> None:  # fmt: skip
    """Print a table.

    Parameters
    ----------
    columns
        What stands above each column.
    rows
        The cells.
    err
        Whether to print it on standard error.
    right, bold
        Numbers of columns that end at the right, and of those that stand out.
    header
        Whether the columns are named.
    width
        Keep each row in one line; where there is no terminal, up to so many characters. By default rows are broken.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_header=header)
    for number, column in enumerate(columns):
        table.add_column(
            _cell(column), justify="right" if number in right else "left", style="bold" if number in bold else "",
            overflow="fold",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(_cell(cell)) for cell in row))
    console = Console(stderr=err, highlight=False, soft_wrap=width is not None)
    if width is not None and not console.is_terminal:
        console.width = width
    console.print(table)


def say_frame(frame: "pd.DataFrame") -> None:
    """Print a table of numbers and names, a row a line."""
    plain = frame.rename(columns=lambda name: printable(str(name), NAME))
    for place, kind in enumerate(plain.dtypes):
        if not (hasattr(kind, "kind") and kind.kind in "biuf"):
            values = [printable(one, NAME) if isinstance(one, str) else one for one in plain.iloc[:, place]]
            plain.isetitem(place, values)
    for line in plain.to_string(index=False, float_format=lambda value: f"{value:.4f}").splitlines():
        typer.echo(line)


@contextmanager
def open_bar() -> Iterator[Any]:
    """A bar of progress on standard error: a function that takes the fraction and what is being done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda fraction, said: bar.update(task, completed=fraction, description=printable(said, NAME))


def tame_libraries() -> None:
    """Let what libraries log come to the terminal as we write there: a line each."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine())


@contextmanager
def ended_without_reader() -> Iterator[None]:
    """End with 141, and without a word, where whoever read standard output or error has gone (``geoeval … | head``)."""
    before = sys.stdout, sys.stderr
    # Neither is there where a program was started without.
    sys.stdout, sys.stderr = (stream and _Stream(stream) for stream in before)
    try:
        yield
    finally:
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        finally:
            sys.stdout, sys.stderr = before


class _OneLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))


class _Stream:
    """Standard output or error, whose reader may go."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream, self._is_left = stream, False

    def write(self, text: str) -> int:
        """Write text, or end where nobody reads it."""
        if self._is_left:
            raise SystemExit(NO_READER)
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._leave()

    def flush(self) -> None:
        """Write what waits, or end where nobody reads it."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._leave()

    def _leave(self) -> NoReturn:
        """End; what still waits goes nowhere, so that the interpreter does not fail at it when it ends."""
        self._is_left = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        raise SystemExit(NO_READER)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _cell(given: Cell) -> str:
    lines = [given] if isinstance(given, str) else given
    return "\n".join(printable(line, _CELL) for line in lines)
