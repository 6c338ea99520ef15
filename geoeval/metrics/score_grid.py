"""Local scores: a grid of square cells over the evaluated ground, each with the scores of what lies in it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.metrics.cells import Cells, cells_over
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import declarations_of
from geoeval.model.result import Result

if TYPE_CHECKING:
    import geopandas as gpd


def score_grid(result: Result, *, cell_size: float = 500.0) -> "gpd.GeoDataFrame":
    """The scores of each metric that counts place by place, for every cell with anything in it.

    Columns say how much lies in a cell: ``ref_m`` and ``pred_m`` (metres of road, cut at the cells' borders, or of
    drawn lines by their middles), or ``ref_n`` and ``pred_n`` (objects by their centres); then ``metric.score``, not a
    number where a cell has nothing for a metric to look at. A junction or a start belongs to the cell it lies in, a
    match of objects to the cell of its first object of the reference. Two empty maps give no cell.
    """
    import geopandas as gpd

    maps = [result.inputs[role] for role in ("reference", "prediction")]
    columns, amount = _AMOUNTS[result.kind]
    cells = cells_over(maps, cell_size)
    if cells is None:
        return gpd.GeoDataFrame({name: [] for name in columns}, geometry=[], crs=result.crs)
    amounts = [amount(cells, one) for one in maps]
    shown = np.flatnonzero((amounts[0] > 0) | (amounts[1] > 0))
    table: dict[str, Floats] = {name: values[shown] for name, values in zip(columns, amounts, strict=True)}
    metrics = declarations_of(result.kind)
    for name in result.scores:
        by_cell = metrics[name].counts_by_cell
        local = point_counts(result, name, cells) if by_cell is None else by_cell(result, cells)
        if local:
            counts = {count: values[shown] for count, values in local.items()}
            table |= cell_scores(metrics[name], counts, result.parameters[name])
    return gpd.GeoDataFrame(table, geometry=cells.squares(shown), crs=result.crs)


_AMOUNTS: dict[str, tuple[tuple[str, str], Callable[[Cells, Any], Floats]]] = {
    "roads": (("ref_m", "pred_m"), lambda cells, network: cells.lengths(network.nodes[network.segments])),
    "objects": (("ref_n", "pred_n"), lambda cells, objects: cells.sums(objects.centroids, np.ones(len(objects)))),
    "lines": (("ref_m", "pred_m"), lambda cells, drawing: cells.sums(drawing.middles, drawing.lengths)),
}


def point_counts(result: Result, metric: str, cells: Cells) -> dict[str, Floats]:
    """Counts that a metric gives for places (``details["local"]``), added up by cell; nothing where it gives none."""
    local = result.details.get(metric, {}).get("local")
    if local is None:
        return {}
    return {name: cells.sums(local.xy, values) for name, values in local.counts.items()}


def cell_scores(
    metric: Metric, counts: Mapping[str, Floats], parameters: Mapping[str, Any] | None = None
) -> dict[str, Floats]:
    """Scores of each cell from its counts, by the metric's own rule."""
    rows = []
    for values in zip(*counts.values(), strict=True):
        own = dict(zip(counts, (float(value) for value in values), strict=True))
        rows.append(metric.scores_of(own, parameters or {})[0] if any(own.values()) else {})
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        f"{metric.name}.{name}": np.array(
            [np.nan if row.get(name) is None else row[name] for row in rows], dtype=np.float64
        )
        for name in names
    }
