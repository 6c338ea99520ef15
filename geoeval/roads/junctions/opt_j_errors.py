"""What OPT-J finds, as features: breaks, false links, and junctions with the wrong number of roads."""

from typing import Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.model.features import ErrorFeatures
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.junctions.interruptions import interruptions, joined
from geoeval.roads.junctions.opt_j import NOTHING, ROAD, JunctionSide, OptJMatching


def opt_j_errors(
    reference: RoadNetwork, prediction: RoadNetwork, matching: OptJMatching, *, max_distance: float
) -> ErrorFeatures:
    """One feature per error; the note begins with a finer name.

    - ``break``: *gap*, a line along the reference between two predicted ends that face each other on one reference
      road, with its length (and the distance of the ends in ``dist_m``); *gap end*, a line along the reference from a
      predicted end to the junction that lacks this road, or else a point.
    - ``false_link``: *overrun*, a line along the prediction that joins two ends of the reference, or joins an end to a
      junction that has a road too many.
    - ``junction``: *missing arms*, *extra arms*, *missing junction*, *spurious junction*. The columns ``arms`` (in the
      prediction) and ``ref_arms`` (in the reference) hold the numbers, 0 where there is no junction.
    - ``missing`` and ``spurious``: points, ends without a partner; ends that the prediction runs over without a link
      are ``spurious`` too.
    - ``displaced``: a partner of the same order, farther away than half of ``max_distance``.

    Severity is the share of the roads that are wrong there, 1 for gaps and links, and for what is displaced half of its
    share of ``max_distance``. O(k log k) for k features.
    """
    errors = ErrorFeatures("opt-j")
    ref, pred = matching.reference, matching.prediction
    _add_interruptions(errors, "break", (prediction, reference), (pred, ref), max_distance)
    _add_interruptions(errors, "false_link", (reference, prediction), (ref, pred), max_distance)

    paired = np.flatnonzero(ref.partner >= 0)
    for side, own, other in ((ref, reference, prediction), (pred, prediction, reference)):
        _add_single(errors, side, own, other, in_reference=side is ref)
    here, there = pred.order[ref.partner[paired]], ref.order[paired]
    for name, wrong in (("missing arms", here < there), ("extra arms", here > there)):
        k = paired[wrong]
        _add_points(
            errors,
            "junction",
            pred.xy[ref.partner[k]],
            ref_id=_ids_at(reference, ref.node[k]),
            pred_id=_ids_at(prediction, pred.node[ref.partner[k]]),
            dist_m=ref.distance[k],
            severity=_wrong_share(here[wrong], there[wrong]),
            **_arms(name, here[wrong], there[wrong]),
        )
    k = paired[(here == there) & (ref.distance[paired] > 0.5 * max_distance)]
    shift = pred.xy[ref.partner[k]] - ref.xy[k]
    names = np.where(ref.order[k] == 1, "displaced end", "displaced junction")
    _add_points(
        errors,
        "displaced",
        pred.xy[ref.partner[k]],
        ref_id=_ids_at(reference, ref.node[k]),
        pred_id=_ids_at(prediction, pred.node[ref.partner[k]]),
        dist_m=ref.distance[k],
        severity=0.5 * ref.distance[k] / max(max_distance, 1e-300),
        note=[f"{name}: by {x:+.1f} m east, {y:+.1f} m north" for name, (x, y) in zip(names, shift, strict=True)],
    )
    return errors


