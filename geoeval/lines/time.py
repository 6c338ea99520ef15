"""How long the detection took, per black pixel and per reference line: Liu and Dori 1997, Sect. 5."""

from math import isfinite

from geoeval.exceptions import ParameterError
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score
from geoeval.wording import worded


def time(reference: Drawing, prediction: Drawing, *, work: SharedWork | None = None) -> MetricResult:
    """Scores ``per_pixel`` and ``per_line``, in seconds.

    Parameters
    ----------
    reference, prediction
        The drawings, in one unit of length.
    work
        What other metrics of the same drawings have computed, and the time that the detection took.

    Returns
    -------
    MetricResult
        Undefined without a time, a black pixel or a line.

    Notes
    -----
    O(pixels of the reference's lines).
    """
    work = work or SharedWork(reference, prediction)
    if work.seconds is None:
        reason = worded("the time that the detection took is unknown; {give:seconds=T}")
        return MetricResult({"per_pixel": None, "per_line": None}, notes={"per_pixel": reason, "per_line": reason})
    if not (isfinite(work.seconds) and work.seconds >= 0):
        raise ParameterError(f"seconds is {work.seconds}; give how long the detection took, 0 or more")
    pixels, lines = work.pixels.reference, len(reference)
    scores = {
        "per_pixel": work.seconds / pixels if pixels else None,
        "per_line": work.seconds / lines if lines else None,
    }
    reason = "the reference is empty, so there is nothing to divide by"
    notes = {name: reason for name, value in scores.items() if value is None}
    return MetricResult(scores, counts={"seconds": work.seconds}, notes=notes)


METRIC = Metric(
    time, "per_line", "How long the detection took, per pixel and per line.",
    scores=(
        Score("per_pixel", "Seconds of detection per black pixel of the reference.", "lower", (0.0, None), "s"),
        Score("per_line", "Seconds of detection per line of the reference.", "lower", (0.0, None), "s"),
    ),
    in_all=False,
)  # fmt: skip
