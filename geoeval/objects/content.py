"""What objects, such as buildings, are to everything that is the same for all kinds of map."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Prepared

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric
    from geoeval.metrics.registry import Registry
    from geoeval.model.features import ErrorFeatures
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.result import Result


class ObjectContent:
    """Maps of polygons; see :class:`geoeval.metrics.content.Content`."""

    name = "objects"
    has_ground = True
    plans = False
    tile_size = 2000.0
    # The Mallows scores take nearly all of the time, and share themselves out.
    metrics_run_apart = False

    @property
    def registry(self) -> "Registry":
        """The metrics of objects."""
        from geoeval.objects.registry import REGISTRY

        return REGISTRY

    def describe(self, one: "ObjectMap") -> dict[str, Any]:
        """What a result says of a map of objects."""
        from geoeval.objects.evaluate import describe

        return describe(one)

    def prepare(
        self, reference: "ObjectMap", prediction: "ObjectMap", metrics: "Sequence[Metric]",
        parameters: Mapping[str, Mapping[str, Any]] | None, preset: str,
    ) -> Prepared:  # fmt: skip
        """Two maps, and which objects of them overlap."""
        from geoeval.objects.overlaps import overlaps_of

        values = self.registry.choose_parameters(metrics, parameters, preset)
        before = perf_counter()
        shared = {"overlaps": overlaps_of(reference, prediction)}
        seconds = {"overlaps": round(perf_counter() - before, 6)}
        return Prepared(reference, prediction, metrics, values, shared, seconds=seconds)

    def input_errors(self, reference: "ObjectMap", prediction: "ObjectMap") -> "list[ErrorFeatures]":  # noqa: ARG002 - maps have them repaired
        """Nothing: what is wrong with an outline was mended when it was read."""
        return []

    def evaluate(self, reference: "ObjectMap", prediction: "ObjectMap", **asked: Any) -> "Result":
        """The result of two maps, class by class where they have classes."""
        from geoeval.metrics.running import evaluate_maps
        from geoeval.objects.by_class import check_classes, evaluate_classes

        if check_classes(reference, prediction):
            return evaluate_classes(reference, prediction, **asked)
        return evaluate_maps(self, reference, prediction, **asked)


CONTENT = ObjectContent()
