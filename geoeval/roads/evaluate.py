"""Evaluate a predicted road network against a reference, both prepared already."""

from collections.abc import Iterable, Mapping
from typing import Any

from geoeval.metrics.running import Progress, evaluate_maps
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.content import CONTENT, describe
from geoeval.seeds import Seed, whole_seed

__all__ = ["describe", "evaluate_roads"]


def evaluate_roads(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: Seed = 0,
    rng: Seed | None = None,
    aoi: Any = None,
    progress: Progress | None = None,
    workers: int = 1,
) -> Result:
    """Score a predicted network against a reference and locate its errors.

    Takes networks that are prepared already: read, in one CRS, cut and aligned; ``geoeval.evaluate`` does all of that.

    Parameters
    ----------
    reference, prediction
        The networks. If their CRSs differ, the prediction is brought into the reference's.
    metrics
        ``"all"`` (the eight), or names: ``"opt-j,apls"`` or a sequence. ``pixel`` and ``distance`` must be named.
    parameters
        By metric and name, for example ``{"opt-j": {"max_distance": 10}}``; the others are those of the preset.
    preset
        ``"default"`` (metres) or ``"roadtracer-px"`` (pixel graphs as published).
    seed, rng
        For the metrics that sample: a whole number, or a numpy ``Generator`` that gives one. The same inputs and seed
        give the same result.
    aoi
        The area to evaluate: a box, a polygon, a GeoDataFrame or a file of polygons. Both networks are cut to it. By
        default all of both.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it stops the run.
    workers
        Number of processes that share the metrics; the result does not depend on it.

    Returns
    -------
    Result
        Both networks empty: the scores are 1. One empty: they are 0. An undefined score is ``None``, with the reason in
        ``notes``.

    Raises
    ------
    EmptyInputError
        Nothing of either network lies in the area.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (49, 0)], [(51, 0), (100, 0)]], crs="EPSG:32610")
    >>> evaluate_roads(reference, prediction, metrics="opt-j").scores["opt-j"]["recall"]
    0.6666666666666666
    """
    return evaluate_maps(
        CONTENT, reference, prediction, metrics=metrics, parameters=parameters, preset=preset,
        seed=whole_seed(seed, rng), aoi=aoi, progress=progress, workers=workers,
    )  # fmt: skip
