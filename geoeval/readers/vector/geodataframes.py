"""Maps from GeoDataFrames and GeoSeries: read as the file would be that holds the same rows."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.readers.options import check_options
from geoeval.readers.vector.drawn_layers import drawing_from_table
from geoeval.readers.vector.line_layers import network_from_table
from geoeval.readers.vector.ogr import VectorTable
from geoeval.readers.vector.polygon_layers import objects_from_table

_MAKERS: dict[str, Callable[..., Any]] = {
    "roads": network_from_table,
    "objects": objects_from_table,
    "lines": drawing_from_table,
}


def read_frame(content: str, frame: Any, **options: Any) -> Any:
    """The roads, objects or lines of a GeoDataFrame or GeoSeries, in metres.

    Lines join, columns are used, and problems are counted as if the rows came from a file, so that both give the same
    numbers. Ids are those of the frame's index.

    Parameters
    ----------
    content
        ``"roads"``, ``"objects"`` or ``"lines"``.
    frame
        The rows.
    **options
        Options of :data:`geoeval.readers.options.INPUT_OPTIONS`; those that do not apply to rows are ignored.

    Raises
    ------
    ParameterError
        An option does not exist, or its value makes no sense.
    MissingCRSError
        The frame has no CRS and none was given.
    """
    if content not in _MAKERS:
        raise ParameterError(f"unknown content {content!r}; choose one of {', '.join(_MAKERS)}")
    check_options(options)
    make = _MAKERS[content]
    accepted = inspect.signature(make).parameters
    geometry = frame.geometry
    columns = {str(name): frame[name].to_numpy() for name in getattr(frame, "columns", ()) if name != geometry.name}
    table = VectorTable(np.asarray(geometry.to_numpy(), dtype=object), frame.index.to_numpy(), columns, frame.crs)
    given = {name: value for name, value in options.items() if name in accepted}
    return make(table, f"a GeoDataFrame with {len(frame):,} rows", **given)
