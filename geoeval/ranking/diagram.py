"""The Hasse diagram of a ranking: better items above worse ones, a line where nothing is between."""

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geoeval.ranking.order import covers, levels
from geoeval.ranking.rank import Ranking
from geoeval.writers.pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches that a label needs, and how many stand beside each other.
_WIDTH, _HEIGHT, _PER_ROW = 1.75, 1.05, 8
_LETTERS, _LINES = 18, 2


def hasse_diagram(ranking: Ranking) -> "Figure":
    """Draw a ranking's partial order; the best items, which no other is better than, are filled.

    Each item is labelled with its name, its rank, and the best and worst rank that the scores allow. A level of more
    than 8 items is drawn in several rows. No items give an empty picture.
    """
    place = positions(ranking)
    wide, high = (place.max(axis=0) + 1 if len(place) else np.ones(2)).tolist()
    figure = new_figure(_WIDTH * wide, _HEIGHT * high)
    axes: Any = figure.subplots()
    axes.set(xlim=(-0.5, wide - 0.5), ylim=(high - 0.5, -0.5))
    axes.axis("off")
    for a, b in covers(ranking.better):
        axes.plot(*place[[a, b]].T, color="#777777", linewidth=0.8, zorder=1)
    spans, best = ranking.intervals, set(ranking.pareto)
    for item, name in enumerate(ranking.names):
        box = {"boxstyle": "round,pad=0.3", "edgecolor": "#0072B2", "linewidth": 0.8,
               "facecolor": "#CFE5F3" if name in best else "white"}  # fmt: skip
        low, high_rank = spans[item]
        where = f"{low}" if low == high_rank else f"{low} to {high_rank}"
        axes.text(
            *place[item], f"{_label(name)}\n{ranking.ranks[item]} ({where})", ha="center", va="center", fontsize=8,
            bbox=box, zorder=2, parse_math=False,
        )  # fmt: skip
    return figure


def positions(ranking: Ranking) -> NDArray[np.float64]:
    """Column and row of each item: worse ones below better ones, near the middle of what they hang on."""
    level = levels(ranking.better)
    place = np.zeros((len(level), 2))
    row = 0
    for depth in range(int(level.max(initial=-1)) + 1):
        items = np.flatnonzero(level == depth)
        above = [place[ranking.better[:, item] & (level == depth - 1), 0] for item in items]
        wish = [float(xs.mean()) if len(xs) else 0.0 for xs in above]
        order = sorted(range(len(items)), key=lambda i: (wish[i], ranking.ranks[items[i]], ranking.names[items[i]]))
        rows = -(-len(items) // _PER_ROW)
        # Dealt out like cards, so that the rows of a wide level lie under each other in the same order.
        for i, index in enumerate(order):
            place[items[index]] = (i // rows, row + i % rows)
        row += rows
    widest = place[:, 0].max(initial=0.0)
    for one in np.unique(place[:, 1]):
        mask = place[:, 1] == one
        place[mask, 0] += (widest - place[mask, 0].max()) / 2
    return place


def _label(name: str) -> str:
    lines = wrap(name, _LETTERS) or [""]
    if len(lines) > _LINES:
        rest = shorten(" ".join(lines[_LINES - 1 :]), _LETTERS, placeholder="…")
        lines = [*lines[: _LINES - 1], rest]
    return "\n".join(lines)
