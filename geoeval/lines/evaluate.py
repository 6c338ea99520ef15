"""Evaluate the lines of a vectorised drawing against a reference, by any of the metrics for lines."""

from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from geoeval.lines.content import CONTENT, describe
from geoeval.metrics.running import Progress, evaluate_maps
from geoeval.model.drawing import Drawing, PixelImage
from geoeval.model.result import Result

__all__ = ["describe", "evaluate_lines"]


def evaluate_lines(
    reference: Drawing,
    prediction: Drawing,
    *,
    image: PixelImage | ArrayLike | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    seconds: float | None = None,
    metrics: str | Iterable[str] = "all",
    progress: Progress | None = None,
) -> Result:
    """Score the detected lines of a drawing against a reference, and map the errors.

    Takes drawings that are prepared already: read, and in one unit of length; ``geoeval.evaluate`` does all of that.

    Parameters
    ----------
    reference, prediction
        The drawings. If their CRSs differ, the prediction is brought into the reference's. Lines of the prediction
        whose width nobody states are as wide as those of the reference, else as its lines are in the median.
    image
        The black pixels of the original, as ``read_image`` gives them, or a 2-D array that is true where there is
        ink; pixel (column, row) of an array lies at these coordinates. By default the lines of the reference are drawn.
    parameters
        By metric and name, for example ``{"pixel": {"alpha": 0.4}, "vector": {"beta": 0.4}}``.
    seconds
        How long the detection took; adds the metric ``time``.
    metrics
        ``"all"`` (pixel, vector, combined), or names; ``time``, ``kong`` and ``hori-doermann`` must be named.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it stops the run.

    Returns
    -------
    Result
        Both drawings empty: scores 1. Nothing detected: detection rates 0, false-alarm rates 0. ``errors`` are the
        lines that were missed, fragmented and so on, with their qualities.

    Examples
    --------
    >>> from geoeval import Drawing, evaluate_lines
    >>> from geoeval.model.courses import bar
    >>> reference = Drawing([bar((10, 20), (90, 20))], width=8)
    >>> prediction = Drawing([bar((10, 20), (50, 20))], width=8)
    >>> evaluate_lines(reference, prediction).scores["vector"]
    {'dv': 0.5, 'fv': 0.0, 'vri': 0.75}
    """
    return evaluate_maps(
        CONTENT, reference, prediction, metrics=metrics, parameters=parameters, progress=progress, image=image,
        seconds=seconds,
    )  # fmt: skip
