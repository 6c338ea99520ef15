"""``betti``: the error in the numbers of components and of holes of two masks.

Foreground is connected by 8 neighbours and background by 4, as in the cubical complex whose vertices are pixels. Three
conventions are in use and have names, because their numbers cannot be compared: ``image`` counts in the whole image;
``window=65`` in windows of so many pixels in scan order, and takes the mean; ``closed-border`` sets the border to
background first, and counts holes alone.
"""

import numpy as np

from geoeval.arrays import Bools
from geoeval.exceptions import ParameterError
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score, ScoreValue
from geoeval.protocols.aggregation import mean_of_places
from geoeval.protocols.protocol import Protocol
from geoeval.readers.extras import import_extra


def betti(reference: Bools, prediction: Bools, *, convention: str = "image") -> MetricResult:
    """Betti errors of two masks of one size.

    Parameters
    ----------
    reference, prediction
        Masks.
    convention
        ``image``, ``window=N`` or ``closed-border``.

    Returns
    -------
    MetricResult
        ``betti_error`` is the sum of both errors; with ``closed-border`` that of holes, and ``b0_error`` is undefined.
    """
    name, _, size = str(convention).removeprefix("betti:").partition("=")
    if name == "closed-border" and not size:
        inner = [np.pad(np.asarray(mask, dtype=bool)[1:-1, 1:-1], 1) for mask in (reference, prediction)]
        holes = float(abs(_numbers(inner[0])[1] - _numbers(inner[1])[1]))
        scores: dict[str, ScoreValue] = {"betti_error": holes, "b0_error": None, "b1_error": holes}
        return MetricResult(scores, notes={"b0_error": "closed-border counts holes alone"})
    if name == "image" and not size:
        windows = [(reference, prediction)]
    elif name == "window" and size.isdigit() and int(size) > 0:
        step = int(size)
        windows = [
            (reference[row : row + step, column : column + step], prediction[row : row + step, column : column + step])
            for row in range(0, reference.shape[0], step)
            for column in range(0, reference.shape[1], step)
        ]
    else:
        raise ParameterError(f"unknown convention {convention!r} of betti; give image, window=65 or closed-border")
    errors = np.array([[abs(a - b) for a, b in zip(_numbers(one), _numbers(two), strict=True)] for one, two in windows])
    b0, b1 = (float(value) for value in errors.mean(axis=0))
    return MetricResult({"betti_error": b0 + b1, "b0_error": b0, "b1_error": b1})


def _numbers(mask: Bools) -> tuple[int, int]:
    """Components of the foreground by 8 neighbours; components of the background by 4, less the one outside."""
    label = import_extra("skimage.measure").label
    padded = np.pad(np.asarray(mask, dtype=bool), 1)
    return int(label(padded, connectivity=2).max()), int(label(~padded, connectivity=1).max()) - 1


PROTOCOL = Protocol(
    betti, "betti_error", "Difference in the numbers of components and of holes of two masks.",
    scores=(
        Score("betti_error", "Sum of both errors.", "lower", (0.0, None)),
        Score("b0_error", "Difference in the number of components.", "lower", (0.0, None)),
        Score("b1_error", "Difference in the number of holes.", "lower", (0.0, None)),
    ),
    version="1", takes="masks",
    origin="Betti number error as in TopoLoss (Hu et al., NeurIPS 2019) and its followers; three conventions.",
    blind_to="where anything is: a break here and a false link there cancel out",
    prefer=("opt-j", "opt-p"),
    aggregates={"mean": mean_of_places},
)  # fmt: skip
