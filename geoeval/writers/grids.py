"""The grid of local scores: which cells are written, and which of their scores a map shows first."""

from numbers import Real
from typing import TYPE_CHECKING

from geoeval.metrics.registry import declarations_of
from geoeval.model.result import Result

if TYPE_CHECKING:
    import geopandas as gpd

CELL_SIZE = 500.0
# What a person looks at first; the metrics that are not named here follow in the order of their registry.
_FIRST = ("opt-j", "opt-p", "apls", "ccq", "max-overlap")


def grid_to_write(result: Result, grid: "gpd.GeoDataFrame | float | None") -> "gpd.GeoDataFrame | None":
    """The cells as they are given, or computed where their size in metres is given; ``None`` for no grid.

    A result that kept neither its inputs nor its tiles has nothing to compute a grid from, so it has none.
    """
    if not isinstance(grid, Real):
        return grid
    if result.cells is None and not result.inputs:
        return None
    return result.grid(float(grid))


def local_scores(grid: "gpd.GeoDataFrame", content: str) -> list[str]:
    """Columns of a grid that can colour it: headline scores from 0 (bad) to 1 (good), the most telling first."""
    metrics = declarations_of(content)
    given = {str(column).partition(".")[0] for column in grid.columns}
    order = dict.fromkeys((*_FIRST, *metrics))
    names = []
    for metric in (metrics[name] for name in order if name in metrics and name in given):
        score = next(score for score in metric.scores if score.name == metric.headline)
        if score.range == (0.0, 1.0) and score.better == "higher":
            names.append(f"{metric.name}.{score.name}")
    return [name for name in names if name in grid]
