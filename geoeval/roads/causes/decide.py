"""One pass over the findings of all metrics: the errors that a map shows, each place with one, of its cause.

``find`` names the causes from both networks and what CCQ left unmatched. Here the rest is decided: which of the wrong
junctions that metrics report are none of their doing, how sure each error is, and the order in which they are shown.
"""

from dataclasses import replace
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Objects
from geoeval.contents import SIDES
from geoeval.model.error_ids import with_error_ids
from geoeval.model.features import ErrorFeatures, error_frames
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.circles import ARMS, PIECES, are_alike
from geoeval.roads.causes.confidence import confidences
from geoeval.roads.causes.find import find_causes
from geoeval.roads.causes.found import Found
from geoeval.roads.causes.labelled import Scale
from geoeval.roads.ccq.ccq import ccq

if TYPE_CHECKING:
    import geopandas as gpd

SHORTEST = 10.0
# What is reported of the inputs themselves stays on the map.
_OF_THE_INPUT = "duplicate"
_TOPOLOGY = ("opt-j", "opt-p", "junct")


def with_decided_errors(result: Result, *, shortest: float = SHORTEST) -> Result:
    """The result of a road evaluation with its errors decided.

    Parameters
    ----------
    result
        Of a road evaluation with CCQ that kept its inputs; any other is given back as it is.
    shortest
        Metres below which a piece is no error to be listed, but a sliver to be counted.

    Notes
    -----
    About linear in the unmatched length, the dead ends and the reported junctions, times a logarithm.
    """
    if result.kind != "roads" or "ccq" not in result.scores or set(result.inputs) != set(SIDES):
        return result
    reference, prediction = (result.inputs[side] for side in SIDES)
    scale = scale_of(result, shortest)
    details = result.details.get("ccq", {})
    matching = details.get("matching")
    if matching is None:
        matching = ccq(reference, prediction, tolerance=scale.tolerance).details["matching"]
    topological = next((metric for metric in _TOPOLOGY if metric in result.scores), None)
    found = find_causes(reference, prediction, matching, scale, gaps=topological is not None)
    lines = _lines(found, topological, scale)
    points = _junctions(result, reference, prediction, found, scale)
    frames = error_frames([lines, points], result.crs)
    decided = {}
    for layer, frame in frames.items():
        sure = confidences(frame, result, scale)
        given = frame.assign(confidence=sure)
        order = _order(given)
        own = with_error_ids(given.iloc[order].reset_index(drop=True))
        decided[layer] = _with_input_errors(own, result, layer)
    slivers = {
        kind: {"count": int(count), "length_m": length} for kind, (count, length) in sorted(found.slivers.items())
    }
    return replace(result, decided=decided, slivers=slivers, notes={**result.notes, **_note(slivers, scale)})


def scale_of(result: Result, shortest: float) -> Scale:
    """What is near, from the parameters that the metrics were evaluated with."""
    tolerance = float(result.parameters["ccq"]["tolerance"])
    reaches = [float(result.parameters[name]["max_distance"]) for name in ("opt-j", "opt-p") if name in result.scores]
    return Scale(tolerance, max([*reaches[:1], tolerance]) if reaches else 3 * tolerance, shortest)


def _note(slivers: dict[str, dict[str, float]], scale: Scale) -> dict[str, str]:
    if not slivers:
        return {}
    told = ", ".join(f"{entry['count']:,} {kind} ({entry['length_m']:,.0f} m)" for kind, entry in slivers.items())
    return {"slivers": f"summed up, not listed, because shorter than {scale.shortest:g} m or never more than "
                       f"{scale.hardly:g} m away: {told}"}  # fmt: skip


def _lines(found: Found, topological: str | None, scale: Scale) -> ErrorFeatures:
    """The errors that have a length."""
    features = ErrorFeatures("ccq")
    if not found.rows:
        return features
    rows = dict(found.rows)
    geometry = np.array([None, *rows.pop("geometry")], dtype=object)[1:]
    far = np.array(rows["dist_m"], dtype=np.float64)
    kind = np.array(rows.pop("kind"), dtype=object)
    away = np.where(np.isfinite(far), far / np.maximum(far + scale.tolerance, 1e-300), 1.0)
    severity = np.where(np.isin(kind, ["break", "false_link"]), 1.0, away)
    features.add("", geometry, severity=severity, **rows)
    features.rows["kind"] = kind.tolist()
    if topological is not None:
        features.rows["metric"] = np.where(np.isin(kind, ["break", "false_link"]), topological, "ccq").tolist()
    return features


