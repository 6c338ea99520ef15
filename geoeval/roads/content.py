"""What roads are to everything that is the same for all kinds of map."""

import hashlib
from typing import Any

import numpy as np
import shapely

from geoeval.metrics.content import Content
from geoeval.model.features import ErrorFeatures
from geoeval.model.plan import Plan
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.offsets.estimate import Offset
from geoeval.roads.alignment import moved, prevailing_offset
from geoeval.roads.registry import REGISTRY


class RoadContent(Content):
    """Networks of roads."""

    name = "roads"
    registry = REGISTRY
    plans = True
    tile_size = 10_000.0

    def describe(self, one: RoadNetwork) -> dict[str, Any]:
        """What a result says of a network."""
        return describe(one)

    def input_errors(self, reference: RoadNetwork, prediction: RoadNetwork) -> list[ErrorFeatures]:
        """Segments that a network has twice."""
        return [duplicates(reference, "ref_id"), duplicates(prediction, "pred_id")]

    def prevailing_offset(self, reference: RoadNetwork, prediction: RoadNetwork) -> Offset | None:
        """The offset of the prediction; ``None`` where it cannot be told."""
        return prevailing_offset(reference, prediction)

    def moved(self, one: RoadNetwork, dx: float, dy: float) -> RoadNetwork:
        """The map shifted."""
        return moved(one, dx, dy)

    def measure(self, one: RoadNetwork) -> float:
        """Metres of road."""
        return one.length

    def decided(self, result: Result) -> Result:
        """The result with its errors decided."""
        from geoeval.roads.causes.decide import with_decided_errors

        return with_decided_errors(result)

    def edit_plan(self, result: Result, effort: Any = None) -> Plan:
        """What to fix first."""
        from geoeval.roads.edit_plan import edit_plan

        return edit_plan(result, effort=effort)

    def apply_plan(self, result: Result, plan: Any = None, *, top: int | None = None) -> RoadNetwork:
        """The prediction with the edits of its plan carried out."""
        from geoeval.roads.apply_plan import apply_plan

        return apply_plan(result, plan, top=top)


def describe(network: RoadNetwork) -> dict[str, Any]:
    """What a result says about a network: its source, its size, and a digest that identifies it."""
    digest = hashlib.sha256(network.nodes.tobytes() + network.segments.tobytes()).hexdigest()
    return {
        "source": network.source,
        "nodes": len(network.nodes),
        "segments": len(network.segments),
        "length_m": network.length,
        "sha256": digest,
        "problems": network.problems,
    }


def duplicates(network: RoadNetwork, id_column: str) -> ErrorFeatures:
    """Segments that the input has more than once, as features: they count once, but the map shows them."""
    features = ErrorFeatures("input")
    side = "reference" if id_column == "ref_id" else "prediction"
    if len(network.duplicates):
        features.add(
            "duplicate",
            np.asarray(shapely.linestrings(network.nodes[network.duplicates])),
            severity=0.0,
            note=f"the same segment twice in the {side}; counted once",
            **{id_column: [str(value) for value in network.duplicate_ids]},
        )
    return features


CONTENT = RoadContent()
