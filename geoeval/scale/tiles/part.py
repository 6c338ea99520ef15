"""What a part of an evaluation gives: counts that add up exactly, by tile, and its errors, as bytes to send and keep.

A part is some neighbouring tiles, or a metric on whole networks. Tiles are what counts are grouped by, so that the map
shows local scores; they are no unit of work.
"""

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from geoeval.arrays import Box, Floats, Ints
from geoeval.exceptions import GeoevalError
from geoeval.model.features import ErrorFeatures
from geoeval.model.result_form import wrong_part
from geoeval.model.scores import ScoreValue
from geoeval.scale.tiles.tile_errors import error_table
from geoeval.scale.tiles.tiling import Key
from geoeval.stored_geometries import geometries_from_wkb
from geoeval.stored_json import parse_json

Counts = dict[str, Fraction]
# By tile; ``None`` stands for everything.
CountsByTile = dict[Key | None, Counts]

# What reading a part raises that somebody else wrote.
DAMAGE = (
    ArithmeticError, AttributeError, GeoevalError, KeyError, MemoryError, OSError, TypeError, ValueError, zlib.error,
    pa.ArrowException,
)  # fmt: skip
_FRACTION = re.compile(r"-?\d{1,4000}(/\d{1,4000})?")
# Bytes that the starts of a tile unpack to at most.
_MOST_BYTES = 1 << 28
_TEXTS = {*ErrorFeatures.TEXT, "error_id"}


@dataclass(frozen=True)
class Part:
    """What some tiles, or a metric on whole networks, add to an evaluation.

    Attributes
    ----------
    counts
        By metric, tile and name, as exact fractions: their sum does not depend on the order in which they are added.
    starts
        By metric a row for each start: its number, whether it is on the reference, and its counts.
    scores, notes
        Of metrics that cannot be added up.
    inputs
        Of ``reference`` and ``prediction``: how much belongs to each tile (nodes, segments and metres, or objects).
    lengths
        Of both: the metres on which metrics that cannot be added up were evaluated.
    seconds
        By metric.
    errors
        One row per error: the columns of ``ErrorFeatures``, and the geometry as WKB.
    rows
        By metric rows of numbers that are put together, not added up.
    bounds
        The box around what belongs to the tiles, in the coordinates that all tiles have in common; ``None`` where
        nothing does.
    """

    counts: dict[str, CountsByTile] = field(default_factory=dict)
    starts: dict[str, Ints] = field(default_factory=dict)
    scores: dict[str, dict[str, ScoreValue]] = field(default_factory=dict)
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    inputs: dict[str, CountsByTile] = field(default_factory=dict)
    lengths: dict[str, Counts] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    errors: pa.Table | None = None
    rows: dict[str, Floats] = field(default_factory=dict)
    bounds: Box | None = None

    def to_bytes(self) -> bytes:
        """The part as an Arrow file: the errors as its table, the rest as JSON in its metadata."""
        facts = {
            "counts": _tiles_as_text(self.counts),
            "starts": {name: [rows.shape[1], _packed(rows)] for name, rows in self.starts.items()},
            "scores": self.scores,
            "notes": self.notes,
            "inputs": _tiles_as_text(self.inputs),
            "lengths": _as_text(self.lengths),
            "seconds": self.seconds,
            "rows": {name: rows.tolist() for name, rows in self.rows.items()},
            "bounds": self.bounds,
        }
        return packed(error_table([]) if self.errors is None else self.errors, facts)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Part":
        """The part that ``to_bytes`` gave; whatever else it is raises one of ``DAMAGE``."""
        table, facts = unpacked(data)
        return cls(
            counts=_tiles_as_fractions(facts["counts"]),
            starts={name: _unpacked(text).reshape(-1, columns) for name, (columns, text) in facts["starts"].items()},
            scores=facts["scores"],
            notes=facts["notes"],
            inputs=_tiles_as_fractions(facts["inputs"]),
            lengths=_as_fractions(facts["lengths"]),
            seconds=facts["seconds"],
            errors=table,
            rows={name: np.array(rows, dtype=np.float64) for name, rows in facts["rows"].items()},
            bounds=None if facts["bounds"] is None else tuple(facts["bounds"]),
        )


def check_part(data: bytes) -> None:
    """Raise one of ``DAMAGE`` for what ``to_bytes`` did not give: a folder of kept parts may be of anybody."""
    part = Part.from_bytes(data)
    notes = [text for own in part.notes.values() for text in own.values()]
    numbers = [*part.seconds.values(), *(part.bounds or ())]
    if not all(isinstance(text, str) for text in notes) or not all(isinstance(one, int | float) for one in numbers):
        raise ValueError("notes are text, and seconds and bounds are numbers")
    if part.bounds is not None and len(part.bounds) != 4:
        raise ValueError("bounds are four numbers")
    check_kept(part.errors, scores=part.scores)


def check_kept(errors: pa.Table | None, /, **facts: Any) -> None:
    """Raise one of ``DAMAGE`` for a table of errors, or facts of a result, of another form than ours."""
    if wrong_part(facts, needed=()):
        raise ValueError("facts of another form")
    if errors is None or not errors.num_columns:
        return
    errors.validate(full=True)
    for name in errors.column_names:
        wanted = {"geometry": pa.binary()}.get(name) or (pa.string() if name in _TEXTS else pa.float64())
        if errors[name].type != wanted:
            raise ValueError(f"{name} of another type")
    if any(shape is None for shape in geometries_from_wkb(errors["geometry"].to_numpy(zero_copy_only=False))):
        raise ValueError("geometries that are none")


