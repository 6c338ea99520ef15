"""Errors, the evaluated area and the score grid as map layers that QGIS opens styled.

One layer per kind of error and geometry type: ``breaks``, ``junctions``, ``missing``, ``spurious`` and so on, each with
a style beside it. The layers that an evaluation always looks for are there even when they are empty. The same run gives
the same bytes.
"""

import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.crs import is_local
from geoeval.exceptions import GeoevalWarning, ParameterError
from geoeval.files import check_directory, keeps_inputs, new_directory
from geoeval.model.result import Result
from geoeval.writers.drafts import (
    GEOMETRIES,
    Draft,
    area_draft,
    error_drafts,
    grid_draft,
    shorten_texts,
    split_parts,
)
from geoeval.writers.gdal import FIXED_DATE, write_rows
from geoeval.writers.grids import CELL_SIZE, grid_to_write
from geoeval.writers.osm_links import with_osm_links
from geoeval.writers.tables import write_csv

if TYPE_CHECKING:
    from collections.abc import Mapping

    import geopandas as gpd
    import pandas as pd

FORMATS = ("shp", "gpkg", "geojson", "parquet")
# Programs disagree on files of more than 2 GB, so .shp and .dbf both stay below.
SHAPEFILE_BYTES = 2_000_000_000


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


@keeps_inputs
def write_layers(
    result: Result,
    directory: str | Path,
    *,
    format: str = "shp",  # noqa: A002 - the option has this name
    overwrite: bool = False,
    grid: "gpd.GeoDataFrame | float | None" = CELL_SIZE,
    tables: "Mapping[str, pd.DataFrame] | None" = None,
    size_limit: int = SHAPEFILE_BYTES,
) -> list[Layer]:
    """Write the errors, the area with all scores, the grid of local scores and the edit plan into a new directory.

    The directory appears when it is complete. An evaluation without errors gives the standard layers, empty; one
    without a known area gives an area without geometry that carries the scores.

    Parameters
    ----------
    result
        What to write.
    directory
        The directory to make.
    format
        ``shp`` (a shapefile per layer), ``gpkg`` (one GeoPackage, ``errors.gpkg``), ``geojson`` (a file per layer, in
        WGS 84 unless the coordinates are local) or ``parquet`` (a GeoParquet file per layer).
    overwrite
        Replace an earlier directory; one that also holds files that geoeval did not write is refused.
    grid
        Size of the grid's cells in metres; or the cells themselves, with columns named ``metric.score``; ``None`` for
        no grid. A result that kept neither its inputs nor its tiles gives no grid.
    tables
        Further tables by name, written beside the layers as CSV. ``plan`` is written in any case where the result has
        an edit plan, and ``classes`` where it was evaluated class by class.
    size_limit
        Bytes that a shapefile may have before it is split into parts (``missing``, ``missing_2``).

    Returns
    -------
    list of Layer
        The layers, the most telling kinds of error first, then ``area`` and ``grid``.

    Raises
    ------
    OutputError
        The directory exists or cannot be written.
    ParameterError
        The format is unknown, or the grid is too fine for the extent.

    Warns
    -----
    GeoevalWarning
        Something did not fit into the format: one warning per line of ``Layer.warnings``.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_layers
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> layers = write_layers(result, "errors", format="gpkg", overwrite=True)
    >>> [(layer.layer, layer.count) for layer in layers if layer.count]
    [('missing', 1), ('area', 1), ('grid', 2)]
    """
    if format not in FORMATS:
        raise ParameterError(f"unknown format {format!r} of error layers; choose among {', '.join(FORMATS)}")
    final = check_directory(directory, overwrite=overwrite)
    cells = grid_to_write(result, grid)
    drafts = [*error_drafts(result), area_draft(result), *([] if cells is None else [grid_draft(cells, result)])]
    with new_directory(final, overwrite=overwrite) as unfinished:
        if format == "shp":
            taken = {draft.name for draft in drafts}
            drafts = [part for draft in drafts for part in split_parts(shorten_texts(draft), taken, size_limit)]
        layers = [_write(draft, unfinished, format, local=is_local(result.crs)) for draft in drafts]
        if format == "gpkg":
            embed_styles(unfinished / "errors.gpkg", drafts)
        for name, table in {**plan_table(result), **_class_table(result), **(tables or {})}.items():
            write_csv(table, unfinished / f"{name}.csv")
    for line in dict.fromkeys(line for layer in layers for line in layer.warnings):
        warnings.warn(line, GeoevalWarning, stacklevel=2)
    return [replace(layer, path=final / layer.path.name, style=final / layer.style.name) for layer in layers]


def plan_table(result: Result) -> "dict[str, pd.DataFrame]":
    """The edit plan with where its places are, without the columns that point into the result's own frames."""
    if result.plan is None:
        return {}
    return {"plan": with_osm_links(result.plan.edits.drop(columns=["layer", "row"]), result)}


def _class_table(result: Result) -> "dict[str, pd.DataFrame]":
    return {"classes": result.class_table()} if result.classes else {}


def _write(draft: Draft, directory: Path, format: str, *, local: bool) -> Layer:  # noqa: A002
    """One layer and its style. What the library says about lost content becomes a warning of the layer."""
    path = directory / ("errors.gpkg" if format == "gpkg" else f"{draft.name}.{format}")
    style = directory / f"{draft.name}.qml"
    style.write_text(draft.style, encoding="utf-8")
    lost = write_rows(
        draft.frame, path, format, geometry=GEOMETRIES[draft.geometry], layer=draft.name,
        layer_options={"RFC7946": "NO" if local else "YES"} if format == "geojson" else None,
    )  # fmt: skip
    messages = (*draft.warnings, *(f"{path.name}: {line}" for line in lost))
    return Layer(draft.role, path, draft.name, draft.geometry, len(draft.frame), style, warnings=messages)


def embed_styles(path: Path, drafts: list[Draft]) -> None:
    """Add the table from which QGIS takes the style of each layer of a GeoPackage."""
    import pandas as pd

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
    write_rows(styles, path, "gpkg", layer="layer_styles", layer_options={"FID": "id"})
