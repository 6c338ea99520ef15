"""``roadtracer-junct``: the junction metric of RoadTracer, as its Go program computes it.

Junctions of the reference are clustered; junctions of the prediction go to the nearest such cluster. Clusters are
compared by the directions of their arms, and paired greedily. f_correct is the share of arms that were found, f_error
the share of what was predicted that is wrong (as Citraro et al. 2020 use it), f1 the harmonic mean of f_correct and
1 - f_error.

Quirks that are part of the number:

- Only junctions more than a border inside the region count.
- A cluster sees arms only as directions, within 90 degrees.
- Which junction leads a cluster is a matter of the order of the file, and the program goes through predicted clusters
  in random order; here it is the order of the file. Other orders of the reference's nodes move f1 by 0.001.

The border decides the number on Vancouver most, where the program gives .774, .149 and .811: with 260 px this module
gives .7731, .1467 and .8112, with 300 px .7762, .1415 and .8153, because the prediction ends there and its
last junctions lie between. Theirs were measured on graphs cropped by 260 px (.7731, .1481, .8106), the default here.
That the end of a road ends an arm adds .001 to f1, and that a predicted junction belongs to the cluster of the nearest
junction, not to the cluster whose first junction is nearest, another .001. These rules are open in the definition, and
were chosen because they come near the program's numbers.
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
from geoeval.exceptions import ParameterError
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
    members: Ints


def roadtracer_junct(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    region: Any = None,
    border: float = 260.0,
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
    predicted = _predicted_clusters(graphs[1], graphs[0].nodes, true, 3 * radius, arm)
    low, high = box[0] + border, box[1] - border

    def counts(cluster: _Cluster) -> bool:
        return bool((cluster.place > low).all() and (cluster.place < high).all())

    correct, extra, missed, used = 0.0, 0.0, [], [False] * len(predicted)
    partial: list[tuple[Floats, float, Floats, float]] = []
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
        partial.append((cluster.place, 1.0 - found, predicted[chosen].place, wrong))
    alone = [one.place for one, taken in zip(predicted, used, strict=True) if not taken and counts(one)]
    extra += len(alone)
    errors = ErrorFeatures("roadtracer-junct")
    for kind, unmatched, graph in (("unmatched_hole", missed, reference), ("unmatched_marble", alone, prediction)):
        spots = graph.places(np.array(unmatched).reshape(-1, 2))
        errors.add(kind, [shapely.Point(spot) for spot in spots], note="a junction without a partner")
    _add_arms(errors, "unmatched_hole", reference, [(place, lost) for place, lost, _, _ in partial])
    _add_arms(errors, "unmatched_marble", prediction, [(place, wrong) for _, _, place, wrong in partial])
    tally = {"correct": correct, "extra": extra, "clusters": float(len(scored))}
    scores, notes = _scores(tally, border)
    return MetricResult(scores, tally, errors, notes)


def _add_arms(errors: ErrorFeatures, kind: str, graph: FileGraph, junctions: list[tuple[Floats, float]]) -> None:
    """Junctions with a partner that lacks some of their arms."""
    bad = [(place, part) for place, part in junctions if part > 0]
    spots = graph.places(np.array([place for place, _ in bad]).reshape(-1, 2))
    errors.add(
        kind, [shapely.Point(spot) for spot in spots], severity=[part for _, part in bad],
        note=[f"{part:.0%} of this junction's arms have no partner" for _, part in bad],
    )  # fmt: skip


def _region(reference: FileGraph, region: Any) -> tuple[Floats, Floats]:
    """Smallest and largest row and column."""
    if region is not None:
        try:
            west, north, east, south = (float(value) for value in region)
        except (TypeError, ValueError):
            msg = f"roadtracer-junct.region is {region!r}; give [min_column, min_row, max_column, max_row]"
            raise ParameterError(msg) from None
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
        """Directions from the first member to where roads out of a cluster stop.

        That is at their length, at a junction of another cluster, or where they end.
        """
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
                elif self.is_junction[there] or len(self.around[there]) == 1:
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
        clusters.append(_Cluster(graph.nodes[first], graph.arms(members, arm), np.array(members)))
    return clusters


def _predicted_clusters(
    graph: _Graph, true_nodes: Floats, true: list[_Cluster], limit: float, arm: float
) -> list[_Cluster]:
    """Predicted junctions by the true cluster of the nearest true junction.

    Of those of one true cluster, the nearest and those near it along the graph are one; the others stand alone.
    """

    def cluster_of(nodes: list[int]) -> _Cluster:
        return _Cluster(graph.nodes[nodes[0]], graph.arms(nodes, arm), np.array(nodes))

    if not len(graph.junctions):
        return []
    if not true:
        return [cluster_of([node]) for node in graph.junctions.tolist()]
    junctions = np.concatenate([one.members for one in true])
    away, nearest = cKDTree(true_nodes[junctions]).query(graph.nodes[graph.junctions])
    owner = np.repeat(np.arange(len(true)), [len(one.members) for one in true])[nearest]
    clusters: list[_Cluster] = []
    for cluster in np.unique(owner).tolist():
        own = np.flatnonzero(owner == cluster)
        members = graph.junctions[own[np.argsort(away[own], kind="stable")]].tolist()
        near = graph.reached(members[:1], limit)
        together = [node for node in members if node in near]
        groups = [together, *([node] for node in members if node not in near)]
        clusters.extend(cluster_of(group) for group in groups)
    return clusters


def _compare(true: Floats, predicted: Floats) -> tuple[float, float]:
    """Share of true arms with a predicted one within 90 degrees, and of predicted arms without a true one."""
    if not len(true) or not len(predicted):
        return 0.0, 1.0
    near = np.cos(true[:, None] - predicted[None, :]) > 1e-9
    return float(near.any(axis=1).mean()), float((~near.any(axis=0)).mean())


def _scores(tally: dict[str, float], border: float) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    names = ("f1", "f_correct", "f_error")
    if not tally["clusters"]:
        why = f"the reference has no junction more than {border:g} px inside the region, so none counts"
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
    version="2", takes="graphs",
    origin="junction metric of RoadTracer (Bastani et al., CVPR 2018), with f_error as Citraro et al. (2020) use it.",
    blind_to="roads between junctions, dead ends, lengths of paths, and whether arms within 90 degrees are the same",
    prefer=("opt-j", "junct"),
    aggregates={"city": mean_of_places}, scores_from_counts=_scores,
)  # fmt: skip
