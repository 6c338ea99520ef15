"""SpaceNet tables: one line of text an image and road, its course as WKT in pixels."""

import io
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval.exceptions import EmptyInputError, LayerChoiceError, UnreadableInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers.pixels import pixel_frame
from geoeval.readers.text import geometries_from_wkt, read_text

if TYPE_CHECKING:
    import pandas as pd

_WKT = re.compile(
    r"\s*(SRID=\d+;\s*)?(POINT|LINESTRING|LINEARRING|POLYGON|MULTI\w+|GEOMETRYCOLLECTION)\b", re.IGNORECASE
)
_IMAGE_NAMES = (
    "imageid",
    "imagename",
    "image",
    "imgid",
    "img",
    "chipid",
    "chipname",
    "chip",
    "tileid",
    "tile",
    "filename",
)


def read_spacenet(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, image: str | None = None
) -> RoadNetwork:
    """Read one image of a SpaceNet table; lines join where they share a vertex.

    Parameters
    ----------
    path
        Text with a header, separated by commas, semicolons or tabs. The column of the lines is known by its
        content, ``WKT_Pix`` and the like going first; the column of the image by its name.
    crs
        What the coordinates are in, where they are no pixels.
    pixel_size
        Metres per pixel. y stays downwards, as in all pixel formats.
    image
        Which image, where the table has several.

    Returns
    -------
    RoadNetwork
        ``source_ids`` are the numbers of the rows, 1 being the first below the header. Empty lines
        (``LINESTRING EMPTY``), blanks and geometries that are no lines are counted in ``problems``; if there is
        nothing else, the network is empty.
    """
    found = read_wkt_table(path, crs=crs, pixel_size=pixel_size, image=image)
    network = RoadNetwork.from_lines(found.geometries, crs=found.crs, ids=found.rows, source=str(path))
    if network.is_empty and network.problems.get("not_lines"):
        msg = f"{path} holds {network.problems['not_lines']} geometries, none of them a line; roads are lines"
        raise EmptyInputError(msg)
    return network


@dataclass(frozen=True)
class WktTable:
    """One image of a table: geometries in units of ``crs``, the numbers of their rows, and the rows as text."""

    geometries: NDArray[np.object_]
    rows: NDArray[np.int64]
    crs: CRS
    table: "pd.DataFrame"


def read_wkt_table(path: str | Path, *, crs: Any, pixel_size: float | None, image: str | None) -> WktTable:
    """The geometries of one image of a table, in metres if they are pixels; options as in ``read_spacenet``."""
    table = _table(path)
    geometry, name = _columns(table, path)
    frame, size = pixel_frame(path, crs=crs, pixel_size=pixel_size)
    rows = np.arange(1, len(table) + 1)
    if name is not None:
        chosen = _choose(table[name].str.strip(), image, path)
        table, rows = table[chosen], rows[chosen]
    elif image is not None:
        raise LayerChoiceError(f"{path} has no column of images, so no image {image!r}; leave out --layer (layer=)")
    shapes = _parsed(table[geometry].tolist(), rows, path)
    return WktTable(shapely.transform(shapes, lambda xy: xy * size), rows, frame, table)


def _table(path: str | Path) -> "pd.DataFrame":
    import pandas as pd

    text = read_text(path)
    header = text.lstrip().split("\n", 1)[0]
    separator = max(",;\t", key=header.count)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # rows with more fields than the header has
            table = pd.read_csv(
                io.StringIO(text),
                sep=separator,
                dtype=str,
                keep_default_na=False,
                skipinitialspace=True,
                index_col=False,
            )
    except pd.errors.EmptyDataError as error:
        raise EmptyInputError(f"{path} is empty; a header and rows with WKT are expected") from error
    except (ValueError, pd.errors.ParserError, pd.errors.ParserWarning) as error:
        reason = " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"{path} is no table ({reason}); check its separators and quotes") from error
    return table


def _columns(table: "pd.DataFrame", path: str | Path) -> tuple[Any, Any]:
    """The column of the geometry and, if there is one, that of the image."""
    plain = {column: re.sub("[^a-z0-9]", "", str(column).lower()) for column in table.columns}
    named = [column for column in table.columns if re.search("wkt|geom|linestring", plain[column])]
    found = [c for c in table.columns if table[c].str.match(_WKT).any()] or (named if len(named) == 1 else [])
    if not found:
        listed = ", ".join(map(str, table.columns[:8]))
        raise UnreadableInputError(f"{path} has no column with WKT (columns: {listed[:200]}); give one named WKT_Pix")
    geometry = min(found, key=lambda c: ("pix" not in plain[c], "geo" in plain[c] and "geom" not in plain[c]))
    images = [c for wanted in _IMAGE_NAMES for c in table.columns if plain[c] == wanted and c != geometry]
    return geometry, images[0] if images else None


def _choose(images: "pd.Series[str]", image: str | None, path: str | Path) -> Any:
    names = sorted(images.unique())
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    if image is None:
        if len(names) > 1:
            msg = f"{path} holds {len(names)} images ({listed}); choose one with --layer NAME (layer=)"
            raise LayerChoiceError(msg)
        return np.ones(len(images), dtype=bool)
    if image not in names:
        raise LayerChoiceError(f"{path} has no image {image!r}; choose with --layer NAME (layer=) among {listed}")
    return (images == image).to_numpy()


def _parsed(texts: list[str], rows: Any, path: str | Path) -> Any:
    """Geometries, None for blanks."""
    given = [re.sub(r"^\s*SRID=\d+;", "", text).strip() or None for text in texts]
    lines = geometries_from_wkt(given)
    bad = np.flatnonzero(shapely.is_missing(lines) & np.array([text is not None for text in given], dtype=bool))
    if len(bad):
        text = str(given[bad[0]])[:40]
        raise UnreadableInputError(f"{path} row {rows[bad[0]]}: {text!r} is no WKT; write it as LINESTRING (x y, x y)")
    return lines
