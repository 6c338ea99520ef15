"""The language of the drawings.

Thick grey is the reference, thin dark the prediction. Green counts as right, orange is what a metric loses. Blue is how
far it looks. The formula beside a drawing says what follows from it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import matplotlib as mpl
import numpy as np
import shapely
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.offsetbox import TextArea, VPacker
from matplotlib.patches import PathPatch
from matplotlib.path import Path

REFERENCE, PREDICTION, RIGHT, WRONG, REACH = "#C9C9C9", "#2B2B2B", "#009E73", "#D55E00", "#3A8FC8"
# What a metric loses of the reference, beside what is wrong in the prediction, on the ground and in words; and what is
# only there for comparison.
MISSED, MISSED_WORDS, FAINT = "#E9A871", "#B5651D", "#8A8A8A"
_THICK, _THIN = 8.0, 1.6
_SETTINGS = {"svg.fonttype": "path", "svg.hashsalt": "geoeval", "font.size": 9, "mathtext.fontset": "dejavusans"}

Place = tuple[float, float]


@dataclass(frozen=True)
class Sketch:
    """A tiny map with what a metric counts on it.

    Attributes
    ----------
    reference, prediction
        Lines of roads, polygons of objects, or rows ``x1, y1, x2, y2, width`` of drawings.
    draw
        Draws the map and what is counted.
    formula
        The formula, and what it gives here; a line each, mathematics between dollar signs.
    scores
        The scores that follow from what is drawn.
    parameters
        Those of the metric for this map, so that what it looks at can be seen.
    others
        Parameters of other metrics that it takes its numbers from.
    confidence
        Of the predicted objects.
    seconds
        How long the detection took.
    """

    reference: Sequence[Any]
    prediction: Sequence[Any]
    draw: Callable[["Canvas"], None]
    formula: Sequence[str]
    scores: Mapping[str, float]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    confidence: Sequence[float] | None = None
    seconds: float | None = None


def drawn(sketch: Sketch) -> str:
    """The drawing as SVG."""
    with mpl.rc_context(_SETTINGS):
        figure = Figure(figsize=(5.2, 2.9))
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set_aspect("equal")
        axes.margins(0.03)
        sketch.draw(Canvas(axes))
        _make_room_for_words(figure, axes)
        _cut_to_map(figure, axes)
        return _svg(figure)


def _cut_to_map(figure: Figure, axes: Axes) -> None:
    """No empty paper around the map, at the same scale."""
    box = axes.get_window_extent()
    figure.set_size_inches(box.width / figure.dpi, box.height / figure.dpi)


def written(sketch: Sketch) -> str:
    """The formula as SVG, which looks the same everywhere and needs nothing from the network."""
    with mpl.rc_context(_SETTINGS):
        figure = Figure(dpi=72)
        lines = [TextArea(line.replace(r"\frac", r"\dfrac")) for line in sketch.formula]
        column = figure.add_artist(VPacker(children=lines, sep=6, pad=4))
        size = column.get_bbox(FigureCanvasAgg(figure).get_renderer())
        figure.set_size_inches(size.width / 72, size.height / 72)
        column.set_offset((-size.x0, -size.y0))
        return _svg(figure)


def _svg(figure: Figure) -> str:
    text = StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _make_room_for_words(figure: Figure, axes: Axes) -> None:
    """Widen the limits so that words are inside; twice, since words are then smaller on the map."""
    canvas = FigureCanvasAgg(figure)
    axes.autoscale_view()
    for _ in range(2):
        axes.apply_aspect()
        for text in axes.texts:
            if text.get_text():
                axes.update_datalim(
                    text.get_window_extent(canvas.get_renderer()).transformed(axes.transData.inverted())
                )
        axes.autoscale_view()


class Canvas:
    """What a drawing may consist of."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes

    def reference(self, *lines: Sequence[Place], colour: str = REFERENCE) -> None:
        """Lines of the reference; ``WRONG`` where the metric misses them."""
        self._lines(lines, colour, _THICK, 2)

    def prediction(self, *lines: Sequence[Place], colour: str = PREDICTION, width: float = _THIN) -> None:
        """Lines of the prediction; ``RIGHT`` or ``WRONG`` where the metric says so."""
        self._lines(lines, colour, width if colour == PREDICTION else 2 * width, 4)

    def ground(self, geometry: Any, colour: str = REFERENCE, alpha: float = 1.0) -> None:
        """Covered ground, such as objects of the reference."""
        self._fill(geometry, facecolor=colour, edgecolor="none", alpha=alpha, zorder=1.5)

    def outline(self, *polygons: Any, colour: str = PREDICTION, width: float = _THIN) -> None:
        """Outlines of predicted objects."""
        for polygon in polygons:
            self._fill(polygon, facecolor="none", edgecolor=colour, linewidth=width, zorder=4)

    def reach(self, geometry: Any) -> None:
        """How far the metric looks."""
        self._fill(geometry, facecolor=REACH, alpha=0.13, edgecolor="none", zorder=1)
        self._fill(geometry, facecolor="none", edgecolor=REACH, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2)

    def dots(self, places: Sequence[Place], colour: str, *, is_reference: bool = False) -> None:
        """Counted places; those of the reference are larger and hollow."""
        x, y = np.asarray(places, dtype=float).reshape(-1, 2).T
        if is_reference:
            self.axes.scatter(x, y, s=46, facecolor="white", edgecolor=colour, linewidth=1.6, zorder=5)
        else:
            self.axes.scatter(x, y, s=16, color=colour, zorder=6)

    def arrow(self, start: Place, end: Place, colour: str = REACH, *, both_ends: bool = True) -> None:
        """A distance."""
        style = {"arrowstyle": "<->" if both_ends else "->", "color": colour, "shrinkA": 0, "shrinkB": 0, "lw": 1.1}
        self.axes.annotate("", end, start, arrowprops=style, zorder=7)

    def link(self, start: Place, end: Place, colour: str = RIGHT, curve: float = 0.0) -> None:
        """Two things that were matched."""
        style = {"arrowstyle": "-", "color": colour, "lw": 1.3, "ls": (0, (3, 2)), "shrinkA": 0, "shrinkB": 0,
                 "connectionstyle": f"arc3,rad={curve}"}  # fmt: skip
        self.axes.annotate("", end, start, arrowprops=style, zorder=5.5)

    def say(self, place: Place, text: str, colour: str = PREDICTION, **style: Any) -> None:
        """Words on the map."""
        box = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.6}
        aligned = {"ha": "center", "va": "center", "fontsize": 8.5} | style
        self.axes.text(*place, text, color=colour, bbox=box, zorder=8, **aligned)

    def _lines(self, lines: Sequence[Sequence[Place]], colour: str, width: float, order: float) -> None:
        for line in lines:
            x, y = np.asarray(line, dtype=float).T
            self.axes.plot(x, y, color=colour, linewidth=width, solid_capstyle="butt", solid_joinstyle="round",
                           zorder=order)  # fmt: skip

    def _fill(self, geometry: Any, **style: Any) -> None:
        for part in shapely.get_parts(geometry):
            rings = [part.exterior, *part.interiors]
            path = Path.make_compound_path(*(Path(np.asarray(ring.coords), closed=True) for ring in rings))
            self.axes.add_patch(PathPatch(path, **style))
        self.axes.update_datalim(np.reshape(shapely.bounds(geometry), (2, 2)))
