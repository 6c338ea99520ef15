"""COCO's twelve numbers from the groups of detections and truths; what ``coco`` and ``boundary-coco`` share."""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats
from geoeval.exceptions import ParameterError
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score, ScoreValue, share
from geoeval.protocols.coco.matching import MOST_DETECTIONS, SIZES, THRESHOLDS, Group, Tables, by_score, tables_of
from geoeval.readers.coco.coco_set import CocoSet

# From an image, the rows of its detections and of its truths: their IoU.
Ious = Callable[[Hashable, Sequence[int], Sequence[int], Bools], Floats]
SCRIPTS = ("coco", "ffl")
SCORES: tuple[Score, ...] = (
    share("ap", "Average precision, mean over IoU from 0.5 to 0.95 and over categories."),
    share("ap50", "Average precision at IoU 0.5."),
    share("ap75", "Average precision at IoU 0.75."),
    share("ap_small", "Average precision of objects up to 32 x 32 pixels."),
    share("ap_medium", "Average precision of objects from 32 x 32 to 96 x 96 pixels."),
    share("ap_large", "Average precision of objects from 96 x 96 pixels on."),
    share("ar1", "Average recall with one detection an image."),
    share("ar10", "Average recall with 10 detections an image."),
    share("ar100", "Average recall with 100 detections an image."),
    share("ar_small", "Average recall of objects up to 32 x 32 pixels."),
    share("ar_medium", "Average recall of objects from 32 x 32 to 96 x 96 pixels."),
    share("ar_large", "Average recall of objects from 96 x 96 pixels on."),
)


def scored(
    reference: CocoSet, prediction: CocoSet, areas: tuple[Floats, Floats], ious: Ious, *, script: str
) -> MetricResult:
    """All numbers of a data set.

    ``areas`` are pixels of truths and detections. ``script`` is ``coco``, or ``ffl``: images without a detection are
    left out, and recall at 100 detections over all thresholds, at 0.5 and at 0.75 stands where that of 1, 10 and 100
    detections should.
    """
    if script not in SCRIPTS:
        raise ParameterError(f"unknown script {script!r}; choose one of {', '.join(SCRIPTS)}")
    groups = _groups(reference, prediction, areas, ious, only_detected=script == "ffl")
    tables = {
        (size, category): tables_of(own, size) for size in SIZES for category, own in groups.items() if own
    }  # fmt: skip
    named = {
        "ap": _precision(tables, "all"),
        "ap50": _precision(tables, "all", 0.5), "ap75": _precision(tables, "all", 0.75),
        **{f"ap_{size}": _precision(tables, size) for size in list(SIZES)[1:]},
        "ar1": _recall(tables, "all", 1), "ar10": _recall(tables, "all", 10), "ar100": _recall(tables, "all"),
        **{f"ar_{size}": _recall(tables, size) for size in list(SIZES)[1:]},
    }  # fmt: skip
    if script == "ffl":
        named |= {
            "ar1": named["ar100"], "ar10": _recall(tables, "all", threshold=0.5),
            "ar100": _recall(tables, "all", threshold=0.75),
        }  # fmt: skip
    notes = {name: "there is no object of this size in the reference" for name, value in named.items() if value is None}
    by_class = {
        reference.categories[category]: _precision({("all", category): tables["all", category]}, "all")
        for size, category in tables
        if size == "all"
    }
    return MetricResult(named, notes=notes, details={"ap_by_class": by_class})


def detections_of(reference: CocoSet, prediction: CocoSet) -> None:
    """Refuse results without scores, and results for images that the reference does not have."""
    if len(prediction) and prediction.score is None:
        msg = f"{prediction.source} has no scores, by which detections are ranked; add a score to every result"
        raise ParameterError(msg)
    strange = next((one for one in prediction.image if one not in reference.images), None)
    if strange is not None:
        raise ParameterError(
            f"{prediction.source} has results for image {strange!r}, which the reference does not have"
        )


def _groups(
    reference: CocoSet, prediction: CocoSet, areas: tuple[Floats, Floats], ious: Ious, *, only_detected: bool
) -> dict[Hashable, list[Group]]:
    """Groups by category, images in the order of their ids."""
    groups: dict[Hashable, list[Group]] = {category: [] for category in reference.categories}
    score = np.zeros(0) if prediction.score is None else prediction.score
    for image in sorted(reference.images, key=_image_order):
        detected = prediction.rows_of_images.get(image, [])
        if only_detected and not detected:
            continue
        true = _by_category(reference, reference.rows_of_images.get(image, []))
        found = _by_category(prediction, detected)
        for category in dict.fromkeys([*true, *found]):
            if category not in groups:  # results of a category that the reference does not have
                continue
            rows = found.get(category, [])
            own = true.get(category, [])
            rows = [rows[k] for k in by_score(score[rows])[:MOST_DETECTIONS]]
            crowd = reference.crowd[own]
            table = ious(image, rows, own, crowd) if rows and own else np.zeros((len(rows), len(own)))
            unnamed = np.array([reference.ids[k] == 0 for k in own], dtype=bool)
            groups[category].append(
                Group(image, category, table, score[rows], areas[1][rows], areas[0][own], crowd, unnamed)
            )
    return groups


def _image_order(image: Hashable) -> tuple[Any, ...]:
    return (0, image, "") if isinstance(image, int) else (1, 0, str(image))


def _by_category(data: CocoSet, rows: Sequence[int]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for row in rows:
        found.setdefault(data.category[row], []).append(row)
    return found


_Found = dict[tuple[str, Hashable], dict[int, Tables]]


def _precision(tables: _Found, size: str, threshold: float | None = None) -> ScoreValue:
    values = [one[MOST_DETECTIONS].precision for (own, _), one in tables.items() if own == size and one]
    return _mean([value if threshold is None else value[_row(threshold)] for value in values])


def _recall(tables: _Found, size: str, most: int = MOST_DETECTIONS, *, threshold: float | None = None) -> ScoreValue:
    values = [one[most].recall for (own, _), one in tables.items() if own == size and one]
    return _mean([value if threshold is None else value[_row(threshold)] for value in values])


def _row(threshold: float) -> int:
    return int(np.argmin(np.abs(THRESHOLDS - threshold)))


def _mean(values: list[Any]) -> ScoreValue:
    return float(np.mean(values)) if values else None
