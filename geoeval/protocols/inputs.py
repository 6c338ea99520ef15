"""Inputs of protocols: graphs in the order and units of their files, or masks."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.protocols.cosmiq.line_graph import LineGraph
from geoeval.protocols.file_graph import FileGraph
from geoeval.readers.given import read_given
from geoeval.readers.graph.raw_graphs import read_raw_graph, read_raw_lines
from geoeval.readers.registry import read_as_told
from geoeval.trust import check_regular

# A graph in pixels or metres is larger than this.
_LEAST_EXTENT = 5.0


def graphs_of(reference: Any, prediction: Any, reading: Mapping[str, Mapping[str, Any]]) -> tuple[FileGraph, FileGraph]:
    """Both inputs as graphs, whatever the user holds.

    Pickled dictionaries and RoadTracer graphs keep the order and the pixels of the file, whatever ``pixel_size`` says:
    protocols count pixels. All else is read as a network in metres, of which one metre is one pixel; row 0 is then the
    northernmost and column 0 the westernmost node of both.
    """
    given = {"reference": reference, "prediction": prediction}
    graphs = {side: _raw(one) for side, one in given.items()}
    for side, graph in graphs.items():
        if graph is not None:
            _refuse_degrees(side, graph.nodes[np.unique(graph.edges)], "pixels")
    if all(graph is not None for graph in graphs.values()):
        return graphs["reference"], graphs["prediction"]  # type: ignore[return-value]
    networks = {
        side: one if isinstance(one, RoadNetwork) else network_of(side, one, reading.get(side, {}))
        for side, one in given.items()
        if graphs[side] is None
    }
    first = next(iter(networks.values()))
    networks = {side: network.to_crs(first.crs) for side, network in networks.items()}
    bounds = np.array([network.bounds for network in networks.values() if not network.is_empty]).reshape(-1, 4)
    local = projections.is_local(first.crs) or len(bounds) == 0
    if len(networks) < len(given) and not local:
        raise ParameterError(
            "one input is in pixels of a file and the other lies on Earth, so they cannot be laid on each other; "
            "give both in pixels, or both with a CRS"
        )
    origin = (0.0, 0.0) if local else (float(bounds[:, 0].min()), float(bounds[:, 3].max()))
    made = {side: FileGraph.from_network(network, origin=origin) for side, network in networks.items()}
    true, predicted = (made.get(side) or graphs[side] for side in given)
    assert true is not None
    assert predicted is not None
    return true, predicted


def lines_of(
    reference: Any, prediction: Any, reading: Mapping[str, Mapping[str, Any]]
) -> tuple[tuple[LineGraph, LineGraph], tuple[RoadNetwork, RoadNetwork]]:
    """Both inputs as graphs of lines in metres, and as networks in the same CRS.

    Two gpickles of such graphs are taken as they are: their nodes, in their order, and the lengths that they state. All
    else is read as a network, whose roads are the lines.
    """
    given = {"reference": reference, "prediction": prediction}
    true, predicted = (network_of(side, one, reading.get(side, {})) for side, one in given.items())
    for side, network in zip(given, (true, predicted), strict=True):
        if projections.is_local(network.crs):
            _refuse_degrees(side, network.nodes, "metres")
    networks = true, predicted.to_crs(true.crs)
    stored = [_stored_lines(one, network) for one, network in zip(given.values(), networks, strict=True)]
    if all(one is not None for one in stored):
        return (stored[0], stored[1]), networks  # type: ignore[return-value]
    return (LineGraph.from_network(networks[0]), LineGraph.from_network(networks[1])), networks


def _stored_lines(given: Any, network: RoadNetwork) -> LineGraph | None:
    """The graph of lines that a file holds, if its coordinates are those of the network."""
    raw = read_raw_lines(given) if isinstance(given, str | Path) else None
    if raw is None or network.is_empty or len(raw.pairs) == 0:
        return None
    places = np.concatenate(raw.lines)
    bounds = [*places.min(axis=0), *places.max(axis=0)]
    if not np.allclose(bounds, network.bounds, rtol=0.0, atol=1.0):
        return None
    return LineGraph(raw.nodes, raw.pairs, raw.lines, raw.lengths, is_clean=True)


def network_of(side: str, given: Any, reading: Mapping[str, Any]) -> RoadNetwork:
    """One input as a network in metres; where pixels have no size, one is a metre, as the published scripts have it."""
    if isinstance(given, dict):
        given = FileGraph.from_neighbours(given)
    if isinstance(given, FileGraph):
        _refuse_degrees(side, given.nodes, "metres")
        return given.to_network()
    network: RoadNetwork = read_given("roads", given, side=side, **{"pixel_size": 1.0, **reading})
    return network


def mask_of(side: str, given: Any, reading: Mapping[str, Any]) -> Bools:
    """One input as a mask: an array, or an image of which the pixels at or above the threshold are road."""
    if isinstance(given, str | Path):
        mask = read_as_told(_mask_in, given, reading.get("layer"), reading.get("threshold"), reading=reading)
        return np.asarray(mask)
    mask = np.asarray(given)
    if mask.ndim != 2 or mask.dtype.kind not in "biuf":
        raise ParameterError(f"the {side} is no mask; give an image, or an array of rows and columns")
    return mask > 0


def _mask_in(path: str | Path, layer: str | None, threshold: float | None) -> Bools:
    from geoeval.readers.raster.images import default_threshold, open_image

    check_regular(Path(path))
    values, valid, _ = open_image(Path(path), crs=None, pixel_size=1.0, layer=layer)
    limit = default_threshold(values, valid, path) if threshold is None else threshold
    return np.asarray((values >= limit) & valid)


def _refuse_degrees(side: str, places: Floats, unit: str) -> None:
    """Refuse what no protocol of pixels or metres can mean: all within a few of them, between the poles."""
    if len(places) == 0:
        return
    low, high = places.min(axis=0), places.max(axis=0)
    if (high - low).max() < _LEAST_EXTENT and np.abs(places).max() <= 180.0 and (places != np.round(places)).any():
        raise ParameterError(
            f"the {side} spans {high[0] - low[0]:.2g} by {high[1] - low[1]:.2g}, which are degrees rather than the "
            f"{unit} that this protocol counts; give {unit}, or a file that has a CRS"
        )


def _raw(given: Any) -> FileGraph | None:
    """The graph as its file lists it, or None where the file has no such order."""
    if isinstance(given, FileGraph):
        return given
    if isinstance(given, dict):
        return FileGraph.from_neighbours(given)
    if isinstance(given, str | Path):
        raw = read_raw_graph(given)
        if raw is not None:
            return FileGraph.from_pairs(raw.rows_columns, raw.pairs, source=str(given))
    return None
