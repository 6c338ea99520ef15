"""Short names: a shapefile keeps ten characters of a field name, and all formats use the same names."""

import re
from collections.abc import Collection, Iterable

from geoeval.model.error_kinds import error_kind

LIMIT = 10
# What the formats use for themselves.
RESERVED = frozenset({"fid", "ogc_fid", "geom", "geometry"})

_METRICS = {"combined": "comb", "distance": "dist", "hoover": "hoov", "max-overlap": "mo", "vector": "vec"}
_SCORES = {
    "chamfer": "chamf",
    "completeness": "comp",
    "correct": "corr",
    "correctness": "corr",
    "f_correct": "fcor",
    "f_error": "ferr",
    "false_alarm": "falarm",
    "hausdorff": "haus",
    "infeasible": "infea",
    "mallows": "mallow",
    "many_to_one": "nto1",
    "matched": "match",
    "one_to_many": "1ton",
    "one_to_one": "1to1",
    "overlap": "over",
    "per_line": "line",
    "per_pixel": "pixel",
    "precision": "prec",
    "precision_length_weighted": "precw",
    "prediction_to_reference": "p2r",
    "quality": "qual",
    "quality_length": "qual_l",
    "recall": "rec",
    "recall_length_weighted": "recw",
    "reference_to_prediction": "r2p",
    "threshold": "thres",
    "too_long": "long",
    "too_short": "short",
}


def layer_name(kind: str, *, suffix: str = "", taken: Collection[str] = ()) -> str:
    """The name of the layer of a kind: letters, digits and ``_``, at most ten, and not among those ``taken``."""
    return _unique(_fit(error_kind(kind).layer or _slug(kind) or "other", suffix), taken)


def part_name(name: str, part: int, *, taken: Collection[str] = ()) -> str:
    """The name of a further part of a layer that is too large for one file."""
    return _unique(_fit(name, f"_{part}"), taken)


def field_names(names: Iterable[str]) -> dict[str, str]:
    """A unique field name of at most ten characters for each name; ``metric.score`` is shortened as a pair.

    The same names in the same order always give the same fields. O(n).
    """
    fields: dict[str, str] = {}
    for name in names:
        metric, _, score = str(name).partition(".")
        pair = _slug(metric) and _slug(score)
        fields[name] = _unique(_score(metric, score) if pair else _fit(_slug(name) or "field"), fields.values())
    return fields


def _score(metric: str, score: str) -> str:
    head = _METRICS.get(metric) or _slug(metric).replace("_", "")[:5]
    if _slug(score) == _slug(metric):
        return head
    left = LIMIT - len(head) - 1
    return f"{head}_{(_SCORES.get(score) or _slug(score).replace('_', ''))[:left]}"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(name).lower()).strip("_")


def _fit(name: str, suffix: str = "") -> str:
    left = LIMIT - len(suffix)
    if len(name) > left:
        name = name.replace("_", "")
    return name[:left] + suffix


def _unique(name: str, taken: Collection[str]) -> str:
    used = RESERVED.union(taken)
    number, candidate = 1, name
    while candidate in used:
        number += 1
        candidate = _fit(name, f"_{number}")
    return candidate
