"""Square cells over the evaluated ground, and what lies in each of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.exceptions import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geoeval.model.drawing import Drawing
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.road_network import RoadNetwork


_MOST_CELLS = 1_000_000


@dataclass(frozen=True)
class Cells:
    """Square cells of one size; cell ``(column, row)`` has the number ``row * columns + column``."""

    x: float
    y: float
    size: float
    columns: int
    rows: int

    def at(self, xy: Floats) -> Ints:
        """The cell of each point."""
        column = np.clip(np.floor((xy[:, 0] - self.x) / self.size), 0, self.columns - 1).astype(np.int64)
        row = np.clip(np.floor((xy[:, 1] - self.y) / self.size), 0, self.rows - 1).astype(np.int64)
        return row * self.columns + column

    def squares(self, numbers: Ints) -> Objects:
        """The cells of these numbers as polygons."""
        x, y = self.x + (numbers % self.columns) * self.size, self.y + (numbers // self.columns) * self.size
        return np.asarray(shapely.box(x, y, x + self.size, y + self.size))

    def lengths(self, lines: Floats) -> Floats:
        """Metres of straight lines ``(k, 2, 2)`` in each cell: each line is cut at the borders. O(k + pieces)."""
        pieces, owner = _cut_at_borders(lines, self)
        middle = pieces.mean(axis=1)
        length = np.hypot(*(lines[:, 1] - lines[:, 0]).T)
        start = lines[owner, 0]
        places = start + middle[:, None] * (lines[owner, 1] - start)
        return self.sums(places, np.ptp(pieces, axis=1) * length[owner])

    def sums(self, xy: Floats, values: Floats) -> Floats:
        """Values given for points, added up by cell."""
        return np.asarray(
            np.bincount(self.at(xy), weights=values, minlength=self.columns * self.rows), dtype=np.float64
        )


def cells_over(networks: "Sequence[RoadNetwork | ObjectMap | Drawing]", size: float) -> Cells | None:
    """Cells over all that the inputs cover; nothing where they are empty."""
    if not size > 0:
        raise ParameterError(f"the grid's cell size is {size}; give metres above 0")
    bounds = np.array([network.bounds for network in networks if not network.is_empty])
    if len(bounds) == 0:
        return None
    # Cells begin at whole multiples of their size, so that the grids of two evaluations fit on each other.
    low, high = np.floor(bounds[:, :2].min(axis=0) / size), np.floor(bounds[:, 2:].max(axis=0) / size)
    columns, rows = (high - low + 1).tolist()
    if not columns * rows <= _MOST_CELLS:  # as they may be beyond all whole numbers
        msg = f"a grid of {columns:.0f} x {rows:.0f} cells is too fine; give a larger {{option:grid}} than {size:g} m"
        raise ParameterError(msg)
    return Cells(float(low[0] * size), float(low[1] * size), size, int(columns), int(rows))


def _cut_at_borders(lines: Floats, cells: Cells) -> tuple[Floats, Ints]:
    """Shares ``(k, 2)`` where the pieces of each line begin and end, and the line of each piece."""
    shares, owners = [np.zeros(len(lines)), np.ones(len(lines))], [np.arange(len(lines))] * 2
    for axis, origin in ((0, cells.x), (1, cells.y)):
        a, b = ((lines[:, end, axis] - origin) / cells.size for end in (0, 1))
        first, last = np.floor(np.minimum(a, b)) + 1, np.ceil(np.maximum(a, b)) - 1
        count = np.maximum(last - first + 1, 0).astype(np.int64)
        owner = np.repeat(np.arange(len(lines)), count)
        border = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        shares.append((border - a[owner]) / (b[owner] - a[owner]))
        owners.append(owner)
    share, owner = np.concatenate(shares), np.concatenate(owners)
    order = np.lexsort([share, owner])
    share, owner = share[order], owner[order]
    same = np.flatnonzero(owner[1:] == owner[:-1])
    return np.column_stack([share[same], share[same + 1]]), owner[same]
