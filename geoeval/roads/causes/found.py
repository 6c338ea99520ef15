"""The errors that were found, as columns, and what was too small to be one."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects

# What is only on one side, of the reference or of the prediction.
ALONE_KINDS = ("missing", "spurious")
# In data: the features, and the unmatched metres, of the reference and of the prediction.
IDS, METRES = ("ref_id", "pred_id"), ("ref_m", "pred_m")


@dataclass
class Found:
    """Errors as columns; what is too small to be one, by kind: number and length.

    ``surroundings`` are the roads on which something is unmatched, as far as that explains their junctions.
    """

    rows: dict[str, list[Any]] = field(default_factory=dict)
    slivers: dict[str, list[float]] = field(default_factory=dict)
    surroundings: Objects = field(default_factory=lambda: np.zeros(0, dtype=object))

    def add(self, kind: str, geometry: Objects, **columns: Any) -> None:
        """Add errors of one kind; a column is one value for all or one each."""
        count = len(geometry)
        values = {
            "kind": kind, "geometry": geometry, "length_m": shapely.length(geometry), "ref_id": "", "pred_id": "",
            "dist_m": np.nan, "ref_m": 0.0, "pred_m": 0.0, "note": "", **columns,
        }  # fmt: skip
        for name, value in values.items():
            each = isinstance(value, list | np.ndarray)
            self.rows.setdefault(name, []).extend(list(value) if each else [value] * count)

    def sum_up(self, kind: str, metres: Floats) -> None:
        """Count slivers of a kind."""
        if len(metres):
            entry = self.slivers.setdefault(kind, [0, 0.0])
            entry[0] += len(metres)
            entry[1] += float(metres.sum())