def packed(table: pa.Table, facts: Any) -> bytes:
    """A table and plain facts as an Arrow file, with the facts as JSON in its metadata."""
    table = table.replace_schema_metadata({"geoeval": json.dumps(facts)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def unpacked(data: bytes) -> tuple[pa.Table, Any]:
    """The table and the facts that ``packed`` was given."""
    with pa.ipc.open_file(pa.py_buffer(data)) as reader:
        table = reader.read_all()
    return table.replace_schema_metadata(None), parse_json(table.schema.metadata[b"geoeval"], finite=False)


def exact_sum(values: Floats) -> Fraction:
    """The sum without any rounding. O(n), and a few whole numbers of any size."""
    [total] = exact_sums(values, np.zeros(len(values), dtype=np.int64), 1)
    return total


def exact_sums(values: Floats, group: Ints, count: int) -> list[Fraction]:
    """The sums of groups, numbered from 0 to ``count``, without any rounding. O(n log n).

    Values of the same group and exponent are added up as whole numbers, in halves, so that the sums fit into 64 bits.
    """
    totals = [Fraction(0)] * count
    told = np.flatnonzero(np.asarray(values) != 0)
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64)[told])
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    order = np.lexsort([exponent, group[told]])
    keys = np.stack([group[told], exponent])[:, order]
    first = np.flatnonzero(np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)])[: len(order)])
    if len(first):
        halves = [np.add.reduceat(part[order], first).tolist() for part in (whole >> 32, whole & 0xFFFFFFFF)]
        for row, power, upper, lower in zip(*keys[:, first].tolist(), *halves, strict=True):
            totals[row] += Fraction((upper << 32) + lower) * Fraction(2) ** (power - 53)
    return totals


def counts_by_tile(values: Mapping[str, Floats], tile: Ints, tiles: Sequence[Key]) -> CountsByTile:
    """The sums of columns by tile, of rows whose tiles are given by their positions; -1 is left out."""
    own = np.flatnonzero(tile >= 0)
    sums = {name: exact_sums(column[own], tile[own], len(tiles)) for name, column in values.items()}
    return {key: {name: column[number] for name, column in sums.items()} for number, key in enumerate(tiles)}


def totals(parts: Iterable[CountsByTile]) -> dict[str, float]:
    """The sums of all tiles of some parts by name, rounded once."""
    return add_up([counts for part in parts for counts in part.values()])


def box_around(places: Floats) -> Box | None:
    """The box around places ``(n, 2)``; ``None`` without any."""
    return (*places.min(axis=0).tolist(), *places.max(axis=0).tolist()) if len(places) else None


def add_up(counts: Sequence[Mapping[str, Fraction]]) -> dict[str, float]:
    """Sums by name, rounded once."""
    total: Counts = {}
    for one in counts:
        for name, value in one.items():
            total[name] = total.get(name, Fraction(0)) + value
    return {name: float(value) for name, value in total.items()}


def _packed(rows: Ints) -> str:
    """Whole numbers as text, a few letters each."""
    return b64encode(zlib.compress(rows.astype("<i8").tobytes(), 1)).decode()


def _unpacked(text: str) -> Ints:
    unpacked_text = zlib.decompressobj().decompress(b64decode(text), _MOST_BYTES)
    if len(unpacked_text) == _MOST_BYTES:
        raise ValueError("more rows than a part has")
    return np.frombuffer(unpacked_text, dtype="<i8").astype(np.int64)


def _tiles_as_text(counts: Mapping[str, CountsByTile]) -> dict[str, list[Any]]:
    return {name: [[*(key or ()), own] for key, own in zip(tiles, _as_text(tiles).values(), strict=True)]
            for name, tiles in counts.items()}  # fmt: skip


def _tiles_as_fractions(counts: Mapping[str, list[Any]]) -> dict[str, CountsByTile]:
    return {name: {_key(key): _as_fractions({"": own})[""] for *key, own in tiles}
            for name, tiles in counts.items()}  # fmt: skip


def _key(numbers: list[Any]) -> Key | None:
    """Column and row of a tile; ``None`` for what is of no tile."""
    if not numbers:
        return None
    column, row = numbers
    if not isinstance(column, int) or not isinstance(row, int):
        raise TypeError("columns and rows are whole numbers")
    return column, row


def _as_text(counts: Mapping[Any, Mapping[str, Fraction]]) -> dict[Any, dict[str, str]]:
    return {key: {name: str(value) for name, value in values.items()} for key, values in counts.items()}


def _as_fractions(counts: Mapping[str, Mapping[str, str]]) -> dict[str, Counts]:
    """Fractions from their texts; one with an exponent, which may have billions of digits, is none."""
    if not all(_FRACTION.fullmatch(value) for values in counts.values() for value in values.values()):
        raise ValueError("counts that are no fractions")
    return {key: {name: Fraction(value) for name, value in values.items()} for key, values in counts.items()}
