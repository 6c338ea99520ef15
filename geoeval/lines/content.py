"""What the lines of drawings are to everything that is the same for all kinds of map."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Content, Prepared

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric
    from geoeval.metrics.registry import Registry
    from geoeval.model.drawing import Drawing


class LineContent(Content):
    """Drawings."""

    name = "lines"
    has_ground = False
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
        parameters: Mapping[str, Mapping[str, Any]] | None, preset: str, *,  # noqa: ARG002 - there is but the usual one
        image: Any = None,
        seconds: float | None = None,
    ) -> Prepared:  # fmt: skip
        """Two drawings whose lines have widths, and the work that several metrics share."""
        from geoeval.lines.evaluate import prepare_drawings

        return prepare_drawings(reference, prediction, metrics, parameters, image=image, seconds=seconds)


CONTENT = LineContent()
