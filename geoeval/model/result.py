"""What an evaluation gives: scores, a map of the errors, and all that is needed to repeat the run."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval._version import __version__
from geoeval.crs import crs_name

if TYPE_CHECKING:
    import geopandas as gpd

Score = float | int | None
GEOMETRY_TYPES = {0: "points", 1: "lines", 3: "polygons"}


class ErrorFeatures:
    """Errors on the map, collected by a metric: one row each, the same columns everywhere.

    Columns: ``kind``, ``metric``, ``ref_id`` and ``pred_id`` (the caller's own features, empty where there
    is none), ``length_m``, ``dist_m``, ``severity`` (0 to 1), ``note``. A length or distance that does not
    apply is NaN. A metric may add columns of numbers of its own; features without them have NaN there.
    """

    COLUMNS = ("kind", "metric", "ref_id", "pred_id", "length_m", "dist_m", "severity", "note")

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.geometries: list[Any] = []
        self.rows: dict[str, list[Any]] = {name: [] for name in self.COLUMNS}

    def __len__(self) -> int:
        return len(self.geometries)

    def add(
        self,
        kind: str,
        geometries: Sequence[Any] | NDArray[np.object_],
        *,
        ref_id: Any = "",
        pred_id: Any = "",
        length_m: Any = None,
        dist_m: Any = np.nan,
        severity: Any = 1.0,
        note: Any = "",
        **numbers: Any,
    ) -> None:
        """Add features of one kind; each argument is one value for all of them or a sequence of values.

        ``length_m`` defaults to the length of the geometry (NaN for points). ``numbers`` are columns of the metric's
        own.
        """
        count = len(geometries)
        if length_m is None:
            own = np.asarray(shapely.length(np.asarray(geometries, dtype=object)), dtype=np.float64).reshape(-1)
            length_m = np.where(own > 0, own, np.nan)
        values = {
            "kind": kind,
            "metric": self.metric,
            "ref_id": ref_id,
            "pred_id": pred_id,
            "length_m": length_m,
            "dist_m": dist_m,
            "severity": severity,
            "note": note,
            **{name: np.nan for name in self.rows if name not in self.COLUMNS},
            **numbers,
        }
        for name in numbers:
            self.rows.setdefault(name, [np.nan] * len(self.geometries))
        for name, value in values.items():
            spread = isinstance(value, list | tuple | np.ndarray)
            self.rows[name].extend(list(value) if spread else [value] * count)
            if len(self.rows[name]) != len(self.geometries) + count:
                raise ValueError(f"{name}: {len(value)} values for {count} features")
        self.geometries.extend(geometries)


@dataclass(frozen=True)
class LocalCounts:
    """Counts of a metric place by place: their sums are the metric's counts.

    Attributes
    ----------
    xy
        Where each row of counts belongs, for maps.
    counts
        By name, one value a row.
    item
        For a metric that can be evaluated in tiles: the node or segment that each row belongs to, of the reference
        in the first ``reference_rows`` rows and of the prediction in the others; ``item_is_node`` says which.
    certain
        For the same: whether a row would be the same if there were more roads beyond the ground that is known.
    """

    xy: NDArray[np.float64]
    counts: dict[str, NDArray[np.float64]]
    item: NDArray[np.int64] | None = None
    item_is_node: bool = True
    reference_rows: int = 0
    certain: NDArray[np.bool_] | None = None

    def sums(self) -> dict[str, float]:
        """The sum of each count, rounded once: it depends on no order."""
        return {name: fsum(values.tolist()) for name, values in self.counts.items()}


@dataclass(frozen=True)
class MetricResult:
    """What one metric gives.

    Attributes
    ----------
    scores
        The scores by name; ``None`` where undefined, with the reason in ``notes``.
    counts
        What the scores are ratios of; adding the counts of several areas pools them.
    errors
        The features that explain the score.
    notes
        Reason or remark by score name.
    details
        Anything a report or a study wants to look at, by name; ``local`` is a ``LocalCounts``.
    """

    scores: dict[str, Score]
    counts: dict[str, float] = field(default_factory=dict)
    errors: ErrorFeatures | None = None
    notes: dict[str, str] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """Scores, error features, and what is needed to repeat the run and to see that it is the same run."""

    kind: str
    crs: CRS
    scale_error: float | None
    seed: int
    reference: dict[str, Any]
    prediction: dict[str, Any]
    parameters: dict[str, dict[str, Any]]
    scores: dict[str, dict[str, Score]]
    counts: dict[str, dict[str, float]]
    errors: dict[str, "gpd.GeoDataFrame"]
    notes: dict[str, str]
    seconds: dict[str, float]
    details: dict[str, dict[str, Any]] = field(default_factory=dict)
    area: Any = None
    offset: dict[str, Any] | None = None
    networks: dict[str, Any] = field(default_factory=dict)
    leading: dict[str, tuple[str, ...]] = field(default_factory=dict)
    plan: dict[str, Any] | None = None
    cells: "gpd.GeoDataFrame | None" = None

    def map_errors(self) -> dict[str, "gpd.GeoDataFrame"]:
        """The errors for a map, where each stands once: several metrics may tell of the same missing road.

        Of a kind in ``leading`` only the features of the first metric named there that was evaluated are kept; so the
        length of what is ``missing`` is the length that this metric counts. ``errors`` has them all.
        """
        leads = {
            kind: next((name for name in metrics if name in self.scores), None)
            for kind, metrics in self.leading.items()
        }
        shown = {}
        for name, frame in self.errors.items():
            pairs = zip(frame["kind"], frame["metric"], strict=True)
            mask = np.array([leads.get(kind, metric) == metric for kind, metric in pairs], dtype=bool)
            shown[name] = frame[mask].reset_index(drop=True)
        return shown

    def error_summary(self) -> dict[str, dict[str, float]]:
        """Number and length of the errors of each kind, as ``map_errors`` gives them."""
        summary: dict[str, dict[str, float]] = {}
        for frame in self.map_errors().values():
            for kind, rows in frame.groupby("kind", sort=True):
                entry = summary.setdefault(str(kind), {"count": 0, "length_m": 0.0})
                entry["count"] += len(rows)
                entry["length_m"] += fsum(rows["length_m"].dropna())
        return dict(sorted(summary.items()))

    def as_dict(self) -> dict[str, Any]:
        """The JSON shape that the command line writes."""
        return {
            "geoeval": __version__,
            "kind": self.kind,
            "crs": crs_name(self.crs),
            "scale_error": self.scale_error,
            "seed": self.seed,
            "reference": self.reference,
            "prediction": self.prediction,
            "area": None if self.area is None else {"wkt": self.area.wkt, "km2": self.area.area / 1e6},
            "offset": self.offset,
            "parameters": self.parameters,
            "scores": self.scores,
            "counts": self.counts,
            "errors": self.error_summary(),
            "plan": self.plan,
            "notes": self.notes,
            "versions": versions(),
            "seconds": self.seconds,
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """The result as JSON text: scores as numbers or null, never NaN."""
        return json.dumps(self.plain(), indent=indent, allow_nan=False, ensure_ascii=False)

    def plain(self) -> dict[str, Any]:
        """As ``as_dict``, with nothing in it that JSON does not know."""
        return _plain(self.as_dict())


def error_frames(collected: Sequence[ErrorFeatures], crs: CRS) -> dict[str, "gpd.GeoDataFrame"]:
    """All errors as one GeoDataFrame a geometry type: ``points``, ``lines``, ``polygons``; empty ones too."""
    import geopandas as gpd
    import pandas as pd

    own = sorted({name for one in collected for name in one.rows if name not in ErrorFeatures.COLUMNS})
    rows = {
        name: [value for one in collected for value in one.rows.get(name) or [np.nan] * len(one)]
        for name in (*ErrorFeatures.COLUMNS, *own)
    }
    geometries = np.array([None, *(g for one in collected for g in one.geometries)], dtype=object)[1:]
    kind_of = shapely.get_type_id(geometries) if len(geometries) else np.zeros(0, dtype=int)
    table = pd.DataFrame(rows).astype(dict.fromkeys(("length_m", "dist_m", "severity", *own), float))
    for name in ("kind", "metric", "ref_id", "pred_id", "note"):
        table[name] = pd.Series([str(value) for value in rows[name]], dtype=str)
    frames = {}
    for single, name in GEOMETRY_TYPES.items():
        mask = np.isin(kind_of, {0: [0, 4], 1: [1, 2, 5], 3: [3, 6]}[single])
        frames[name] = gpd.GeoDataFrame(table[mask].reset_index(drop=True), geometry=geometries[mask], crs=crs)
    return frames


def amount(facts: Mapping[str, Any]) -> str:
    """How much an input is, in words: ``12.34 km`` of road, ``1,234 objects`` or ``1,234 lines``."""
    if "lines" in facts:
        return f"{facts['lines']:,} lines"
    return f"{facts['objects']:,} objects" if "objects" in facts else f"{facts['length_m'] / 1000:,.2f} km"


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    packages = ("numpy", "scipy", "shapely", "pyproj", "numba", "geopandas")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _plain(value: Any) -> Any:
    """Numpy values as Python ones, NaN as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
