"""What the metrics of matched outlines share: a number for each matched pair, and its mean."""

from collections.abc import Mapping

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.metrics.metric import Scored
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap
from geoeval.objects.object_counts import counts_of_objects

UNMATCHED = "no objects match, so there are no outlines to compare"


def pair_counts(reference: ObjectMap, prediction: ObjectMap, ref: Ints, columns: Mapping[str, Floats]) -> LocalCounts:
    """Counts at the centroids of the objects: ``refs`` and ``preds``, and for each pair ``matched`` and the columns.

    Those of a pair stand at its object of the reference.
    """
    n, m = len(reference), len(prediction)
    counts = {name: np.zeros(n + m) for name in ("refs", "preds", "matched", *columns)}
    counts["refs"][:n] = 1.0
    counts["preds"][n:] = 1.0
    counts["matched"][ref] = 1.0
    for name, values in columns.items():
        counts[name][ref] = values
    return counts_of_objects(reference, prediction, counts)


def mean_scores(counts: Mapping[str, float], names: Mapping[str, str]) -> Scored:
    """Means over the matched pairs, each score from the sum of that name, and ``matched``.

    Two empty maps have no distance between them: 0. Without a match the means are undefined.
    """
    matched = counts["matched"]
    if matched:
        means = {score: counts[total] / matched for score, total in names.items()}
        return {**means, "matched": int(matched)}, {}
    if not (counts["refs"] or counts["preds"]):
        return {**dict.fromkeys(names, 0.0), "matched": 0}, {}
    return {**dict.fromkeys(names), "matched": 0}, dict.fromkeys(names, UNMATCHED)
