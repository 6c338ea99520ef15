"""Matching instances: which objects of the reference match which of the prediction, and their features on the map."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.features import ErrorFeatures
from geoeval.model.object_map import ObjectMap
from geoeval.objects.overlaps import pair_components

# Centroids nearer than this are one place: a line between them could not be seen.
_SAME_PLACE = 1e-3


@dataclass(frozen=True)
class Instances:
    """Groups of objects that match.

    ``of_ref`` and ``of_pred`` have the number of each object's instance, or -1; ``ref`` and ``pred`` are the matched
    pairs. An instance has a single object on at least one side.
    """

    of_ref: Ints
    of_pred: Ints
    ref: Ints
    pred: Ints

    @classmethod
    def from_pairs(cls, ref: Ints, pred: Ints, refs: int, preds: int) -> "Instances":
        """Instances of ``refs`` and ``preds`` objects from the matched pairs, numbered by their first pair."""
        number = pair_components(ref, pred)
        of_ref, of_pred = np.full(refs, -1, dtype=np.int64), np.full(preds, -1, dtype=np.int64)
        of_ref[ref], of_pred[pred] = number, number
        return cls(of_ref, of_pred, ref, pred)

    def __len__(self) -> int:
        return int(self.of_ref.max(initial=-1)) + 1

    @cached_property
    def refs(self) -> Ints:
        """Number of reference objects in each instance."""
        return np.bincount(self.of_ref[self.of_ref >= 0], minlength=len(self))

    @cached_property
    def preds(self) -> Ints:
        """Number of predicted objects in each instance."""
        return np.bincount(self.of_pred[self.of_pred >= 0], minlength=len(self))

    @property
    def missed(self) -> Ints:
        """Reference objects in no instance."""
        return np.flatnonzero(self.of_ref < 0)

    @property
    def false_alarms(self) -> Ints:
        """Predicted objects in no instance."""
        return np.flatnonzero(self.of_pred < 0)

    def members(self) -> tuple[list[Ints], list[Ints]]:
        """The reference and the predicted objects of every instance."""
        return self._members

    @cached_property
    def _members(self) -> tuple[list[Ints], list[Ints]]:
        return _groups(self.of_ref, len(self)), _groups(self.of_pred, len(self))

    @cached_property
    def firsts(self) -> tuple[Ints, Ints]:
        """The first reference and the first predicted object of every instance."""
        return _firsts(self.of_ref), _firsts(self.of_pred)

    @property
    def single(self) -> Bools:
        """Which instances are one to one."""
        return (self.refs == 1) & (self.preds == 1)

    def counts(self) -> dict[str, int]:
        """The number of instances of each form, and of objects in none."""
        return {
            "one_to_one": int(self.single.sum()),
            "one_to_many": int((self.preds > 1).sum()),
            "many_to_one": int((self.refs > 1).sum()),
            "missed": len(self.missed),
            "false_alarm": len(self.false_alarms),
        }


def features_later(metric: str, *maps: Any, **options: Any) -> ErrorFeatures:
    """What ``object_features`` gives, made when it is looked at."""
    return ErrorFeatures.later(metric, lambda: object_features(metric, *maps, **options))


def object_features(
    metric: str,
    reference: ObjectMap,
    prediction: ObjectMap,
    instances: Instances,
    *,
    values: Mapping[str, Floats] | None = None,
    words: Objects | None = None,
    counted: tuple[Bools, Bools] | None = None,
    links: bool = False,
) -> ErrorFeatures:
    """Every object or instance as a polygon.

    ``missed`` and ``false_alarm`` objects; ``matched`` (one to one, not an error) and ``split`` (one object of the
    reference, several predicted) with the polygon of the reference; ``merge`` (several of the reference, one predicted)
    with the predicted polygon. ``values`` are columns with a number for each instance; ``offset_m`` becomes ``dist_m``.
    ``words`` say what is wrong with each instance that is ``matched``.
    Of the objects in no instance only the ``counted`` ones are drawn. With ``links`` a line, not an error either, joins
    the centroids of each matched pair.
    """
    features = ErrorFeatures(metric)
    values = dict(values or {})
    offset = values.pop("offset_m", None)
    for side, (kind, owner, unmatched, column) in enumerate(
        (
            ("missed", reference, instances.missed, "ref_id"),
            ("false_alarm", prediction, instances.false_alarms, "pred_id"),
        )
    ):
        rows = unmatched if counted is None else unmatched[counted[side][unmatched]]
        features.add(kind, owner.polygons[rows], area_m2=owner.areas[rows], **{column: owner.names[rows]})
    for kind, chosen, drawn_from in (
        ("matched", instances.single, "ref"),
        ("split", instances.preds > 1, "ref"),
        ("merge", instances.refs > 1, "pred"),
    ):
        rows = np.flatnonzero(chosen)
        if len(rows) == 0:
            continue
        owner, first = (reference, 0) if drawn_from == "ref" else (prediction, 1)
        drawn = instances.firsts[first][rows]
        iou = values.get("iou", np.full(len(instances), np.nan))[rows]
        parts = instances.preds[rows] if drawn_from == "ref" else instances.refs[rows]
        forms = {"split": "drawn as {} objects", "merge": "{} objects drawn as one"}
        said = [forms[kind].format(count) if kind in forms else "" for count in parts]
        features.add(
            kind,
            owner.polygons[drawn],
            ref_id=_ids(reference, instances.of_ref, instances.refs, rows),
            pred_id=_ids(prediction, instances.of_pred, instances.preds, rows),
            dist_m=np.nan if offset is None else offset[rows],
            severity=np.where(np.isfinite(iou), 1 - iou, 0.0 if kind == "matched" else 1.0),
            note=said if words is None or kind in forms else words[rows],
            area_m2=owner.areas[drawn],
            **{name: column[rows] for name, column in values.items()},
        )
    if links:
        _add_links(features, reference, prediction, instances)
    return features


def _add_links(features: ErrorFeatures, reference: ObjectMap, prediction: ObjectMap, instances: Instances) -> None:
    ends = np.stack([reference.centroids[instances.ref], prediction.centroids[instances.pred]], axis=1)
    length = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    far = np.flatnonzero(length > _SAME_PLACE)
    if len(far):
        features.add(
            "link",
            np.asarray(shapely.linestrings(ends[far])),
            ref_id=reference.names[instances.ref[far]],
            pred_id=prediction.names[instances.pred[far]],
            dist_m=length[far],
            severity=0.0,
        )


def _ids(owner: ObjectMap, number: Ints, count: Ints, rows: Ints) -> Objects:
    """Ids of the objects of each instance of the rows, with semicolons."""
    text = np.empty(len(count), dtype=object)
    there = np.flatnonzero(number >= 0)
    text[number[there]] = owner.names[there]
    several = np.zeros(len(count), dtype=bool)
    several[rows] = count[rows] > 1
    among = there[several[number[there]]]
    among = among[np.argsort(number[among], kind="stable")]
    ends = np.flatnonzero(np.diff(number[among])) + 1
    for group in np.split(among, ends) if len(among) else []:
        text[number[group[0]]] = ";".join(owner.names[group])
    return text[rows]


def _firsts(number: Ints) -> Ints:
    """The first object of each instance."""
    there = np.flatnonzero(number >= 0)[::-1]
    first = np.zeros(int(number.max(initial=-1)) + 1, dtype=np.int64)
    first[number[there]] = there  # the lowest is written last
    return first


def _groups(number: Ints, count: int) -> list[Ints]:
    rows = np.flatnonzero(number >= 0)
    rows = rows[np.argsort(number[rows], kind="stable")]
    return np.split(rows, np.cumsum(np.bincount(number[rows], minlength=count))[:-1]) if count else []