def _add_single(
    errors: ErrorFeatures, side: JunctionSide, own: RoadNetwork, other: RoadNetwork, *, in_reference: bool
) -> None:
    """Features without a partner, and junctions that are matched to a road."""
    ids, others = ("ref_id", "pred_id") if in_reference else ("pred_id", "ref_id")
    alone = side.partner == NOTHING
    ends, junctions = alone & (side.order == 1), alone & (side.order > 1)
    kind = "missing" if in_reference else "spurious"
    lacks = "no road ends here" if in_reference else "a road ends here"
    note = f"{kind} end: {lacks}, {'one does' if in_reference else 'none does'} in the reference"
    _add_points(errors, kind, side.xy[ends], note=note, **{ids: _ids_at(own, side.node[ends])})
    zero = np.zeros(junctions.sum(), dtype=np.int64)
    both = (zero, side.order[junctions]) if in_reference else (side.order[junctions], zero)
    _add_points(
        errors,
        "junction",
        side.xy[junctions],
        **_arms(f"{kind} junction", *both),
        **{ids: _ids_at(own, side.node[junctions])},
    )
    crossed = (side.partner == ROAD) & (side.order > 2)
    two = np.full(crossed.sum(), 2)
    both = (two, side.order[crossed]) if in_reference else (side.order[crossed], two)
    _add_points(
        errors,
        "junction",
        side.xy[crossed],
        dist_m=side.distance[crossed],
        severity=_wrong_share(*both),
        **_arms("missing arms" if in_reference else "extra arms", *both),
        **{
            ids: _ids_at(own, side.node[crossed]),
            others: [str(value) for value in other.source_ids[side.nearest.segment[crossed]]],
        },
    )


def _add_interruptions(
    errors: ErrorFeatures,
    kind: str,
    networks: tuple[RoadNetwork, RoadNetwork],
    sides: tuple[JunctionSide, JunctionSide],
    reach: float,
) -> None:
    """Dead ends of one network that are matched to roads of the other: one stops where the other goes on."""
    (own, other), side = networks, sides[0]
    is_break = kind == "break"
    ids, others = ("pred_id", "ref_id") if is_break else ("ref_id", "pred_id")
    found = interruptions(own, other, sides, reach)
    length = shapely.length(found.lines)
    apart = np.hypot(*(side.xy[found.first] - side.xy[found.second]).T)
    note = (
        [f"gap: the road is interrupted for {metres:.1f} m" for metres in length]
        if is_break
        else [f"overrun: joins two ends that are {metres:.1f} m apart in the reference" for metres in apart]
    )
    names = [
        joined([*a.split(";"), *b.split(";")])
        for a, b in zip(_ids_at(own, side.node[found.first]), _ids_at(own, side.node[found.second]), strict=True)
    ]
    errors.add(kind, found.lines, length_m=length, dist_m=apart, note=note, **{ids: names, others: found.ids})

    length = shapely.length(found.branch_lines)
    errors.add(
        kind,
        found.branch_lines,
        length_m=length,
        dist_m=side.distance[found.branch],
        note=[
            f"gap end: the road stops {metres:.1f} m before a junction"
            if is_break
            else f"overrun: goes on for {metres:.1f} m to a junction, the road ends in the reference"
            for metres in length
        ],
        **{ids: _ids_at(own, side.node[found.branch]), others: found.branch_ids},
    )
    stops, goes_on = ("ends", "goes on") if is_break else ("goes on", "ends")
    _add_points(
        errors,
        "break" if is_break else "spurious",
        side.xy[found.alone],
        dist_m=side.distance[found.alone],
        severity=0.5,
        note=f"{'gap end' if is_break else 'overrun'}: the road {stops} here, it {goes_on} in the reference",
        **{
            ids: _ids_at(own, side.node[found.alone]),
            others: [str(value) for value in other.source_ids[side.nearest.segment[found.alone]]],
        },
    )


def _ids_at(network: RoadNetwork, nodes: Ints) -> list[str]:
    """The ids of the source features that meet at each node."""
    start, _, segment = network.adjacency
    return [joined([str(value) for value in network.source_ids[segment[start[n] : start[n + 1]]]]) for n in nodes]


def _arms(name: str, here: Ints, there: Ints) -> dict[str, Any]:
    """The numbers of arms as columns and in words."""
    notes = [f"{name}: {a} here, {b} in the reference" for a, b in zip(here, there, strict=True)]
    return {"arms": here, "ref_arms": there, "note": notes}


def _wrong_share(here: Ints, there: Ints) -> Floats:
    return 1 - np.minimum(here, there) / np.maximum(here, there)


def _add_points(errors: ErrorFeatures, kind: str, xy: Floats, **columns: Any) -> None:
    errors.add(kind, np.asarray(shapely.points(xy), dtype=object), length_m=np.full(len(xy), np.nan), **columns)
