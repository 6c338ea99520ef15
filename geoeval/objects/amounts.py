"""How many objects and how much area there are in each square cell, whatever became of each object.

What a statistician needs: the sums of |n' - n| and of |a' - a| over cells, with n and a the number and the area of the
reference's objects in a cell and n' and a' those of the prediction, each as a share of the reference's total. An object
belongs to the cell of its centroid. Cells begin at whole multiples of their size, in the CRS of the evaluation, so the
errors depend on where the cells lie; ``count_ratio`` and ``area_ratio``, totals over totals, do not.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import fsum

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric, Scored
from geoeval.model.metric_result import MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import Score, ScoreValue
from geoeval.objects.object_counts import counts_of_objects

_NO_REFERENCE = "there is nothing in the reference to take a share of"
# Numbers of columns and rows of cells are below this, so that one float holds both.
_MOST = 2**26


def amounts(reference: ObjectMap, prediction: ObjectMap, *, cell_size: float = 250.0) -> MetricResult:
    """Errors of number and area by cell.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    cell_size
        Side of the cells, in metres.

    Returns
    -------
    MetricResult
        ``count_error``, ``area_error``, ``count_ratio``, ``area_ratio``. Both maps empty: errors 0, ratios 1. Nothing
        in the reference: undefined.

    Notes
    -----
    O(n) for n objects.
    """
    if not cell_size > 0:
        raise ParameterError(f"amounts.cell_size is {cell_size}; give metres above 0")
    n = len(reference)
    places = np.concatenate([reference.centroids, prediction.centroids])
    sign = np.concatenate([np.full(n, -1.0), np.ones(len(prediction))])
    areas = np.concatenate([reference.areas, prediction.areas])
    cell = np.floor(places / cell_size)
    rows = np.column_stack([cell[:, 0] * _MOST + cell[:, 1], sign, sign * areas])
    is_ref = sign < 0
    local = counts_of_objects(
        reference, prediction,
        {
            "refs": is_ref.astype(np.float64), "preds": (~is_ref).astype(np.float64),
            "ref_area": np.where(is_ref, areas, 0.0), "pred_area": np.where(is_ref, 0.0, areas),
        },
    )  # fmt: skip
    counts = local.sums()
    scores, notes = scores_from_rows(counts, rows)
    return MetricResult(scores, counts, None, notes, {"local": local, "rows": rows})


def scores_from_counts(counts: Mapping[str, float]) -> Scored:
    """Scores and notes of one cell, or of several areas whose errors are among the counts."""
    pooled = counts if "count_off" in counts else counts_to_pool({}, counts)
    return _scores(counts, pooled["count_off"], pooled["area_off"])


def counts_to_pool(scores: Mapping[str, ScoreValue], counts: Mapping[str, float]) -> dict[str, float]:
    """The counts with the sums over cells of the errors of number and area, so that areas do not make up for others."""
    found = dict(counts)
    for name, ref, pred in (("count", "refs", "preds"), ("area", "ref_area", "pred_area")):
        share = scores.get(f"{name}_error")
        found[f"{name}_off"] = abs(counts[pred] - counts[ref]) if share is None else share * counts[ref]
    return found


def scores_from_rows(counts: dict[str, float], rows: Floats, **_: object) -> Scored:
    """Scores and notes from one row an object: its cell, and its number and area, negative for the reference's."""
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    bounds = [*np.flatnonzero(np.diff(rows[:, 0], prepend=np.nan)).tolist(), len(rows)]
    # Rounded once a cell, so that the order of the objects does not matter.
    number, area = (
        fsum(abs(fsum(values[low:high])) for low, high in pairwise(bounds)) for values in rows[:, 1:].T.tolist()
    )
    return _scores(counts, number, area)


def _scores(counts: Mapping[str, float], number: float, area: float) -> Scored:
    names = ("count_error", "area_error", "count_ratio", "area_ratio")
    if not counts["refs"]:
        if counts["preds"]:
            return dict.fromkeys(names), dict.fromkeys(names, _NO_REFERENCE)
        return dict(zip(names, (0.0, 0.0, 1.0, 1.0), strict=True)), {}
    values: dict[str, ScoreValue] = {
        "count_error": number / counts["refs"],
        "area_error": area / counts["ref_area"],
        "count_ratio": counts["preds"] / counts["refs"],
        "area_ratio": counts["pred_area"] / counts["ref_area"],
    }
    return values, {}


METRIC = Metric(
    amounts, "count_error", "Errors of the number and the area of objects, cell by cell.",
    scores=(
        Score("count_error", "Sum over cells of the error of the number, as a share of it.", "lower", (0.0, None)),
        Score("area_error", "Sum over cells of the error of the area, as a share of it.", "lower", (0.0, None)),
        Score("count_ratio", "Predicted objects over those of the reference; 1 is right.", "neutral", (0.0, None)),
        Score("area_ratio", "Predicted area over that of the reference; 1 is right.", "neutral", (0.0, None)),
    ),
    counting="places", scores_from_counts=scores_from_counts, scores_from_rows=scores_from_rows,
    counts_to_pool=counts_to_pool, in_all=False,
)  # fmt: skip
