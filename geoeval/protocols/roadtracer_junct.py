"""``roadtracer-junct``: the junction metric of RoadTracer, as its Go program computes it.

Junctions of the reference are clustered; junctions of the prediction go to the nearest such cluster. Clusters are
compared by the directions of their arms, and paired greedily. f_correct is the share of arms that were found, f_error
the share of what was predicted that is wrong (as Citraro et al. 2020 use it), f1 the harmonic mean of f_correct and
1 - f_error.

Quirks that are part of the number: only junctions more than 300 px inside the region count; a cluster sees arms only as
directions, within 90 degrees; the program goes through clusters in random order, here it is the order of the file.
"""

import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from scipy.spatial import cKDTree

from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, error_share, share
from geoeval.protocols.aggregation import harmonic, mean_of_places
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.protocol import Protocol


@dataclass(frozen=True)
class _Cluster:
    place: Floats
    arms: Floats  # directions in radians


def roadtracer_junct(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    region: Any = None,
    border: float = 300.0,
    scale: float = 1.7,
    cluster_radius: float = 50.0,
    arm_length: float = 65.0,
    match_radius: float = 65.0,
) -> MetricResult:
    """Junctions of two graphs in pixels.

    Parameters
    ----------
    reference, prediction
        Graphs in pixels of 0.6 m or so.
    region
        ``[min_column, min_row, max_column, max_row]`` of the city; by default the square of 8192 px around the origin,
        where RoadTracer has its cities, if the reference lies around it, else the box around the reference. Edges with
        an end outside are left out.
    border
        Pixels along the region's border in which no junction counts.
    scale
        Pixels per unit of the distances below.
    cluster_radius, arm_length, match_radius
        How near junctions of one cluster are (twice that along the graph), how far arms are followed, and how far apart
        clusters may be that are paired.

    Returns
    -------
    MetricResult
        A reference without junctions that count leaves all scores undefined.
    """
    box = _region(reference, region)
    graphs = [_Graph.inside(graph, box) for graph in (reference, prediction)]
    radius, arm, reach = (scale * value for value in (cluster_radius, arm_length, match_radius))
    true = _true_clusters(graphs[0], radius, arm)
    predicted = _predicted_clusters(graphs[1], true, 3 * radius, arm)
    low, high = box[0] + border, box[1] - border

    def counts(cluster: _Cluster) -> bool:
        return bool((cluster.place > low).all() and (cluster.place < high).all())

    correct, extra, missed, used = 0.0, 0.0, [], [False] * len(predicted)
    scored = [cluster for cluster in true if counts(cluster)]
    places = np.array([cluster.place for cluster in predicted]).reshape(-1, 2)
    tree = cKDTree(places) if len(places) else None
    for cluster in scored:
        best, chosen = -np.inf, -1
        for j in sorted(tree.query_ball_point(cluster.place, reach)) if tree else []:
            if used[j]:
                continue
            found, wrong = _compare(cluster.arms, predicted[j].arms)
            value = found - wrong - float(np.hypot(*(places[j] - cluster.place))) / reach
            if found - wrong > 0 and value > best:
                best, chosen = value, j
        if chosen < 0:
            missed.append(cluster.place)
            continue
        used[chosen] = True
        found, wrong = _compare(cluster.arms, predicted[chosen].arms)
        correct, extra = correct + found, extra + wrong
    alone = [one.place for one, taken in zip(predicted, used, strict=True) if not taken and counts(one)]
    extra += len(alone)
    errors = ErrorFeatures("roadtracer-junct")
    for kind, unmatched, graph in (("unmatched_hole", missed, reference), ("unmatched_marble", alone, prediction)):
        spots = graph.places(np.array(unmatched).reshape(-1, 2))
        errors.add(kind, [shapely.Point(spot) for spot in spots], note="a junction without a partner")
    tally = {"correct": correct, "extra": extra, "clusters": float(len(scored))}
    scores, notes = _scores(tally)
    return MetricResult(scores, tally, errors, notes)


def _region(reference: FileGraph, region: Any) -> tuple[Floats, Floats]:
    """Smallest and largest row and column."""
    if region is not None:
        west, north, east, south = (float(value) for value in region)
        return np.array([north, west]), np.array([south, east])
    half = np.array([4096.0, 4096.0])
    nodes = reference.nodes if len(reference.nodes) else np.zeros((1, 2))
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    return (-half, half) if (low < -half / 2).all() and (high > half / 2).all() else (low, high)


