"""The work of one tile of objects: the metrics on the components that belong to it, each held whole.

Objects that overlap, in one map or between the two, depend on each other, and so do those that are connected through
others: together they are a component. It belongs to the tile of its anchor, the lowest of the lower left corners of
its objects' bounding boxes (the smallest x, then the smallest y). So every object is counted in one tile, together with
everything its counts depend on.

A tile reads the objects around it. A component is complete if all its objects lie within the box that was read. Where
one that may belong to the tile is not, the tile reads as far as its objects reach, and twice as much around them as
before.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.contents import SIDES
from geoeval.metrics.running import run_metrics
from geoeval.model.error_kinds import error_kind, shown_metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.object_map import ObjectMap
from geoeval.objects.overlaps import Overlaps, linked, overlap_pairs, overlaps_of
from geoeval.objects.registry import METRICS
from geoeval.scale.tiles.object_pair import ObjectPair, ObjectSide, rows_of
from geoeval.scale.tiles.part import Counts, Part, box_around, exact_sum
from geoeval.scale.tiles.tile_errors import as_array, error_table, in_degrees, taken
from geoeval.scale.tiles.tiling import Key, grown, union

Pairs = tuple[Ints, Ints, Floats]
Values = Mapping[str, Mapping[str, Any]]

# Metres around a tile that are read first: objects on its border seldom reach further.
_HALO = 50.0


def evaluate_object_tile(pair: ObjectPair, key: Key, values: Values) -> bytes:
    """The part of a tile, as bytes."""
    reference, prediction, overlaps, inputs = _own(pair, key)
    metrics = [METRICS[name] for name in values]
    results, seconds = run_metrics(
        metrics,
        reference,
        prediction,
        {name: dict(own) for name, own in values.items()},
        shared={"overlaps": overlaps},
    )
    errors = [_shown(one.errors, list(values)) for one in results.values() if one.errors is not None]
    corners = np.concatenate([shapely.get_coordinates(one.polygons) for one in (reference, prediction)])
    if pair.tiling.crs is None:
        errors = in_degrees(errors, reference.crs)
        corners = pair.tiling.places(corners, reference.crs)
    return Part(
        counts={
            name: {count: exact_sum(own) for count, own in one.details["local"].counts.items()}
            for name, one in results.items()
        },
        rows={name: one.details["rows"] for name, one in results.items() if "rows" in one.details},
        inputs=inputs,
        seconds=seconds,
        errors=error_table(errors),
        bounds=box_around(corners),
    ).to_bytes()


def _own(pair: ObjectPair, key: Key) -> tuple[ObjectMap, ObjectMap, Overlaps, dict[str, Counts]]:
    """The two maps of the components that belong to a tile, their overlaps, and how much of each side it is."""
    crs = pair.tiling.projection(key)
    core = pair.tiling.polygon(key, crs).bounds
    box, halo = grown(core, _HALO), _HALO
    while True:
        sides = [pair.load(side, box, crs) for side in SIDES]
        pairs = overlap_pairs(sides[0].objects, sides[1].objects)
        chosen = _anchored_here(sides, key, _components(sides, pairs))
        bounds = np.concatenate(
            [shapely.bounds(one.objects.polygons[mine]).reshape(-1, 4) for one, mine in zip(sides, chosen, strict=True)]
        )
        inside = (bounds[:, :2] >= box[:2]).all(axis=1) & (bounds[:, 2:] <= box[2:]).all(axis=1)
        if inside.all():
            break
        halo *= 2
        box = grown(union([core, *bounds.tolist()]), halo)
    reference, prediction = (
        side.objects.take(np.flatnonzero(mine), ids=side.stored.source[side.rows[mine]])
        for side, mine in zip(sides, chosen, strict=True)
    )
    inputs = {
        name: _facts(side, mine, own)
        for name, side, mine, own in zip(SIDES, sides, chosen, (reference, prediction), strict=True)
    }
    overlaps = overlaps_of(reference, prediction, pairs=_renumbered(pairs, chosen))
    return reference, prediction, overlaps, inputs


def _renumbered(pairs: Pairs, chosen: list[Bools]) -> Pairs:
    """The pairs of chosen objects, by their new numbers."""
    ref, pred, size = pairs
    kept = chosen[0][ref] & chosen[1][pred]
    number_of_ref, number_of_pred = (np.cumsum(mine) - 1 for mine in chosen)
    return number_of_ref[ref[kept]], number_of_pred[pred[kept]], size[kept]


def _components(sides: list[ObjectSide], pairs: Pairs) -> Ints:
    """The component of each stored object of both sides, which is the same in all tiles."""
    reference, prediction = (side.common for side in sides)
    if reference is not sides[0].objects or prediction is not sides[1].objects:
        pairs = overlap_pairs(reference, prediction)
    first, second = rows_of(reference), rows_of(prediction) + len(sides[0].stored)
    links = np.concatenate(
        [
            np.column_stack([first[pairs[0]], second[pairs[1]]]),
            first[reference.overlapping],
            second[prediction.overlapping],
        ]
    )
    return linked(sum(len(side.stored) for side in sides), links)


def _anchored_here(sides: list[ObjectSide], key: Key, label: Ints) -> list[Bools]:
    """By side, which objects are in components whose lowest corner, as far as they were read, lies in the tile."""
    there = np.concatenate([sides[0].rows, len(sides[0].stored) + sides[1].rows])
    corner = np.concatenate([side.corner for side in sides])[there]
    here = (np.concatenate([side.key for side in sides])[there] == np.array(key)).all(axis=1)
    label = label[there]
    order = np.lexsort([corner[:, 1], corner[:, 0], label])
    lowest = order[np.unique(label[order], return_index=True)[1]]
    mine = np.isin(label, label[lowest[here[lowest]]])
    return np.split(mine, [len(sides[0].objects)])


def _facts(side: ObjectSide, mine: Bools, objects: ObjectMap) -> Counts:
    """How much of a side belongs to the tile, and what is wrong with it."""
    return {
        "objects": Fraction(len(objects)),
        "area_m2": exact_sum(objects.areas),
        "overlapping_pairs": Fraction(len(objects.overlapping)),
        "cut_objects": Fraction(int(side.crossing[side.rows[mine]].sum())),
    }


def _shown(errors: ErrorFeatures, metrics: list[str]) -> ErrorFeatures:
    """The features that a map shows: several metrics may report the same object."""
    kinds = errors.rows["kind"]
    leads = {
        kind: shown_metric(kind, metrics) if error_kind(kind).reported_by else errors.metric for kind in set(kinds)
    }
    rows = np.flatnonzero([leads[kind] == errors.metric for kind in kinds])
    return taken(errors, rows, as_array(errors.geometries)[rows])
