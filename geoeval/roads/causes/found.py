"""The errors that were found, as columns, and what was too small to be one."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.unmatched import Runs
from geoeval.roads.geometry.sampling import coordinates

# What is only on one side, of the reference or of the prediction.
ALONE_KINDS = ("missing", "spurious")
# In data: the features, and the unmatched metres, of the reference and of the prediction.
IDS, METRES = ("ref_id", "pred_id"), ("ref_m", "pred_m")


@dataclass
class Found:
    """Errors as columns; what is too small to be one, by kind: rows of x, y and metres.

    ``surroundings`` are the roads on which something is unmatched, as far as that explains their junctions.
    """

    rows: dict[str, list[Any]] = field(default_factory=dict)
    slivers: dict[str, Floats] = field(default_factory=dict)
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

    def sum_up(self, kind: str, network: RoadNetwork, runs: Runs, metres: Floats) -> None:
        """Put stretches of roads aside as slivers of a kind, with their unmatched metres."""
        if len(metres):
            middle = (runs.begin + runs.end) / 2
            places = coordinates(network, *network.roads.locate(runs.road, middle, network.segment_lengths))
            before = self.slivers.get(kind, np.zeros((0, 3)))
            self.slivers[kind] = np.concatenate([before, np.column_stack([places, metres])])
