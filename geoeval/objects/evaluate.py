"""Evaluate predicted objects against a reference: the one door to all object metrics."""

import hashlib
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.evaluation import Progress, gather, run_metrics
from geoeval.model.objects import ObjectMap
from geoeval.model.result import Result
from geoeval.objects.overlaps import overlaps_of
from geoeval.objects.registry import LEADING, REGISTRY
from geoeval.roads.compilation import announce_compilation


def evaluate_objects(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
    progress: Progress | None = None,
    workers: int = 1,
) -> Result:
    """Score predicted objects such as buildings against a reference, and map what became of each.

    Parameters
    ----------
    reference, prediction
        The objects. Where their CRSs differ, the prediction is brought into the reference's.
    metrics
        ``"all"``, or names: ``"bgm,iou"`` or a sequence.
    parameters
        By metric and name, for example ``{"iou": {"threshold": 0.25}}``; the rest as by default.
    aoi
        Evaluated area in the reference's CRS; both maps are cut to it.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it ends the run.
    workers
        Processes on this machine that share the metrics.

    Returns
    -------
    Result
        Both maps empty: scores 1. One empty: scores 0. What a metric cannot say is ``None``, with the reason in
        ``notes``. There is no chance in it: the same inputs give the same result.

    Examples
    --------
    >>> reference = ObjectMap.from_polygons([shapely.box(0, 0, 10, 10)], crs="EPSG:32616")
    >>> prediction = ObjectMap.from_polygons([shapely.box(0, 0, 5, 10), shapely.box(5, 0, 10, 10)], crs="EPSG:32616")
    >>> evaluate_objects(reference, prediction, metrics="max-overlap").scores["max-overlap"]["one_to_many"]
    1
    """
    chosen = REGISTRY.choose_metrics(metrics)
    values = REGISTRY.choose_parameters(chosen, parameters)
    prediction = prediction.to_crs(reference.crs)
    area = shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi
    if area is not None:
        reference, prediction = reference.clip(area), prediction.clip(area)
    if progress is not None:
        progress(0.0, "overlaps")
    before = perf_counter()
    overlaps = overlaps_of(reference, prediction)
    seconds = {"overlaps": round(perf_counter() - before, 6)}
    with announce_compilation(progress):
        results, own = run_metrics(
            chosen,
            reference,
            prediction,
            values,
            progress=progress,
            shared={"overlaps": overlaps},
            workers=workers,
        )
    return gather(
        "objects",
        reference,
        prediction,
        results,
        describe=describe,
        seed=0,
        parameters=values,
        seconds=seconds | own,
        area=area,
        leading=LEADING,
    )


def describe(objects: ObjectMap) -> dict[str, Any]:
    """What a result says of an input: where it came from, how much it is, and a digest to recognise it by."""
    pairs = len(objects.overlapping)
    return {
        "source": objects.source,
        "objects": len(objects),
        "area_m2": objects.area,
        "sha256": digest(objects),
        "problems": objects.problems | ({"overlapping_pairs": pairs} if pairs else {}),
    }


def digest(objects: ObjectMap) -> str:
    """By which the same objects are recognised, whatever the order of their vertices."""
    return hashlib.sha256(b"".join(shapely.to_wkb(shapely.normalize(objects.polygons)))).hexdigest()
