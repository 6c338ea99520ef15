"""SpaceNet tables: rows of an image and a road or building, its geometry as WKT in pixels."""

import io
import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from pyproj import CRS

from geoeval.arrays import Ints, Objects
from geoeval.crs import WGS84
from geoeval.exceptions import EmptyInputError, GeoevalError, LayerChoiceError, UnreadableInputError
from geoeval.model.object_map import ObjectMap
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.pixel_frame import place_pixels
from geoeval.readers.reader import Reader, has_suffix
from geoeval.readers.text import read_text
from geoeval.readers.vector.layer_basics import check_column
from geoeval.readers.vector.polygon_layers import confidence_in
from geoeval.stored_geometries import geometries_from_wkt
from geoeval.trust import check_table

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
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
    layer: str | None = None,
) -> RoadNetwork:
    """Read the roads of one image of a SpaceNet table; lines join where they share a vertex.

    Parameters
    ----------
    path
        Text with a header, separated by commas, semicolons or tabs. The column of the geometries is recognised by its
        content, names such as ``WKT_Pix`` first; the column of the images by its name. Where nothing says where the
        pixels are, a second column such as ``PolygonWKT_Geo`` is taken, in degrees.
    crs
        CRS of the georeference, or of coordinates that are not pixels.
    pixel_size, georeference
        As in :func:`geoeval.readers.pixel_frame.place_pixels`.
    layer
        Which image, if the table has several.

    Returns
    -------
    RoadNetwork
        ``source_ids`` are row numbers; 1 is the first row below the header. Empty lines (``LINESTRING EMPTY``), blanks
        and geometries that are not lines are counted in ``problems``; a table of nothing but empty lines and blanks
        gives an empty network.

    Raises
    ------
    EmptyInputError
        There are geometries, but no line among them.
    """
    found = _read_image(path, crs=crs, pixel_size=pixel_size, georeference=georeference, image=layer)
    network = RoadNetwork.from_lines(found.geometries, crs=found.crs, ids=found.rows, source=str(path))
    if network.is_empty and network.problems.get("not_lines"):
        msg = f"{path} holds {network.problems['not_lines']} geometries, none of them a line; roads are lines"
        raise EmptyInputError(msg)
    return network


def read_spacenet_buildings(
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
    layer: str | None = None,
    confidence: str | None = None,
    class_column: str | None = None,
) -> ObjectMap:
    """Read the buildings of one image of a SpaceNet table; parameters as in :func:`read_spacenet`.

    ``confidence`` is the column that says how sure a detector is, ``class_column`` the one that says what a building
    is.

    Returns
    -------
    ObjectMap
        Ids are row numbers; 1 is the first row below the header. Empty polygons, blanks and geometries that are not
        polygons are counted in ``problems``; a table of nothing but empty polygons and blanks gives an empty map.

    Raises
    ------
    EmptyInputError
        There are geometries, but no polygon among them.
    """
    found = _read_image(path, crs=crs, pixel_size=pixel_size, georeference=georeference, image=layer)
    columns = {str(name): found.table[name].to_numpy() for name in found.table.columns}
    if class_column is not None:
        check_column(str(path), class_column, "classes", columns)
    objects = ObjectMap.from_polygons(
        found.geometries,
        crs=found.crs,
        ids=found.rows,
        confidence=confidence_in(columns, confidence, str(path)),
        classes=None if class_column is None else columns[class_column],
        source=str(path),
        trust_projected=False,
    )
    if objects.is_empty and objects.problems.get("not_polygons"):
        number = objects.problems["not_polygons"]
        raise EmptyInputError(f"{path} holds {number} geometries, none of them a polygon; buildings are polygons")
    return objects


def images_of(path: str | Path) -> list[str]:
    """The names of the images in a table, sorted; empty where it has no column of images.

    Raises
    ------
    UnreadableInputError
        It is no such table.
    """
    table = _table(path)
    _, name, _ = _columns(table, path)
    return [] if name is None else sorted(set(table[name].str.strip()) - {""})


def has_images(path: str | Path) -> bool:
    """Whether a file is a table with the geometries of images."""
    try:
        return bool(images_of(path))
    except GeoevalError:
        return False


@dataclass(frozen=True)
class _Image:
    """One image of a table: geometries in units of ``crs``, their row numbers, and their rows as text."""

    geometries: Objects
    rows: Ints
    crs: CRS
    table: "pd.DataFrame"


