"""Objects of classes: which there are, and one result of the results of all of them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import extent_of
from geoeval.model.later import LaterDict
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue
from geoeval.objects.instances import Instances
from geoeval.objects.registry import METRICS

Scores = dict[str, dict[str, ScoreValue]]


def check_classes(reference: ObjectMap, prediction: ObjectMap) -> bool:
    """Whether both maps have classes; an error where only one of them does."""
    for one, side in ((reference, "reference"), (prediction, "prediction")):
        if one.classes is None and (reference.classes is not None or prediction.classes is not None):
            raise ParameterError(
                f"the {side} has no classes, and the other side has; name its column or tag: "
                f"{{give:{side}-class=NAME}}, or {{leave:class}}"
            )
    return reference.classes is not None


def classes_of(reference: ObjectMap, prediction: ObjectMap) -> list[str]:
    """The classes that occur on either side; none where the maps have none."""
    held = _held(reference, prediction)
    return sorted(held[0] | held[1])


def of_class(objects: ObjectMap, name: str) -> ObjectMap:
    """The objects of a class."""
    assert objects.classes is not None
    return objects.take(np.flatnonzero(objects.classes == name))


def _held(*maps: ObjectMap) -> list[set[str]]:
    return [set() if one.classes is None else set(one.classes.tolist()) for one in maps]


def _notes(reference: set[str], prediction: set[str]) -> dict[str, str]:
    said = f"{len(reference | prediction)} classes; objects match only within their class"
    for side, names in (("reference", reference - prediction), ("prediction", prediction - reference)):
        if names:
            listed = ", ".join(sorted(names)[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            said += f"; only in the {side}: {listed}"
    return {"classes": said}


def together(
    reference: ObjectMap, prediction: ObjectMap, parts: Mapping[str, Result],
    describe: Callable[[ObjectMap], dict[str, Any]],
) -> Result:  # fmt: skip
    """One result of the results of all classes."""
    notes = _notes(*_held(reference, prediction))
    first = next(iter(parts.values()))
    scores: Scores = {}
    counts: dict[str, dict[str, float]] = {}
    details: dict[str, dict[str, Any]] = {}
    for metric, values in first.parameters.items():
        own = [part.details[metric] for part in parts.values()]
        local = _joined([one["local"] for one in own])
        counts[metric] = local.sums()
        rows = [one["rows"] for one in own if "rows" in one]
        scores[metric], said = METRICS[metric].scores_together(counts[metric], rows, values)
        notes |= {f"{metric}.{score}": note for score, note in said.items()}
        details[metric] = {"local": local}
        if all("instances" in one for one in own):
            details[metric]["instances"] = _instances(reference, prediction, dict(zip(parts, own, strict=True)))
        if all("score" in one for one in own):
            details[metric]["score"] = np.concatenate([one["score"] for one in own])
        if all("shapes" in one for one in own):
            details[metric]["shapes"] = LaterDict(partial(_shapes, [one["shapes"] for one in own]))
    return Result(
        kind="objects",
        crs=reference.crs,
        scale_error=first.scale_error,
        seed=first.seed,
        reference=describe(reference),
        prediction=describe(prediction),
        parameters=first.parameters,
        scores=scores,
        counts=counts,
        errors=LaterDict(partial(_errors, parts)),
        notes=notes,
        seconds={name: round(sum(part.seconds.get(name, 0.0) for part in parts.values()), 6) for name in first.seconds},
        details=details,
        inputs={"reference": reference, "prediction": prediction},
        extent=extent_of(reference, prediction),
        classes={name: part.scores for name, part in parts.items()},
    )


def _joined(parts: Sequence[LocalCounts]) -> LocalCounts:
    return LocalCounts(
        np.concatenate([part.xy for part in parts]),
        {name: np.concatenate([part.counts[name] for part in parts]) for name in parts[0].counts},
    )


def _instances(reference: ObjectMap, prediction: ObjectMap, details: Mapping[str, Mapping[str, Any]]) -> Instances:
    """The matches of all classes, by the numbers of the objects in the whole maps."""
    of_ref, of_pred = np.full(len(reference), -1, dtype=np.int64), np.full(len(prediction), -1, dtype=np.int64)
    ref, pred, count = [], [], 0
    for name, own in details.items():
        found: Instances = own["instances"]
        rows = [np.flatnonzero(one.classes == name) for one in (reference, prediction)]
        for number, there, mine in ((of_ref, found.of_ref, rows[0]), (of_pred, found.of_pred, rows[1])):
            number[mine] = np.where(there >= 0, there + count, -1)
        ref.append(rows[0][found.ref])
        pred.append(rows[1][found.pred])
        count += len(found)
    return Instances(of_ref, of_pred, np.concatenate(ref), np.concatenate(pred))


def _shapes(parts: Sequence[Mapping[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([one[name] for one in parts]) for name in parts[0]}


def _errors(parts: Mapping[str, Result]) -> Any:
    """The errors of all classes, with their class as a column."""
    import pandas as pd

    frames = {}
    for layer in next(iter(parts.values())).errors:
        own = [part.errors[layer].assign(**{"class": name}) for name, part in parts.items()]
        frames[layer] = pd.concat([frame for frame in own if len(frame)] or own[:1], ignore_index=True)
    return frames
