"""The errors of two networks, each place with one, of its cause. See ``decide`` for how they come to the map.

Roads that surely one of them lacks are ``missing`` or ``spurious``, and out of the way (``lone_roads``). A junction or
end that both have but far apart is ``displaced``, with its roads (``moved``). What CCQ leaves unmatched of the rest is
looked at from both sides, see ``cross_sections``: a road that is there but aside is ``displaced``, not missing and
spurious; a road drawn as two lines, or two as one, is ``drawn_double`` or ``drawn_single``; a copy right beside a road
is ``doubled`` (``merged`` where the reference has it). Pieces of both networks that hang on the same places, or lie
between the same junctions, are the same roads, drawn elsewhere: ``displaced`` too, as is what is left of both at one
small place. All else is ``missing`` or ``spurious``. A gap between ends of one network where the other one runs through
is a ``break`` or, the other way round, a ``false_link``; see ``gaps``. Exchanging the networks exchanges the kinds.

Slivers are counted, not listed: pieces shorter than ``shortest``, and those that only oscillate around the tolerance.
"""

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.causes.displaced import add_bent, add_displaced, add_tangles
from geoeval.roads.causes.divided import add_divided
from geoeval.roads.causes.found import IDS, METRES, Found
from geoeval.roads.causes.gaps import Gaps, find_gaps
from geoeval.roads.causes.labelled import Labelled, Scale
from geoeval.roads.causes.lone_roads import add_lone_roads
from geoeval.roads.causes.moved import add_moved
from geoeval.roads.causes.one_sided import add_copies, add_hidden, add_left
from geoeval.roads.causes.views import view
from geoeval.roads.ccq.ccq import CcqMatching
from geoeval.roads.geometry.pieces import cut_roads

_GAP_KINDS = ("false_link", "break")
# Of the reach: how far from where two roads fork they may still be one.
_FORK = 4.0


def find_causes(
    reference: RoadNetwork, prediction: RoadNetwork, matching: CcqMatching, scale: Scale, *, gaps: bool = True
) -> Found:
    """The errors of a prediction, except wrong junctions.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.
    matching
        What CCQ found.
    scale
        What is near.
    gaps
        Whether to look for breaks and false links.

    Returns
    -------
    Found
        ``ref_m`` and ``pred_m`` are the metres that CCQ leaves unmatched and that an error accounts for; with the
        slivers (``missing`` for the reference, ``spurious`` for the prediction) they add up to all of them.
    """
    unmatched = (matching.missing, matching.spurious)
    least = 0.0 if gaps else scale.shortest
    seen = view((reference, prediction), unmatched, scale)
    found = Found(surroundings=_surroundings(seen.sides, scale))
    seen = add_lone_roads(found, seen, unmatched, scale, least=least)
    networks, sides, open_ = seen.networks, seen.sides, seen.all_open()
    moved = add_moved(found, seen, open_, scale, least=least)
    has_gap: list[Ints] = [moved[:0, 0], moved[:0, 1]]  # roads in which the other network has a gap
    if gaps:
        for own in (1, 0):
            pair = (seen.trees[own], seen.trees[1 - own])
            no_gap = np.append(moved[:, own], seen.joints[own])
            known = find_gaps(networks[own], networks[1 - own], pair, scale, except_at=no_gap)
            has_gap[1 - own] = _add_gaps(found, sides, open_, own, known, scale)
    add_bent(found, sides, open_, seen.roads, scale)
    add_divided(found, sides, open_, scale)
    add_displaced(found, sides, open_, seen.roads, scale)
    for own in (0, 1):
        pair = (seen.trees[own], seen.trees[1 - own])
        if gaps:
            known_roads = np.append(has_gap[own], seen.roads[own].whole(networks[own].roads.length))
            add_hidden(found, sides[own], networks[1 - own], pair, open_[own], own, scale, except_for=known_roads)
        add_copies(found, sides[own], open_[own], own, scale)
    add_tangles(found, sides, open_, scale)
    for own in (0, 1):
        add_left(found, sides[own], open_[own], own, scale)
    return found


def _surroundings(sides: tuple[Labelled, Labelled], scale: Scale) -> Objects:
    """All unmatched parts, on to where their roads leave others: at a sharp fork that is a long way off."""
    lines = [
        cut_roads(
            side.network, side.runs.road, np.maximum(side.runs.begin - _FORK * scale.reach, 0.0),
            np.minimum(side.runs.end + _FORK * scale.reach, side.network.roads.length[side.runs.road]),
        )[0]
        for side in sides
    ]  # fmt: skip
    return np.concatenate(lines)


def _add_gaps(
    found: Found, sides: tuple[Labelled, Labelled], open_: list[Bools], own: int, gaps: Gaps, scale: Scale
) -> Ints:
    """Gaps of one side, with what is unmatched of the other side inside each; returns the other side's roads there.

    A gap on a longer unmatched stretch is a consequence: the road is missing, or spurious. So is one on a whole road.
    """
    other = sides[1 - own]
    lines = np.asarray(shapely.linestrings(np.stack([gaps.begin, gaps.end], axis=1)), dtype=object)
    mine: Floats = np.zeros(len(lines))
    if len(lines) and len(other):
        there = np.flatnonzero(open_[1 - own])
        runs = other.runs
        courses, _ = cut_roads(other.network, runs.road[there], runs.begin[there], runs.end[there])
        middle = shapely.line_interpolate_point(lines, 0.5, normalized=True)
        gap, part = shapely.STRtree(courses).query(np.asarray(middle), "dwithin", scale.tolerance)
        part = there[part]
        fits = (other.runs.length[part] <= shapely.length(lines)[gap] + 2 * scale.tolerance) & ~other.is_whole[part]
        kept = np.ones(len(lines), dtype=bool)
        kept[gap[~fits]] = False
        inside = fits & kept[gap]
        part, first = np.unique(part[inside], return_index=True)
        gap = gap[inside][first]
        open_[1 - own][part] = False
        mine = np.bincount(gap, weights=other.metres[part], minlength=len(lines)).astype(np.float64)[kept]
        gaps, lines = gaps.some(kept), lines[kept]
    network, beyond = sides[own].network, other.network
    ids = [f"{a};{b}" if a != b else str(a) for a, b in zip(
        network.source_ids[gaps.segment], network.source_ids[gaps.to_segment], strict=True)]  # fmt: skip
    metres = shapely.length(lines)
    said = "the prediction has a gap of {:.1f} m here, the reference runs through" if own else (
        "connects what the reference keeps {:.1f} m apart")  # fmt: skip
    found.add(
        _GAP_KINDS[own], lines, length_m=metres, dist_m=metres, note=[said.format(value) for value in metres],
        **{IDS[own]: ids, IDS[1 - own]: [str(value) for value in beyond.source_ids[gaps.other_segment]],
           METRES[1 - own]: mine},
    )  # fmt: skip
    return beyond.roads.road_of[gaps.other_segment]
