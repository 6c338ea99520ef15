"""Errors, the evaluated area and the score grid as map layers that QGIS opens styled.

One layer a kind and geometry type: ``missing``, ``spurious``, ``breaks``, ``junctions`` and so on, each with a style
beside it. Layers of the kinds that an evaluation always looks for are there even when they are empty. The same run
gives the same bytes: dates inside the files are fixed.
"""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shapely

from geoeval.crs import is_local
from geoeval.exceptions import OutputError, ParameterError
from geoeval.model.result import Result
from geoeval.writers.aside import check_directory, new_directory
from geoeval.writers.drafts import (
    GEOMETRIES,
    Draft,
    area_draft,
    error_drafts,
    geojson_options,
    grid_draft,
    shorten_texts,
    split_parts,
)
from geoeval.writers.tables import write_csv

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

FORMATS = ("shp", "gpkg", "geojson", "parquet")
# Programs disagree on files of more than 2 GB; .shp and .dbf both stay below.
SHAPEFILE_BYTES = 2_000_000_000
FIXED_DATE = "2000-01-01"


@dataclass(frozen=True)
class Layer:
    """A layer that was written.

    Attributes
    ----------
    role
        The kind of error, ``area`` or ``grid``.
    path, layer
        The file, and the name of the layer in it.
    geometry
        ``points``, ``lines`` or ``polygons``.
    count
        Number of features.
    style
        The QGIS style beside it.
    warnings
        What did not fit into the format, one line each.
    """

    role: str
    path: Path
    layer: str
    geometry: str
    count: int
    style: Path
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The layer in the JSON that programs read."""
        return {
            "role": self.role,
            "path": str(self.path),
            "layer": self.layer,
            "geometry": self.geometry,
            "count": self.count,
            "style": str(self.style),
        }


def write_layers(
    result: Result,
    directory: str | Path,
    *,
    format: str = "shp",  # noqa: A002 - the option has this name
    overwrite: bool = False,
    grid: "gpd.GeoDataFrame | None" = None,
    tables: "Mapping[str, pd.DataFrame] | None" = None,
    size_limit: int = SHAPEFILE_BYTES,
) -> list[Layer]:
    """Write the errors, the area with all scores, and the grid into a new directory.

    Everything is written aside and appears under its name in one step. An evaluation without errors gives the
    standard layers, empty; one without a known area gives an area without geometry that carries the scores.

    Parameters
    ----------
    result
        What to write.
    directory
        Where to; must not exist.
    format
        ``shp`` (one shapefile a layer), ``gpkg`` (one GeoPackage ``errors.gpkg``), ``geojson`` (one file a layer, in
        WGS 84 unless the coordinates are local) or ``parquet`` (one GeoParquet file a layer).
    overwrite
        Replace an earlier directory of ours; one that holds other files too is refused.
    grid
        Cells with local scores, columns named ``metric.score``.
    tables
        Tables by name, written beside the layers as CSV.
    size_limit
        Bytes that a shapefile may have before it is split into parts (``missing``, ``missing_2``).

    Raises
    ------
    OutputError
        The directory exists or cannot be written.
    ParameterError
        There is no such format.
    """
    if format not in FORMATS:
        msg = f"unknown format {format!r} of error layers; choose among {', '.join(FORMATS)}"
        raise ParameterError(msg)
    final = check_directory(directory, overwrite=overwrite)
    drafts = [*error_drafts(result), area_draft(result), *([] if grid is None else [grid_draft(grid, result)])]
    with new_directory(final, overwrite=overwrite) as aside:
        if format == "shp":
            taken = {draft.name for draft in drafts}
            drafts = [part for draft in drafts for part in split_parts(shorten_texts(draft), taken, size_limit)]
        layers = [_write(draft, aside, format, local=is_local(result.crs)) for draft in drafts]
        if format == "gpkg":
            _embed_styles(aside / "errors.gpkg", drafts)
        for name, table in (tables or {}).items():
            write_csv(table, aside / f"{name}.csv")
    return [replace(layer, path=final / layer.path.name, style=final / layer.style.name) for layer in layers]


def _write(draft: Draft, directory: Path, format: str, *, local: bool) -> Layer:  # noqa: A002
    """One layer and its style. What the library says about lost content becomes a warning of the layer."""
    import pyogrio

    path = directory / ("errors.gpkg" if format == "gpkg" else f"{draft.name}.{format}")
    style = directory / f"{draft.name}.qml"
    style.write_text(draft.style, encoding="utf-8")
    single = GEOMETRIES[draft.geometry]
    multi = bool((shapely.get_type_id(draft.frame.geometry.to_numpy()) > 3).any())
    options: dict[str, Any] = {
        "shp": {
            "driver": "ESRI Shapefile",
            "encoding": "UTF-8",
            "layer_options": {"DBF_DATE_LAST_UPDATE": FIXED_DATE},
        },
        "gpkg": {"driver": "GPKG", "layer": draft.name, "dataset_options": {"VERSION": "1.2"}},
        "geojson": {"driver": "GeoJSON", "layer": draft.name, "layer_options": geojson_options(local=local)},
    }
    if format in {"shp", "gpkg"}:
        options[format] |= {"geometry_type": f"Multi{single}" if multi else single, "promote_to_multi": multi}
    try:
        with warnings.catch_warnings(record=True) as heard, _gdal_settings():
            warnings.simplefilter("always")
            if format == "parquet":
                draft.frame.to_parquet(path, index=False)
            else:
                pyogrio.write_dataframe(draft.frame, path, **options[format])
    except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError) as error:
        msg = f"layer {draft.name} cannot be written as {format}: {error}; free space or choose another format"
        raise OutputError(msg) from error
    said = tuple(dict.fromkeys(f"{path.name}: {warning.message}" for warning in heard))
    return Layer(
        draft.role, path, draft.name, draft.geometry, len(draft.frame), style, warnings=(*draft.warnings, *said)
    )


def _embed_styles(path: Path, drafts: list[Draft]) -> None:
    """The table from which QGIS takes the style of each layer of a GeoPackage."""
    import pandas as pd
    import pyogrio

    styles = pd.DataFrame(
        {
            "f_table_catalog": "",
            "f_table_schema": "",
            "f_table_name": [draft.name for draft in drafts],
            "f_geometry_column": "geom",
            "styleName": [draft.name for draft in drafts],
            "styleQML": [draft.style for draft in drafts],
            "styleSLD": "",
            "useAsDefault": True,
            "description": "geoeval",
            "owner": "",
            "ui": None,
            "update_time": pd.Timestamp(FIXED_DATE, tz="UTC"),
        }
    )
    with _gdal_settings():
        pyogrio.write_dataframe(styles, path, driver="GPKG", layer="layer_styles", layer_options={"FID": "id"})


@contextmanager
def _gdal_settings() -> Iterator[None]:
    """A fixed date of change, so that the same run gives the same bytes, and no wait for the disk.

    The wait would keep the file whole through a power failure, but what is written aside is worth nothing until it
    is complete.
    """
    import pyogrio

    settings = {"OGR_CURRENT_DATE": f"{FIXED_DATE}T00:00:00.000Z", "OGR_SQLITE_SYNCHRONOUS": "OFF"}
    before = {name: pyogrio.get_gdal_config_option(name) for name in settings}
    pyogrio.set_gdal_config_options(settings)
    try:
        yield
    finally:
        pyogrio.set_gdal_config_options(before)
