"""Evaluate a pair by a protocol: read it as the protocol takes it, run it, and gather the result."""

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval._kernels.compiling import announce_compilation
from geoeval.content import content_of
from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress, gather
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.protocols.coco.inputs import instances_of
from geoeval.protocols.inputs import graphs_of, lines_of, mask_of, network_of
from geoeval.protocols.protocol import Protocol
from geoeval.protocols.registry import REGISTRY
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    from geoeval.model.metric_result import MetricResult
    from geoeval.protocols.file_graph import FileGraph


def choose_protocol(
    name: str, parameters: Mapping[str, Mapping[str, Any]] | None = None, *, kind: str | None = None
) -> tuple[Protocol, dict[str, Any]]:
    """A protocol and its parameters, or an error that says which there are, or which command it belongs to."""
    chosen = REGISTRY.choose_metrics([name])
    values = REGISTRY.choose_parameters(chosen, parameters)
    protocol = chosen[0]
    assert isinstance(protocol, Protocol)
    if kind is not None and kind != protocol.content:
        raise ParameterError(f"{protocol.name} scores {protocol.content}, not {kind}; use geoeval {protocol.content}")
    protocol.check_numbers(values[protocol.name])
    return protocol, values[protocol.name]


def evaluate_by_protocol(
    reference: Any,
    prediction: Any,
    *,
    protocol: str,
    kind: str = "roads",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seed: Seed = 0,
    rng: Seed | None = None,
    reading: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Score a prediction as a published protocol does, from the files that the protocol takes.

    Nothing is cut, aligned or projected: a protocol scores its files as they are, in their pixels.

    Parameters
    ----------
    reference, prediction
        Paths, adjacency dictionaries, networks, networkx graphs; for protocols of masks images or arrays; for those of
        objects COCO files, or whatever else holds polygons, which becomes one image of pixels of a metre.
    protocol
        Its name; ``geoeval protocols`` lists them.
    kind
        What is scored: ``roads`` or ``objects``.
    parameters
        By protocol and name, as for metrics.
    seed, rng
        Of protocols that draw at random.
    reading
        Options of the readers by side.
    progress
        Called with a fraction from 0 to 1 and what is being done.

    Returns
    -------
    Result
        Scores under the protocol's name, and features where the protocol has a matching.
    """
    seed = whole_seed(seed, rng)
    chosen, values = choose_protocol(protocol, parameters, kind=kind)
    reading = reading or {side: {} for side in SIDES}
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "reading")
    start = perf_counter()
    pair, maps = _read(chosen, reference, prediction, reading)
    read = perf_counter() - start
    tell(0.2, chosen.name)
    if "seed" in values and "seed" not in (parameters or {}).get(chosen.name, {}):
        values = {**values, "seed": seed}
    values_given = {**values, "rng": np.random.default_rng(seed)} if chosen.accepts("rng") else values
    start = perf_counter()
    with announce_compilation(progress):
        outcome: MetricResult = chosen.function(*pair, **values_given)
    seconds = {"read": round(read, 6), chosen.name: round(perf_counter() - start, 6)}
    tell(1.0, "done")
    used = outcome.details.get("parameters", values)
    result = gather(
        kind, *maps, {chosen.name: outcome}, describe=content_of(kind).describe,
        seed=seed, parameters={chosen.name: {**used, "version": chosen.version}}, seconds=seconds,
    )  # fmt: skip
    if chosen.takes == "instances":
        return replace(result, reference=pair[0].facts(), prediction=pair[1].facts())
    return result


def _read(
    protocol: Protocol, reference: Any, prediction: Any, reading: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
    """What the protocol is given, and the same as maps of our own for pictures."""
    given = (reference, prediction)
    if protocol.takes == "instances":
        return instances_of(reference, prediction, reading)
    if protocol.takes == "graphs":
        graphs: tuple[FileGraph, FileGraph] = graphs_of(reference, prediction, reading)
        return graphs, (graphs[0].to_network(), graphs[1].to_network())
    if protocol.takes == "lines":
        return lines_of(reference, prediction, reading)
    if protocol.takes == "networks":
        true, predicted = (network_of(side, one, reading[side]) for side, one in zip(SIDES, given, strict=True))
        pair = (true, predicted.to_crs(true.crs))
        return pair, pair
    masks = tuple(mask_of(side, one, reading[side]) for side, one in zip(SIDES, given, strict=True))
    if masks[0].shape != masks[1].shape:
        sizes = " and ".join(f"{mask.shape[1]} x {mask.shape[0]}" for mask in masks)
        raise ParameterError(f"the masks have {sizes} pixels; give two of one size")
    empty = [RoadNetwork([], [], source=one if isinstance(one, str) else "a mask") for one in given]
    return (masks[0], masks[1]), (empty[0], empty[1])