def _junctions(
    result: Result, reference: RoadNetwork, prediction: RoadNetwork, found: Found, scale: Scale
) -> ErrorFeatures:
    """Wrong junctions that no other error explains and that differ however they are drawn."""
    features = ErrorFeatures("opt-j")
    points = result.errors["points"]
    metric = next((name for name in ("opt-j", "junct") if name in result.scores), None)
    rows = points[(points["kind"] == "junction") & (points["metric"] == metric)]
    if len(rows) == 0:
        return features
    features.metric = str(metric)
    shapes = rows.geometry.to_numpy()
    xy = shapely.get_coordinates(shapes)
    wrong = ~_explained(shapes, found, 1.5 * scale.reach)
    places = xy[wrong]
    radii = tuple(np.full(len(places), share * scale.reach) for share in (1.5, 1.0, 2.0))
    wrong[wrong] = ~are_alike(reference, prediction, places, radii, facts=(ARMS, PIECES))
    wrong[wrong] = _first_of_each_place(xy[wrong], scale.reach)
    rows = rows[wrong]
    names = ["ref_id", "pred_id", "dist_m", "severity", "note", *(n for n in ("arms", "ref_arms") if n in rows)]
    columns: dict[str, Any] = {name: rows[name].tolist() for name in names}
    features.add("junction", shapes[wrong], length_m=[np.nan] * len(rows), ref_m=0.0, pred_m=0.0, **columns)
    return features


def _explained(shapes: Objects, found: Found, distance: float) -> Bools:
    """Which junctions lie at another error."""
    explained = np.zeros(len(shapes), dtype=bool)
    causes = [*found.rows.get("geometry", []), *found.surroundings]
    if causes:
        explained[shapely.STRtree(causes).query(shapes, "dwithin", distance)[0]] = True
    return explained


def _first_of_each_place(xy: Floats, distance: float) -> Bools:
    """One junction of those that lie together: they are one place."""
    kept = np.ones(len(xy), dtype=bool)
    points = np.asarray(shapely.points(xy))
    pairs = shapely.STRtree(points).query(points, "dwithin", distance)
    for later, earlier in pairs.T[pairs[0] > pairs[1]][np.lexsort(pairs[::-1, pairs[0] > pairs[1]])].tolist():
        if kept[earlier]:
            kept[later] = False
    return kept


def _order(frame: "gpd.GeoDataFrame") -> Any:
    """The surest first, then the longest, then by place."""
    bounds = shapely.bounds(frame.geometry.to_numpy()).reshape(-1, 4)
    length = frame["length_m"].fillna(0.0).to_numpy(dtype=np.float64)
    return np.lexsort([bounds[:, 1], bounds[:, 0], -length, -frame["confidence"].to_numpy(dtype=np.float64)])


def _with_input_errors(frame: "gpd.GeoDataFrame", result: Result, layer: str) -> "gpd.GeoDataFrame":
    """With what is said of the inputs themselves, last."""
    import pandas as pd

    raw = result.errors[layer]
    extra = raw[raw["kind"] == _OF_THE_INPUT]
    if len(extra) == 0:
        return frame
    extra = extra.assign(confidence=1.0, ref_m=0.0, pred_m=0.0)
    extra = with_error_ids(extra.reindex(columns=[name for name in frame.columns if name != "error_id"]))
    return pd.concat([frame, extra], ignore_index=True) if len(frame) else extra.reset_index(drop=True)


def unmatched_metres(result: Result) -> dict[str, float]:
    """By side: the metres that the listed errors and the slivers account for together."""
    frames = (result.decided or {}).values()
    told = {}
    for column, kind in (("ref_m", "missing"), ("pred_m", "spurious")):
        listed = fsum(float(value) for frame in frames if column in frame for value in frame[column])
        told[column] = listed + result.slivers.get(kind, {}).get("length_m", 0.0)
    return told
