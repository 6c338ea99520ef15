"""A result cut into layers: which rows, which names, which fields, which style; no file yet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.model.error_kinds import standard_layers
from geoeval.model.features import error_frames
from geoeval.model.result import Result
from geoeval.writers.gdal import cut_texts, text_fields
from geoeval.writers.grids import local_scores
from geoeval.writers.labels import labels_of
from geoeval.writers.names import field_names, layer_name, part_name
from geoeval.writers.styles import area_style, error_style, grid_style
from geoeval.writers.tables import clean_text

if TYPE_CHECKING:
    import geopandas as gpd

GEOMETRIES = {"lines": "LineString", "points": "Point", "polygons": "Polygon"}
# Ends of the names of further layers of a kind, where it has several geometries.
_NAME_ENDS = {"lines": "_ln", "points": "_pt", "polygons": "_pg"}


@dataclass(frozen=True)
class Draft:
    """A layer on its way to a file."""

    role: str
    name: str
    geometry: str
    frame: "gpd.GeoDataFrame"
    style: str
    warnings: tuple[str, ...] = ()


def error_drafts(result: Result, *, with_empty: bool = True) -> Iterator[Draft]:
    """One draft per kind and geometry type: the standard kinds in the order of their table, then the others by name.

    Standard kinds that do not occur give an empty draft, unless ``with_empty`` is false.
    """
    usual = standard_layers(result.kind)
    by_kind: dict[str, dict[str, gpd.GeoDataFrame]] = {kind: {} for kind in usual}
    errors = result.map_errors()
    for geometry, frame in errors.items():
        for kind, rows in frame.groupby("kind", sort=True):
            by_kind.setdefault(str(kind), {})[geometry] = rows
    empty = next(iter((errors or error_frames([], result.crs)).values())).iloc[:0]
    taken = {"area", "grid"}
    for kind in [*usual, *sorted(set(by_kind) - set(usual))]:
        frames = by_kind[kind] or ({usual[kind]: empty} if with_empty else {})
        ordered = sorted(frames, key=lambda name: (name != usual.get(kind), list(GEOMETRIES).index(name)))
        for geometry in ordered:
            name = layer_name(kind, suffix="" if geometry == ordered[0] else _NAME_ENDS[geometry], taken=taken)
            taken.add(name)
            frame, _ = prepared(frames[geometry], result)
            style = error_style(kind, geometry, columns=frame.columns, aliases=labels_of(frame.columns))
            yield Draft(kind, name, geometry, frame, style)


def area_draft(result: Result) -> Draft:
    """The evaluated area with every score as an attribute."""
    import geopandas as gpd
    import pandas as pd

    scores = {f"{metric}.{name}": score for metric, values in result.scores.items() for name, score in values.items()}
    values = {name: [np.nan if score is None else score] for name, score in scores.items()}
    polygonal = result.area is not None and result.area.geom_type in {"Polygon", "MultiPolygon"}
    outline = result.area if polygonal else _box(result)
    table = pd.DataFrame({"kind": [result.kind], **values})
    frame, fields = prepared(gpd.GeoDataFrame(table, geometry=[outline], crs=result.crs), result)
    return Draft("area", "area", "polygons", frame, area_style(aliases=_aliases(fields)))


def _box(result: Result) -> "shapely.Polygon | None":
    """The box around all that was compared; ``None`` where that is nothing or has no area."""
    if result.extent is None:
        return None
    west, south, east, north = result.extent
    return shapely.box(*result.extent) if east > west and north > south else None


def grid_draft(grid: "gpd.GeoDataFrame", result: Result) -> Draft:
    """The cells, coloured by their most telling score."""
    if grid.crs is not None and grid.crs != result.crs:
        grid = grid.to_crs(result.crs)
    frame, fields = prepared(grid, result)
    shown = next(iter(local_scores(grid, result.kind)), None)
    style = grid_style(None if shown is None else fields[shown], aliases=_aliases(fields))
    return Draft("grid", "grid", "polygons", frame, style)


def _aliases(fields: Mapping[str, str]) -> dict[str, str]:
    return {field: name for name, field in fields.items()}


def prepared(frame: "gpd.GeoDataFrame", result: Result) -> tuple["gpd.GeoDataFrame", dict[str, str]]:
    """The rows with short field names, text that files can hold, flat geometry, and no infinite number.

    Also gives the field name of each column.
    """
    import geopandas as gpd
    import pandas as pd

    columns = [name for name in frame.columns if name != frame.geometry.name]
    fields = field_names(str(name) for name in columns)
    table = {}
    for name, field in zip(columns, fields.values(), strict=True):
        values = frame[name]
        if pd.api.types.is_float_dtype(values):
            table[field] = values.astype(float).where(np.isfinite(values.astype(float)))
        elif pd.api.types.is_numeric_dtype(values):
            table[field] = values
        else:
            missing = values.isna()
            table[field] = pd.Series(
                [None if none else clean_text(value) for value, none in zip(values, missing, strict=True)],
                index=values.index,
                dtype=object,
            )
    geometry = shapely.force_2d(frame.geometry.to_numpy())
    flat = gpd.GeoDataFrame(pd.DataFrame(table).reset_index(drop=True), geometry=geometry, crs=result.crs)
    return flat, fields


def shorten_texts(draft: Draft) -> Draft:
    """The draft with text cut to what a shapefile holds, and a warning for each field where that happened."""
    frame, messages = cut_texts(draft.frame, f"{draft.name}.shp")
    return replace(draft, frame=frame, warnings=(*draft.warnings, *messages))


def split_parts(draft: Draft, taken: set[str], limit: int) -> Iterator[Draft]:
    """The draft in as many parts as needed to keep .shp and .dbf below the limit. O(n).

    The new names are added to ``taken``; the first part keeps the name and the warnings.
    """
    frame = draft.frame
    geometry = frame.geometry.to_numpy()
    parts = np.maximum(shapely.get_num_geometries(geometry) + shapely.get_num_interior_rings(geometry), 1)
    sizes = np.cumsum(52 + 4 * parts + 16 * shapely.get_num_coordinates(geometry))
    fields, texts = frame.columns.drop(frame.geometry.name), text_fields(frame)
    # GDAL gives text 80 bytes or what the longest needs, and no number more than 24.
    widths = [
        max(80, max((len(value.encode()) for value in frame[name] if value is not None), default=0))
        if name in texts
        else 24
        for name in fields
    ]
    rows = max((limit - 33 - 32 * len(fields)) // (1 + sum(widths)), 1)
    start, number = 0, 1
    while start < len(frame) or number == 1:
        before = sizes[start - 1] if start else 0
        fitting = int(np.searchsorted(sizes, before + limit - 100, side="right"))
        end = max(min(fitting, start + rows), start + 1)
        part = replace(draft, frame=frame.iloc[start:end].reset_index(drop=True))
        if number > 1:
            part = replace(part, name=part_name(draft.name, number, taken=taken), warnings=())
            taken.add(part.name)
        yield part
        start, number = end, number + 1
