"""What each edit of a map of objects does, and the map with some edits carried out."""

from dataclasses import dataclass, replace

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.object_map import ObjectMap
from geoeval.objects.faults import measure_faults
from geoeval.objects.instances import Instances


@dataclass(frozen=True)
class ObjectEdits:
    """Edits of the predicted objects, numbered; ``count`` stands for the rest, all that no edit lists.

    An edit takes predicted objects away and puts those of the reference in their place, or moves an outline.

    Attributes
    ----------
    reference, prediction
        The maps.
    of_ref, of_pred
        The edit that concerns each object.
    partner
        For each object of the reference the predicted one that it matches one to one, or -1: it keeps its id.
    moved
        For each predicted object its outline after an edit that only moves it; ``None`` for all others.
    count
        How many edits there are, without the rest.
    """

    reference: ObjectMap
    prediction: ObjectMap
    of_ref: Ints
    of_pred: Ints
    partner: Ints
    moved: Objects
    count: int

    def in_order(self, order: Ints) -> "ObjectEdits":
        """The same edits, numbered in another order."""
        number = np.empty(self.count + 1, dtype=np.int64)
        number[order], number[self.count] = np.arange(self.count), self.count
        return replace(self, of_ref=number[self.of_ref], of_pred=number[self.of_pred])

    def outcome(self, chosen: Bools) -> tuple[Ints, Objects, Ints]:
        """What the chosen edits make: predicted objects that are there and their outlines, and objects put in.

        ``chosen`` has one truth value for each edit, and one for the rest. The objects put in are those of the
        reference, by number.
        """
        is_moved = ~shapely.is_missing(self.moved)
        done = chosen[self.of_pred]
        # What was only moved becomes the reference's outline with the rest.
        only_moved = done & is_moved & ~chosen[self.count]
        there = np.flatnonzero(~done | only_moved)
        outlines = np.where(only_moved, self.moved, self.prediction.polygons)[there]
        put_in = chosen[self.of_ref]
        single = np.flatnonzero(self.partner >= 0)
        put_in[single] &= ~only_moved[self.partner[single]]
        return there, outlines, np.flatnonzero(put_in)

    def confidence_put_in(self, put_in: Ints) -> Floats:
        """The confidence in objects of the reference that are put in: that of their partners, else 1."""
        assert self.prediction.confidence is not None
        sure = np.ones(len(put_in))
        single = self.partner[put_in] >= 0
        sure[single] = self.prediction.confidence[self.partner[put_in[single]]]
        return sure


def carry_out(edits: ObjectEdits, chosen: Bools) -> ObjectMap:
    """The prediction with the chosen edits carried out; it depends on which are chosen, not on their order.

    An outline that was corrected keeps the id and the confidence of its object; one that is put in has the id that it
    has in the reference, and full confidence. Without any edit it is the prediction itself, with all of them and the
    rest it has the outlines of the reference. O(n log n).
    """
    prediction, reference = edits.prediction, edits.reference
    if not chosen.any():
        return prediction
    there, outlines, put_in = edits.outcome(chosen)
    ids = reference.ids.astype(object)[put_in]
    single = edits.partner[put_in] >= 0
    ids[single] = prediction.ids[edits.partner[put_in[single]]]
    sure = prediction.confidence
    if sure is not None:
        sure = np.concatenate([sure[there], edits.confidence_put_in(put_in)])
    classes = None
    if prediction.classes is not None and reference.classes is not None:
        classes = np.concatenate([prediction.classes[there], reference.classes[put_in]])
    return ObjectMap(
        np.concatenate([outlines, reference.polygons[put_in]]), crs=prediction.crs,
        ids=np.concatenate([prediction.ids.astype(object)[there], ids]), confidence=sure, classes=classes,
        source=prediction.source, scale_error=prediction.scale_error, extent=prediction.extent,
    )  # fmt: skip


@dataclass(frozen=True)
class Moves:
    """How each of some pairs is best brought into place by moving alone.

    Attributes
    ----------
    outline
        The predicted outline after the move; ``None`` where moving is not enough.
    shift
        Metres east and north.
    turn_deg
        By how much it is turned, to the left; 0 where it is only shifted.
    """

    outline: Objects
    shift: Floats
    turn_deg: Floats


def find_moves(reference: ObjectMap, ref: Ints, prediction: ObjectMap, pred: Ints, least_iou: float) -> Moves:
    """Shifts, and turns with shifts, after which pairs have at least an IoU; shifts come first. O(corners)."""
    true, own = reference.polygons[ref], prediction.polygons[pred]
    shift = reference.centroids[ref] - prediction.centroids[pred]
    turn = -measure_faults(reference, ref, prediction, pred)["turn_deg"]
    outline, turned = np.full(len(ref), None, dtype=object), np.zeros(len(ref))
    for angle in (np.zeros(len(ref)), turn):
        open_rows = np.flatnonzero(shapely.is_missing(outline))
        moved = _moved(own[open_rows], prediction.centroids[pred[open_rows]], angle[open_rows], shift[open_rows])
        common = shapely.area(shapely.intersection(moved, true[open_rows]))
        whole = shapely.area(moved) + shapely.area(true[open_rows]) - common
        enough = common >= least_iou * whole
        outline[open_rows[enough]] = moved[enough]
        turned[open_rows[enough]] = angle[open_rows[enough]]
    return Moves(outline, shift, turned)


def _moved(outlines: Objects, centre: Floats, angle_deg: Floats, shift: Floats) -> Objects:
    """Outlines turned to the left about their centres, and shifted."""
    if len(outlines) == 0:
        return outlines
    xy, owner = shapely.get_coordinates(outlines, return_index=True)
    cos, sin = np.cos(np.radians(angle_deg))[owner], np.sin(np.radians(angle_deg))[owner]
    x, y = (xy - centre[owner]).T
    turned = np.column_stack([cos * x - sin * y, sin * x + cos * y])
    return shapely.set_coordinates(outlines.copy(), turned + (centre + shift)[owner])


def partners(instances: Instances, refs: int) -> Ints:
    """For each object of the reference the predicted one that it matches one to one, or -1."""
    found = np.full(refs, -1, dtype=np.int64)
    single = instances.single[instances.of_ref[instances.ref]] if len(instances) else np.zeros(0, dtype=bool)
    found[instances.ref[single]] = instances.pred[single]
    return found
