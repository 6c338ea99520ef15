"""The work of some tiles of objects: the metrics on the components that belong to them, each held whole.

Objects that overlap, in one map or between the two, depend on each other, and so do those that are connected through
others: together they are a component. It belongs to the tile of its anchor, the lowest of the lower left corners of
its objects' bounding boxes (the smallest x, then the smallest y). So every object is counted in one tile, together with
everything its counts depend on.

The objects in the tiles and around them are read. A component is complete if all its objects lie within the box that
was read. Where one that may belong to the tiles is not, the box is made as large as its objects reach, with twice as
much around them as before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints
from geoeval.contents import SIDES
from geoeval.metrics.running import run_metrics
from geoeval.model.error_kinds import error_kind, shown_metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import LocalCounts
from geoeval.model.object_map import ObjectMap
from geoeval.objects.overlaps import Overlaps, linked, overlap_pairs, overlaps_of
from geoeval.objects.registry import METRICS
from geoeval.scale.tiles.object_pair import ObjectPair, ObjectSide, rows_of
from geoeval.scale.tiles.part import Part, box_around, counts_by_tile
from geoeval.scale.tiles.tile_errors import as_array, error_table, in_degrees, taken
from geoeval.scale.tiles.tiling import Key, grown, positions_of, union

Pairs = tuple[Ints, Ints, Floats]
Values = Mapping[str, Mapping[str, Any]]

# Metres around a tile that are read first: objects on its border seldom reach further.
_HALO = 50.0


def evaluate_object_part(pair: ObjectPair, tiles: Sequence[Key], values: Values) -> bytes:
    """The part of some neighbouring tiles, as bytes."""
    own = load_own(pair, tiles)
    metrics = [METRICS[name] for name in values]
    results, seconds = run_metrics(
        metrics,
        *own.maps,
        {name: dict(given) for name, given in values.items()},
        shared={"overlaps": own.overlaps},
    )
    crs = own.maps[0].crs
    errors = [_shown(one.errors, list(values)) for one in results.values() if one.errors is not None]
    corners = np.concatenate([shapely.get_coordinates(one.polygons) for one in own.maps])
    if pair.tiling.crs is None:
        errors = in_degrees(errors, crs)
        corners = pair.tiling.places(corners, crs)
    local = {name: one.details["local"] for name, one in results.items()}
    return Part(
        counts={name: counts_by_tile(one.counts, own.tiles_of(one), tiles) for name, one in local.items()},
        rows={name: one.details["rows"] for name, one in results.items() if "rows" in one.details},
        inputs={
            side: counts_by_tile(facts, tile, tiles)
            for side, facts, tile in zip(SIDES, own.facts, own.tile, strict=True)
        },
        seconds=seconds,
        errors=error_table(errors),
        bounds=box_around(corners),
    ).to_bytes()


@dataclass(frozen=True)
class OwnObjects:
    """The objects of both sides that belong to some tiles.

    Attributes
    ----------
    maps
        The two maps.
    overlaps
        How they overlap.
    facts
        By side what is said of each object.
    tile
        By side the tile of each object, as its position among the tiles.
    """

    maps: tuple[ObjectMap, ObjectMap]
    overlaps: Overlaps
    facts: tuple[dict[str, Floats], ...]
    tile: tuple[Ints, Ints]

    def tiles_of(self, local: LocalCounts) -> Ints:
        """The tile of each row of counts."""
        assert local.item is not None
        cut = local.reference_rows
        return np.concatenate([self.tile[0][local.item[:cut]], self.tile[1][local.item[cut:]]])


def load_own(pair: ObjectPair, tiles: Sequence[Key]) -> OwnObjects:
    """The components that belong to some tiles, each whole."""
    crs = pair.tiling.projection(tiles[0])
    core = union(pair.tiling.polygon(key, crs).bounds for key in tiles)
    box, halo = grown(core, _HALO), _HALO
    while True:
        sides = [pair.load(side, box, crs) for side in SIDES]
        pairs = overlap_pairs(sides[0].objects, sides[1].objects)
        tile = _tiles_of_objects(sides, tiles, _components(sides, pairs))
        chosen = [one >= 0 for one in tile]
        bounds = np.concatenate(
            [shapely.bounds(one.objects.polygons[mine]).reshape(-1, 4) for one, mine in zip(sides, chosen, strict=True)]
        )
        inside = (bounds[:, :2] >= box[:2]).all(axis=1) & (bounds[:, 2:] <= box[2:]).all(axis=1)
        if inside.all():
            break
        halo = 2 * halo
        box = grown(union([core, *bounds.tolist()]), halo)
    reference, prediction = (
        side.objects.take(np.flatnonzero(mine), ids=side.stored.source[side.rows[mine]])
        for side, mine in zip(sides, chosen, strict=True)
    )
    return OwnObjects(
        (reference, prediction),
        overlaps_of(reference, prediction, pairs=_renumbered(pairs, chosen)),
        tuple(_facts(*each) for each in zip(sides, chosen, (reference, prediction), strict=True)),
        (tile[0][chosen[0]], tile[1][chosen[1]]),
    )


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


def _tiles_of_objects(sides: list[ObjectSide], tiles: Sequence[Key], label: Ints) -> list[Ints]:
    """By side the tile of each object, as its position among some tiles; -1 for another one.

    It is the tile of the lowest corner of the object's component, as far as that was read.
    """
    there = np.concatenate([sides[0].rows, len(sides[0].stored) + sides[1].rows])
    corner = np.concatenate([side.corner for side in sides])[there]
    tile = positions_of(np.concatenate([side.key for side in sides])[there], tiles)
    _, label = np.unique(label[there], return_inverse=True)
    order = np.lexsort([corner[:, 1], corner[:, 0], label])
    lowest = order[np.unique(label[order], return_index=True)[1]]
    return np.split(tile[lowest][label], [len(sides[0].objects)])


def _facts(side: ObjectSide, mine: Bools, objects: ObjectMap) -> dict[str, Floats]:
    """What is said of each object: that it is there, its size, whether it is cut, and pairs that it overlaps first."""
    first = objects.overlapping[:, 0] if len(objects.overlapping) else np.zeros(0, dtype=np.int64)
    return {
        "objects": np.ones(len(objects)),
        "area_m2": objects.areas,
        "overlapping_pairs": np.bincount(first, minlength=len(objects)).astype(np.float64),
        "cut_objects": side.crossing[side.rows[mine]].astype(np.float64),
    }


def _shown(errors: ErrorFeatures, metrics: list[str]) -> ErrorFeatures:
    """The features that a map shows: several metrics may report the same object."""
    kinds = errors.rows["kind"]
    leads = {
        kind: shown_metric(kind, metrics) if error_kind(kind).reported_by else errors.metric for kind in set(kinds)
    }
    rows = np.flatnonzero([leads[kind] == errors.metric for kind in kinds])
    return taken(errors, rows, as_array(errors.geometries)[rows])
