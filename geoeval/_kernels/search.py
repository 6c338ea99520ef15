"""Shortest-path searches on a contracted graph, from places on its roads."""

from typing import NamedTuple

import numpy as np

from geoeval._kernels.compiling import inner, kernel
from geoeval._kernels.heap import heap_pop, heap_push
from geoeval.arrays import Bools, Floats, Ints

# Straight-line bounds have rounding errors; a search goes on this far, in metres, beyond the best path.
_SLACK = 1e-3


class Graph(NamedTuple):
    """The contracted graph as arrays; the roads that leave vertex v are ``way[first[v]:first[v + 1]]``."""

    first: Ints
    way: Ints
    ends: Ints
    length: Floats
    xy: Floats


class Search(NamedTuple):
    """What a search leaves behind; ``via`` is the road by which a vertex was reached, -1 if from the start itself."""

    distance: Floats
    via: Ints
    settled: Bools
    order: Ints
    keys: Floats
    items: Ints


@kernel
def grow(
    graph: Graph, search: Search, road: int, at: float, goal: int, goal_at: float, goal_x: float, goal_y: float
) -> int:
    """Dijkstra's search from a place to everywhere (goal -1), or A* to a goal; returns how many vertices it settled.

    The bound of A* is the straight line to the goal, a little shortened so that rounding cannot break it.
    """
    distance, via, settled, order, keys, items = search
    distance[:] = np.inf
    via[:] = -1
    settled[:] = False
    best = np.inf
    if goal == road:
        best = abs(at - goal_at)
    size = 0
    count = 0
    for end in range(2):
        vertex = graph.ends[road, end]
        reach = at if end == 0 else graph.length[road] - at
        if reach < distance[vertex]:
            distance[vertex] = reach
            size = heap_push(keys, items, size, reach + _straight_line(graph, vertex, goal, goal_x, goal_y), vertex)
    while size > 0:
        key, vertex = keys[0], items[0]
        size = heap_pop(keys, items, size)
        if key > best + _SLACK:
            break
        if settled[vertex]:
            continue
        settled[vertex] = True
        order[count] = vertex
        count += 1
        here = distance[vertex]
        if goal >= 0:
            if graph.ends[goal, 0] == vertex:
                best = min(best, here + goal_at)
            if graph.ends[goal, 1] == vertex:
                best = min(best, here + graph.length[goal] - goal_at)
        for i in range(graph.first[vertex], graph.first[vertex + 1]):
            way = graph.way[i]
            other = graph.ends[way, 0] + graph.ends[way, 1] - vertex
            reach = here + graph.length[way]
            if reach < distance[other] and not settled[other]:
                distance[other] = reach
                via[other] = way
                size = heap_push(keys, items, size, reach + _straight_line(graph, other, goal, goal_x, goal_y), other)
            elif reach == distance[other] and way < via[other]:
                via[other] = way
    return count


@inner
def _straight_line(graph: Graph, vertex: int, goal: int, x: float, y: float) -> float:
    """A lower bound of the length of a path to the goal."""
    if goal < 0:
        return 0.0
    return (1.0 - 1e-9) * np.hypot(graph.xy[vertex, 0] - x, graph.xy[vertex, 1] - y)


@kernel
def reach_goals(graph: Graph, search: Search, road: int, at: float, goal: Ints, goal_at: Floats, out: Floats) -> None:
    """Distances from the place that was searched from to many places."""
    for j in range(len(goal)):
        to = goal[j]
        if to < 0:
            out[j] = np.inf
            continue
        best = search.distance[graph.ends[to, 0]] + goal_at[j]
        best = min(best, search.distance[graph.ends[to, 1]] + graph.length[to] - goal_at[j])
        if to == road:
            best = min(best, abs(at - goal_at[j]))
        out[j] = best


@kernel
def credit_roads(
    graph: Graph,
    search: Search,
    count: int,
    road: int,
    at: float,
    goal: Ints,
    goal_at: Floats,
    lengths: Floats,
    weight: Floats,
    through: Floats,
) -> None:
    """Add the weights of paths from the place that was searched from to the roads they use; see ``Paths.credit``."""
    load = np.zeros((len(search.distance), 2))
    for j in range(len(goal)):
        to = goal[j]
        if to < 0 or not np.isfinite(lengths[j]):
            continue
        if to == road and abs(at - goal_at[j]) == lengths[j]:
            if lengths[j] > 0.0:
                _add(through, to, weight, j)
            continue
        last = 0 if search.distance[graph.ends[to, 0]] + goal_at[j] == lengths[j] else 1
        vertex = graph.ends[to, last]
        _add(load, vertex, weight, j)
        begun = False  # a road counts once if a path comes back to it
        if to == road:
            while search.via[vertex] >= 0:
                vertex = graph.ends[search.via[vertex], 0] + graph.ends[search.via[vertex], 1] - vertex
            begun = search.distance[vertex] > 0.0
        rest = goal_at[j] if last == 0 else graph.length[to] - goal_at[j]
        if rest > 0.0 and not begun:
            _add(through, to, weight, j)
    for i in range(count - 1, -1, -1):
        vertex = search.order[i]
        way = search.via[vertex]
        if way >= 0:
            _add(through, way, load, vertex)
            _add(load, graph.ends[way, 0] + graph.ends[way, 1] - vertex, load, vertex)
        elif search.distance[vertex] > 0.0:
            _add(through, road, load, vertex)


@inner
def _add(total: Floats, to: int, part: Floats, of: int) -> None:
    total[to, 0] += part[of, 0]
    total[to, 1] += part[of, 1]
