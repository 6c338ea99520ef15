"""Local scores: a grid of square cells over the evaluated ground, each with the scores of what lies in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.model.result import Result
from geoeval.registry import Metric
from geoeval.roads.registry import METRICS

if TYPE_CHECKING:
    import geopandas as gpd

    from geoeval.model.drawing import Drawing
    from geoeval.model.network import RoadNetwork
    from geoeval.model.objects import ObjectMap

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

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

    def squares(self, numbers: Ints) -> NDArray[np.object_]:
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


def score_grid(result: Result, *, cell_size: float = 500.0) -> "gpd.GeoDataFrame":
    """The headline and other scores of each metric that has local counts, for every cell with a road in it.

    Columns ``ref_m`` and ``pred_m`` (metres of road) and ``metric.score``; not a number where a cell has nothing for
    a metric to look at. Lines are cut at the cells' borders; a junction or a start belongs to the cell it lies in.
    An evaluation of two empty networks gives no cell.
    """
    import geopandas as gpd

    networks = [result.networks[role] for role in ("reference", "prediction")]
    cells = cells_over(networks, cell_size)
    if cells is None:
        return gpd.GeoDataFrame({"ref_m": [], "pred_m": []}, geometry=[], crs=result.crs)
    metres = [cells.lengths(network.nodes[network.segments]) for network in networks]
    shown = np.flatnonzero((metres[0] > 0) | (metres[1] > 0))
    columns: dict[str, Floats] = {"ref_m": metres[0][shown], "pred_m": metres[1][shown]}
    for metric in result.scores:
        local = _ccq_counts(result, cells, metres) if metric == "ccq" else point_counts(result, metric, cells)
        if local:
            columns |= cell_scores(METRICS[metric], {name: values[shown] for name, values in local.items()})
    return gpd.GeoDataFrame(columns, geometry=cells.squares(shown), crs=result.crs)


def cells_over(networks: "Sequence[RoadNetwork | ObjectMap | Drawing]", size: float) -> Cells | None:
    """Cells over all that the inputs cover; nothing where they are empty."""
    if not size > 0:
        raise ParameterError(f"the grid's cell size is {size}; give metres above 0")
    bounds = np.array([network.bounds for network in networks if not network.is_empty])
    if len(bounds) == 0:
        return None
    # Cells begin at whole multiples of their size, so that the grids of two evaluations fit on each other.
    low, high = np.floor(bounds[:, :2].min(axis=0) / size), np.floor(bounds[:, 2:].max(axis=0) / size)
    columns, rows = (high - low + 1).astype(np.int64).tolist()
    if columns * rows > _MOST_CELLS:
        raise ParameterError(f"a grid of {columns} x {rows} cells is too fine; give a larger --grid than {size:g} m")
    return Cells(float(low[0] * size), float(low[1] * size), size, columns, rows)


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


def _ccq_counts(result: Result, cells: Cells, metres: list[Floats]) -> dict[str, Floats]:
    lines = result.errors["lines"]
    counts = {"ref_length": metres[0], "pred_length": metres[1]}
    for side, kind, total in (("ref", "missing", metres[0]), ("pred", "spurious", metres[1])):
        wrong = lines.geometry[(lines["metric"] == "ccq") & (lines["kind"] == kind)].to_numpy()
        coordinates, owner = shapely.get_coordinates(wrong, return_index=True)
        first = np.flatnonzero(owner[1:] == owner[:-1])
        pieces = np.stack([coordinates[first], coordinates[first + 1]], axis=1)
        counts[f"{side}_matched"] = np.maximum(total - cells.lengths(pieces), 0.0)
    return counts


def point_counts(result: Result, metric: str, cells: Cells) -> dict[str, Floats]:
    """Counts that a metric gives for places (``details["local"]``), added up by cell; nothing where it gives none."""
    local = result.details.get(metric, {}).get("local")
    if local is None:
        return {}
    return {name: cells.sums(local.xy, values) for name, values in local.counts.items()}


def cell_scores(metric: Metric, counts: Mapping[str, Floats]) -> dict[str, Floats]:
    """Scores of each cell from its counts, by the metric's own rule."""
    rule = metric.module.scores_from_counts
    rows = []
    for values in zip(*counts.values(), strict=True):
        own = dict(zip(counts, (float(value) for value in values), strict=True))
        rows.append(rule(own)[0] if any(own.values()) else {})
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        f"{metric.name}.{name}": np.array(
            [np.nan if row.get(name) is None else row[name] for row in rows], dtype=np.float64
        )
        for name in names
    }
