"""What one tile gives: counts that add up exactly, and its errors; as bytes that travel and can be kept."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from geoeval.model.result import GEOMETRY_TYPES, ErrorFeatures, Score

if TYPE_CHECKING:
    import geopandas as gpd
    from pyproj import CRS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = dict[str, Fraction]

_TEXT = ("kind", "metric", "ref_id", "pred_id", "note")


@dataclass(frozen=True)
class Part:
    """The share of a tile, or of a metric on all of the ground, in an evaluation.

    Attributes
    ----------
    counts
        By metric and name, as exact fractions: their sum does not depend on the order in which tiles are added.
    starts
        By metric a row for each start: its number, whether it is on the reference, and its counts.
    rows
        By metric rows of numbers that are put together, not added up.
    scores, notes
        Of metrics that cannot be added up.
    inputs
        Of ``reference`` and ``prediction`` how many nodes, segments and metres belong to the tile.
    lengths
        Of both the metres on which metrics were evaluated that cannot be added up.
    seconds
        By metric.
    errors
        One row an error; the columns of ``ErrorFeatures`` and the geometry as WKB.
    """

    counts: dict[str, Counts] = field(default_factory=dict)
    starts: dict[str, Ints] = field(default_factory=dict)
    scores: dict[str, dict[str, Score]] = field(default_factory=dict)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    inputs: dict[str, Counts] = field(default_factory=dict)
    lengths: dict[str, Counts] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    errors: pa.Table | None = None
    rows: dict[str, Floats] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The part as an Arrow file: the errors as its table, the rest as JSON in its metadata."""
        facts = {
            "counts": _as_text(self.counts),
            "starts": {name: [rows.shape[1], _packed(rows)] for name, rows in self.starts.items()},
            "rows": {name: rows.tolist() for name, rows in self.rows.items()},
            "scores": self.scores,
            "notes": self.notes,
            "inputs": _as_text(self.inputs),
            "lengths": _as_text(self.lengths),
            "seconds": self.seconds,
        }
        table = error_table([]) if self.errors is None else self.errors
        table = table.replace_schema_metadata({"geoeval": json.dumps(facts)})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue().to_pybytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Part":
        """The part that ``to_bytes`` gave."""
        with pa.ipc.open_file(pa.py_buffer(data)) as reader:
            table = reader.read_all()
        facts = json.loads(table.schema.metadata[b"geoeval"])
        starts = {name: _unpacked(text).reshape(-1, columns) for name, (columns, text) in facts["starts"].items()}
        return cls(
            _as_fractions(facts["counts"]),
            starts,
            facts["scores"],
            facts["notes"],
            _as_fractions(facts["inputs"]),
            _as_fractions(facts["lengths"]),
            facts["seconds"],
            table.replace_schema_metadata(None),
            {name: np.array(rows, dtype=np.float64) for name, rows in facts["rows"].items()},
        )


def exact_sum(values: Floats) -> Fraction:
    """The sum without any rounding. O(n), and a few whole numbers of any size."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    total = Fraction(0)
    for one in np.unique(exponent).tolist():
        chosen = whole[exponent == one]
        # In halves, so that the sums fit into 64 bits.
        number = (int((chosen >> 32).sum()) << 32) + int((chosen & 0xFFFFFFFF).sum())
        total += Fraction(number) * Fraction(2) ** (one - 53)
    return total


def add_up(counts: Sequence[Mapping[str, Fraction]]) -> dict[str, float]:
    """Sums by name, rounded once."""
    total: Counts = {}
    for one in counts:
        for name, value in one.items():
            total[name] = total.get(name, Fraction(0)) + value
    return {name: float(value) for name, value in total.items()}


def error_table(collected: Sequence[ErrorFeatures]) -> pa.Table:
    """Errors as an Arrow table."""
    own = sorted({name for one in collected for name in one.rows if name not in ErrorFeatures.COLUMNS})
    columns: dict[str, Any] = {}
    for name in (*ErrorFeatures.COLUMNS, *own):
        values = [value for one in collected for value in one.rows.get(name) or [np.nan] * len(one)]
        if name in _TEXT:
            columns[name] = pa.array([str(value) for value in values], type=pa.string())
        else:
            columns[name] = pa.array(np.array(values, dtype=np.float64))
    geometries = np.array([None, *(g for one in collected for g in one.geometries)], dtype=object)[1:]
    columns["geometry"] = pa.array(list(shapely.to_wkb(geometries)) if len(geometries) else [], type=pa.binary())
    return pa.table(columns)


def error_layers(tables: Sequence[pa.Table], crs: "CRS") -> "dict[str, gpd.GeoDataFrame]":
    """The errors of several tables as ``error_frames`` has them; the order of the tables leaves no trace.

    Columns stay arrays all the way, so that the errors of millions of objects fit into memory.
    """
    import geopandas as gpd
    import pandas as pd

    whole = pa.concat_tables(tables, promote_options="default") if tables else error_table([])
    geometries = np.asarray(shapely.from_wkb(whole["geometry"].to_numpy(zero_copy_only=False)), dtype=object)
    own = sorted(name for name in whole.column_names if name not in ErrorFeatures.COLUMNS and name != "geometry")
    columns = {name: whole[name] for name in (*ErrorFeatures.COLUMNS, *own)}
    order = _in_order(geometries, *(columns[name] for name in ("length_m", "kind", "metric")))
    shape = shapely.get_type_id(geometries)[order] if len(order) else np.zeros(0, dtype=int)
    layers = {}
    for single, name in GEOMETRY_TYPES.items():
        rows = order[np.isin(shape, {0: [0, 4], 1: [1, 2, 5], 3: [3, 6]}[single])]
        picked = {
            column: pd.Series(values.take(pa.array(rows)).to_numpy(zero_copy_only=False), dtype=str)
            if column in _TEXT
            else values.to_numpy()[rows]
            for column, values in columns.items()
        }
        layers[name] = gpd.GeoDataFrame(pd.DataFrame(picked), geometry=geometries[rows], crs=crs)
    return layers


def _in_order(geometries: NDArray[np.object_], length: Any, kind: Any, metric: Any) -> Ints:
    """Rows by metric, kind, place and length: the order of tiles leaves no trace."""
    bounds = shapely.bounds(geometries).reshape(-1, 4)
    words = [np.unique(column.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)[1]
             for column in (kind, metric)]  # fmt: skip
    return np.lexsort([length.to_numpy(), *bounds.T[::-1], *words])


def _packed(rows: Ints) -> str:
    """Whole numbers as text, a few letters each."""
    return b64encode(zlib.compress(rows.astype("<i8").tobytes(), 1)).decode()


def _unpacked(text: str) -> Ints:
    return np.frombuffer(zlib.decompress(b64decode(text)), dtype="<i8").astype(np.int64)


def _as_text(counts: Mapping[str, Mapping[str, Fraction]]) -> dict[str, dict[str, str]]:
    return {key: {name: str(value) for name, value in values.items()} for key, values in counts.items()}


def _as_fractions(counts: Mapping[str, Mapping[str, str]]) -> dict[str, Counts]:
    return {key: {name: Fraction(value) for name, value in values.items()} for key, values in counts.items()}
