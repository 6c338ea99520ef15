"""The Hasse diagram of a ranking: better items above worse ones, with a line where no item is in between."""

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.ranking.layered_drawing import layered
from geoeval.ranking.order import covers, levels
from geoeval.ranking.rank import Ranking
from geoeval.writers.pictures import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Size of a label in inches, and the most labels in a row. Rows are farther apart the more lines run between them.
_WIDTH, _HEIGHT, _PER_ROW = 1.75, 0.55, 8
_BETWEEN, _A_LINE, _AT_MOST = 0.45, 0.015, 0.9
_LETTERS, _LINES = 18, 2


def hasse_diagram(ranking: Ranking) -> "Figure":
    r"""Draw the partial order of a ranking.

    Each item is labelled with its name, its rank, and the best and worst rank that the scores allow. Items that no
    other item beats are filled. A level of more than 8 items takes several rows, and lines run beside the items of the
    rows that they pass. Without items the figure is empty.

    Examples
    --------
    >>> from geoeval import rank
    >>> from geoeval.ranking.diagram import hasse_diagram
    >>> ranking = rank({"A": {"p": 0.9, "r": 0.8}, "B": {"p": 0.7, "r": 0.9}, "C": {"p": 0.6, "r": 0.5}})
    >>> [label.get_text() for label in hasse_diagram(ranking).axes[0].texts]
    ['A\n1 (1 to 2)', 'B\n1 (1 to 2)', 'C\n3 (3)']
    """
    place, courses, height = layout(ranking)
    corners = np.concatenate([place - 0.5, place + 0.5, *(course - 0.1 for course in courses),
                              *(course + 0.1 for course in courses), [[0.0, 0.0], [1.0, 1.0]]])  # fmt: skip
    low, high = corners.min(axis=0), corners.max(axis=0)
    figure = new_figure(_WIDTH * float(high[0] - low[0]), height * float(high[1] - low[1]))
    axes: Any = figure.subplots()
    axes.set(xlim=(low[0], high[0]), ylim=(high[1], low[1]))
    axes.axis("off")
    for course in courses:
        axes.plot(*course.T, color="#777777", linewidth=0.8, zorder=1, solid_joinstyle="round")
    spans, best = ranking.intervals, set(ranking.pareto)
    for item, name in enumerate(ranking.names):
        box = {"boxstyle": "round,pad=0.3", "edgecolor": "#0072B2", "linewidth": 0.8,
               "facecolor": "#CFE5F3" if name in best else "white"}  # fmt: skip
        first, last = spans[item]
        where = f"{first}" if first == last else f"{first} to {last}"
        axes.text(
            *place[item], f"{_label(name)}\n{ranking.ranks[item]} ({where})", ha="center", va="center", fontsize=8,
            bbox=box, zorder=2, parse_math=False,
        )  # fmt: skip
    return figure


def layout(ranking: Ranking) -> tuple[Floats, list[Floats], float]:
    """Where items and lines are drawn.

    Returns
    -------
    places
        Column and row of each item, better items above worse ones.
    courses
        The points of each line, in the order of ``covers``.
    height
        Inches from row to row.
    """
    lines = covers(ranking.better)
    # By rank and name, so that the figure does not depend on the order of the items.
    order = sorted(range(len(ranking.names)), key=lambda item: (ranking.ranks[item], ranking.names[item]))
    number = {item: i for i, item in enumerate(order)}
    rows = _rows(ranking, lines)
    busiest = max((sum(rows[a] <= gap < rows[b] for a, b in lines) for gap in range(rows.max(initial=0))), default=0)
    height = _HEIGHT + min(_BETWEEN + _A_LINE * busiest, _AT_MOST)
    ways = sorted(range(len(lines)), key=lambda i: (number[lines[i][0]], number[lines[i][1]]))
    pairs = [(number[lines[i][0]], number[lines[i][1]]) for i in ways]
    x, drawn = layered(rows[order].tolist(), pairs, half=_HEIGHT / 2 / height)
    place = np.zeros((len(order), 2))
    place[order] = np.column_stack([x, rows[order]])
    courses = dict(zip(ways, drawn, strict=True))
    return place, [courses[i] for i in range(len(lines))], height


def _rows(ranking: Ranking, lines: list[tuple[int, int]]) -> Ints:
    """The row of each item. A wide level takes several rows; the lowest hold the items with most lines downwards."""
    level = levels(ranking.better)
    hanging = np.zeros(len(level), dtype=np.int64)
    for upper, lower in lines:
        hanging[upper] += 1
        hanging[lower] -= 1
    rows, first = np.zeros(len(level), dtype=np.int64), 0
    for depth in range(int(level.max(initial=-1)) + 1):
        items = sorted(np.flatnonzero(level == depth), key=lambda i: (hanging[i], ranking.ranks[i], ranking.names[i]))
        count = -(-len(items) // _PER_ROW)
        for i, part in enumerate(np.array_split(items, count)):
            rows[part] = first + i
        first += count
    return rows


def _label(name: str) -> str:
    lines = wrap(name, _LETTERS) or [""]
    if len(lines) > _LINES:
        rest = shorten(" ".join(lines[_LINES - 1 :]), _LETTERS, placeholder="…")
        lines = [*lines[: _LINES - 1], rest]
    return "\n".join(lines)
