"""Exceptions and warnings of geoeval.

A message says what is wrong, where, and what to do about it, in one line. It names options by placeholders, see
:mod:`geoeval.wording`.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from geoeval.wording import worded

HOW_TO_GIVE_CRS = "{give:input-crs=EPSG:n}"

# Characters of a message: enough for two paths; what is longer repeats text of a file.
_LONGEST, _START, _END = 1000, 600, 350


class GeoevalError(Exception):
    """Base class of all errors that geoeval raises; a message is one line, whatever text of a file is in it.

    One that is too long to be read keeps its start, which says what and where, and its end, which says what to do.

    Attributes
    ----------
    side
        The input that it is about, ``reference`` or ``prediction``, if there are two.
    """

    side: str | None = None

    def __str__(self) -> str:
        line = " ".join(worded(super().__str__(), self.side).splitlines())
        return line if len(line) <= _LONGEST else f"{line[:_START]} … {line[-_END:]}"


class GeoevalWarning(UserWarning):
    """Something that does not stop an evaluation, but matters for reading its result."""

    def __str__(self) -> str:
        return worded(super().__str__())


class UnreadableInputError(GeoevalError):
    """A file is missing, damaged, or in a format that geoeval does not read."""


class EmptyInputError(GeoevalError):
    """An input, or the part of it in the evaluated area, holds nothing to evaluate."""


class MissingCRSError(GeoevalError):
    """An input has no coordinate reference system."""


class CRSError(GeoevalError):
    """A coordinate reference system is unknown, coordinates cannot be transformed to it, or two maps do not meet."""


class MissingPixelSizeError(GeoevalError):
    """An input is in pixels, and the size of a pixel in metres is unknown."""


class LayerChoiceError(GeoevalError):
    """A file has several layers and none was chosen, or it does not have the chosen layer."""


class UnsafeFileError(GeoevalError):
    """A pickle contains more than plain containers, numbers and networkx graphs."""


class TooLargeError(GeoevalError):
    """A file would become more than the limits of reading allow."""


class LinkedFileError(GeoevalError):
    """A file leads to other files or addresses, or runs queries, and nobody allowed it to."""


class DownloadError(GeoevalError):
    """OpenStreetMap data could not be downloaded."""


class ParameterError(GeoevalError):
    """An option, a metric or a parameter does not exist, or its value makes no sense."""


class MissingExtraError(GeoevalError):
    """An optional package that is needed here is not installed."""


class OutputError(GeoevalError):
    """An output already exists or cannot be written."""


class EngineError(GeoevalError):
    """Workers cannot be reached, or were lost again and again."""


@contextmanager
def about_side(side: str) -> Iterator[None]:
    """Errors in this block are about one of two inputs."""
    try:
        yield
    except GeoevalError as error:
        error.side = side
        raise
