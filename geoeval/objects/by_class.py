"""Scores per class: houses against houses, churches against churches.

Objects match only within their class. Each class is an evaluation of its own; the scores of all classes together come
from the sums of their counts, as those of tiles do. The mean gives every class that occurs on either side the same
weight. A class that one side lacks is all missed or all false alarms there, and is said in the notes.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress, extent_of
from geoeval.model.later import LaterDict
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue
from geoeval.objects.evaluate import describe, evaluate_objects
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


def evaluate_by_class(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
    workers: int = 1,
) -> Result:
    """Score predicted objects against a reference, class by class.

    Parameters
    ----------
    reference, prediction
        Maps with ``classes``, in one CRS.
    metrics, parameters, progress, workers
        As for ``evaluate_objects``.

    Returns
    -------
    Result
        ``scores``, ``counts`` and ``errors`` of all classes together, matched within classes; ``classes`` has the
        scores of each, and the errors have a column ``class``. Two empty maps have no class: their scores are those of
        ``evaluate_objects``.

    Raises
    ------
    ParameterError
        One of the maps has no classes.
    """
    check_classes(reference, prediction)
    asked: dict[str, Any] = {"metrics": metrics, "parameters": parameters, "workers": workers}
    held = [set() if one.classes is None else set(one.classes.tolist()) for one in (reference, prediction)]
    names = sorted(held[0] | held[1])
    if not names:
        return evaluate_objects(reference, prediction, progress=progress, **asked)
    parts = {}
    for number, name in enumerate(names):
        maps = [_of_class(one, name) for one in (reference, prediction)]
        parts[name] = evaluate_objects(*maps, progress=_share(progress, number, len(names)), **asked)
    return _together(reference, prediction, parts, _notes(*held))


def _of_class(objects: ObjectMap, name: str) -> ObjectMap:
    assert objects.classes is not None
    return objects.take(np.flatnonzero(objects.classes == name))


def _share(progress: Progress | None, number: int, count: int) -> Progress | None:
    return None if progress is None else lambda share, said: progress((number + share) / count, said)


def _notes(reference: set[str], prediction: set[str]) -> dict[str, str]:
    said = f"{len(reference | prediction)} classes; objects match only within their class"
    for side, names in (("reference", reference - prediction), ("prediction", prediction - reference)):
        if names:
            listed = ", ".join(sorted(names)[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            said += f"; only in the {side}: {listed}"
    return {"classes": said}


def _together(
    reference: ObjectMap, prediction: ObjectMap, parts: Mapping[str, Result], notes: dict[str, str]
) -> Result:
    """One result of the results of all classes."""
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
        seed=0,
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
