"""What became of one place under one method: scores and counts, or why there are none; as bytes that can be kept."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import shapely

from geoeval.arrays import Box
from geoeval.crs import from_name
from geoeval.model.scores import ScoreValue
from geoeval.scale.tiles.part import check_kept, packed, unpacked

if TYPE_CHECKING:
    from geoeval.model.result import Result

# What can be with a place: it was scored, or has no prediction, no truth, an empty truth, or could not be evaluated.
SCORED, MISSING, NO_TRUTH, EMPTY, FAILED = "scored", "missing", "no truth", "empty", "failed"
_STATUSES = (SCORED, MISSING, NO_TRUTH, EMPTY, FAILED)
_TEXT = ("kind", "metric", "ref_id", "pred_id", "note", "error_id")


@dataclass(frozen=True)
class Outcome:
    """One place under one method.

    Attributes
    ----------
    place, method
        Which.
    status
        ``scored``, ``missing`` (no prediction), ``no truth``, ``empty`` (the truth holds nothing) or ``failed``.
    note
        Why, in one line; for a scored place what must be known of it, often nothing.
    scores, counts, parameters
        By metric or protocol and name, as in a result.
    errors
        Number and length of the errors by kind.
    sizes
        Of both maps, in words.
    crs, extent, unit
        Where the place is, and what lengths are in.
    table
        The errors of the map as rows.
    """

    place: str
    method: str
    status: str
    note: str = ""
    scores: dict[str, dict[str, ScoreValue]] = field(default_factory=dict)
    counts: dict[str, dict[str, float]] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, dict[str, float]] = field(default_factory=dict)
    sizes: tuple[str, str] = ("", "")
    crs: str = ""
    extent: Box | None = None
    unit: str = "m"
    table: pa.Table | None = field(default=None, compare=False)

    @classmethod
    def of_result(cls, place: str, method: str, result: "Result", *, status: str = SCORED, note: str = "") -> "Outcome":
        """The outcome of an evaluation."""
        from geoeval.crs import crs_name
        from geoeval.model.result import amount

        plain = result.plain()
        return cls(
            place, method, status, note, plain["scores"], plain["counts"], plain["parameters"], plain["errors"],
            (amount(result.reference), amount(result.prediction)), crs_name(result.crs), result.extent, result.unit,
            _error_table(result),
        )  # fmt: skip

    def to_bytes(self) -> bytes:
        """The outcome as an Arrow file: the errors as its table, the rest as JSON in its metadata."""
        facts = {name: value for name, value in asdict(replace(self, table=None)).items() if name != "table"}
        return packed(pa.table({}) if self.table is None else self.table, facts)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Outcome":
        """The outcome that ``to_bytes`` gave."""
        table, facts = unpacked(data)
        extent = None if facts["extent"] is None else tuple(facts["extent"])
        own = table if table.num_columns else None
        return cls(**{**facts, "sizes": tuple(facts["sizes"]), "extent": extent, "table": own})

    @property
    def error_count(self) -> int | None:
        """How many errors the map shows; ``None`` where there is no map."""
        return sum(int(entry["count"]) for entry in self.errors.values()) if self.scores else None

    def values(self) -> Iterator[tuple[str, ScoreValue]]:
        """Every score by ``metric.score``."""
        for metric, scores in self.scores.items():
            for score, value in scores.items():
                yield f"{metric}.{score}", value


def check_outcome(data: bytes) -> None:
    """Raise one of ``DAMAGE`` for what ``to_bytes`` did not give: a folder of kept places may be of anybody."""
    kept = Outcome.from_bytes(data)
    texts = (kept.place, kept.method, kept.note, kept.crs, kept.unit, *kept.sizes)
    if not all(isinstance(text, str) for text in texts) or kept.status not in _STATUSES or len(kept.sizes) != 2:
        raise ValueError("facts of another form")
    if kept.extent is not None and [isinstance(one, int | float) for one in kept.extent] != [True] * 4:
        raise ValueError("an extent is four numbers")
    if kept.crs:
        from_name(kept.crs)
    facts = {"scores": kept.scores, "counts": kept.counts, "parameters": kept.parameters, "errors": kept.errors}
    check_kept(kept.table, **facts)


def _error_table(result: "Result") -> pa.Table:
    """The errors that a map shows, all geometry types in one table."""
    parts = []
    for frame in result.map_errors().values():
        if len(frame):
            columns: Mapping[str, Any] = {
                str(name): pa.array([str(value) for value in frame[name]], type=pa.string())
                if name in _TEXT
                else pa.array(frame[name].to_numpy(dtype=np.float64))
                for name in frame.columns
                if name != "geometry"
            }
            wkb = pa.array(list(shapely.to_wkb(frame.geometry.to_numpy())), type=pa.binary())
            parts.append(pa.table({**columns, "geometry": wkb}))
    return pa.concat_tables(parts, promote_options="default") if parts else pa.table({})
