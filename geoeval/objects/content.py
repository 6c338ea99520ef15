"""What objects, such as buildings, are to everything that is the same for all kinds of map."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from geoeval.metrics.content import Content, Prepared

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric
    from geoeval.metrics.registry import Registry
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.result import Result


class ObjectContent(Content):
    """Maps of polygons."""

    name = "objects"
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
        parameters: Mapping[str, Mapping[str, Any]] | None, preset: str, **own: Any,
    ) -> Prepared:  # fmt: skip
        """Two maps, and which objects of them overlap."""
        from geoeval.objects.overlaps import overlaps_of

        before = perf_counter()
        shared = {"overlaps": overlaps_of(reference, prediction)}
        seconds = {"overlaps": round(perf_counter() - before, 6)}
        return super().prepare(
            reference, prediction, metrics, parameters, preset, shared=shared, seconds=seconds, **own
        )

    def evaluate(self, reference: "ObjectMap", prediction: "ObjectMap", **asked: Any) -> "Result":
        """The result of two maps, class by class where they have classes."""
        from geoeval.objects.by_class import check_classes, evaluate_by_class

        if check_classes(reference, prediction):
            return evaluate_by_class(reference, prediction, **asked)
        return super().evaluate(reference, prediction, **asked)


CONTENT = ObjectContent()
