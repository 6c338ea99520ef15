"""Evaluate the lines of a vectorised drawing against a reference, by any of the metrics for lines."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geoeval._kernels.compiling import announce_compilation
from geoeval.exceptions import CRSError, ParameterError
from geoeval.lines.registry import REGISTRY
from geoeval.lines.rendering import usual_resolution
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.running import Progress, gather, run_metrics
from geoeval.model.drawing import Drawing, PixelImage
from geoeval.model.result import Result
from geoeval.wording import worded


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
    chosen = REGISTRY.choose_metrics(metrics)
    if seconds is not None and all(metric.name != "time" for metric in chosen):
        chosen = REGISTRY.choose_metrics([*(metric.name for metric in chosen), "time"])
    values = REGISTRY.choose_parameters(REGISTRY.metrics.values(), parameters)
    if values["pixel"]["resolution"] is None:
        values["pixel"]["resolution"] = usual_resolution(reference)
    prediction = prediction.to_crs(reference.crs).assuming_width(reference.usual_width)
    work = SharedWork(
        reference,
        prediction,
        image=_as_image(image, reference),
        resolution=values["pixel"]["resolution"],
        alpha=values["pixel"]["alpha"],
        beta=values["vector"]["beta"],
        even_width=values["vector"]["even_width"],
        seconds=seconds,
    )
    with announce_compilation(progress):
        results, taken = run_metrics(chosen, reference, prediction, values, progress=progress, shared={"work": work})
    result = gather(
        "lines",
        reference,
        prediction,
        results,
        describe=describe,
        seed=0,
        parameters={metric.name: values[metric.name] for metric in chosen},
        seconds=taken,
    )
    return replace(result, notes={**_width_note(reference, prediction), **result.notes})


def _width_note(reference: Drawing, prediction: Drawing) -> dict[str, str]:
    """How wide the lines were taken to be of which nobody states it."""
    sides = {"reference": reference, "prediction": prediction}
    counts = {side: int(drawing.assumed.sum()) for side, drawing in sides.items()}
    amounts = [f"{count:,} lines of the {side}" for side, count in counts.items() if count]
    if not amounts:
        return {}
    widths = np.concatenate([drawing.widths[drawing.assumed] for drawing in sides.values()])
    taken = f"{' and '.join(amounts)} state none and are taken as {widths[0]:g} wide"
    return {"width": worded(f"{taken}; {{option:width=W}} sets another")}


def describe(drawing: Drawing) -> dict[str, Any]:
    """What a result says about a drawing: its source, its size, and a digest that identifies it."""
    content = (drawing.pieces, drawing.first, drawing.widths, drawing.styles, drawing.shapes)
    return {
        "source": drawing.source,
        "lines": len(drawing),
        "length_m": drawing.length,
        "sha256": hashlib.sha256(b"".join(array.tobytes() for array in content)).hexdigest(),
        "problems": drawing.problems,
    }


def _as_image(image: PixelImage | ArrayLike | None, reference: Drawing) -> PixelImage | None:
    if image is None:
        return None
    if not isinstance(image, PixelImage):
        ink = np.asarray(image)
        if ink.ndim != 2:
            msg = f"the image has {ink.ndim} dimensions; give an array of rows and columns, true where there is ink"
            raise ParameterError(msg)
        return PixelImage(ink.astype(bool))
    if image.crs != reference.crs:
        msg = f"{image.source or 'the image'} has another CRS than the reference; warp it or give both the same CRS"
        raise CRSError(msg)
    return image
