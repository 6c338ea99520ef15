"""Objects on disk that can be read by place.

A store is one GeoParquet file (version 1.1, encoding ``WKB``), which GDAL, QGIS and geopandas open too. It has one row
per object, along a curve through the plane, in groups of rows. The columns are ``geometry``, ``bbox`` (whose statistics
lead a reader to the groups it needs), ``number`` (the place in the order of the input), ``source`` (the id) and, for
objects of a detector, ``confidence``.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
import shapely
from numpy.typing import ArrayLike
from pyproj import CRS

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.exceptions import ParameterError
from geoeval.files import new_file
from geoeval.model.object_map import ObjectMap
from geoeval.objects.content import digest
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.store.sorting import DiskSort
from geoeval.scale.store.sorting import Rows as SortedRows
from geoeval.scale.store.spool import DIGITS, hilbert

# Rows that are read together: a few square kilometres of a town, about half a megabyte.
GROUP_ROWS = 4096
_BOX = ("xmin", "ymin", "xmax", "ymax")
_ROW = np.dtype(
    [("box", "f8", (4,)), ("number", "i8"), ("confidence", "f8"), ("start", "i8"), ("name", "i4"), ("shape", "i4")]
)


@dataclass(frozen=True)
class StoredObjects:
    """Objects as arrays: outlines as WKB, bounding boxes ``(n, 4)``, places in the input, ids, and confidence."""

    wkb: Objects
    box: Floats
    number: Ints
    source: Objects
    confidence: Floats | None

    def __len__(self) -> int:
        return len(self.wkb)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return sum(map(len, self.wkb)) + 200 * len(self)

    def meets(self, box: Sequence[float]) -> Bools:
        """Whether the bounding box of each object meets the box, borders included."""
        west, south, east, north = box
        return np.asarray(((self.box[:, :2] <= [east, north]) & (self.box[:, 2:] >= [west, south])).all(axis=1))

    def take(self, rows: ArrayLike | slice) -> "StoredObjects":
        """Some of the objects: row numbers, a mask, or a slice."""
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows)
        sure = None if self.confidence is None else self.confidence[chosen]
        return StoredObjects(self.wkb[chosen], self.box[chosen], self.number[chosen], self.source[chosen], sure)

    @classmethod
    def joined(cls, parts: Sequence["StoredObjects"]) -> "StoredObjects":
        """All objects of several parts, each once, in the order of the input."""
        names = ("wkb", "box", "number", "source")
        wkb, box, number, source = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        sure = [part.confidence for part in parts if part.confidence is not None]
        every = cls(wkb, box, number, source, np.concatenate(sure) if sure else None)
        return every.take(np.unique(number, return_index=True)[1])


class Outlined(Protocol):
    """Objects to be stored: a map, or outlines that nobody has looked at yet."""

    @property
    def polygons(self) -> Objects:
        """Their polygons."""
        ...

    @property
    def ids(self) -> Any:
        """The id of each."""
        ...

    @property
    def confidence(self) -> Floats | None:
        """Confidence of a detector in each, if known."""
        ...


class ObjectStore(GroupedFile[StoredObjects]):
    """A store of objects, open for reading."""

    BOUNDS = ("bbox.xmin", "bbox.ymin", "bbox.xmax", "bbox.ymax")

    def read(self, *boxes: Sequence[float]) -> StoredObjects:
        """All objects whose bounding boxes meet one of the boxes, borders included, in the order of the input."""
        return StoredObjects.joined([part for box in boxes for part in self.parts_in(box)] or [self._none()])

    def _understood(self, table: Any) -> StoredObjects:
        columns = {name: table.column(name).combine_chunks() for name in table.column_names}
        box = columns["bbox"]
        return StoredObjects(
            columns["geometry"].to_numpy(zero_copy_only=False),
            np.column_stack([box.field(k).to_numpy(zero_copy_only=False) for k in range(4)]),
            columns["number"].to_numpy(zero_copy_only=False),
            columns["source"].to_numpy(zero_copy_only=False),
            columns["confidence"].to_numpy(zero_copy_only=False) if "confidence" in columns else None,
        )

    def _none(self) -> StoredObjects:
        return self._understood(self._file.schema_arrow.empty_table())


def store_objects(path: str | Path, objects: ObjectMap, *, overwrite: bool = False) -> ObjectStore:
    """Write a map of objects into a store, its coordinates bit for bit.

    The facts are ``source``, ``problems``, ``scale_error`` and ``extent`` of the map, its digest, and for a map from
    an image the grid of its pixels.
    """
    facts: dict[str, Any] = {
        "source": objects.source,
        "problems": dict(objects.problems),
        "scale_error": objects.scale_error,
        "sha256": digest(objects),
        "extent": None if objects.extent is None else objects.extent.as_dict(),
    }
    labels = objects.labels
    if labels is not None:
        facts["grid"] = [*labels.codes.shape, *labels.affine, labels.crs.to_wkt()]
    return write_object_store(path, [objects], crs=objects.crs, facts=facts, overwrite=overwrite)


def write_object_store(
    path: str | Path, batches: Iterable[Outlined], *, crs: CRS, facts: Mapping[str, Any], overwrite: bool = False
) -> ObjectStore:
    """Write objects of any number into a store.

    Parameters
    ----------
    path
        The file. It appears only when it is complete.
    batches
        The objects, in parts of any size, all in ``crs``; either all of them have a confidence or none. No objects
        make an empty store.
    facts
        What to keep beside them, as JSON; written after the last batch was taken.
    overwrite
        Whether an existing file may be replaced.

    Notes
    -----
    O(n log n) time; memory for a batch and about half a million boxes, whatever n is; the rest is kept on disk.
    """
    with new_file(path, overwrite=overwrite) as unfinished:
        waiting = unfinished.parent / "waiting"
        waiting.mkdir()
        with (waiting / "outlines").open("w+b") as outlines:
            spool = _Spool(waiting, outlines)
            for batch in batches:
                spool.put(batch)
            _write(unfinished, spool, crs, facts)
        shutil.rmtree(waiting)
    return ObjectStore(path)


class _Spool:
    """Takes objects in any order and gives them back along the curve; ids and outlines are kept in a file."""

    def __init__(self, folder: Path, outlines: BinaryIO) -> None:
        self.bounds = np.array([np.inf, np.inf, -np.inf, -np.inf])
        self.sure: bool | None = None
        self._outlines = outlines
        self._end = 0
        self._sort = DiskSort(folder / "sorting", self._key)

    @property
    def count(self) -> int:
        """How many objects were added."""
        return self._sort.count

    def put(self, objects: Outlined) -> None:
        """Add objects."""
        if len(objects.polygons) == 0:
            return
        if self.sure not in {None, objects.confidence is not None}:
            raise ParameterError("some objects have a confidence and some have none; give it to all or to none")
        self.sure = objects.confidence is not None
        names = [str(name).encode() for name in objects.ids]
        shapes = shapely.to_wkb(objects.polygons).tolist()
        rows = np.zeros(len(names), dtype=_ROW)
        rows["box"] = shapely.bounds(objects.polygons)
        rows["number"] = self.count + np.arange(len(names))
        rows["confidence"] = 0.0 if objects.confidence is None else objects.confidence
        rows["name"], rows["shape"] = [len(name) for name in names], [len(shape) for shape in shapes]
        sizes = rows["name"].astype(np.int64) + rows["shape"]
        rows["start"] = self._end + np.cumsum(sizes) - sizes
        self._end += int(sizes.sum())
        self._outlines.write(b"".join(part for pair in zip(names, shapes, strict=True) for part in pair))
        self.bounds[:2] = np.minimum(self.bounds[:2], rows["box"][:, :2].min(axis=0))
        self.bounds[2:] = np.maximum(self.bounds[2:], rows["box"][:, 2:].max(axis=0))
        self._sort.put(rows)

    def groups(self) -> Iterator[StoredObjects]:
        """All objects, a group at a time; once only."""
        rest = np.zeros(0, dtype=_ROW)
        for rows in self._sort.in_order(2 * DIGITS):
            rest = np.concatenate([rest, rows])
            whole = len(rest) // GROUP_ROWS * GROUP_ROWS
            for start in range(0, whole, GROUP_ROWS):
                yield self._group(rest[start : start + GROUP_ROWS])
            rest = rest[whole:]
        if len(rest):
            yield self._group(rest)

    def _group(self, rows: SortedRows) -> StoredObjects:
        names, shapes = np.empty((2, len(rows)), dtype=object)
        for row in np.argsort(rows["start"]).tolist():  # forwards, so that little is read twice
            self._outlines.seek(rows["start"][row])
            names[row] = self._outlines.read(rows["name"][row]).decode()
            shapes[row] = self._outlines.read(rows["shape"][row])
        sure = rows["confidence"].copy() if self.sure else None
        return StoredObjects(shapes, rows["box"].copy(), rows["number"].copy(), names, sure)

    def _key(self, rows: SortedRows) -> Ints:
        """Where the middle of each object lies on the curve."""
        middle = (rows["box"][:, :2] + rows["box"][:, 2:]) / 2
        size = max(float((self.bounds[2:] - self.bounds[:2]).max()), np.finfo(np.float64).tiny)
        cell = ((middle - self.bounds[:2]) / size * (1 << DIGITS)).astype(np.int64)
        return hilbert(np.clip(cell, 0, (1 << DIGITS) - 1))


def _write(path: Path, spool: _Spool, crs: CRS, facts: Mapping[str, Any]) -> None:
    from pyarrow import parquet

    covering = {"bbox": {name: ["bbox", name] for name in _BOX}}
    geometry: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": ["Polygon", "MultiPolygon"],
        "crs": crs.to_json_dict(),
        "covering": covering,
    }
    if spool.count:
        geometry["bbox"] = spool.bounds.tolist()
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": geometry}}
    schema = _schema(sure=bool(spool.sure))
    options = {"write_statistics": True, "write_page_checksum": True, "store_schema": False}
    with parquet.ParquetWriter(path, schema, compression="zstd", use_dictionary=False, **options) as writer:
        for group in spool.groups():
            writer.write_table(_table(group, schema))
        writer.add_key_value_metadata({"geo": json.dumps(geo), "geoeval": json.dumps(dict(facts))})


def _schema(*, sure: bool) -> Any:
    import pyarrow as pa

    box = pa.struct([pa.field(name, pa.float64(), nullable=False) for name in _BOX])
    fields = [
        pa.field("geometry", pa.binary(), nullable=False),
        pa.field("bbox", box, nullable=False),
        pa.field("number", pa.int64(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
    ]
    return pa.schema([*fields, pa.field("confidence", pa.float64(), nullable=False)] if sure else fields)


def _table(objects: StoredObjects, schema: Any) -> Any:
    import pyarrow as pa

    sides = [pa.array(np.ascontiguousarray(objects.box[:, k])) for k in range(4)]
    columns = [
        pa.array(objects.wkb, type=pa.binary()),
        pa.StructArray.from_arrays(sides, fields=list(schema.field("bbox").type)),
        pa.array(objects.number),
        pa.array(objects.source, type=pa.string()),
    ]
    if objects.confidence is not None:
        columns.append(pa.array(objects.confidence))
    return pa.table(columns, schema=schema)
