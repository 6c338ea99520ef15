"""What the lines of drawings are to everything that is the same for all kinds of map."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from geoeval.exceptions import CRSError, ParameterError
from geoeval.lines.registry import REGISTRY
from geoeval.lines.rendering import usual_resolution
from geoeval.lines.shared_work import SharedWork
from geoeval.metrics.content import Content, Prepared, Values
from geoeval.metrics.metric import Metric
from geoeval.model.drawing import Drawing, PixelImage
from geoeval.wording import worded


class LineContent(Content):
    """Drawings."""

    name = "lines"
    registry = REGISTRY
    has_ground = False
    metrics_run_apart = False

    def describe(self, one: Drawing) -> dict[str, Any]:
        """What a result says of a drawing."""
        return describe(one)

    def values_of(
        self,
        metrics: Sequence[Metric],  # noqa: ARG002 - of all, whichever were chosen
        parameters: Mapping[str, Mapping[str, Any]] | None,
        preset: str,
    ) -> Values:
        """Every parameter of all metrics: what they share is made by the parameters of others."""
        return super().values_of(list(REGISTRY.metrics.values()), parameters, preset)

    def prepare(
        self, reference: Drawing, prediction: Drawing, metrics: Sequence[Metric], values: Values, **own: Any
    ) -> Prepared:
        """Two drawings whose lines have widths, and the work that several metrics share."""
        return _prepared(reference, prediction, metrics, values, **own)


def _prepared(
    reference: Drawing, prediction: Drawing, metrics: Sequence[Metric], values: Values, *,
    image: PixelImage | ArrayLike | None = None, seconds: float | None = None,
) -> Prepared:  # fmt: skip
    """Two drawings whose lines have widths, and the work that several metrics share; ``seconds`` add ``time``."""
    if seconds is not None and all(metric.name != "time" for metric in metrics):
        metrics = REGISTRY.choose_metrics([*(metric.name for metric in metrics), "time"])
    if values["pixel"]["resolution"] is None:
        values["pixel"]["resolution"] = usual_resolution(reference)
    prediction = prediction.assuming_width(reference.usual_width)
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
    return Prepared(reference, prediction, metrics, values, {"work": work}, _width_note(reference, prediction))


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


CONTENT = LineContent()
