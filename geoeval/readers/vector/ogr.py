"""One layer of a vector file as arrays: whatever GDAL opens, and GeoParquet.

Nothing is written beside the input, and nothing else is opened: see :mod:`geoeval.gdal_files`.
"""

import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyogrio
import shapely
from numpy.typing import NDArray

from geoeval.arrays import Objects
from geoeval.exceptions import EmptyInputError, LayerChoiceError, UnreadableInputError
from geoeval.gdal_files.checks import check_topology, is_topology
from geoeval.gdal_files.databases import refuse_view, views_in
from geoeval.gdal_files.drivers import plain_gdal
from geoeval.gdal_files.opening import openable, unreadable
from geoeval.gdal_files.parquet import PARQUET_SUFFIXES
from geoeval.readers.drawing.dxf import check_dxf, is_dxf
from geoeval.readers.reader import InputFile
from geoeval.readers.vector.geojson_crs import crs_of_geojson
from geoeval.readers.vector.wkb import decode, kinds_of
from geoeval.trust import check_expansion, check_limit

Answer = TypeVar("Answer")

# Arcs are drawn with a vertex every half degree: within 1 cm of the arc for a radius of 1 km.
OPTIONS = {"OGR_ARC_STEPSIZE": "0.5"}
# Words in the declared types of layers that can hold a shape, and what such a layer shows.
_TYPES = {"lines": ("Line", "Curve"), "polygons": ("Polygon", "Surface")}
_MEANT = {"lines": "roads", "polygons": "polygons such as buildings"}
# The last is what pyogrio raises for a CRS that GDAL cannot write as text.
_FAILURES = (RuntimeError, ValueError, IndexError, OSError, UnboundLocalError)


@dataclass(frozen=True)
class VectorTable:
    """Rows of a layer.

    Attributes
    ----------
    geometries
        Shapely geometries, ``None`` for a row without one.
    ids
        The feature ids.
    columns
        The wanted columns that exist.
    crs
        The CRS that the file names, or ``None``.
    names
        The names of all columns.
    may_hold
        Whether the layer's declared type lets it hold what was asked for: lines or polygons.
    problems
        What could not be read, counted.
    """

    geometries: Objects
    ids: NDArray[Any]
    columns: dict[str, NDArray[Any]]
    crs: Any
    may_hold: bool = True
    problems: dict[str, int] = field(default_factory=dict)
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Layer:
    """A layer, and where GDAL finds it."""

    dataset: Path
    name: str
    kind: str | None
    label: str
    # What it is, if it is a query and so nobody's data.
    query: str = ""

    def may_hold(self, shape: str) -> bool:
        kind = self.kind or "None"
        return any(word in kind for word in _TYPES[shape]) or kind.startswith(("Unknown", "GeometryCollection"))


def read_table(
    path: Path, *, layer: str | None = None, columns: Sequence[str] = (), shape: str = "lines"
) -> VectorTable:
    """Read one layer: the named one, or the only one with geometries of the wanted ``shape`` (lines or polygons).

    A layer without rows gives empty arrays.

    Raises
    ------
    UnreadableInputError
        The file is damaged or of an unknown kind.
    LayerChoiceError
        Several layers have such geometries and none was named, or the named one does not exist.
    """
    if path.suffix.lower() in PARQUET_SUFFIXES:
        from geoeval.readers.vector.geoparquet import read_parquet

        if layer is not None:
            raise LayerChoiceError(f"{path} has no layers; {{leave:layer}}")
        return read_parquet(path, columns=columns)
    with openable(path) as datasets, _quiet(OPTIONS, _checked(path, datasets)):
        found = _layers(path, datasets)
        return _read(path, _choose(path, found, layer, shape), columns, shape)


def _checked(path: Path, datasets: list[Path]) -> set[str]:
    """Drivers of files that repeat what they hold, where that was counted and is within the limits."""
    drivers = set()
    if is_dxf(InputFile(path)):
        check_dxf(path)
        drivers.add("DXF")
    for dataset in datasets:
        if is_topology(dataset):
            check_topology(dataset, path)
            drivers.add("TopoJSON")
    return drivers


def _layers(path: Path, datasets: list[Path]) -> list[_Layer]:
    found = []
    views: dict[str, str] = {}
    for dataset in datasets:
        views |= views_in(dataset)
        for name, kind in _attempt(path, lambda source=dataset: pyogrio.list_layers(source)):  # type: ignore[misc]
            label = f"{dataset.stem}:{name}" if len(datasets) > 1 and dataset.stem != name else name
            found.append(_Layer(dataset, name, kind, label, views.get(name, "")))
    if not found:
        raise UnreadableInputError(f"{path} has no layers; check that the file is complete")
    return found


