"""Counts of objects and of their corners, with what says whose each of them is."""

from collections.abc import Mapping

import numpy as np

from geoeval.arrays import Floats
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap


def counts_of_objects(reference: ObjectMap, prediction: ObjectMap, counts: Mapping[str, Floats]) -> LocalCounts:
    """Counts with a row for each object of the reference and then of the prediction, at their centroids."""
    n, m = len(reference), len(prediction)
    return LocalCounts(
        np.concatenate([reference.centroids, prediction.centroids]),
        dict(counts), item=np.concatenate([np.arange(n), np.arange(m)]), reference_rows=n,
    )  # fmt: skip


def counts_of_corners(reference: ObjectMap, prediction: ObjectMap, counts: Mapping[str, Floats]) -> LocalCounts:
    """Counts with a row for each corner of the outlines of the reference and then of the prediction."""
    outlines = reference.outlines, prediction.outlines
    return LocalCounts(
        np.concatenate([one.xy for one in outlines]),
        dict(counts), item=np.concatenate([one.owner for one in outlines]), reference_rows=len(outlines[0].xy),
    )  # fmt: skip
