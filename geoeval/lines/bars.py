"""The bars of a drawing alone, for the older protocols, which know nothing else."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.model.drawing import BAR, Drawing

Floats = NDArray[np.float64]


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

    def boxes(self, margin: float | Floats) -> NDArray[np.object_]:
        """Boxes around the bars, wider by a margin."""
        low, high = self.ends.min(axis=1), self.ends.max(axis=1)
        return np.asarray(shapely.box(low[:, 0] - margin, low[:, 1] - margin, high[:, 0] + margin, high[:, 1] + margin))


def bars_of(drawing: Drawing) -> Bars:
    """The straight lines, in the order of the drawing."""
    rows = drawing.shapes == BAR
    return Bars(drawing.ends[rows], drawing.lengths[rows], drawing.widths[rows])


def left_out(score: str, reference: Drawing, prediction: Drawing) -> dict[str, str]:
    """A note on lines that are no bars, if there are any."""
    count = sum(int((drawing.shapes != BAR).sum()) for drawing in (reference, prediction))
    return {score: f"{count} arcs and polylines are outside this protocol and were not matched"} if count else {}
