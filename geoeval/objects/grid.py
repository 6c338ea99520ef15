"""Local scores of objects: a grid of square cells, each with the scores of the objects whose centres lie in it."""

from typing import TYPE_CHECKING

import numpy as np

from geoeval.model.result import Result
from geoeval.objects.registry import METRICS
from geoeval.roads.grid import cell_scores, cells_over, point_counts

if TYPE_CHECKING:
    import geopandas as gpd
    from numpy.typing import NDArray


def score_grid(result: Result, *, cell_size: float = 500.0) -> "gpd.GeoDataFrame":
    """The scores of each metric that has local counts, for every cell with an object in it.

    Columns ``ref_n`` and ``pred_n`` (numbers of objects) and ``metric.score``; not a number where a cell has nothing
    for a metric to look at. A match belongs to the cell of its first object of the reference. An evaluation of two
    empty maps gives no cell.
    """
    import geopandas as gpd

    maps = [result.networks[role] for role in ("reference", "prediction")]
    cells = cells_over(maps, cell_size)
    if cells is None:
        return gpd.GeoDataFrame({"ref_n": [], "pred_n": []}, geometry=[], crs=result.crs)
    numbers = [cells.sums(one.centroids, np.ones(len(one))) for one in maps]
    shown = np.flatnonzero((numbers[0] > 0) | (numbers[1] > 0))
    columns: dict[str, NDArray[np.float64]] = {"ref_n": numbers[0][shown], "pred_n": numbers[1][shown]}
    for metric in result.scores:
        local = point_counts(result, metric, cells)
        if local:
            columns |= cell_scores(METRICS[metric], {name: values[shown] for name, values in local.items()})
    return gpd.GeoDataFrame(columns, geometry=cells.squares(shown), crs=result.crs)
