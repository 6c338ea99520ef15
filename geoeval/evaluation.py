"""What the evaluations of all kinds of map content share: run the metrics one after the other, and gather them."""

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.model.result import ErrorFeatures, MetricResult, Result, error_frames
from geoeval.registry import Metric

Progress = Callable[[float, str], None]


def check_seed(seed: int) -> None:
    """Refuse a seed that is none."""
    if seed < 0:
        raise ParameterError(f"the seed is {seed}; give a whole number from 0 on")


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
    if workers < 1:
        raise ParameterError(f"the number of workers is {workers}; give 1 or more")
    jobs = [(metric, reference, prediction, values[metric.name], seed, shared) for metric in metrics]
    if workers > 1 and len(jobs) > 1:
        timed = _run_side_by_side(jobs, min(workers, len(jobs)), progress)
    else:
        timed = [_run(*job, report=_part(progress, i, len(jobs), job[0])) for i, job in enumerate(jobs)]
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
    *,
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


def _run_side_by_side(
    jobs: list[tuple[Any, ...]], workers: int, progress: Progress | None
) -> list[tuple[MetricResult, float]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(_run, *job): job[0].name for job in jobs}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                future.result()
                if progress is not None:
                    progress(done / len(jobs), futures[future])
        except BaseException:
            # Whoever interrupts does not want to wait for the metrics that still run.
            for process in list((pool._processes or {}).values()):  # noqa: SLF001 - the pool has no other way
                process.terminate()
            raise
    return [future.result() for future in futures]


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
        errors=error_frames([*collected, *input_errors], reference.crs),
        notes={f"{name}.{score}": note for name, result in results.items() for score, note in result.notes.items()},
        details={name: result.details for name, result in results.items()},
        networks={"reference": reference, "prediction": prediction},
        **facts,
    )


def _part(progress: Progress | None, order: int, count: int, metric: Metric) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda fraction: progress((order + fraction) / count, metric.name)
