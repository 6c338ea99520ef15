"""What mending an error is expected to bring, from the counts of an evaluation and the kind of the error alone.

It is what an isolated error of its kind changes: lengths for CCQ, and TP, PP and AP for OPT-J.
"""

from typing import TYPE_CHECKING

import numpy as np

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.error_kinds import ErrorKind
from geoeval.model.result import Result

if TYPE_CHECKING:
    import geopandas as gpd

# The scores that gains are in, and the counts that they are of.
HEADLINES = {"ccq": "quality", "opt-j": "f1"}
_COUNTS = {"ccq": ("ref_length", "ref_matched", "pred_length", "pred_matched"), "opt-j": ("tp", "pp", "ap")}


def expected_gains(result: Result, kinds: list[ErrorKind], number: Ints, length: Floats, arms: Floats) -> Floats:
    """Growth of the mean of the headline scores if each error alone is fixed; ``number`` names its kind.

    A score whose counts a result does not have, as one from a file may not, is left out.
    """
    gains = []
    known = {metric for metric, names in _COUNTS.items() if {*names} <= result.counts.get(metric, {}).keys()}
    now = {
        metric: result.scores.get(metric, {}).get(score) if metric in known else None
        for metric, score in HEADLINES.items()
    }
    if now["ccq"] is not None:
        name = np.array([kind.name for kind in kinds], dtype=object)[number]
        gains.append(_ccq_quality(result, name, length) - float(now["ccq"]))
    if now["opt-j"] is not None:
        counts = np.array([float(result.counts["opt-j"][name]) for name in _COUNTS["opt-j"]])
        after = counts + _opt_j_changes(kinds, number, arms)
        sums = after[:, 1] + after[:, 2]
        f1 = np.where(sums > 0, 2 * after.min(axis=1, initial=np.inf) / np.where(sums > 0, sums, 1.0), 1.0)
        gains.append(f1 - float(now["opt-j"]))
    return np.maximum(np.mean(gains, axis=0), 0.0) if gains else np.zeros(len(number))


def _opt_j_changes(kinds: list[ErrorKind], number: Ints, arms: Floats) -> Floats:
    """How TP, PP and AP of OPT-J change ``(n, 3)`` if each error is fixed."""
    change = -np.array([kind.opt_j_change for kind in kinds], dtype=np.float64).reshape(-1, 3)[number]
    junction = np.array([kind.name == "junction" for kind in kinds], dtype=bool)[number]
    here, there = arms[junction].T
    change[junction] = np.column_stack([there - np.minimum(here, there), there - here, np.zeros(len(here))])
    return change


def _ccq_quality(result: Result, kind: Objects, length: Floats) -> Floats:
    """The quality of CCQ if each error alone is fixed."""
    counts = result.counts["ccq"]
    added = np.where((kind == "missing") & np.isfinite(length), length, 0.0)
    removed = np.where((kind == "spurious") & np.isfinite(length), length, 0.0)
    ref, ref_matched = counts["ref_length"], counts["ref_matched"] + added
    pred, pred_matched = counts["pred_length"] + added - removed, counts["pred_matched"] + added
    completeness = np.minimum(ref_matched / ref, 1.0) if ref else np.ones(len(kind))
    positive = pred > 0
    correctness = np.where(positive, np.minimum(pred_matched / np.where(positive, pred, 1.0), 1.0), float(not ref))
    both = (correctness > 0) & (completeness > 0)
    a, b = np.where(both, correctness, 1.0), np.where(both, completeness, 1.0)
    return np.asarray(np.where(both, 1 / (1 / a + 1 / b - 1), 0.0), dtype=np.float64)


def arms_of(frame: "gpd.GeoDataFrame") -> Floats:
    """Arms of each junction in the prediction and in the reference ``(n, 2)``; 0 and 0 where they are not known."""
    columns = [frame[name] if name in frame else np.full(len(frame), np.nan) for name in ("arms", "ref_arms")]
    arms = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    return np.where(np.isfinite(arms).all(axis=1, keepdims=True), arms, 0.0)
