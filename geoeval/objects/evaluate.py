"""Evaluate predicted objects against a reference, both prepared already."""

from collections.abc import Iterable, Mapping
from typing import Any

from geoeval.metrics.running import Progress, evaluate_maps
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.objects.content import CONTENT, describe

__all__ = ["describe", "evaluate_objects"]


def evaluate_objects(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    aoi: Any = None,
    progress: Progress | None = None,
    workers: int = 1,
) -> Result:
    """Score predicted objects such as buildings against a reference and locate the errors.

    Takes maps that are prepared already: read, in one CRS, cut and aligned; ``geoeval.evaluate`` does all of that.

    Parameters
    ----------
    reference, prediction
        The objects. If their CRSs differ, the prediction is brought into the reference's.
    metrics
        ``"all"``, or names: ``"bgm,iou"`` or a sequence.
    parameters
        By metric and name, for example ``{"iou": {"threshold": 0.25}}``; the others keep their defaults.
    aoi
        The area to evaluate: a box, a polygon, a GeoDataFrame or a file of polygons. Both maps are cut to it. By
        default all of both.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it stops the run.
    workers
        Number of processes that share the Mallows scores; the result does not depend on it.

    Returns
    -------
    Result
        Both maps empty: the scores are 1. One empty: they are 0. An undefined score is ``None``, with the reason in
        ``notes``. Nothing is sampled: the same inputs give the same result.

    Raises
    ------
    EmptyInputError
        Nothing of either map lies in the area.

    Examples
    --------
    >>> import shapely
    >>> from geoeval import ObjectMap, evaluate_objects
    >>> reference = ObjectMap.from_polygons([shapely.box(0, 0, 10, 10)], crs="EPSG:32616")
    >>> prediction = ObjectMap.from_polygons([shapely.box(0, 0, 5, 10), shapely.box(5, 0, 10, 10)], crs="EPSG:32616")
    >>> evaluate_objects(reference, prediction, metrics="max-overlap").scores["max-overlap"]["one_to_many"]
    1
    """
    return evaluate_maps(
        CONTENT, reference, prediction, metrics=metrics, parameters=parameters, aoi=aoi, progress=progress,
        workers=workers,
    )  # fmt: skip
