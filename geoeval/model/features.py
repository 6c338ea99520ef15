"""Errors as features on a map: collected by metrics, handed out as GeoDataFrames.

Drawing hundreds of thousands of features can take longer than scoring them. So a metric may say how its features are
made instead of making them, and the frames of a result are made when somebody looks at them.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from pyproj import CRS

from geoeval.arrays import Bools, Objects
from geoeval.model.error_kinds import error_kind

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

GEOMETRY_TYPES = {0: "points", 1: "lines", 3: "polygons"}


class ErrorFeatures:
    """Errors on the map, collected by a metric: one row per error, with the same columns everywhere.

    Columns: ``kind``, ``metric``, ``ref_id`` and ``pred_id`` (ids of the input features, empty if there is none),
    ``length_m``, ``dist_m``, ``severity`` (0 to 1), ``note``. A length or distance that does not apply is NaN. A metric
    may add numeric columns of its own; features without them have NaN there.
    """

    COLUMNS = ("kind", "metric", "ref_id", "pred_id", "length_m", "dist_m", "severity", "note")
    TEXT = ("kind", "metric", "ref_id", "pred_id", "note")

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self.geometries: list[Any] = []
        self.rows: dict[str, list[Any]] = {name: [] for name in self.COLUMNS}

    @classmethod
    def later(cls, metric: str, make: "Callable[[], ErrorFeatures]") -> "ErrorFeatures":
        """Features that ``make`` makes when they are first looked at; which may be never."""
        return _LaterFeatures(metric, make)

    def __len__(self) -> int:
        return len(self.geometries)

    def add(
        self,
        kind: str,
        geometries: Sequence[Any] | Objects,
        *,
        ref_id: Any = "",
        pred_id: Any = "",
        length_m: Any = None,
        dist_m: Any = np.nan,
        severity: Any = 1.0,
        note: Any = "",
        **numbers: Any,
    ) -> None:
        """Add features of one kind; each argument is one value for all features or a sequence with one value each.

        ``length_m`` defaults to the length of the geometry (NaN for points). ``numbers`` are additional columns.
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


class _LaterFeatures(ErrorFeatures):
    """Features that are made when they are first looked at."""

    def __init__(self, metric: str, make: Callable[[], ErrorFeatures]) -> None:
        self.metric = metric
        self._make = make

    @cached_property
    def _made(self) -> ErrorFeatures:
        return self._make()

    @property
    def geometries(self) -> list[Any]:  # type: ignore[override] # read where the others are attributes
        return self._made.geometries

    @property
    def rows(self) -> dict[str, list[Any]]:  # type: ignore[override]
        return self._made.rows

    def __reduce__(self) -> tuple[Any, ...]:
        return _copy_of, (self.metric, self.geometries, self.rows)


def _copy_of(metric: str, geometries: list[Any], rows: dict[str, list[Any]]) -> ErrorFeatures:
    features = ErrorFeatures(metric)
    features.geometries, features.rows = geometries, rows
    return features


def error_frames(collected: Sequence[ErrorFeatures], crs: CRS) -> dict[str, "gpd.GeoDataFrame"]:
    """All errors as GeoDataFrames, one per geometry type: ``points``, ``lines``, ``polygons``; each may be empty."""
    import geopandas as gpd
    import pandas as pd

    own = sorted({name for one in collected for name in one.rows if name not in ErrorFeatures.COLUMNS})
    geometries = np.array([None, *chain.from_iterable(one.geometries for one in collected)], dtype=object)[1:]
    kind_of = shapely.get_type_id(geometries) if len(geometries) else np.zeros(0, dtype=int)
    table = pd.DataFrame({name: _column(name, collected) for name in (*ErrorFeatures.COLUMNS, *own)})
    frames = {}
    for single, name in GEOMETRY_TYPES.items():
        mask = np.isin(kind_of, {0: [0, 4], 1: [1, 2, 5], 3: [3, 6]}[single])
        frames[name] = gpd.GeoDataFrame(table[mask].reset_index(drop=True), geometry=geometries[mask], crs=crs)
    return frames


def is_of_reference(frame: "pd.DataFrame") -> Bools:
    """Which errors are said of the reference alone, such as its duplicates: no errors of the prediction."""
    kinds, ref, pred = (frame[name].to_numpy(dtype=object) for name in ("kind", "ref_id", "pred_id"))
    of_input = [kind for kind in dict.fromkeys(kinds.tolist()) if error_kind(kind).of_input]
    return np.isin(kinds, of_input) & (ref != "") & (pred == "") if of_input else np.zeros(len(frame), dtype=bool)


def _column(name: str, collected: Sequence[ErrorFeatures]) -> Any:
    """The values of all features in one column, as text or as numbers; NaN where a metric has no such column."""
    import pandas as pd

    values = chain.from_iterable(one.rows.get(name) or repeat(np.nan, len(one)) for one in collected)
    if name in ErrorFeatures.TEXT:
        return pd.Series(list(map(str, values)), dtype=str)
    return np.fromiter(values, dtype=np.float64, count=sum(len(one) for one in collected))
