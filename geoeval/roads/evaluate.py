"""Evaluate a predicted road network against a reference: the one door to all road metrics."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.model.result import ErrorFeatures, MetricResult, Result, error_frames
from geoeval.roads.compilation import announce_compilation
from geoeval.roads.registry import LEADING, Metric, choose_metrics, choose_parameters

Progress = Callable[[float, str], None]


def evaluate_roads(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: int = 0,
    aoi: tuple[float, float, float, float] | BaseGeometry | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score a prediction against a reference and map its errors.

    Parameters
    ----------
    reference, prediction
        The networks. Where their CRSs differ, the prediction is brought into the reference's.
    metrics
        ``"all"`` (the eight), or names: ``"opt-j,apls"`` or a sequence. ``pixel`` and ``distance`` must be named.
    parameters
        By metric and name, for example ``{"opt-j": {"max_distance": 10}}``; the rest as in the preset.
    preset
        ``"default"`` (metres) or ``"roadtracer-px"`` (pixel graphs as published).
    seed
        Of the sampled metrics. The same inputs and seed give the same result.
    aoi
        Evaluated area in the reference's CRS; both networks are cut to it.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it ends the run.

    Returns
    -------
    Result
        Both networks empty: scores 1. One empty: scores 0. What a metric cannot say is ``None``, with the
        reason in ``notes``.

    Examples
    --------
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (49, 0)], [(51, 0), (100, 0)]], crs="EPSG:32610")
    >>> evaluate_roads(reference, prediction, metrics="opt-j").scores["opt-j"]["recall"]
    0.6666666666666666
    """
    chosen = choose_metrics(metrics)
    values = choose_parameters(chosen, parameters, preset)
    if seed < 0:
        raise ParameterError(f"the seed is {seed}; give a whole number from 0 on")
    prediction = prediction.to_crs(reference.crs)
    area = shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi
    if area is not None:
        reference, prediction = reference.clip(area), prediction.clip(area)

    results: dict[str, MetricResult] = {}
    seconds: dict[str, float] = {}
    with announce_compilation(progress):
        for order, metric in enumerate(chosen):
            before = perf_counter()
            results[metric.name] = _run(
                metric, reference, prediction, values[metric.name], seed, _part(progress, order, len(chosen), metric)
            )
            seconds[metric.name] = round(perf_counter() - before, 6)
    if progress is not None:
        progress(1.0, "done")
    collected = [result.errors for result in results.values() if result.errors is not None]
    scale_errors = [n.scale_error for n in (reference, prediction) if n.scale_error is not None]
    return Result(
        kind="roads",
        crs=reference.crs,
        scale_error=max(scale_errors, default=None),
        seed=seed,
        reference=describe(reference),
        prediction=describe(prediction),
        parameters=values,
        scores={name: result.scores for name, result in results.items()},
        counts={name: result.counts for name, result in results.items()},
        errors=error_frames(
            [*collected, _duplicates(reference, "ref_id"), _duplicates(prediction, "pred_id")], reference.crs
        ),
        notes={f"{name}.{score}": note for name, result in results.items() for score, note in result.notes.items()},
        seconds=seconds,
        details={name: result.details for name, result in results.items()},
        area=area,
        leading=LEADING,
        networks={"reference": reference, "prediction": prediction},
    )


def describe(network: RoadNetwork) -> dict[str, Any]:
    """What a result says of an input: where it came from, how much it is, and a digest to recognise it by."""
    digest = hashlib.sha256(network.nodes.tobytes() + network.segments.tobytes()).hexdigest()
    return {
        "source": network.source,
        "nodes": len(network.nodes),
        "segments": len(network.segments),
        "length_m": network.length,
        "sha256": digest,
        "problems": network.problems,
    }


def _run(
    metric: Metric,
    reference: RoadNetwork,
    prediction: RoadNetwork,
    values: dict[str, Any],
    seed: int,
    progress: Callable[[float], None] | None,
) -> MetricResult:
    machinery: dict[str, Any] = {}
    if metric.accepts("rng"):
        # Each metric has a stream of its own, so that the choice of metrics does not change any of them.
        machinery["rng"] = np.random.default_rng([seed, crc32(metric.name.encode())])
    if metric.accepts("progress"):
        machinery["progress"] = progress
    if progress is not None:
        progress(0.0)
    return metric.function(reference, prediction, **values, **machinery)


def _part(progress: Progress | None, order: int, count: int, metric: Metric) -> Callable[[float], None] | None:
    if progress is None:
        return None
    return lambda fraction: progress((order + fraction) / count, metric.name)


def _duplicates(network: RoadNetwork, id_column: str) -> ErrorFeatures:
    """Segments that the input holds twice: dropped before the evaluation, but shown."""
    features = ErrorFeatures("input")
    if len(network.duplicates):
        features.add(
            "duplicate",
            np.asarray(shapely.linestrings(network.nodes[network.duplicates])),
            severity=0.0,
            note="the same segment twice; counted once",
            **{id_column: [str(value) for value in network.duplicate_ids]},
        )
    return features
