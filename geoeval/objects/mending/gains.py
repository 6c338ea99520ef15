"""What edits gain, measured: they are carried out and the scores are counted again.

Objects that overlap, before or after an edit, make a component, and the counts of a component depend on nothing else.
So the first edits of all components are carried out together, then the second ones, and so on; the change of a
component's counts is what its edit did. Scores come from the sums.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.metrics.running import run_metrics
from geoeval.model.object_map import ObjectMap
from geoeval.objects.mending.edits import ObjectEdits
from geoeval.objects.overlaps import linked, overlap_pairs, overlaps_of
from geoeval.objects.registry import METRICS

# The scores that gains are in.
HEADLINES = {"bgm": "score", "max-overlap": "f1", "iou": "f1"}
# Further edits of one component are carried out together, and share what they bring.
ROUNDS = 12

Values = Mapping[str, Mapping[str, Any]]
Counts = dict[str, dict[str, Floats]]


def changes_of_counts(edits: ObjectEdits, labels: tuple[Ints, Ints], component: Ints, values: Values) -> Counts:
    """By metric and count, what each edit changes when it comes after the earlier edits of its component.

    ``labels`` are the ``components``, ``component`` is that of each edit; edits are taken in their order.
    """
    turn = np.minimum(_turns(component), ROUNDS - 1)
    changes: Counts = {}
    before = _counts(edits, turn < 0, labels, np.unique(component), values)
    for number in range(turn.max(initial=-1) + 1):
        mine = turn == number
        after = _counts(edits, turn <= number, labels, np.unique(component[mine]), values)
        sharing = np.bincount(component[mine], minlength=labels[0].max(initial=0) + labels[1].max(initial=0) + 2)
        for metric, counts in after.items():
            for name, found in counts.items():
                own = changes.setdefault(metric, {}).setdefault(name, np.zeros(edits.count))
                at = component[mine]
                own[mine] = (found[at] - before[metric][name][at]) / sharing[at]
                before[metric][name][at] = found[at]
    return changes


def components(edits: ObjectEdits) -> tuple[Ints, Ints]:
    """The component of each object of the reference and of the prediction."""
    reference, prediction = edits.reference, edits.prediction
    shift = len(reference)
    ref, pred, _ = overlap_pairs(reference, prediction)
    single = np.flatnonzero(edits.partner >= 0)
    links = [
        np.column_stack([ref, pred + shift]),
        reference.overlapping,
        prediction.overlapping + shift,
        np.column_stack([single, edits.partner[single] + shift]),
    ]
    moved = np.flatnonzero(~shapely.is_missing(edits.moved))
    outlines = edits.moved[moved]
    for others, rows in (
        (reference.polygons, np.arange(shift)),
        (prediction.polygons, shift + np.arange(len(prediction))),
        (outlines, shift + moved),
    ):
        if len(moved) and len(others):
            one, other = shapely.STRtree(others).query(outlines, predicate="intersects")
            links.append(np.column_stack([shift + moved[one], rows[other]]))
    label = linked(shift + len(prediction), np.concatenate(links))
    return label[:shift], label[shift:]


def component_of_edits(edits: ObjectEdits, labels: tuple[Ints, Ints]) -> Ints:
    """The component of each edit."""
    found = np.zeros(edits.count + 1, dtype=np.int64)
    for number, label in ((edits.of_ref, labels[0]), (edits.of_pred, labels[1])):
        found[number] = label
    return found[:-1]


def scores_along(counts: Mapping[str, Mapping[str, float]], changes: Counts, edits: int) -> Floats:
    """The mean of the scores before any edit and after each, ``(edits + 1,)``; 0 throughout without any score."""
    means = np.zeros(edits + 1)
    for metric, own in changes.items():
        names = list(own)
        rows = np.cumsum(
            np.vstack([[counts[metric][name] for name in names], np.column_stack([own[name] for name in names])]),
            axis=0,
        )
        means += [score_of(metric, dict(zip(names, row, strict=True))) for row in rows.tolist()]
    return means / max(len(changes), 1)


def score_of(metric: str, counts: Mapping[str, float]) -> float:
    """The headline of a metric from its counts."""
    # Sums of many changes are whole numbers but for rounding.
    value = METRICS[metric].scores_of({name: round(one, 9) for name, one in counts.items()}, {})[0][HEADLINES[metric]]
    return 1.0 if value is None else float(value)


def _turns(component: Ints) -> Ints:
    """How many edits of its component come before each edit."""
    order = np.argsort(component, kind="stable")
    sorted_ones = component[order]
    first = np.searchsorted(sorted_ones, sorted_ones)
    turn = np.empty(len(component), dtype=np.int64)
    turn[order] = np.arange(len(component)) - first
    return turn


def _counts(edits: ObjectEdits, done: Bools, labels: tuple[Ints, Ints], wanted: Ints, values: Values) -> Counts:
    """By metric and count the sums of the wanted components, by their numbers, after some edits."""
    size = int(max(labels[0].max(initial=-1), labels[1].max(initial=-1))) + 1
    is_wanted = np.zeros(size, dtype=bool)
    is_wanted[wanted] = True
    there, outlines, put_in = edits.outcome(np.append(done, False))
    kept, added = is_wanted[labels[1][there]], put_in[is_wanted[labels[0][put_in]]]
    reference, prediction = edits.reference, edits.prediction
    true = _labelled(reference, np.flatnonzero(is_wanted[labels[0]]), labels[0])
    classes = sure = None
    if reference.classes is not None and prediction.classes is not None:
        classes = np.concatenate([prediction.classes[there][kept], reference.classes[added]])
    if prediction.confidence is not None:
        sure = np.concatenate([prediction.confidence[there][kept], edits.confidence_put_in(added)])
    predicted = ObjectMap(
        np.concatenate([outlines[kept], reference.polygons[added]]), crs=reference.crs,
        ids=np.concatenate([labels[1][there][kept], labels[0][added]]), classes=classes, confidence=sure,
    )  # fmt: skip
    sums: Counts = {}
    for maps in [(true, predicted)] if classes is None else _pairs(true, predicted):
        label = np.concatenate([maps[0].ids, maps[1].ids]).astype(np.int64)
        shared = {"overlaps": overlaps_of(*maps)}
        results, _ = run_metrics(
            [METRICS[name] for name in values], *maps, {name: dict(own) for name, own in values.items()}, shared=shared
        )
        for metric, result in results.items():
            for name, own in result.details["local"].counts.items():
                found = sums.setdefault(metric, {}).setdefault(name, np.zeros(size))
                found += np.bincount(label, weights=own, minlength=size)
    return sums


def _labelled(objects: ObjectMap, rows: Ints, label: Ints) -> ObjectMap:
    return objects.take(rows, ids=label[rows].tolist())


def _pairs(true: ObjectMap, predicted: ObjectMap) -> list[tuple[ObjectMap, ObjectMap]]:
    """Both maps class by class."""
    assert true.classes is not None
    assert predicted.classes is not None
    names = sorted({*true.classes.tolist(), *predicted.classes.tolist()})
    return [
        (true.take(np.flatnonzero(true.classes == name)), predicted.take(np.flatnonzero(predicted.classes == name)))
        for name in names
    ] or [(true, predicted)]
