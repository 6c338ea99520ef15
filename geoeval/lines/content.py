"""What the lines of drawings are to everything that is the same for all kinds of map."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Prepared

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric
    from geoeval.metrics.registry import Registry
    from geoeval.model.drawing import Drawing
    from geoeval.model.features import ErrorFeatures
    from geoeval.model.result import Result


class LineContent:
    """Drawings; see :class:`geoeval.metrics.content.Content`."""

    name = "lines"
    has_ground = False
    plans = None
    tile_size = None
    metrics_run_apart = False

    @property
    def registry(self) -> "Registry":
        """The metrics of lines."""
        from geoeval.lines.registry import REGISTRY

        return REGISTRY

    def describe(self, one: "Drawing") -> dict[str, Any]:
        """What a result says of a drawing."""
        from geoeval.lines.evaluate import describe

        return describe(one)

    def prepare(
        self, reference: "Drawing", prediction: "Drawing", metrics: "Sequence[Metric]",
        parameters: Mapping[str, Mapping[str, Any]] | None, preset: str, *, image: Any = None,
        seconds: float | None = None,
    ) -> Prepared:  # fmt: skip
        """Two drawings whose lines have widths, and the work that several metrics share."""
        from geoeval.lines.evaluate import prepare_drawings

        return prepare_drawings(self.registry, reference, prediction, metrics, parameters, preset, image, seconds)

    def input_errors(self, reference: "Drawing", prediction: "Drawing") -> "list[ErrorFeatures]":  # noqa: ARG002 - none are known
        """Nothing is told of a drawing by itself."""
        return []

    def evaluate(self, reference: "Drawing", prediction: "Drawing", **asked: Any) -> "Result":
        """The result of two drawings."""
        from geoeval.metrics.running import evaluate_maps

        return evaluate_maps(self, reference, prediction, **asked)


CONTENT = LineContent()
