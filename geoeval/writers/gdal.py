"""Writing with GDAL: what all our files have in common.

Dates inside files are fixed, so that the same content gives the same bytes on any day.
"""

import re
import sqlite3
import warnings
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.exceptions import OutputError
from geoeval.gdal_files.settings import gdal_settings
from geoeval.writers.shapefiles import check_whole, make_room
from geoeval.writers.tables import cut_text

if TYPE_CHECKING:
    import geopandas as gpd

FIXED_DATE = "2000-01-01"
# A fixed date of change, and no wait for the disk: the wait would keep a database whole through a power failure, but a
# file that is not complete is not kept anyway.
_OPTIONS = {"OGR_CURRENT_DATE": f"{FIXED_DATE}T00:00:00.000Z", "OGR_SQLITE_SYNCHRONOUS": "OFF"}
# Bytes of text that a shapefile's table can hold.
SHAPEFILE_TEXT = 254
# Names of layers that a GeoPackage keeps for itself begin with these.
_RESERVED_LAYERS = ("gpkg", "sqlite_", "rtree_")
# A layer can have letters, digits and underscores at its beginning, and nothing unprintable.
_LAYER_NAME = re.compile(r"\w[^\x00-\x1f\x7f;\ud800-\udfff]{0,199}")

_FORMATS: dict[str, dict[str, Any]] = {
    "shp": {
        "driver": "ESRI Shapefile", "encoding": "UTF-8", "layer_options": {"DBF_DATE_LAST_UPDATE": FIXED_DATE},
    },
    # Version 1.2, which the GDAL of older QGIS knows too.
    "gpkg": {"driver": "GPKG", "dataset_options": {"VERSION": "1.2"}},
    # Text stays text; by default a note such as ``[1]`` becomes a list.
    "geojson": {"driver": "GeoJSON", "layer_options": {"AUTODETECT_JSON_STRINGS": "NO"}},
    "fgb": {"driver": "FlatGeobuf"},
}  # fmt: skip


def write_rows(
    frame: "gpd.GeoDataFrame",
    target: Path | BytesIO,
    format: str,  # noqa: A002 - as in the public functions
    *,
    geometry: str | None = None,
    layer: str | None = None,
    layer_options: dict[str, str] | None = None,
) -> tuple[str, ...]:
    """Write a table with or without geometry; gives what the library warned of, one line each.

    Parameters
    ----------
    frame
        The rows; none give a file without rows.
    target
        The file, or memory for GeoJSON. A GeoPackage that exists gets one more layer.
    format
        ``shp``, ``gpkg``, ``geojson``, ``fgb`` or ``parquet``.
    geometry
        Of all rows, in one part or several: ``Point``, ``LineString`` or ``Polygon``.
    layer
        Its name; by default that of the file.
    layer_options
        Further settings of the GDAL driver.

    Raises
    ------
    OutputError
        The rows cannot be written.
    """
    import pyogrio

    if isinstance(target, Path):
        target = target.absolute()  # or GDAL takes some names for addresses
    options = {**_FORMATS.get(format, {})}
    options["layer_options"] = {**options.get("layer_options", {}), **(layer_options or {})}
    if layer is not None:
        options["layer"] = layer
    # GeoJSON mixes geometries of one part and of several; the other formats declare one type for all rows.
    if geometry is not None and format != "geojson":
        several = bool((shapely.get_type_id(frame.geometry.to_numpy()) > 3).any())
        options |= {"geometry_type": f"Multi{geometry}" if several else geometry, "promote_to_multi": several}
    try:
        with warnings.catch_warnings(record=True) as caught, gdal_settings(_OPTIONS):
            warnings.simplefilter("always")
            if format == "parquet":
                frame.to_parquet(target, index=False)
            elif format == "shp" and isinstance(target, Path):
                make_room(target)
                pyogrio.write_dataframe(frame, target, **options)
                check_whole(target, rows=len(frame), has_crs=frame.crs is not None)
            else:
                pyogrio.write_dataframe(frame, target, **options)
                if format == "gpkg" and geometry is not None and isinstance(target, Path) and len(frame):
                    _check_index(target, options.get("layer", target.stem))
    except (RuntimeError, ValueError) as error:
        name = target.name if isinstance(target, Path) else format
        raise OutputError(
            f"{name} cannot be written ({_one_line(error)}); check the space there, or choose another format"
        ) from error
    return tuple(dict.fromkeys(_one_line(warning.message) for warning in caught))


def _check_index(path: Path, layer: str) -> None:
    """Refuse a GeoPackage without the index of a layer, of which GDAL does not say that the disk had no room for it."""
    with closing(sqlite3.connect(path)) as database:
        names = [name.lower() for (name,) in database.execute("SELECT name FROM sqlite_master")]
    if not any(name.startswith(f"rtree_{layer.lower()}_") for name in names):
        raise OutputError(
            f"{path.name} could not be written whole; check the free space there, or write somewhere else"
        )


def layer_of(path: Path, *, otherwise: str) -> str:
    """The name of the layer in a GeoPackage: that of the file, or another where the format keeps it for itself."""
    reserved = path.stem.lower().startswith(_RESERVED_LAYERS)
    return path.stem if _LAYER_NAME.fullmatch(path.stem) and not reserved else otherwise


def cut_texts(frame: "gpd.GeoDataFrame", name: str) -> tuple["gpd.GeoDataFrame", tuple[str, ...]]:
    """The rows with text cut to what a shapefile holds, and one line for each field where that happened."""
    frame, messages = frame.copy(), []
    for field in text_fields(frame):
        texts = frame[field].tolist()
        short = [cut_text(text, SHAPEFILE_TEXT) if isinstance(text, str) else text for text in texts]
        count = sum(1 for text, kept in zip(texts, short, strict=True) if kept is not text and kept != text)
        if count:
            frame[field] = np.array([None, *short], dtype=object)[1:]
            messages.append(f"{name}: {count} of {len(frame)} texts in {field} cut to {SHAPEFILE_TEXT} bytes")
    return frame, tuple(messages)


def text_fields(frame: "gpd.GeoDataFrame") -> list[str]:
    """The columns that hold text."""
    return [name for name in frame.columns if frame[name].dtype.kind == "O" and name != frame.geometry.name]


def _one_line(message: object) -> str:
    return " ".join(str(message).split())[:200]
