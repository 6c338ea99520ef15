"""One layer of a vector file as arrays: whatever GDAL opens, and GeoParquet.

Nothing is written beside the input. Where GDAL would do so (the index of a shapefile, the schema of a GML file, the
shared memory of a database in use), a copy in a temporary folder is opened instead.
"""

import re
import shutil
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from geoeval.gdal_files import check_plain, plain_gdal, refuse_view, views_in
from geoeval.readers.vector.geojson_crs import crs_of_geojson
from geoeval.readers.vector.wkb import decode, kinds_of
from geoeval.trust import check_expansion, check_limit

Answer = TypeVar("Answer")

ZIPPED_SUFFIXES = (".shp", ".gpkg", ".geojson", ".fgb", ".gml", ".kml")
PARQUET_SUFFIXES = (".parquet", ".geoparquet", ".pq")
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

    dataset: str
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
            raise LayerChoiceError(f"{path} has no layers; leave out --layer")
        return read_parquet(path, columns=columns)
    check_plain(path)
    with _openable(path) as datasets, _quiet(OPTIONS):
        found = _layers(path, datasets)
        return _read(path, _choose(path, found, layer, shape), columns, shape)


def _layers(path: Path, datasets: list[str]) -> list[_Layer]:
    found = []
    views: dict[str, str] = {}
    for dataset in datasets:
        views |= views_in(Path(dataset))
        for name, kind in _attempt(path, lambda source=dataset: pyogrio.list_layers(source)):  # type: ignore[misc]
            label = f"{Path(dataset).stem}:{name}" if len(datasets) > 1 and Path(dataset).stem != name else name
            found.append(_Layer(dataset, name, kind, label, views.get(name, "")))
    if not found:
        raise UnreadableInputError(f"{path} has no layers; check that the file is complete")
    return found


def _choose(path: Path, layers: list[_Layer], wanted: str | None, shape: str) -> _Layer:
    if wanted is not None:
        chosen = [layer for layer in layers if wanted in (layer.label, layer.name)]
        if len(chosen) != 1:
            names = ", ".join(layer.label for layer in layers)
            raise LayerChoiceError(f"{path} has no layer {wanted!r}; choose one with --layer: {names}")
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
        raise LayerChoiceError(f"{path} has several layers of {shape}; choose one with --layer: {names}")
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
        raise _unreadable(path, error) from error
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
        raise _unreadable(path, error) from error
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
    if info["driver"] == "GeoJSON" and Path(layer.dataset).is_file():
        crs = crs_of_geojson(Path(layer.dataset), crs)
    return VectorTable(geometries, ids, fields, crs, layer.may_hold(shape), problems, tuple(types))


# ---------------------------------------------------------------------- what GDAL opens


@contextmanager
def _openable(path: Path) -> Iterator[list[str]]:
    """Paths that GDAL can open without writing beside the input."""
    suffix = path.suffix.lower()
    no_index = suffix == ".shp" and path.is_file() and not _has_index(path)
    if suffix == ".zip" and path.is_file():
        with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
            yield _zipped(path, Path(folder))
    elif no_index or suffix in {".gml", ".xml"} or _is_in_use(path):
        with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
            for part in path.parent.iterdir():
                own = part.stem == path.stem or part.name.startswith(path.name)
                if own and part.is_file() and part.suffix.lower() != ".shx":
                    shutil.copy(part, folder)
            copy = str(Path(folder) / path.name)
            if no_index:
                _make_index(path, copy)
            yield [copy]
    else:
        yield [str(path.absolute())]


def _zipped(path: Path, folder: Path) -> list[str]:
    """The vector files in an archive; shapefiles without an index are unpacked, to make one."""
    datasets = []
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.startswith("__MACOSX/")]
            known = {name.lower() for name in names}
            for name in sorted(name for name in names if name.lower().endswith(ZIPPED_SUFFIXES)):
                if name.lower().endswith(".shp") and f"{name[:-4]}.shx".lower() not in known:
                    archive.extractall(folder, [other for other in names if other.startswith(name[:-3])])
                    datasets.append(str(folder / name))
                    _make_index(path, datasets[-1])
                elif name.lower().endswith(".gpkg"):  # a database is looked at before GDAL opens it
                    datasets.append(archive.extract(name, folder))
                else:
                    datasets.append(f"/vsizip/{path.absolute()}/{name}")
    except (zipfile.BadZipFile, RuntimeError, OSError) as error:
        raise _unreadable(path, error) from error
    return datasets or [f"/vsizip/{path.absolute()}"]


def _make_index(path: Path, copy: str) -> None:
    """Let GDAL write the .shx of a copy."""
    with _quiet({"SHAPE_RESTORE_SHX": "YES"}):
        _attempt(path, lambda: pyogrio.list_layers(copy))


def _has_index(path: Path) -> bool:
    """Whether the .shx beside a .shp exists and is complete; refuses a truncated .shp."""
    if _length_in_header(path) > path.stat().st_size:
        raise UnreadableInputError(f"{path} is truncated; get a complete copy")
    index = next((path.with_suffix(suffix) for suffix in (".shx", ".SHX") if path.with_suffix(suffix).exists()), None)
    return index is not None and 100 <= _length_in_header(index) <= index.stat().st_size


def _length_in_header(path: Path) -> int:
    """The length in bytes that a .shp or .shx names in its header."""
    with path.open("rb") as file:
        head = file.read(28)
    return 2 * struct.unpack(">i", head[24:28])[0] if len(head) == 28 else 0


def _is_in_use(path: Path) -> bool:
    """Whether reading a database would change it: in write-ahead mode, or with a journal left by a crash."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(20)
    journals = [path.with_name(path.name + part) for part in ("-wal", "-journal")]
    return head.startswith(b"SQLite format 3\x00") and (
        head[18:20] == b"\x02\x02" or any(journal.exists() for journal in journals)
    )


@contextmanager
def _quiet(options: Mapping[str, str]) -> Iterator[None]:
    """Set options of GDAL for a while, and silence its warnings: what is lost is counted here."""
    with plain_gdal(options), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _attempt(path: Path, action: Callable[[], Answer]) -> Answer:
    try:
        return action()
    except _FAILURES as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> UnreadableInputError:
    reason = " ".join(str(error).split())
    if "not recognized as being in a supported file format" in reason:
        return UnreadableInputError(
            f"{path} is not a kind of file that geoeval reads; give a file of lines or a road graph"
        )
    if re.search("[\x00-\x1f\x7f;\ud800-\udfff]", str(path)):
        return UnreadableInputError(f"{str(path)!r} has a name that GDAL cannot open; give it a plain one")
    return UnreadableInputError(f"{path} cannot be read ({reason[:200]}); check that the file is complete")