def _read_image(
    path: str | Path, *, crs: Any, pixel_size: float | None, georeference: Any, image: str | None
) -> _Image:
    """The geometries of one image, at their places if they are in pixels."""
    table = _table(path)
    geometry, name, on_earth = _columns(table, path)
    if on_earth is not None and georeference is None and pixel_size is None:
        geometry, crs = on_earth, WGS84 if crs is None else crs
    frame = place_pixels(path, crs=crs, pixel_size=pixel_size, georeference=georeference)
    rows = np.arange(1, len(table) + 1)
    if name is not None:
        chosen = _choose(table[name].str.strip(), image, path)
        table, rows = table[chosen], rows[chosen]
    elif image is not None:
        raise LayerChoiceError(f"{path} has no column of images, so no image {image!r}; {{leave:layer}}")
    shapes = _parsed(table[geometry].tolist(), rows, path)
    return _Image(frame.geometries(shapes), rows, frame.crs, table)


def _table(path: str | Path) -> "pd.DataFrame":
    """The rows as text. The last tables stay in memory: one table has hundreds of images, which are read one by one."""
    try:
        about = Path(path).stat()
    except OSError:
        return _read_table(str(path), None)
    return _read_table(str(path), (about.st_mtime_ns, about.st_size, about.st_ino))


@lru_cache(maxsize=4)
def _read_table(path: str, _version: tuple[int, ...] | None) -> "pd.DataFrame":
    import pandas as pd

    check_table(Path(path))
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
        raise UnreadableInputError(f"{path} is not a table ({reason}); check its separators and quotes") from error
    return table


def _columns(table: "pd.DataFrame", path: str | Path) -> tuple[Any, Any, Any]:
    """The columns of the geometries, of the images and of the same geometries on Earth, if there are such."""
    plain = {column: re.sub("[^a-z0-9]", "", str(column).lower()) for column in table.columns}
    named = [column for column in table.columns if re.search("wkt|geom|linestring", plain[column])]
    found = [c for c in table.columns if table[c].str.match(_WKT).any()] or (named if len(named) == 1 else [])
    if not found:
        listed = " ".join(", ".join(map(str, table.columns[:8])).split())
        raise UnreadableInputError(f"{path} has no column with WKT (columns: {listed[:200]}); give one named WKT_Pix")
    geometry = min(found, key=lambda c: ("pix" not in plain[c], "geo" in plain[c] and "geom" not in plain[c]))
    images = [c for wanted in _IMAGE_NAMES for c in table.columns if plain[c] == wanted and c != geometry]
    places = [c for c in found if c != geometry and "pix" in plain[geometry] and "geo" in plain[c]]
    return geometry, images[0] if images else None, places[0] if places else None


def _choose(images: "pd.Series[str]", image: str | None, path: str | Path) -> Any:
    names = sorted(images.unique())
    listed = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    if image is None:
        if len(names) > 1:
            msg = f"{path} holds {len(names)} images ({listed}); to choose one, {{give:layer=NAME}}"
            raise LayerChoiceError(msg)
        return np.ones(len(images), dtype=bool)
    if image not in names:
        raise LayerChoiceError(f"{path} has no image {image!r} ({listed}); to choose one, {{give:layer=NAME}}")
    return (images == image).to_numpy()


def _parsed(texts: list[str], rows: Any, path: str | Path) -> Any:
    """Geometries, None for blanks."""
    given = [re.sub(r"^\s*SRID=\d+;", "", text).strip() or None for text in texts]
    lines = geometries_from_wkt(given)
    bad = np.flatnonzero(shapely.is_missing(lines) & np.array([text is not None for text in given], dtype=bool))
    if len(bad):
        text = str(given[bad[0]])[:40]
        right = "POLYGON ((x y, x y, x y, x y)), with the first corner last" if "POLYGON" in text.upper() else (
            "LINESTRING (x y, x y)")  # fmt: skip
        raise UnreadableInputError(f"{path} row {rows[bad[0]]}: {text!r} is not WKT; write it as {right}")
    return lines


READER = Reader(
    "csv",
    reads={"roads": read_spacenet, "objects": read_spacenet_buildings},
    by_name=has_suffix(".csv", ".tsv"),
)
