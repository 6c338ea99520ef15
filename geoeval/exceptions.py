"""Everything a user can get wrong, one class each.

A message says what is wrong, where, and what to do; the command line prints it in one line.
"""

HOW_TO_GIVE_CRS = (
    "give it with --input-crs EPSG:n (info, convert), --reference-crs or --prediction-crs (roads), or crs= in Python"
)


class GeoevalError(Exception):
    """Base of every error that geoeval raises on purpose."""


class UnreadableInputError(GeoevalError):
    """The file is missing, damaged, or of a kind that geoeval does not read."""


class EmptyInputError(GeoevalError):
    """The file was read, but holds nothing that can be evaluated."""


class MissingCRSError(GeoevalError):
    """The coordinates come without a coordinate reference system."""


class CRSError(GeoevalError):
    """A coordinate reference system is unknown, or two inputs cannot be brought into one."""


class MissingPixelSizeError(GeoevalError):
    """Pixel coordinates come without their size in metres."""


class LayerChoiceError(GeoevalError):
    """The file has several layers and none was chosen, or the chosen one is not there."""


class UnsafeFileError(GeoevalError):
    """A pickle asks for more than plain containers, numbers and networkx graphs."""


class DownloadError(GeoevalError):
    """OpenStreetMap data could not be downloaded."""


class ParameterError(GeoevalError):
    """A metric, a parameter or a value that does not exist or makes no sense."""


class MissingExtraError(GeoevalError):
    """A part of geoeval needs a package that is not installed."""


class OutputError(GeoevalError):
    """An output exists already, or cannot be written."""


class EngineError(GeoevalError):
    """The workers that share a run cannot be reached, or were lost again and again."""
