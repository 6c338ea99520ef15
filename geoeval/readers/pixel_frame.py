"""What pixel formats share: their frame in metres, and networks of numbered nodes.

Pixel coordinates are kept as they are, x to the right and y down, times the size of a pixel. All pixel formats are
read alike, so that two of them for one image lie on top of each other; no score depends on the mirroring.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import MissingPixelSizeError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.options import check_options


def pixel_frame(path: str | Path, *, crs: Any, pixel_size: float | None) -> tuple[CRS, float]:
    """The CRS of coordinates in pixels, and the factor to multiply them by."""
    check_options({"pixel_size": pixel_size})
    if crs is None and pixel_size is None:
        msg = (
            f"{path} is in pixels; give the metres per pixel with --pixel-size M (pixel_size=); "
            "--pixel-size 1 keeps pixels"
        )
        raise MissingPixelSizeError(msg)
    return projections.LOCAL_METRES if crs is None else projections.parse_crs(crs), pixel_size or 1.0


def network_from_pairs(coordinates: Floats, pairs: Ints, *, ids: NDArray[Any], crs: CRS, source: str) -> RoadNetwork:
    """A network whose topology is that of the node numbers.

    An edge and its reverse are one and not counted, because such formats list both. An edge that is listed twice in
    the same direction, and a node without any edge, are counted in ``problems``. O(n log n).
    """
    directed = pairs[:, 0] * max(len(coordinates), 1) + pairs[:, 1]
    _, first = np.unique(directed, return_index=True)
    problems = {}
    if len(first) < len(pairs):
        problems["duplicate_segments"] = len(pairs) - len(first)
    first.sort()
    both = np.sort(pairs[first], axis=1)
    _, single = np.unique(both[:, 0] * max(len(coordinates), 1) + both[:, 1], return_index=True)
    kept = first[np.sort(single)]
    used = np.zeros(len(coordinates), dtype=bool)
    used[pairs] = True
    if not used.all():
        problems["nodes_without_edges"] = int((~used).sum())
    new = np.cumsum(used) - 1
    xy, metric, error = projections.to_metres(coordinates[used], crs, trust_projected=True)
    return RoadNetwork(
        xy,
        new[pairs[kept]],
        crs=metric,
        source_ids=ids[kept],
        merge_coincident=False,
        problems=problems,
        source=source,
        scale_error=error,
    )
