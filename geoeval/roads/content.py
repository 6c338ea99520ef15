"""What roads are to everything that is the same for all kinds of map."""

from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Content

if TYPE_CHECKING:
    from geoeval.metrics.registry import Registry
    from geoeval.model.features import ErrorFeatures
    from geoeval.model.road_network import RoadNetwork


class RoadContent(Content):
    """Networks of roads."""

    name = "roads"
    plans = True
    tile_size = 10_000.0

    @property
    def registry(self) -> "Registry":
        """The metrics of roads."""
        from geoeval.roads.registry import REGISTRY

        return REGISTRY

    def describe(self, one: "RoadNetwork") -> dict[str, Any]:
        """What a result says of a network."""
        from geoeval.roads.evaluate import describe

        return describe(one)

    def input_errors(self, reference: "RoadNetwork", prediction: "RoadNetwork") -> "list[ErrorFeatures]":
        """Segments that a network has twice."""
        from geoeval.roads.evaluate import duplicates

        return [duplicates(reference, "ref_id"), duplicates(prediction, "pred_id")]


CONTENT = RoadContent()
