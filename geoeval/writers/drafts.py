"""A result cut into layers: which rows, which names, which fields, which style; no file yet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.model.result import Result, error_frames
from geoeval.writers.names import field_names, layer_name, part_name
from geoeval.writers.styles import area_style, error_style, grid_style
from geoeval.writers.tables import clean_text, cut_text

if TYPE_CHECKING:
    import geopandas as gpd

# Kinds that are always written, with the geometry they usually have.
STANDARD_KINDS: dict[str, dict[str, str]] = {
    "roads": {
        "missing": "lines",
        "spurious": "lines",
        "break": "lines",
        "false_link": "lines",
        "junction": "points",
        "doubled": "lines",
        "merged": "lines",
        "displaced": "lines",
    },
    "objects": dict.fromkeys(("missed", "false_alarm", "split", "merge", "boundary"), "polygons"),
    "lines": dict.fromkeys(("missed", "false_alarm", "fragmented", "consolidated"), "lines"),
}
SUFFIXES = {"lines": "_ln", "points": "_pt", "polygons": "_pg"}
GEOMETRIES = {"lines": "LineString", "points": "Point", "polygons": "Polygon"}
TEXT_BYTES = 254
# What a person looks at first, if the grid has it.
_GRID_SCORES = ("opt-j.f1", "opt-p.f1", "apls.apls", "ccq.quality", "max-overlap.f1")


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
    """One draft a kind and geometry type: the standard kinds first, in their order, then the others by name.

    Standard kinds that do not occur are there too, empty, unless told otherwise.
    """
    usual = STANDARD_KINDS.get(result.kind, {})
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
            name = layer_name(kind, suffix="" if geometry == ordered[0] else SUFFIXES[geometry], taken=taken)
            taken.add(name)
            frame, _ = _prepared(frames[geometry], result)
            yield Draft(kind, name, geometry, frame, error_style(kind, geometry))


def area_draft(result: Result) -> Draft:
    """The evaluated area with every score as an attribute."""
    import geopandas as gpd
    import pandas as pd

    scores = {f"{metric}.{name}": score for metric, values in result.scores.items() for name, score in values.items()}
    values = {name: [np.nan if score is None else score] for name, score in scores.items()}
    polygonal = result.area is not None and result.area.geom_type in {"Polygon", "MultiPolygon"}
    ground = result.area if polygonal else _ground(result)
    table = pd.DataFrame({"kind": [result.kind], **values})
    frame, fields = _prepared(gpd.GeoDataFrame(table, geometry=[ground], crs=result.crs), result)
    return Draft("area", "area", "polygons", frame, area_style(aliases=_aliases(fields)))


def _ground(result: Result) -> "shapely.Polygon | None":
    """Where all of both inputs was evaluated: the box around them; ``None`` where they are not known or empty."""
    bounds = [network.bounds for network in result.networks.values() if not network.is_empty]
    if not bounds:
        return None
    low, high = np.min(bounds, axis=0)[:2], np.max(bounds, axis=0)[2:]
    return shapely.box(*low, *high) if (high > low).all() else None


def grid_draft(grid: "gpd.GeoDataFrame", result: Result) -> Draft:
    """The cells, coloured by the score that a person looks at first."""
    if grid.crs is not None and grid.crs != result.crs:
        grid = grid.to_crs(result.crs)
    frame, fields = _prepared(grid, result)
    scores = [name for name in fields if "." in name and frame[fields[name]].dtype.kind == "f"]
    shown = next((name for name in (*_GRID_SCORES, *scores) if name in scores), None)
    style = grid_style(None if shown is None else fields[shown], aliases=_aliases(fields))
    return Draft("grid", "grid", "polygons", frame, style)


def _aliases(fields: Mapping[str, str]) -> dict[str, str]:
    return {field: name for name, field in fields.items()}


def _prepared(frame: "gpd.GeoDataFrame", result: Result) -> tuple["gpd.GeoDataFrame", dict[str, str]]:
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


def geojson_options(*, local: bool) -> dict[str, str]:
    """How GDAL shall write GeoJSON: in WGS 84 unless the coordinates are local, and text as text.

    Without the second a note such as ``[1]`` would become a list.
    """
    return {"RFC7946": "NO" if local else "YES", "AUTODETECT_JSON_STRINGS": "NO"}


def shorten_texts(draft: Draft) -> Draft:
    """Text cut to what a shapefile holds, with a warning for each field where that happened."""
    frame, said = draft.frame.copy(), []
    for name in _text_fields(frame):
        shortened = [None if value is None else cut_text(value, TEXT_BYTES) for value in frame[name]]
        count = sum(1 for short, value in zip(shortened, frame[name], strict=True) if short != value)
        if count:
            frame[name] = np.array(shortened, dtype=object)
            said.append(f"{draft.name}.shp: {count} of {len(frame)} texts in {name} cut to {TEXT_BYTES} bytes")
    return replace(draft, frame=frame, warnings=(*draft.warnings, *said))


def split_parts(draft: Draft, taken: set[str], limit: int) -> Iterator[Draft]:
    """The draft in as many parts as it takes to keep .shp and .dbf below the limit. O(n).

    New names are added to those that are ``taken``; the first part keeps the name and the warnings.
    """
    frame = draft.frame
    geometry = frame.geometry.to_numpy()
    parts = np.maximum(shapely.get_num_geometries(geometry) + shapely.get_num_interior_rings(geometry), 1)
    sizes = np.cumsum(52 + 4 * parts + 16 * shapely.get_num_coordinates(geometry))
    fields, texts = frame.columns.drop(frame.geometry.name), _text_fields(frame)
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


def _text_fields(frame: "gpd.GeoDataFrame") -> list[str]:
    return [name for name in frame.columns if frame[name].dtype.kind == "O" and name != frame.geometry.name]
