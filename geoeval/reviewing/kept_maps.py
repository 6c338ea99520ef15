"""The two road maps and the errors of a run, read back from its file as they were compared."""

from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.contents import SIDES
from geoeval.crs import from_name
from geoeval.exceptions import UnreadableInputError
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.reviewing.run_database import RunDatabase
from geoeval.reviewing.surroundings import check_layer, shapes_of

if TYPE_CHECKING:
    import geopandas as gpd

_ENDS = ("ge_from", "ge_to")
# What edits go by; a layer has only those of its kind.
_COLUMNS = ("kind", "metric", "length_m", "dist_m", "confidence", "arms", "ref_arms", "ref_id", "pred_id", "note",
            "error_id")  # fmt: skip


def has_networks(run: RunDatabase) -> bool:
    """Whether the file holds both road networks with the nodes that join their lines."""
    return run.kind == "roads" and all(set(_ENDS) <= set(run.columns(side)) for side in SIDES)


def kept_result(run: RunDatabase) -> Result:
    """As much of the result as edits need: both networks, the listed errors, counts and parameters. O(n)."""
    import geopandas as gpd
    import pandas as pd

    crs = from_name(run.crs)
    layers: dict[str, list[gpd.GeoDataFrame]] = {"points": [], "lines": []}
    for row in run.rows("SELECT DISTINCT layer FROM errors ORDER BY layer"):
        frame = _errors_in(run, str(row["layer"]), crs)
        if len(frame):
            are_points = (shapely.get_dimensions(frame.geometry.to_numpy()) == 0).all()
            layers["points" if are_points else "lines"].append(frame)
    empty = gpd.GeoDataFrame({name: [] for name in _COLUMNS}, geometry=[], crs=crs)
    decided = {name: pd.concat(frames, ignore_index=True) if frames else empty for name, frames in layers.items()}
    record = run.record
    return Result(
        kind=run.kind, crs=crs, scale_error=None, seed=int(record.get("seed", 0)), reference={}, prediction={},
        parameters=run.parameters, scores=record["scores"], counts=record["counts"], errors=decided, notes={},
        seconds={}, decided=decided, inputs={side: network_of(run, side) for side in SIDES},
    )  # fmt: skip


def network_of(run: RunDatabase, side: str) -> RoadNetwork:
    """A network as it was compared, from the rows of its layer: the same nodes and segments, ids as text."""
    names = [name for name in ("source_id", *_ENDS, "ge_cut") if name in run.columns(side)]
    rows = run.rows(f'SELECT geom, {", ".join(names)} FROM "{side}" ORDER BY fid')  # noqa: S608 - names are ours
    lines = shapes_of([row["geom"] for row in rows])
    changed = f"{run.path}: the layer {side!r} was changed; evaluate again"
    if len(lines) != len(rows) or (shapely.get_type_id(lines) != 1).any():
        raise UnreadableInputError(changed)
    try:
        named = np.array([[row[name] for name in _ENDS] for row in rows], dtype=np.int64).reshape(-1, 2)
        code = np.array([row.get("ge_cut") or 0 for row in rows], dtype=np.int64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnreadableInputError(changed) from error
    xy, owner = shapely.get_coordinates(lines, return_index=True)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    last = np.append(first[1:], len(xy))[: len(first)] - 1
    # Ends are the nodes that they name; vertices between them are of one line alone, and come after those.
    node, ends = np.unique(named, return_inverse=True)
    ends = ends.reshape(-1, 2)
    inner = np.ones(len(xy), dtype=bool)
    inner[first] = inner[last] = False
    number = np.empty(len(xy), dtype=np.int64)
    number[first], number[last] = ends.T
    number[inner] = len(node) + np.arange(inner.sum())
    nodes = np.empty((len(node) + inner.sum(), 2))
    nodes[number] = xy
    cut = np.zeros(len(nodes), dtype=bool)
    cut[ends[code % 2 == 1, 0]] = cut[ends[code >= 2, 1]] = True
    along = np.flatnonzero(np.diff(owner) == 0)
    ids = np.array([None, *(str(row["source_id"]) for row in rows)], dtype=object)[1:]
    return RoadNetwork(
        nodes, np.column_stack([number[along], number[along + 1]]), crs=from_name(run.crs),
        source_ids=ids[owner[along]], merge_coincident=False, cut=cut,
    )  # fmt: skip


def _errors_in(run: RunDatabase, layer: str, crs: Any) -> "gpd.GeoDataFrame":
    """The errors of one layer with what edits go by."""
    import geopandas as gpd

    check_layer(run, layer)
    names = [name for name in _COLUMNS if name in run.columns(layer)]
    rows = run.rows(f'SELECT geom, {", ".join(names)} FROM "{layer}" ORDER BY fid')  # noqa: S608 - names are ours
    shapes = shapes_of([row["geom"] for row in rows])
    if len(shapes) != len(rows) or not {"kind", "metric", "length_m", "dist_m", "error_id"} <= set(names):
        raise UnreadableInputError(f"{run.path}: the layer {layer!r} was changed; evaluate again")
    values = {name: [row[name] for row in rows] for name in names}
    floats = {"length_m", "dist_m", "confidence", "arms", "ref_arms"}
    table = {name: np.array(column, dtype=np.float64 if name in floats else object) for name, column in values.items()}
    return gpd.GeoDataFrame(table, geometry=list(shapes), crs=crs)
