"""A content that geoeval does not have: points, found or not within a distance. It stands in this one module."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from scipy.optimize import linear_sum_assignment

from geoeval.area import area_in
from geoeval.crs import transform
from geoeval.metrics.content import Content
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import Registry
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score

MAX_DISTANCE = 5.0


@dataclass(frozen=True)
class Points:
    """Places in a CRS."""

    xy: Any
    crs: CRS
    source: str = "points"
    problems: dict[str, int] = field(default_factory=dict)
    scale_error: float | None = None
    extent: Any = None

    def __len__(self) -> int:
        return len(self.xy)

    @property
    def is_empty(self) -> bool:
        return len(self) == 0

    @property
    def centroids(self) -> Any:
        return self.xy

    @property
    def line_ends(self) -> Any:
        return np.zeros((0, 2, 2))

    @property
    def bounds(self):
        return (*self.xy.min(axis=0).tolist(), *self.xy.max(axis=0).tolist())

    def to_crs(self, crs: CRS) -> "Points":
        return self if crs == self.crs else replace(self, xy=transform(self.xy, self.crs, crs), crs=crs)

    def clip(self, area: Any, *, aoi_crs: CRS | None = None) -> "Points":
        inside = shapely.intersects_xy(area_in(area, self.crs, aoi_crs=aoi_crs), self.xy)
        return replace(self, xy=self.xy[inside])


def found(reference: Points, prediction: Points, *, max_distance: float = MAX_DISTANCE) -> MetricResult:
    """How many points of each have a partner of their own."""
    apart = np.hypot(*(reference.xy[:, None] - prediction.xy[None]).T).T
    near = apart <= max_distance
    rows, columns = linear_sum_assignment(np.where(near, apart, 1e6))
    pairs = near[rows, columns]
    tp, ap, pp = int(pairs.sum()), len(reference), len(prediction)
    errors = ErrorFeatures("found")
    missed = np.setdiff1d(np.arange(ap), rows[pairs])
    errors.add("missed", shapely.points(reference.xy[missed]), severity=1.0)
    scores = {"recall": tp / ap if ap else 1.0, "precision": tp / pp if pp else 1.0}
    return MetricResult(scores, counts={"tp": tp, "ap": ap, "pp": pp}, errors=errors)


METRIC = Metric(
    found, headline="recall", about="Points within a distance, one to one.",
    scores=(Score("recall", "Share of the points that are there."), Score("precision", "Share that is right.")),
)  # fmt: skip


class PointContent(Content):
    """Points."""

    name = "points"
    registry = Registry({"found": __name__})

    def describe(self, one: Points) -> dict[str, Any]:
        return {"source": one.source, "points": len(one), "sha256": "", "problems": one.problems}

    def measure(self, one: Points) -> float:
        return float(len(one))

    def prevailing_offset(self, reference: Points, prediction: Points) -> None:
        return None


CONTENT = PointContent()
