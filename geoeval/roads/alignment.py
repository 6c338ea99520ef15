"""A constant offset between two networks, as misaligned imagery makes it: estimated, and removed on request."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from geoeval.model.network import RoadNetwork
from geoeval.roads.sampling import systematic_places

Floats = NDArray[np.float64]

_SAMPLES = 4000
_COARSE_STEP = 5.0
_TURNS = 30


@dataclass(frozen=True)
class Offset:
    """How far the prediction lies from the reference: metres east and north, and the places it rests on."""

    dx: float
    dy: float
    places: int

    @property
    def distance(self) -> float:
        """Metres."""
        return float(np.hypot(self.dx, self.dy))


def estimate_offset(reference: RoadNetwork, prediction: RoadNetwork, *, max_offset: float = 30.0) -> Offset | None:
    """The shift of the prediction against the reference, up to ``max_offset`` metres in x and in y.

    A coarse search for the shift that brings most places of the prediction near the reference, then least squares
    of the distances across the roads (along a straight road a shift cannot be seen), with far places left out.
    ``None`` where a network is empty or too little of the two lies close together. O(k log n) for k sampled places.
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
        # Where the nearest place is the end of a road, the whole vector counts, not only its part across.
        inner = (where.offset > 1e-6) & (where.offset < reference.segment_lengths[where.segment] - 1e-6)
        rows = np.concatenate([across[used & inner], np.tile(np.eye(2), (int((used & ~inner).sum()), 1))])
        miss = places - shift - where.xy
        values = np.concatenate([np.einsum("ij,ij->i", across, miss)[used & inner], miss[used & ~inner].ravel()])
        step = np.linalg.lstsq(rows, values, rcond=1e-3)[0]
        shift = shift + step
        if np.hypot(*step) < 1e-4:
            break
    return Offset(float(shift[0]), float(shift[1]), int(used.sum()))


def moved(network: RoadNetwork, dx: float, dy: float) -> RoadNetwork:
    """The network shifted by metres east and north."""
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
    # A shift must earn its length, or the sampling would move a straight road along itself.
    return shifts[np.argmin(np.minimum(distance, far).mean(axis=1) + 0.02 * np.hypot(*shifts.T))]
