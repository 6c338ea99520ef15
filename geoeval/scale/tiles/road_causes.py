"""The errors of a tiled evaluation, each place with one, of its cause: decided part by part, in bounded memory.

A part is decided with the roads around its tiles, and again with twice as much around them, until what belongs to it
stays the same: roads still farther away are then taken not to matter. A part that holds all roads is decided once. Its
errors are those whose middle lies in its tiles, so each error belongs to one part, and lengths add up. Errors many
kilometres long may never settle: once the size of a tile, or 4 km, was taken around a part it is left at that, and the
result says how many parts that happened to. Only there errors may differ from those decided at once: be cut, be listed
by two parts, or by none.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.contents import SIDES
from geoeval.crs import WGS84, transform
from geoeval.engines import Engine
from geoeval.metrics.running import Progress
from geoeval.model.features import ErrorFeatures
from geoeval.model.result import Result
from geoeval.roads.causes.confidence import agreement_of, witnesses_of
from geoeval.roads.causes.decide import can_be_decided, decide, scale_of, topological, wrong_junctions
from geoeval.roads.causes.labelled import Scale
from geoeval.roads.causes.listing import AT_BORDER, with_listed_errors
from geoeval.scale.tiles.part import CountsByTile, Part, exact_sum, totals
from geoeval.scale.tiles.road_pair import Loaded, RoadPair
from geoeval.scale.tiles.run_folder import RunFolder
from geoeval.scale.tiles.running import kept_parts, run_parts
from geoeval.scale.tiles.tile_errors import error_layers, error_table, in_degrees, standing_in
from geoeval.scale.tiles.tiling import Key, positions_of, union

if TYPE_CHECKING:
    import geopandas as gpd

# Metres around a tile with which it is first decided, and up to which it is tried with more.
_AROUND, _FARTHEST = 500.0, 4000.0
# In reaches: how far from a tile wrong junctions may be that are one place with its own.
_TOGETHER = 10.0
# What is the same to the millimetre is the same.
_DIGITS = 3
_UNSETTLED = "unsettled"


def with_errors_decided_in_tiles(
    result: Result,
    pair: RoadPair,
    parts: Mapping[str, Sequence[Key]],
    engine: Engine,
    folder: RunFolder | None,
    tell: Progress,
) -> Result:
    """The result of a tiled evaluation with its errors decided, as ``with_decided_errors`` decides them at once.

    Parameters
    ----------
    result
        Of all tiles, with the errors of all metrics. Without CCQ it is given back as it is.
    pair, parts
        What was evaluated: the tiles of each part by its name.
    engine, folder, tell
        Who does the work, where finished parts are kept, and whom to tell.

    Notes
    -----
    O(n log n) time; memory for a tile with its surroundings on each worker, and for the errors.
    """
    if not can_be_decided(result):
        return result
    scale, metric = scale_of(result), topological(result)
    names = {f"causes_{name}": tiles for name, tiles in parts.items()}
    done = kept_parts(names, folder)
    junctions = _by_part(wrong_junctions(result), pair, names, _TOGETHER * scale.reach)
    tasks: dict[str, Any] = {
        name: (decide_part, (pair, tiles, scale, metric, junctions[name]))
        for name, tiles in names.items() if name not in done
    }  # fmt: skip
    made = run_parts(tasks, engine, folder, tell, done=len(done))
    decided = [Part.from_bytes((done | made)[name]) for name in names]
    counted = [part.counts for part in decided]
    kinds = sorted({kind for one in counted for kind in one if kind != _UNSETTLED})
    sums = {kind: totals(one[kind] for one in counted if kind in one) for kind in kinds}
    slivers = {kind: {"count": int(one["count"]), "length_m": one["length_m"]} for kind, one in sums.items()}
    frames = error_layers([part.errors for part in decided if part.errors is not None], pair.crs)
    agreeing = None if pair.tiling.crs is not None else _agreeing(frames, result, pair, scale)
    listed = with_listed_errors(result, frames, slivers, scale, agreeing)
    if unsettled := sum(_UNSETTLED in one for one in counted):
        listed.notes["causes"] = (
            f"{unsettled} parts hold errors of many kilometres, which were decided without all of their surroundings: "
            "they may be cut, listed twice or left out; larger tiles hold them whole"
        )
    return listed


def decide_part(
    pair: RoadPair, tiles: Sequence[Key], scale: Scale, metric: str | None, junctions: "gpd.GeoDataFrame"
) -> bytes:
    """The decided errors that belong to some tiles, and their slivers, as the bytes of a part."""
    around, before = _AROUND, None
    crs = pair.tiling.projection(tiles[0])
    junctions = junctions.to_crs(crs) if pair.tiling.crs is None else junctions
    while True:
        loaded = pair.load(tiles, around)
        errors, slivers = _decided(loaded, pair, tiles, scale, metric, junctions)
        now = _fingerprint(errors, slivers)
        settled = loaded.loaded_box is None or now == before
        if settled or around >= max(pair.tiling.size, _FARTHEST):
            break
        around, before = 2 * around, now
    counts: dict[str, CountsByTile] = {
        kind: {None: {"count": Fraction(len(metres)), "length_m": exact_sum(metres)}}
        for kind, metres in slivers.items()
    }
    if not settled:
        counts[_UNSETTLED] = {None: {"parts": Fraction(1)}}
    if pair.tiling.crs is None:
        errors = in_degrees(errors, crs)
    return Part(counts, errors=error_table(errors)).to_bytes()


def _decided(
    loaded: Loaded,
    pair: RoadPair,
    tiles: Sequence[Key],
    scale: Scale,
    metric: str | None,
    junctions: "gpd.GeoDataFrame",
) -> tuple[list[ErrorFeatures], dict[str, Floats]]:
    """What belongs to some tiles of what is decided on the ground that was loaded."""
    networks = [loaded.networks[side] for side in SIDES]
    crs = networks[0].crs
    if loaded.loaded_box is not None:
        # Both end at one line, so that roads that lead out of it lead to the same places.
        ground = shapely.box(*loaded.loaded_box)
        networks = [network.clip(ground, aoi_crs=crs) for network in networks]
    found = decide(networks[0], networks[1], junctions, scale, topological=metric)
    errors = [standing_in(one, pair.tiling, tiles, crs) for one in found.errors]
    slivers = {}
    for kind, rows in found.slivers.items():
        own = positions_of(pair.tiling.keys(pair.tiling.places(rows[:, :2], crs)), tiles) >= 0
        if own.any():
            slivers[kind] = rows[own, 2]
    return errors, slivers


def _fingerprint(errors: list[ErrorFeatures], slivers: Mapping[str, Floats]) -> list[Any]:
    """What tells two decisions on a tile apart, in whatever order they name their errors."""
    rows = [
        (kind, *np.round([*shapely.bounds(geometry), ref_m, pred_m, border], _DIGITS).tolist())
        for one in errors
        for geometry, kind, ref_m, pred_m, border in zip(
            one.geometries, *(one.rows.get(name, []) for name in ("kind", "ref_m", "pred_m", AT_BORDER)), strict=True)
    ]  # fmt: skip
    small = [(kind, *np.sort(np.round(metres, _DIGITS)).tolist()) for kind, metres in slivers.items()]
    return sorted(rows) + sorted(small)


def _by_part(
    junctions: "gpd.GeoDataFrame", pair: RoadPair, parts: Mapping[str, Sequence[Key]], margin: float
) -> "dict[str, gpd.GeoDataFrame]":
    """The junctions in and around the tiles of each part."""
    tree = shapely.STRtree(junctions.geometry.to_numpy())
    found = {}
    for name, tiles in parts.items():
        box = union(pair.tiling.box_around(key, margin) for key in tiles)
        found[name] = junctions.iloc[np.sort(tree.query(shapely.box(*box), "intersects"))]
    return found


def _agreeing(
    frames: "Mapping[str, gpd.GeoDataFrame]", result: Result, pair: RoadPair, scale: Scale
) -> dict[str, Floats]:
    """How far other metrics agree with errors in degrees, in metres of the tile of each."""
    witnesses = [(one, shapely.STRtree(one)) for one in witnesses_of(result)]
    agreeing = {}
    for layer, frame in frames.items():
        shapes = frame.geometry.to_numpy()
        agreeing[layer] = np.ones(len(shapes))
        places = shapely.get_coordinates(shapely.centroid(shapes))
        keys, tile = np.unique(pair.tiling.keys(places), axis=0, return_inverse=True)
        for number, key in enumerate(keys.tolist()):
            rows = np.flatnonzero(tile.ravel() == number)
            crs = pair.tiling.projection(tuple(key))
            larger = np.subtract(pair.tiling.box_around(tuple(key), 10 * scale.tolerance), pair.tiling.box(tuple(key)))
            near = shapely.box(*(shapely.total_bounds(shapes[rows]) + larger))
            there = [_projected(one[tree.query(near)], crs) for one, tree in witnesses]
            agreeing[layer][rows] = agreement_of(_projected(shapes[rows], crs), there, scale)
    return agreeing


def _projected(shapes: Objects, crs: Any) -> Objects:
    return np.asarray(shapely.transform(shapes, lambda xy: transform(xy, WGS84, crs)), dtype=object)
