"""Scores per class: houses against houses, churches against churches.

Objects match only within their class. Each class is an evaluation of its own; the scores of all classes together come
from the sums of their counts, as those of tiles do. The mean gives every class that occurs on either side the same
weight. A class that one side lacks is all missed or all false alarms there, and is said in the notes.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from geoeval.metrics.running import Progress
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.objects.content import CONTENT


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
    return CONTENT.evaluate(
        reference, prediction, metrics=metrics, parameters=parameters, progress=progress, workers=workers
    )
