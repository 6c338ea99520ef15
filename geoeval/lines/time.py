"""How long the detection took, per black pixel and per reference line: Liu and Dori 1997, Sect. 5."""

from math import isfinite

from geoeval.exceptions import ParameterError
from geoeval.lines.work import Work
from geoeval.model.drawing import Drawing
from geoeval.model.result import MetricResult


def time(reference: Drawing, prediction: Drawing, *, work: Work | None = None) -> MetricResult:
    """Scores ``per_pixel`` and ``per_line``, in seconds; undefined without a time, a black pixel or a line."""
    shared = work or Work(reference, prediction)
    if shared.seconds is None:
        reason = "how long the detection took is not known; give it with --seconds T (seconds=)"
        return MetricResult({"per_pixel": None, "per_line": None}, notes={"per_pixel": reason, "per_line": reason})
    if not (isfinite(shared.seconds) and shared.seconds >= 0):
        raise ParameterError(f"the detection took {shared.seconds} seconds; give a number from 0 on")
    pixels, lines = shared.pixels.reference, len(reference)
    scores = {
        "per_pixel": shared.seconds / pixels if pixels else None,
        "per_line": shared.seconds / lines if lines else None,
    }
    notes = {name: "the reference has nothing to divide by" for name, value in scores.items() if value is None}
    return MetricResult(scores, counts={"seconds": shared.seconds}, notes=notes)
