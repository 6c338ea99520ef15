"""The two maps of a place, as an evaluation takes them: read, and cropped as the data set has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from geoeval.benchmarking.layouts import Layout
from geoeval.benchmarking.places import Source
from geoeval.contents import SIDES
from geoeval.exceptions import EmptyInputError, ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.inputs import mask_of
from geoeval.protocols.protocol import Protocol
from geoeval.readers.given import MODELS, read_given
from geoeval.readers.graph.raw_graphs import read_raw_graph

# How pixels of predictions lie: as in the truth's files, or as in the image that a model of SAM-Road sees.
FRAMES = ("file", "image")


@dataclass(frozen=True)
class PlaceMaps:
    """Both maps of a place, which of them are empty, and why."""

    reference: Any
    prediction: Any
    empty: Mapping[str, str]


def read_place(
    truth: Source,
    prediction: Source | None,
    *,
    kind: str,
    protocol: Protocol | None,
    layout: Layout,
    reading: Mapping[str, Mapping[str, Any]],
    frame: str = "file",
) -> PlaceMaps:
    """Read both maps of a place; without a prediction it is an empty one.

    Raises
    ------
    GeoevalError
        A file cannot be read, or two images without georeference have different sizes.
    """
    sources = {"reference": truth, "prediction": prediction}
    options = {
        side: {**layout.reading, **reading[side], **({} if one is None or one.layer is None else {"layer": one.layer})}
        for side, one in sources.items()
    }
    _check_sizes(truth, prediction)
    empty: dict[str, str] = {}
    maps: dict[str, Any] = {}
    for side, one in sources.items():
        try:
            maps[side] = None if one is None else _read(side, one.given, options[side], kind, protocol, layout, frame)
        except EmptyInputError as error:
            maps[side], empty[side] = None, str(error)
    for side, other in (SIDES, SIDES[::-1]):
        if maps[side] is None:
            empty.setdefault(side, "there is no file")
            maps[side] = _nothing(kind, protocol, maps[other])
        elif not (maps[side].any() if isinstance(maps[side], np.ndarray) else not maps[side].is_empty):
            empty.setdefault(side, f"the {side} holds nothing")
    return PlaceMaps(maps["reference"], maps["prediction"], empty)


def _read(
    side: str, given: Any, options: Mapping[str, Any], kind: str, protocol: Protocol | None, layout: Layout, frame: str
) -> Any:
    if protocol is not None and protocol.takes == "masks":
        return mask_of(side, given, options)
    graph = _raw_graph(given) if kind == "roads" and _needs_raw(side, protocol, layout, frame) else None
    if graph is None:
        assumed = {} if protocol is None else {"pixel_size": 1.0}
        return read_given(kind, given, side=side, **{**assumed, **options})
    crop = layout.crop_truth if side == "reference" else layout.crop_prediction
    if side == "prediction" and frame == "image":
        graph = _turned(graph, layout)
    if crop is not None:
        graph = cropped(graph, *crop)
    if protocol is not None and protocol.takes == "graphs":
        return graph
    size = float(options.get("pixel_size") or 1.0)
    return replace(graph, nodes=graph.nodes * size).to_network()


def _needs_raw(side: str, protocol: Protocol | None, layout: Layout, frame: str) -> bool:
    """Whether a map is needed as its file lists it: for protocols that look at the order, to be cropped or turned."""
    changed = layout.crop_truth if side == "reference" else layout.crop_prediction or frame == "image"
    return bool(changed) or (protocol is not None and protocol.takes == "graphs")


def _raw_graph(given: Any) -> FileGraph | None:
    if isinstance(given, Mapping):
        return FileGraph.from_neighbours(given)
    if not isinstance(given, str | Path):
        return given if isinstance(given, FileGraph) else None
    raw = read_raw_graph(given)
    return None if raw is None else FileGraph.from_pairs(raw.rows_columns, raw.pairs, source=str(given))


def cropped(graph: FileGraph, low: float, high: float) -> FileGraph:
    """The graph between two pixels, of which the first becomes 0 if it is above; edges that leave are left out whole.

    Nodes are numbered anew as they first occur, as a program numbers the dictionary that it has cropped.
    """
    inside = np.all((graph.nodes > low) & (graph.nodes < high), axis=1)
    kept = graph.edges[inside[graph.edges].all(axis=1)]
    used, first = np.unique(kept.ravel(), return_index=True)
    order = used[np.argsort(first)]
    number = np.full(len(graph.nodes), -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    places = graph.nodes[order] - max(low, 0.0)
    return FileGraph.from_pairs(places, number[kept], source=graph.source)


def _turned(graph: FileGraph, layout: Layout) -> FileGraph:
    """From pixels of the image to those of the truth's files, whose rows go up: (x, y) = (column, size - row)."""
    if layout.size is None:
        raise ParameterError("only a layout whose tiles have a size can be turned; {give:layout=spacenet}")
    rows, columns = graph.nodes.T
    return replace(graph, nodes=np.column_stack([layout.size - rows, columns]))


def _nothing(kind: str, protocol: Protocol | None, other: Any) -> Any:
    """An empty map to set against another one."""
    if protocol is not None and protocol.takes == "masks":
        return np.zeros((1, 1) if other is None else other.shape, dtype=bool)
    if isinstance(other, FileGraph):
        return FileGraph.from_pairs(np.zeros((0, 2)), np.zeros((0, 2), dtype=np.int64))
    crs = None if other is None else other.crs
    if kind == "roads":
        return RoadNetwork([], [], crs=crs, source="")
    made = MODELS[kind]
    return made.from_polygons([], crs=crs) if kind == "objects" else made.from_lines([], crs=crs)  # type: ignore[attr-defined]


def _check_sizes(truth: Source, prediction: Source | None) -> None:
    """Refuse two images without georeference that differ in size: they cannot be of the same ground."""
    given = [truth.given, None if prediction is None else prediction.given]
    sizes = [_image_size(one) for one in given]
    if None not in sizes and sizes[0] != sizes[1]:
        said = " and ".join(f"{size[0]} x {size[1]}" for size in sizes if size is not None)
        raise ParameterError(f"the images have {said} pixels; give two of one size")


def _image_size(given: Any) -> tuple[int, int] | None:
    """Columns and rows of an image or mask without georeference; ``None`` for anything else."""
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return given.shape[1], given.shape[0]
    if not isinstance(given, str | Path):
        return None
    from geoeval.readers.raster.images import size_without_georeference

    return size_without_georeference(Path(given))
