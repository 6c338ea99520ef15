"""Points put into a graph, as CosmiQ's program does it: the nearest edge is cut at the foot of each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.protocols.cosmiq.line_graph import LineGraph


@dataclass(frozen=True)
class Snapping:
    """How points are put in.

    Attributes
    ----------
    max_snap
        Metres within which an edge must be.
    end_tolerance
        A foot this near an end, in x and in y, is that end.
    many_nodes, nearest_nodes
        Above so many nodes only the edges at so many nearest ones are looked at.
    """

    max_snap: float
    end_tolerance: float
    many_nodes: int
    nearest_nodes: int


class GrowingGraph:
    """A graph whose edges can be cut. Lengths of cut edges are those of their lines; the others keep their own.

    Parameters
    ----------
    graph
        What it starts from.
    room
        How many points may be put into it.
    """

    def __init__(self, graph: LineGraph, room: int) -> None:
        nodes, edges = len(graph.nodes), len(graph.ends)
        self.node_count, self.edge_count = nodes, edges
        self.nodes = np.concatenate([graph.nodes, np.zeros((room, 2))])
        self.ends = np.concatenate([graph.ends, np.zeros((room, 2), dtype=np.int64)])
        self.lengths = np.concatenate([graph.lengths, np.zeros(room)])
        self.lines = np.empty(edges + room, dtype=object)
        self.lines[:edges] = [shapely.linestrings(line) for line in graph.lines]
        self.boxes = np.zeros((edges + room, 4))
        self.boxes[:edges] = shapely.bounds(self.lines[:edges])

    def links(self) -> tuple[Ints, Floats, int]:
        """Ends and lengths of the edges, and the number of nodes."""
        return self.ends[: self.edge_count], self.lengths[: self.edge_count], self.node_count

    def insert(self, place: Floats, rules: Snapping) -> int:
        """The node that stands for a point, or -1 where no edge is near enough.

        A node is made where the nearest edge is cut; it keeps the place of the point, not that of its foot. Where the
        foot is an end of the edge, that end is the node. O(edges), for arrays.
        """
        edge, away = self._nearest(place, rules)
        if edge < 0 or away > rules.max_snap:
            return -1
        line = self.lines[edge]
        along = shapely.line_locate_point(line, shapely.points(place))
        foot = shapely.get_coordinates(shapely.line_interpolate_point(line, along))[0]
        for end in self.ends[edge]:
            if (np.abs(self.nodes[end] - foot) < rules.end_tolerance).all():
                return int(end)
        self.cut(edge, [float(along)], [place])
        return self.node_count - 1

    def cut(self, edge: int, along: Sequence[float], places: Sequence[Floats]) -> None:
        """Cut an edge at metres along it, in growing order; the new nodes are the last ones."""
        course = shapely.get_coordinates(self.lines[edge])
        reached = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(course, axis=0).T))])
        stops = [0.0, *(min(one, reached[-1]) for one in along), reached[-1]]
        first, last = self.ends[edge].tolist()
        new = range(self.node_count, self.node_count + len(along))
        self.nodes[new] = places
        corners = [first, *new, last]
        rows = [edge, *range(self.edge_count, self.edge_count + len(along))]
        for k, row in enumerate(rows):
            self.ends[row] = corners[k], corners[k + 1]
            self.lengths[row] = stops[k + 1] - stops[k]
            self.lines[row] = shapely.linestrings(_part(course, reached, stops[k], stops[k + 1]))
        self.boxes[rows] = shapely.bounds(self.lines[rows])
        self.node_count += len(along)
        self.edge_count += len(along)

    def _nearest(self, place: Floats, rules: Snapping) -> tuple[int, float]:
        """The nearest edge and how far it is, of several the first; -1 where none can be near enough."""
        boxes = self.boxes[: self.edge_count]
        reach = rules.max_snap
        near = ((boxes[:, :2] - reach <= place) & (place <= boxes[:, 2:] + reach)).all(axis=1)
        if self.node_count > max(rules.many_nodes, rules.nearest_nodes):
            away = ((self.nodes[: self.node_count] - place) ** 2).sum(axis=1)
            close = np.argpartition(away, rules.nearest_nodes)[: rules.nearest_nodes]
            near &= np.isin(self.ends[: self.edge_count], close).any(axis=1)
        edges = np.flatnonzero(near)
        if len(edges) == 0:
            return -1, np.inf
        gaps = shapely.distance(self.lines[edges], shapely.points(place))
        return int(edges[np.argmin(gaps)]), float(gaps.min())


def _part(course: Floats, reached: Floats, begin: float, end: float) -> Floats:
    """The part of a course between two distances along it."""
    places = np.column_stack([np.interp([begin, end], reached, course[:, axis]) for axis in (0, 1)])
    return np.concatenate([places[:1], course[(reached > begin) & (reached < end)], places[1:]])
