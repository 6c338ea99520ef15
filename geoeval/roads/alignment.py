"""A constant offset between two networks, such as misaligned imagery causes: estimated, and removed on request.

Large networks are not compared as a whole: the offset is estimated on the square cell of 10 km in which most of their
segments begin. Which cell that is depends on the segments alone, not on the way in which they are stored or evaluated.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Box, Floats
from geoeval.exceptions import ParameterError
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.geometry.sampling import systematic_places

# Up to this many segments of the prediction the offset is estimated on all of it.
MANY_SEGMENTS = 200_000
# Metres: the side of a cell, and how much of the ground around the busiest cell is taken with it.
CELL_SIZE = 10_000.0
AROUND_CELL = 50.0

# Column and row of a cell as one number, which sorts like both.
_ROWS = 1 << 32
_SAMPLES = 4000
_COARSE_STEP = 5.0
_TURNS = 30


@dataclass(frozen=True)
class Offset:
    """How far the prediction lies from the reference, in metres east and north.

    ``places`` is the number of places on which the estimate is based.
    """

    dx: float
    dy: float
    places: int

    @property
    def distance(self) -> float:
        """Length of the offset in metres."""
        return float(np.hypot(self.dx, self.dy))


def estimate_offset(reference: RoadNetwork, prediction: RoadNetwork, *, max_offset: float = 30.0) -> Offset | None:
    """The offset of the prediction from the reference, up to ``max_offset`` metres in x and in y.

    A coarse search for the shift that brings most places of the prediction near the reference, then least squares
    of the distances across the roads (a shift along a straight road cannot be seen), without far places. ``None`` if a
    network is empty or too little of the two lies close together. O(k log n) for k sampled places.

    ``prevailing_offset`` does the same for networks of any size.
    """
    if reference.is_empty or prediction.is_empty:
        return None
    count = int(np.clip(prediction.length / 5, 200, _SAMPLES))
    places = systematic_places(prediction, count, 0.5).xy
    dense = int(np.clip(reference.length / 4, 200, 500_000))
    tree = cKDTree(systematic_places(reference, dense, 0.5).xy)
    shift = _coarse(places, tree, max_offset)
    near = _COARSE_STEP
    used = np.zeros(0, dtype=bool)
    for _ in range(_TURNS):
        where = reference.nearest(places - shift)
        ends = reference.nodes[reference.segments[where.segment]]
        direction = (ends[:, 1] - ends[:, 0]) / reference.segment_lengths[where.segment][:, None]
        across = np.column_stack([-direction[:, 1], direction[:, 0]])
        used = where.distance <= near
        if used.sum() < 10:
            return None
        # If the nearest place is the end of a road, the whole vector counts, not only its part across.
        inner = (where.offset > 1e-6) & (where.offset < reference.segment_lengths[where.segment] - 1e-6)
        rows = np.concatenate([across[used & inner], np.tile(np.eye(2), (int((used & ~inner).sum()), 1))])
        miss = places - shift - where.xy
        values = np.concatenate([np.einsum("ij,ij->i", across, miss)[used & inner], miss[used & ~inner].ravel()])
        step = np.linalg.lstsq(rows, values, rcond=1e-3)[0]
        shift = shift + step
        if np.hypot(*step) < 1e-4:
            break
    return Offset(float(shift[0]), float(shift[1]), int(used.sum()))


def prevailing_offset(reference: RoadNetwork, prediction: RoadNetwork) -> Offset | None:
    """The offset of the prediction, estimated where most roads are if the networks are large.

    Both networks are in one CRS, and cut to the area that is evaluated. With more than ``MANY_SEGMENTS`` segments in
    the prediction, the estimate is that of ``estimate_offset`` on the ground that ``offset_ground`` chooses, else on
    all roads.
    """
    networks = (reference, prediction)
    box = offset_ground([prediction.nodes[prediction.segments]])
    if box is None:
        return estimate_offset(reference, prediction)
    ground = shapely.box(*box)
    return estimate_offset(*(network.clip(ground, aoi_crs=network.crs) for network in networks))


def offset_ground(batches: Iterable[Floats]) -> Box | None:
    """The box to which networks are cut to estimate their offset; ``None`` if the prediction is small as it is.

    ``batches`` are as in ``busiest_cell``: the segments of the prediction, cut to the area that is evaluated.
    """
    counts = _segments_by_cell(batches)
    if counts.total() <= MANY_SEGMENTS:
        return None
    minx, miny, maxx, maxy = _largest(counts)
    return minx - AROUND_CELL, miny - AROUND_CELL, maxx + AROUND_CELL, maxy + AROUND_CELL


def busiest_cell(batches: Iterable[Floats]) -> Box:
    """The square cell of ``CELL_SIZE`` metres in which most segments have their lower end.

    Parameters
    ----------
    batches
        Coordinates ``(n, 2, 2)`` of segments of either network, in metres of one CRS, in parts of any size. A segment
        that comes twice in a row, as duplicates do in stores, counts once.

    Returns
    -------
    Box
        Cells begin at multiples of their size. The lower end of a segment has the smaller x, then y. Of cells with as
        many segments the first by column, then row is taken.

    Raises
    ------
    ParameterError
        There is no segment.

    Notes
    -----
    O(n log n) in the segments of a batch; memory grows with the largest batch and the number of cells.
    """
    counts = _segments_by_cell(batches)
    if not counts:
        raise ParameterError("no cell is the busiest one without segments; give at least one")
    return _largest(counts)


def _segments_by_cell(batches: Iterable[Floats]) -> Counter[int]:
    counts: Counter[int] = Counter()
    last = np.full((1, 4), np.nan)
    for batch in batches:
        if len(batch) == 0:
            continue
        ends = np.round(batch, 6)  # as networks round coordinates
        swap = (ends[:, 0, 0] > ends[:, 1, 0]) | ((ends[:, 0, 0] == ends[:, 1, 0]) & (ends[:, 0, 1] > ends[:, 1, 1]))
        ends[swap] = ends[swap][:, ::-1]
        rows = np.concatenate([last, ends.reshape(-1, 4)])
        once = (rows[1:] != rows[:-1]).any(axis=1)
        last = rows[-1:]
        cell = np.floor(ends[once, 0] / CELL_SIZE).astype(np.int64)
        numbers, count = np.unique(cell[:, 0] * _ROWS + cell[:, 1] + _ROWS // 2, return_counts=True)
        counts.update(dict(zip(numbers.tolist(), count.tolist(), strict=True)))
    return counts


def _largest(counts: Counter[int]) -> Box:
    column, row = divmod(min(counts, key=lambda number: (-counts[number], number)), _ROWS)
    x, y = column * CELL_SIZE, (row - _ROWS // 2) * CELL_SIZE
    return x, y, x + CELL_SIZE, y + CELL_SIZE


def moved(network: RoadNetwork, dx: float, dy: float) -> RoadNetwork:
    """The network shifted by ``dx`` metres east and ``dy`` metres north."""
    return RoadNetwork(
        network.nodes + np.array([dx, dy]), network.segments, crs=network.crs, source_ids=network.source_ids,
        merge_coincident=False, cut=network.cut, problems=network.problems, source=network.source,
        scale_error=network.scale_error,
    )  # fmt: skip


def _coarse(places: Floats, tree: cKDTree, max_offset: float) -> Floats:
    """The shift on a coarse lattice with the smallest mean capped distance."""
    steps = np.arange(-max_offset, max_offset + 1e-9, _COARSE_STEP)
    shifts = np.array([(x, y) for x in steps for y in steps])
    some = places[:: max(1, len(places) // 1000)]
    far = 2 * _COARSE_STEP
    distance, _ = tree.query(some[None] - shifts[:, None], distance_upper_bound=far)
    # A longer shift must be better, or sampling would move a straight road along itself.
    return shifts[np.argmin(np.minimum(distance, far).mean(axis=1) + 0.02 * np.hypot(*shifts.T))]
