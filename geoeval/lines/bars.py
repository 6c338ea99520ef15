"""The bars of a drawing, for the older protocols, which know no other lines."""

from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.model.drawing import BAR, Drawing


@dataclass(frozen=True)
class Bars:
    """Ends ``(n, 2, 2)``, lengths and widths."""

    ends: Floats
    lengths: Floats
    widths: Floats

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def directions(self) -> Floats:
        """Unit vectors from the first to the second end."""
        return (self.ends[:, 1] - self.ends[:, 0]) / self.lengths[:, None]

    def boxes(self, margin: float | Floats) -> Objects:
        """Boxes around the bars, enlarged by a margin."""
        low, high = self.ends.min(axis=1), self.ends.max(axis=1)
        return np.asarray(shapely.box(low[:, 0] - margin, low[:, 1] - margin, high[:, 0] + margin, high[:, 1] + margin))


def bars_of(drawing: Drawing) -> Bars:
    """The straight lines, in the order of the drawing."""
    rows = drawing.shapes == BAR
    return Bars(drawing.ends[rows], drawing.lengths[rows], drawing.widths[rows])


def left_out_note(score: str, reference: Drawing, prediction: Drawing) -> dict[str, str]:
    """A note on the lines that are not bars, if there are any."""
    count = sum(int((drawing.shapes != BAR).sum()) for drawing in (reference, prediction))
    return {score: f"{count} arcs and polylines are not covered by this protocol and were left out"} if count else {}
