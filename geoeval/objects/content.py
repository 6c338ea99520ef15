"""What objects, such as buildings, are to everything that is the same for all kinds of map."""

import hashlib
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import shapely

from geoeval.metrics.content import Content, Prepared, Values
from geoeval.metrics.metric import Metric
from geoeval.metrics.running import Progress
from geoeval.model.object_map import ObjectMap
from geoeval.model.plan import Plan
from geoeval.model.result import Result
from geoeval.objects.alignment import moved, prevailing_offset
from geoeval.objects.classes import check_classes, classes_of, of_class, together
from geoeval.objects.overlaps import overlaps_of
from geoeval.objects.registry import REGISTRY
from geoeval.offsets.estimate import Offset


class ObjectContent(Content):
    """Maps of polygons."""

    name = "objects"
    registry = REGISTRY
    plans = True
    tile_size = 2000.0
    # The Mallows scores take nearly all of the time, and share themselves out.
    metrics_run_apart = False

    def describe(self, one: ObjectMap) -> dict[str, Any]:
        """What a result says of a map of objects."""
        return describe(one)

    def prepare(
        self, reference: ObjectMap, prediction: ObjectMap, metrics: Sequence[Metric], values: Values, **own: Any
    ) -> Prepared:
        """Two maps, and which objects of them overlap."""
        before = perf_counter()
        shared = {"overlaps": overlaps_of(reference, prediction)}
        seconds = {"overlaps": round(perf_counter() - before, 6)}
        return super().prepare(reference, prediction, metrics, values, shared=shared, seconds=seconds, **own)

    def evaluate(self, reference: ObjectMap, prediction: ObjectMap, **asked: Any) -> Result:
        """The result of two maps, class by class where they have classes."""
        names = classes_of(reference, prediction) if check_classes(reference, prediction) else []
        if not names:
            return super().evaluate(reference, prediction, **asked)
        parts, progress = {}, asked.pop("progress", None)
        for number, name in enumerate(names):
            maps = [of_class(one, name) for one in (reference, prediction)]
            parts[name] = super().evaluate(*maps, progress=_share(progress, number, len(names)), **asked)
        return together(reference, prediction, parts, self.describe)

    def prevailing_offset(self, reference: ObjectMap, prediction: ObjectMap) -> Offset | None:
        """The offset of the prediction; ``None`` where it cannot be told."""
        return prevailing_offset(reference, prediction)

    def moved(self, one: ObjectMap, dx: float, dy: float) -> ObjectMap:
        """The map shifted."""
        return moved(one, dx, dy)

    def measure(self, one: ObjectMap) -> float:
        """Square metres of objects."""
        return one.area

    def why_no_plan(self, result: Result) -> str:
        """Why there is no plan: its maps or their matching are not there."""
        from geoeval.objects.edit_plan import why_no_plan

        return why_no_plan(result)

    def edit_plan(self, result: Result, effort: Any = None) -> Plan:
        """What to fix first."""
        from geoeval.objects.edit_plan import object_plan

        return object_plan(result, self.evaluate, effort=effort)

    def apply_plan(self, result: Result, plan: Any = None, *, top: int | None = None) -> ObjectMap:
        """The prediction with the edits of its plan carried out."""
        from geoeval.objects.edit_plan import apply_object_plan

        known = plan if isinstance(plan, Plan) else result.plan
        return apply_object_plan(self.edit_plan(result) if known is None else known, plan, top=top)


def describe(objects: ObjectMap) -> dict[str, Any]:
    """What a result says about a map: its source, its size, and a digest that identifies it."""
    pairs = len(objects.overlapping)
    return {
        "source": objects.source,
        "objects": len(objects),
        "area_m2": objects.area,
        "sha256": digest(objects),
        "problems": {**objects.problems, **({"overlapping_pairs": pairs} if pairs else {})},
    }


def digest(objects: ObjectMap) -> str:
    """A digest that is the same for the same objects, whatever the order of their vertices."""
    return hashlib.sha256(b"".join(shapely.to_wkb(shapely.normalize(objects.polygons)))).hexdigest()


def _share(progress: Progress | None, number: int, count: int) -> Progress | None:
    return None if progress is None else lambda share, said: progress((number + share) / count, said)


CONTENT = ObjectContent()
