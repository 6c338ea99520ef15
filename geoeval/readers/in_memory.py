"""Roads as programs hold them in memory: dictionaries of neighbours, arrays of nodes and edges, masks.

They are read as the files of such content are: rows go down, so y is minus the row, times the size of a pixel.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from geoeval.crs import to_metres
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.options import INPUT_OPTIONS
from geoeval.readers.pixel_frame import network_from_pairs, place_pixels

_PLACING = ("crs", "pixel_size", "georeference")


def network_in_memory(given: Any, **options: Any) -> RoadNetwork | None:
    """Roads that a program holds, in metres; ``None`` where it is none of these.

    Parameters
    ----------
    given
        A dictionary ``{(row, column): [(row, column), ...]}``; a pair of arrays, nodes ``(n, 2)`` as row and column and
        edges ``(m, 2)`` as numbers of nodes, or with ``crs`` as x and y in that CRS; or a mask, an array of rows and
        columns of which the values from ``threshold`` on are road (by default those above 0, or for fractions from half
        on). Nothing in them is an empty network.
    options
        Of the readers: ``pixel_size`` above all.

    Raises
    ------
    ParameterError
        The arrays do not make a graph or a mask.
    """
    placing = {name: options.get(name) for name in _PLACING}
    if isinstance(given, Mapping):
        return _of_neighbours(given, placing)
    if isinstance(given, tuple) and len(given) == 2:
        return _of_arrays(*given, placing)
    return _of_mask(given, options) if hasattr(given, "__array__") else None


def _of_neighbours(neighbours: Mapping[Any, Any], placing: dict[str, Any]) -> RoadNetwork:
    from geoeval.readers.graph.pickles import network_from_neighbours

    source = "a dictionary of neighbours"
    if not neighbours:
        return RoadNetwork([], [], crs=place_pixels(source, **placing).crs, source=source)
    listed = {_plain(node): [_plain(other) for other in others] for node, others in neighbours.items()}
    return network_from_neighbours(listed, source, **placing)


def _plain(node: Any) -> Any:
    """A node whose numbers are Python's, whatever program made it."""
    return tuple(part.item() if hasattr(part, "item") else part for part in node) if np.iterable(node) else node


def _of_arrays(nodes: Any, edges: Any, placing: dict[str, Any]) -> RoadNetwork:
    places, pairs = np.asarray(nodes, dtype=np.float64), np.asarray(edges)
    places, pairs = (one.reshape(0, 2) if one.size == 0 else one for one in (places, pairs))
    if places.ndim != 2 or places.shape[1] != 2 or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ParameterError(
            f"arrays of shape {places.shape} and {pairs.shape} are no graph; give nodes (n, 2) and edges (m, 2)"
        )
    pairs = pairs.astype(np.int64)
    if not np.isfinite(places).all() or (len(pairs) and (pairs.min() < 0 or pairs.max() >= len(places))):
        raise ParameterError("a node is not finite, or an edge names a node that is not there; check the arrays")
    source = "arrays of nodes and edges"
    frame = place_pixels(source, pixels=places[:, ::-1], **placing)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not len(pairs):
        return RoadNetwork([], [], crs=to_metres(np.zeros((0, 2)), frame.crs)[1], source=source)
    xy = frame.places(places[:, ::-1]) if placing["crs"] is None or placing["georeference"] is not None else places
    return network_from_pairs(xy, pairs, ids=np.arange(len(pairs)), crs=frame.crs, source=source)


def _of_mask(given: Any, options: dict[str, Any]) -> RoadNetwork:
    from geoeval.readers.raster.images import PixelGrid
    from geoeval.readers.raster.road_masks import network_of_mask

    values = np.asarray(given)
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise ParameterError(f"an array of shape {values.shape} is no mask; give rows and columns of numbers")
    threshold = options.get("threshold")
    if threshold is None:
        threshold = 0.5 if values.dtype.kind == "f" else 1
    frame = place_pixels("a mask", **{name: options.get(name) for name in _PLACING})
    spur = options.get("min_spur")
    return network_of_mask(
        values >= threshold, PixelGrid(frame.crs, frame.affine), np.ones(values.shape, dtype=bool), source="a mask",
        min_spur=INPUT_OPTIONS["min_spur"].default if spur is None else spur, simplify=options.get("simplify"),
    )  # fmt: skip
