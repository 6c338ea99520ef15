"""The protocol of Hori and Doermann (1996), as far as Liu and Dori (1997) describe it.

- ``count_ratio``: number of detected lines over number of reference lines;
- ``length_ratio``: length of the detected lines over length of the reference lines;
- ``deviation``: mean distance between matched lines, in the unit of the drawings;
- ``matched``: share of the reference bars' length that is matched (a line's value is 1 or 0, its weight its length).

Two bars match if both ends of the one are within half the reference's width plus a margin of the two ends of the
other. Left open there, and chosen here: nearest pairs first, each bar once; the distance of two matched bars is the
mean of the distances of their ends; the margin is one pixel. Only bars are matched by their ends; arcs and polylines
count in the two ratios alone.
"""

import numpy as np
import shapely

from geoeval._kernels.greedy import take_in_order
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.lines.bars import Bars, bars_of, left_out_note
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score, ScoreValue, share


def hori_doermann(reference: Drawing, prediction: Drawing, *, margin: float = 1.0) -> MetricResult:
    """Scores ``length_ratio``, ``count_ratio``, ``deviation`` and ``matched``.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    margin
        How much farther than half the reference's width an end may be, in the unit of the drawings.

    Returns
    -------
    MetricResult
        Both drawings empty: ratios and ``matched`` are 1. The ratios are undefined where the reference is empty,
        ``deviation`` where nothing matches.

    Notes
    -----
    O(n log n + pairs of bars near each other).
    """
    if not margin >= 0:
        raise ParameterError(f"margin is {margin}; give a length of 0 or more")
    true, found = bars_of(reference), bars_of(prediction)
    g, deviation = _matches(true, found, margin)
    length = float(true.lengths.sum())
    scores: dict[str, ScoreValue] = {
        "length_ratio": _ratio(prediction.length, reference.length),
        "count_ratio": _ratio(len(prediction), len(reference)),
        "deviation": float(deviation.mean()) if len(g) else None,
        "matched": float(true.lengths[g].sum()) / length if length else _ratio(len(found), 0),
    }
    reasons = dict.fromkeys(scores, "the reference has no line to compare with") | {"deviation": "no bars match"}
    notes = {name: reasons[name] for name, value in scores.items() if value is None}
    counts = {"ref_bars": float(len(true)), "pred_bars": float(len(found)), "matched": float(len(g))}
    return MetricResult(scores, counts=counts, notes={**left_out_note("matched", reference, prediction), **notes})


def _ratio(detected: float, true: float) -> float | None:
    if true == 0:
        return 1.0 if detected == 0 else None
    return detected / true


def _matches(true: Bars, found: Bars, margin: float) -> tuple[Ints, Floats]:
    """The matched reference bars, and the distance of each from its partner."""
    if len(true) == 0 or len(found) == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    reach = true.widths / 2 + margin
    k, g = shapely.STRtree(true.boxes(reach)).query(shapely.points(found.ends[:, 0]))
    gaps = [
        np.linalg.norm(found.ends[k] - (true.ends[g] if order == 1 else true.ends[g, ::-1]), axis=2)
        for order in (1, -1)
    ]
    straight = gaps[0].sum(axis=1) <= gaps[1].sum(axis=1)
    gap = np.where(straight[:, None], gaps[0], gaps[1])
    mean = gap.mean(axis=1)
    fits = np.flatnonzero((gap <= reach[g][:, None]).all(axis=1))
    order = fits[np.lexsort([k[fits], g[fits], np.round(mean[fits], 9)])]
    taken = order[take_in_order(g[order], k[order], len(true), len(found))]
    return g[taken], mean[taken]


METRIC = Metric(
    hori_doermann, "matched", "Length, number and deviation of the detected lines.",
    scores=(
        Score("length_ratio", "Length of the detected lines over that of the reference lines.", "neutral", (0.0, None)),
        Score("count_ratio", "Number of detected lines over that of the reference lines.", "neutral", (0.0, None)),
        Score("deviation", "Mean distance of the ends of matched bars.", "lower", (0.0, None), "unit of the drawing"),
        share("matched", "Share of the length of the reference's bars that is matched."),
    ),
    in_all=False,
)  # fmt: skip
