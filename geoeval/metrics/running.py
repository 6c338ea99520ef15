"""What the evaluations of all kinds of map content share: run the metrics one after the other, and gather them."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from shapely.geometry.base import BaseGeometry

from geoeval._kernels.compiling import announce_compilation
from geoeval.area import area_in
from geoeval.arrays import Box
from geoeval.contents import SIDES
from geoeval.engines import Task, open_engine
from geoeval.exceptions import EmptyInputError, GeoevalWarning
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures, error_frames
from geoeval.model.later import LaterDict
from geoeval.model.metric_result import MetricResult
from geoeval.model.result import Result

if TYPE_CHECKING:
    from geoeval.metrics.content import Content

Progress = Callable[[float, str], None]


def run_metrics(
    metrics: Sequence[Metric],
    reference: Any,
    prediction: Any,
    values: Mapping[str, dict[str, Any]],
    *,
    seed: int = 0,
    progress: Progress | None = None,
    shared: Mapping[str, Any] | None = None,
    workers: int = 1,
) -> tuple[dict[str, MetricResult], dict[str, float]]:
    """What each metric gives, and the seconds that it took.

    ``shared`` is what several metrics need and take as an argument of that name. With several ``workers`` the metrics
    run side by side in processes of their own; the numbers are the same.
    """
    tasks: list[Task] = [
        (_run, (metric, reference, prediction, values[metric.name], seed, shared)) for metric in metrics
    ]
    timed: list[Any] = [None] * len(tasks)
    with open_engine(min(workers, len(tasks)) if workers > 1 else workers) as engine:
        alone = workers == 1
        if alone:  # only a metric in this process can tell how far it is
            tasks = [(_run, (*own, _part(progress, i, len(tasks), own[0]))) for i, (_, own) in enumerate(tasks)]
        for done, (number, outcome) in enumerate(engine.run(tasks), start=1):
            timed[number] = outcome
            if progress is not None and not alone:
                progress(done / len(tasks), metrics[number].name)
    if progress is not None:
        progress(1.0, "done")
    pairs = list(zip(metrics, timed, strict=True))
    return {m.name: result for m, (result, _) in pairs}, {m.name: seconds for m, (_, seconds) in pairs}


def _run(
    metric: Metric,
    reference: Any,
    prediction: Any,
    values: dict[str, Any],
    seed: int,
    shared: Mapping[str, Any] | None,
    report: Callable[[float], None] | None = None,
) -> tuple[MetricResult, float]:
    before = perf_counter()
    machinery: dict[str, Any] = {name: value for name, value in (shared or {}).items() if metric.accepts(name)}
    if metric.accepts("rng"):
        # Each metric has a stream of its own, so that the choice of metrics does not change any of them.
        machinery["rng"] = np.random.default_rng([seed, crc32(metric.name.encode())])
    if metric.accepts("progress"):
        machinery["progress"] = report
    if report is not None:
        report(0.0)
    result = metric.function(reference, prediction, **values, **machinery)
    return result, round(perf_counter() - before, 6)


def evaluate_maps(
    content: "Content",
    reference: Any,
    prediction: Any,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: int = 0,
    aoi: Any = None,
    progress: Progress | None = None,
    workers: int = 1,
    **own: Any,
) -> Result:
    """Score a prediction against a reference, both of one content and prepared already, all of it at once.

    Parameters
    ----------
    content
        What kind of map they are.
    reference, prediction
        The maps. If their CRSs differ, the prediction is brought into the reference's.
    metrics, parameters, preset, seed
        As for ``geoeval.evaluate``.
    aoi
        The area to evaluate, to which both are cut: a box, a polygon, a GeoDataFrame or a file of polygons.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it stops the run.
    workers
        Processes that share the work; the result does not depend on it.
    own
        What this content alone is asked for, see ``Content.prepare``.
    """
    chosen = content.registry.choose_metrics(metrics)
    values = content.values_of(chosen, parameters, preset)
    prediction = prediction.to_crs(reference.crs)
    area = None
    if aoi is not None:
        area = area_in(aoi, reference.crs, near=extent_of(reference, prediction))
        reference, prediction = cut_to(area, reference, prediction)
    if progress is not None:
        progress(0.0, "preparing")
    ready = content.prepare(reference, prediction, chosen, values, **own)
    apart = content.metrics_run_apart
    with announce_compilation(progress):
        results, seconds = run_metrics(
            ready.metrics, ready.reference, ready.prediction, ready.values, seed=seed, progress=progress,
            shared=ready.shared if apart else {**ready.shared, "workers": workers}, workers=workers if apart else 1,
        )  # fmt: skip
    result = gather(
        content.name, ready.reference, ready.prediction, results, describe=content.describe,
        input_errors=content.input_errors(ready.reference, ready.prediction), seed=seed,
        parameters={metric.name: ready.values[metric.name] for metric in ready.metrics},
        seconds=ready.seconds | seconds, area=area,
    )  # fmt: skip
    return replace(result, notes={**ready.notes, **result.notes})


def gather(
    kind: str,
    reference: Any,
    prediction: Any,
    results: Mapping[str, MetricResult],
    *,
    describe: Callable[[Any], dict[str, Any]],
    input_errors: Sequence[ErrorFeatures] = (),
    **facts: Any,
) -> Result:
    """One result of all metrics; ``facts`` are further fields of ``Result``."""
    collected = [result.errors for result in results.values() if result.errors is not None]
    scale_errors = [one.scale_error for one in (reference, prediction) if one.scale_error is not None]
    return Result(
        kind=kind,
        crs=reference.crs,
        scale_error=max(scale_errors, default=None),
        reference=describe(reference),
        prediction=describe(prediction),
        scores={name: result.scores for name, result in results.items()},
        counts={name: result.counts for name, result in results.items()},
        errors=LaterDict(lambda: error_frames([*collected, *input_errors], reference.crs)),
        notes={f"{name}.{score}": note for name, result in results.items() for score, note in result.notes.items()},
        details={name: result.details for name, result in results.items()},
        inputs={"reference": reference, "prediction": prediction},
        extent=extent_of(reference, prediction),
        **facts,
    )


def cut_to(area: BaseGeometry, reference: Any, prediction: Any) -> tuple[Any, Any]:
    """Both inputs cut to an area in their CRS; an error where nothing is left of both, a warning where of one."""
    if area.is_empty:  # it lies on another side of the Earth
        warn_of_empty(SIDES)
    cut = {side: one.clip(area, aoi_crs=one.crs) for side, one in zip(SIDES, (reference, prediction), strict=True)}
    warn_of_empty([side for side, one in cut.items() if one.is_empty])
    return cut["reference"], cut["prediction"]


def warn_of_empty(empty: Sequence[str]) -> None:
    """Refuse an area in which both sides are empty, which would score as a perfect match; warn where one is."""
    if len(empty) == len(SIDES):
        raise EmptyInputError(
            "nothing of either input lies in the evaluated area; check where it is (longitude comes before "
            "latitude), or {give:aoi=all} to cut nothing"
        )
    for side in empty:
        warnings.warn(
            f"nothing of the {side} lies in the evaluated area: every score is that of an empty {side}",
            GeoevalWarning,
            stacklevel=3,
        )


def extent_of(reference: Any, prediction: Any) -> Box | None:
    """The box around both inputs; ``None`` where both are empty."""
    bounds = np.array([one.bounds for one in (reference, prediction) if not one.is_empty])
    return (*bounds[:, :2].min(axis=0).tolist(), *bounds[:, 2:].max(axis=0).tolist()) if len(bounds) else None


def _part(progress: Progress | None, order: int, count: int, metric: Metric) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda fraction: progress((order + fraction) / count, metric.name)