def _choose(path: Path, layers: list[_Layer], wanted: str | None, shape: str) -> _Layer:
    if wanted is not None:
        chosen = [layer for layer in layers if wanted in (layer.label, layer.name)]
        if len(chosen) != 1:
            names = ", ".join(layer.label for layer in layers)
            raise LayerChoiceError(f"{path} has no layer {wanted!r} ({names}); to choose one, {{give:layer=NAME}}")
        if chosen[0].query:
            raise refuse_view(path, chosen[0].name, chosen[0].query)
        return chosen[0]
    query = next((layer for layer in layers if layer.query and layer.may_hold(shape)), None)
    layers = [layer for layer in layers if not layer.query]
    if query is not None and not any(layer.may_hold(shape) for layer in layers):
        raise refuse_view(path, query.name, query.query)
    if len(layers) == 1:
        return layers[0]
    fitting = [layer for layer in layers if layer.may_hold(shape)]
    if len(fitting) > 1:
        fitting = [layer for layer in fitting if _holds(path, layer, shape)] or fitting
    if not fitting:
        names = ", ".join(layer.label for layer in layers)
        raise EmptyInputError(f"{path} has no layer of {shape} (layers: {names}); give a file with {_MEANT[shape]}")
    if len(fitting) > 1:
        names = ", ".join(layer.label for layer in fitting)
        raise LayerChoiceError(f"{path} has several layers of {shape} ({names}); to choose one, {{give:layer=NAME}}")
    return fitting[0]


def _holds(path: Path, layer: _Layer, shape: str) -> bool:
    geometries = _read(path, layer, (), shape).geometries
    return bool({shape, "collections"} & set(kinds_of(geometries)))


def _read(path: Path, layer: _Layer, columns: Sequence[str], shape: str) -> VectorTable:
    encoding = None
    try:
        info = pyogrio.read_info(layer.dataset, layer=layer.name)
    except UnicodeDecodeError:  # the declared encoding is not the one the file is in
        encoding = "ISO-8859-1"
        info = _attempt(path, lambda: pyogrio.read_info(layer.dataset, layer=layer.name, encoding=encoding))
    except _FAILURES as error:
        raise unreadable(path, error) from error
    count = info["features"]
    check_limit("features", count, path, f"has {count:,} rows")
    if path.is_file() and info["driver"] == "FlatGeobuf":  # takes the number from its header
        check_expansion(count, path.stat().st_size, path, "rows")
    types = dict(zip(info["fields"], info["dtypes"], strict=True))
    # GDAL keeps a feature id that is not a number as a column.
    has_text_ids = "JSON" in info["driver"] and types.get("id") == "object"
    wanted = [name for name in dict.fromkeys([*columns, *(["id"] if has_text_ids else [])]) if name in types]

    def rows(encoding: str | None) -> Any:
        return pyogrio.raw.read(
            layer.dataset, layer=layer.name, columns=wanted, force_2d=True, return_fids=True, encoding=encoding
        )

    try:
        meta, fids, wkb, values = rows(encoding)
    except UnicodeDecodeError:
        meta, fids, wkb, values = _attempt(path, lambda: rows("ISO-8859-1"))
    except _FAILURES as error:
        raise unreadable(path, error) from error
    if info["driver"] == "FlatGeobuf" and len(fids) < info["features"]:
        msg = f"{path} is damaged: it has only {len(fids)} of {info['features']} rows; get a complete copy"
        raise UnreadableInputError(msg)
    geometries, problems = decode(np.full(len(fids), None, dtype=object) if wkb is None else wkb)
    vertices = int(shapely.get_num_coordinates(geometries).sum())
    check_limit("vertices", vertices, path, f"has {vertices:,} vertices")
    fields = dict(zip(meta["fields"], values, strict=True))
    ids = fids
    if has_text_ids:
        text_ids = fields["id"] if "id" in columns else fields.pop("id")
        if all(value is not None for value in text_ids) and len(set(text_ids)) == len(text_ids):
            ids = text_ids
    crs = info["crs"]
    if info["driver"] == "GeoJSON" and layer.dataset.is_file():
        crs = crs_of_geojson(layer.dataset, crs)
    return VectorTable(geometries, ids, fields, crs, layer.may_hold(shape), problems, tuple(types))


@contextmanager
def _quiet(options: Mapping[str, str], also: Collection[str]) -> Iterator[None]:
    """Set options of GDAL for a while, and silence its warnings: what is lost is counted here."""
    with plain_gdal(options, also=also), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _attempt(path: Path, action: Callable[[], Answer]) -> Answer:
    try:
        return action()
    except _FAILURES as error:
        raise unreadable(path, error) from error
