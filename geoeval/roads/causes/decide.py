"""One pass over the findings of all metrics: the errors that a map shows, each place with one, of its cause.

``find`` names the causes from both networks and what CCQ left unmatched. Here the rest is decided: which of the wrong
junctions that metrics report are none of their doing. ``listing`` says how sure each error is, and puts them in order.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Objects
from geoeval.contents import SIDES
from geoeval.model.features import ErrorFeatures, error_frames
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.circles import ARMS, PIECES, are_alike
from geoeval.roads.causes.find import find_causes
from geoeval.roads.causes.found import Found
from geoeval.roads.causes.labelled import Scale
from geoeval.roads.causes.listing import AT_BORDER, with_listed_errors
from geoeval.roads.ccq.ccq import CcqMatching, unmatched_by_ccq

if TYPE_CHECKING:
    import geopandas as gpd

SHORTEST = 10.0
_TOPOLOGY = ("opt-j", "opt-p", "junct")


@dataclass(frozen=True)
class Decided:
    """What was decided on some ground: the errors, and by kind the slivers as rows of x, y and metres."""

    errors: list[ErrorFeatures]
    slivers: dict[str, Floats]


def with_decided_errors(result: Result, *, shortest: float = SHORTEST) -> Result:
    """The result of a road evaluation with its errors decided.

    Parameters
    ----------
    result
        Of a road evaluation with CCQ that kept its inputs; any other is given back as it is, and so is one that was
        decided before.
    shortest
        Metres below which a piece is no error to be listed, but a sliver to be counted.

    Notes
    -----
    About linear in the unmatched length, the dead ends and the reported junctions, times a logarithm.
    """
    if result.decided is not None or not can_be_decided(result) or set(result.inputs) != set(SIDES):
        return result
    reference, prediction = (result.inputs[side] for side in SIDES)
    scale = scale_of(result, shortest)
    matching = result.details.get("ccq", {}).get("matching")
    found = decide(
        reference, prediction, wrong_junctions(result), scale, topological=topological(result), matching=matching
    )
    slivers = {
        kind: {"count": len(rows), "length_m": float(rows[:, 2].sum())} for kind, rows in sorted(found.slivers.items())
    }
    return with_listed_errors(result, error_frames(found.errors, result.crs), slivers, scale)


def can_be_decided(result: Result) -> bool:
    """Whether enough was evaluated to name the causes of errors."""
    return result.kind == "roads" and "ccq" in result.scores


def scale_of(result: Result, shortest: float = SHORTEST) -> Scale:
    """What is near, from the parameters that the metrics were evaluated with."""
    tolerance = float(result.parameters["ccq"]["tolerance"])
    reaches = [float(result.parameters[name]["max_distance"]) for name in ("opt-j", "opt-p") if name in result.scores]
    return Scale(tolerance, max([*reaches[:1], tolerance]) if reaches else 3 * tolerance, shortest)


def topological(result: Result) -> str | None:
    """The metric that breaks and false links are told by; without one they are not looked for."""
    return next((metric for metric in _TOPOLOGY if metric in result.scores), None)


def wrong_junctions(result: Result) -> "gpd.GeoDataFrame":
    """The junctions that a metric reports as wrong."""
    points = result.errors["points"]
    metric = next((name for name in ("opt-j", "junct") if name in result.scores), None)
    return points[(points["kind"] == "junction") & (points["metric"] == metric)]


def decide(
    reference: RoadNetwork, prediction: RoadNetwork, junctions: "gpd.GeoDataFrame", scale: Scale, *,
    topological: str | None, matching: CcqMatching | None = None,
) -> Decided:  # fmt: skip
    """The errors on the ground of two networks.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    junctions
        Junctions that are reported as wrong, as ``wrong_junctions`` gives them, in that CRS.
    scale
        What is near.
    topological
        The metric that breaks and false links are told by; ``None``: they are not looked for.
    matching
        What CCQ found, where that is known.
    """
    if matching is None:
        matching = unmatched_by_ccq(reference, prediction, tolerance=scale.tolerance)
    found = find_causes(reference, prediction, matching, scale, gaps=topological is not None)
    errors = [_lines(found, topological, scale), _junctions(junctions, reference, prediction, found, scale)]
    for one in errors:
        one.rows[AT_BORDER] = _at_border(one, reference, prediction, scale).astype(float).tolist()
    return Decided(errors, found.slivers)


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
    rows: "gpd.GeoDataFrame", reference: RoadNetwork, prediction: RoadNetwork, found: Found, scale: Scale
) -> ErrorFeatures:
    """Wrong junctions that no other error explains and that differ however they are drawn."""
    features = ErrorFeatures("opt-j")
    if len(rows) == 0:
        return features
    features.metric = str(rows["metric"].iloc[0])
    xy = shapely.get_coordinates(rows.geometry.to_numpy())
    order = np.lexsort(xy.T[::-1])
    rows, xy = rows.iloc[order], xy[order]
    shapes = rows.geometry.to_numpy()
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


def _at_border(errors: ErrorFeatures, reference: RoadNetwork, prediction: RoadNetwork, scale: Scale) -> Bools:
    """Whether a road that was cut at the border of the ground ends near each error."""
    near = np.zeros(len(errors), dtype=bool)
    ends = np.concatenate([network.nodes[network.cut] for network in (reference, prediction)])
    if len(ends) and len(errors):
        shapes = np.array([None, *errors.geometries], dtype=object)[1:]
        near[shapely.STRtree(np.asarray(shapely.points(ends))).query(shapes, "dwithin", scale.reach)[0]] = True
    return near
