"""Local scores of lines: a grid of square cells, each with the scores of the lines whose middles lie in it."""

from typing import TYPE_CHECKING

import numpy as np

from geoeval.lines.rates import recovery_index
from geoeval.model.result import Result
from geoeval.roads.grid import cells_over, point_counts

if TYPE_CHECKING:
    import geopandas as gpd


def score_grid(result: Result, *, cell_size: float = 500.0) -> "gpd.GeoDataFrame":
    """The vector level of every cell with a line's middle in it.

    Columns ``ref_m`` and ``pred_m`` (length of the lines) and, where the vector level was evaluated, ``vector.dv``,
    ``vector.fv`` and ``vector.vri``; not a number where a cell has no line of that side. Two empty drawings give no
    cell.
    """
    import geopandas as gpd

    cells = cells_over([result.networks[role] for role in ("reference", "prediction")], cell_size)
    counts = {} if cells is None else point_counts(result, "vector", cells)
    if cells is None or not counts:
        return gpd.GeoDataFrame({"ref_m": [], "pred_m": []}, geometry=[], crs=result.crs)
    shown = np.flatnonzero((counts["ref_length"] > 0) | (counts["pred_length"] > 0))
    true, detected, found, good = (
        counts[name][shown] for name in ("ref_length", "ref_quality", "pred_length", "pred_quality")
    )
    with np.errstate(invalid="ignore"):
        dv, fv = detected / true, 1 - good / found
    beta = result.parameters["vector"]["beta"]
    columns = {"ref_m": true, "pred_m": found, "vector.dv": dv, "vector.fv": fv}
    columns["vector.vri"] = np.array(
        [recovery_index(a, b, beta) for a, b in zip(np.nan_to_num(dv), np.nan_to_num(fv), strict=True)],
        dtype=np.float64,
    )
    return gpd.GeoDataFrame(columns, geometry=cells.squares(shown), crs=result.crs)
