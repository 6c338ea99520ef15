"""Evaluate a predicted road network against a reference: the one door to all road metrics."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval.evaluation import Progress, check_seed, gather, run_metrics
from geoeval.model.network import RoadNetwork
from geoeval.model.result import ErrorFeatures, Result
from geoeval.roads.compilation import announce_compilation
from geoeval.roads.registry import LEADING, choose_metrics, choose_parameters


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
    workers: int = 1,
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
    workers
        Processes that share the metrics; the result does not depend on it.

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
    check_seed(seed)
    prediction = prediction.to_crs(reference.crs)
    area = shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi
    if area is not None:
        reference, prediction = reference.clip(area), prediction.clip(area)
    with announce_compilation(progress):
        results, seconds = run_metrics(
            chosen, reference, prediction, values, seed=seed, progress=progress, workers=workers
        )
    return gather(
        "roads",
        reference,
        prediction,
        results,
        describe=describe,
        input_errors=[duplicates(reference, "ref_id"), duplicates(prediction, "pred_id")],
        seed=seed,
        parameters=values,
        seconds=seconds,
        area=area,
        leading=LEADING,
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


def duplicates(network: RoadNetwork, id_column: str) -> ErrorFeatures:
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
