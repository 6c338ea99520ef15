"""What roads are to everything that is the same for all kinds of map."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Prepared

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric
    from geoeval.metrics.registry import Registry
    from geoeval.model.features import ErrorFeatures
    from geoeval.model.result import Result
    from geoeval.model.road_network import RoadNetwork


class RoadContent:
    """Networks of roads; see :class:`geoeval.metrics.content.Content`."""

    name = "roads"
    has_ground = True
    plans = True
    tile_size = 10_000.0
    metrics_run_apart = True

    @property
    def registry(self) -> "Registry":
        """The metrics of roads."""
        from geoeval.roads.registry import REGISTRY

        return REGISTRY

    def describe(self, one: "RoadNetwork") -> dict[str, Any]:
        """What a result says of a network."""
        from geoeval.roads.evaluate import describe

        return describe(one)

    def prepare(
        self, reference: "RoadNetwork", prediction: "RoadNetwork", metrics: "Sequence[Metric]",
        parameters: Mapping[str, Mapping[str, Any]] | None, preset: str,
    ) -> Prepared:  # fmt: skip
        """Two networks, as they are."""
        values = self.registry.choose_parameters(metrics, parameters, preset)
        return Prepared(reference, prediction, metrics, values)

    def input_errors(self, reference: "RoadNetwork", prediction: "RoadNetwork") -> "list[ErrorFeatures]":
        """Segments that a network has twice."""
        from geoeval.roads.evaluate import duplicates

        return [duplicates(reference, "ref_id"), duplicates(prediction, "pred_id")]

    def evaluate(self, reference: "RoadNetwork", prediction: "RoadNetwork", **asked: Any) -> "Result":
        """The result of two networks."""
        from geoeval.metrics.running import evaluate_maps

        return evaluate_maps(self, reference, prediction, **asked)


CONTENT = RoadContent()