@dataclass(frozen=True)
class _Graph:
    nodes: Floats
    around: list[list[int]]
    junctions: Ints
    is_junction: Bools

    @classmethod
    def inside(cls, graph: FileGraph, box: tuple[Floats, Floats]) -> "_Graph":
        """The edges with both ends in a region."""
        within = np.all((graph.nodes >= box[0]) & (graph.nodes <= box[1]), axis=1)
        kept = FileGraph.from_pairs(graph.nodes, graph.edges[within[graph.edges].all(axis=1)])
        lists = kept.neighbours
        cuts, node = lists.start.tolist(), lists.node.tolist()
        around = [node[a:b] for a, b in itertools.pairwise(cuts)]
        is_junction = np.diff(lists.start) >= 3
        return cls(graph.nodes, around, np.flatnonzero(is_junction), is_junction)

    def reached(self, sources: Iterable[int], limit: float) -> dict[int, float]:
        """Nodes within a distance along the graph, with it."""
        done: dict[int, float] = {}
        queue = [(0.0, source) for source in sources]
        while queue:
            gone, here = heapq.heappop(queue)
            if here in done:
                continue
            done[here] = gone
            for there in self.around[here]:
                further = gone + float(np.hypot(*(self.nodes[there] - self.nodes[here])))
                if there not in done and further <= limit:
                    heapq.heappush(queue, (further, there))
        return done

    def arms(self, members: list[int], length: float) -> Floats:
        """Directions from the first member to where roads out of a cluster stop: at their length, or at a junction."""
        inside = set(members)
        seen, stops = set(members), []
        queue = [(0.0, member) for member in members]
        heapq.heapify(queue)
        while queue:
            gone, here = heapq.heappop(queue)
            for there in self.around[here]:
                if there in inside or there in seen:
                    continue
                step = self.nodes[there] - self.nodes[here]
                along = float(np.hypot(*step))
                if gone + along >= length:
                    stops.append(self.nodes[here] + step * ((length - gone) / along))
                elif self.is_junction[there]:
                    stops.append(self.nodes[there])
                else:
                    seen.add(there)
                    heapq.heappush(queue, (gone + along, there))
        away = np.array(stops).reshape(-1, 2) - self.nodes[members[0]]
        return np.arctan2(away[:, 0], away[:, 1])


def _true_clusters(graph: _Graph, radius: float, arm: float) -> list[_Cluster]:
    """Junctions in node order, each with those not used yet that are near, straight and along the graph."""
    used: set[int] = set()
    clusters = []
    for first in graph.junctions.tolist():
        if first in used:
            continue
        along = graph.reached([first], 2 * radius)
        members = [first] + [
            node for node in along
            if node not in used and node != first and graph.is_junction[node]
            and np.hypot(*(graph.nodes[node] - graph.nodes[first])) < radius
        ]  # fmt: skip
        used.update(members)
        clusters.append(_Cluster(graph.nodes[first], graph.arms(members, arm)))
    return clusters


def _predicted_clusters(graph: _Graph, true: list[_Cluster], limit: float, arm: float) -> list[_Cluster]:
    """Predicted junctions by the nearest true cluster: its nearest member and those that are near along the graph."""
    if not len(graph.junctions):
        return []
    if not true:
        return [_Cluster(graph.nodes[node], graph.arms([node], arm)) for node in graph.junctions.tolist()]
    away, owner = cKDTree(np.array([one.place for one in true])).query(graph.nodes[graph.junctions])
    clusters: list[_Cluster] = []
    for cluster in np.unique(owner).tolist():
        own = np.flatnonzero(owner == cluster)
        members = graph.junctions[own[np.argsort(away[own], kind="stable")]].tolist()
        near = graph.reached(members[:1], limit)
        together = [node for node in members if node in near]
        groups = [together, *([node] for node in members if node not in near)]
        clusters.extend(_Cluster(graph.nodes[group[0]], graph.arms(group, arm)) for group in groups)
    return clusters


def _compare(true: Floats, predicted: Floats) -> tuple[float, float]:
    """Share of true arms with a predicted one within 90 degrees, and of predicted arms without a true one."""
    if not len(true) or not len(predicted):
        return 0.0, 1.0
    near = np.cos(true[:, None] - predicted[None, :]) > 1e-9
    return float(near.any(axis=1).mean()), float((~near.any(axis=0)).mean())


def _scores(tally: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    names = ("f1", "f_correct", "f_error")
    if not tally["clusters"]:
        why = "the reference has no junction that counts"
        return dict.fromkeys(names), dict.fromkeys(names, why)
    f_correct = tally["correct"] / tally["clusters"]
    all_predicted = tally["correct"] + tally["extra"]
    f_error = tally["extra"] / all_predicted if all_predicted else 0.0
    return {"f1": harmonic(f_correct, 1.0 - f_error), "f_correct": f_correct, "f_error": f_error}, {}


PROTOCOL = Protocol(
    roadtracer_junct, "f1", "How well the arms of junctions agree, clusters of junctions paired one to one.",
    scores=(
        share("f1", "Harmonic mean of f_correct and 1 - f_error."),
        share("f_correct", "Share of the arms of true junctions that were found."),
        error_share("f_error", "Share of what was predicted that is wrong."),
    ),
    version="1", takes="graphs",
    origin="junction metric of RoadTracer (Bastani et al., CVPR 2018), with f_error as Citraro et al. (2020) use it.",
    blind_to="roads between junctions, dead ends, lengths of paths, and whether arms within 90 degrees are the same",
    prefer=("opt-j", "junct"),
    aggregates={"city": mean_of_places}, scores_from_counts=_scores,
)  # fmt: skip
