"""The matching of OPT-P once more, slowly and differently: every candidate, plain Python, networkx."""

from functools import cache
from itertools import pairwise
from math import dist

import networkx as nx


def distance(point, a, b):
    """From a point to the segment a-b."""
    (x, y), (ax, ay), (bx, by) = point, a, b
    whole = (bx - ax) ** 2 + (by - ay) ** 2
    share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / whole if whole > 0 else 0.0
    share = min(max(share, 0.0), 1.0)
    return dist(point, (ax + share * (bx - ax), ay + share * (by - ay)))


class SlowTarget:
    """What is left of a network: parts of its segments as (segment, low share, high share)."""

    def __init__(self, network, radius):
        self.nodes, self.segments, self.radius = network.nodes.tolist(), network.segments.tolist(), radius
        self.parts = [(s, 0.0, 1.0) for s in range(len(self.segments))]

    def place(self, segment, share):
        (ax, ay), (bx, by) = (self.nodes[n] for n in self.segments[segment])
        return ax + share * (bx - ax), ay + share * (by - ay)

    def length(self, segment):
        return dist(*(self.nodes[n] for n in self.segments[segment]))

    def candidates(self, point):
        """Nearest place of every part that is near enough: (part, share, squared distance)."""
        found = []
        for number, (s, low, high) in enumerate(self.parts):
            if dist(self.place(s, low), point) - (high - low) * self.length(s) > self.radius:
                continue
            share = _lowest(lambda t, s=s: dist(self.place(s, t), point), low, high)
            away = dist(self.place(s, share), point)
            if away <= self.radius + 1e-9:
                found.append((number, share, away**2))
        return found

    def near(self, p, q):
        """Graph of the parts in the capsule of the step p-q: parts joined to the nodes that they reach inside it."""
        graph, spans = nx.Graph(), {}
        for number, (s, low, high) in enumerate(self.parts):
            span = self._inside(s, low, high, p, q)
            if span is None:
                continue
            spans[number] = span
            graph.add_node(number)
            for share, node in ((0.0, self.segments[s][0]), (1.0, self.segments[s][1])):
                if share in span:
                    graph.add_edge(number, ("node", node))
        return graph, spans

    def _inside(self, s, low, high, p, q):
        middle = self.place(s, (low + high) / 2)
        if distance(middle, p, q) - (high - low) * self.length(s) / 2 > self.radius + 1e-9:
            return None

        def away(share):
            return distance(self.place(s, share), p, q) - self.radius - 1e-9

        deepest = _lowest(away, low, high)
        if away(deepest) > 0:
            return None
        return _border(away, deepest, low), _border(away, deepest, high)

    def use(self, one, other, p, q):
        """Segments and shares of the shortest way between two candidates in the capsule."""
        (a, share_a, _), (b, share_b, _) = one, other
        if a == b:
            return [(self.parts[a][0], *sorted([share_a, share_b]))]
        _, spans = self.near(p, q)
        graph = nx.Graph()
        for number, span in spans.items():
            s = self.parts[number][0]
            if span == (0.0, 1.0):
                graph.add_edge(*self.segments[s], weight=self.length(s), use=(s, 0.0, 1.0))
        for name, number, share in (("from", a, share_a), ("to", b, share_b)):
            s = self.parts[number][0]
            for end, node in ((0.0, self.segments[s][0]), (1.0, self.segments[s][1])):
                if end in spans[number]:
                    metres = abs(share - end) * self.length(s)
                    graph.add_edge(name, node, weight=metres, use=(s, *sorted([share, end])))
        way = nx.shortest_path(graph, "from", "to", weight="weight")
        return [graph.edges[edge]["use"] for edge in pairwise(way)]

    def remove(self, uses):
        for s, low, high in uses:
            rest = []
            for segment, a, b in self.parts:
                if segment != s:
                    rest.append((segment, a, b))
                    continue
                rest += [(s, x, y) for x, y in ((a, min(b, low)), (max(a, high), b)) if (y - x) * self.length(s) > 1e-6]
            self.parts = rest


def follow(target, points):
    """Best candidates of a path (or None) and which of its steps are connected or broken; ties are not expected."""
    options = [target.candidates(p) for p in points]
    linked = {}
    for i in range(1, len(points)):
        graph, _ = target.near(points[i - 1], points[i])
        part_of = {n: k for k, group in enumerate(nx.connected_components(graph)) for n in group}
        linked[i] = part_of

    @cache
    def best(i, c):
        """Least (breaks, cost) of the points up to i if point i takes candidate c, and the choices for them."""
        own = options[i][c][2]
        if i == 0 or not options[i - 1]:
            return (0, own), (c,)
        tries = []
        for b in range(len(options[i - 1])):
            (breaks, cost), choices = best(i - 1, b)
            joined = linked[i][options[i - 1][b][0]] == linked[i][options[i][c][0]]
            tries.append(((breaks + (not joined), cost + own), (*choices, c)))
        return min(tries)

    chosen = [None] * len(points)
    for i in range(len(points)):
        if options[i] and (i + 1 == len(points) or not options[i + 1]):
            _, choices = min(best(i, c) for c in range(len(options[i])))
            for k, c in enumerate(reversed(choices)):
                chosen[i - k] = options[i - k][c]
    steps = []
    for i in range(1, len(points)):
        if chosen[i] is None or chosen[i - 1] is None:
            steps.append("unmatched")
        else:
            joined = linked[i][chosen[i - 1][0]] == linked[i][chosen[i][0]]
            steps.append("connected" if joined else "broken")
    return chosen, steps


def score(steps):
    """Sum of squared shares of the runs of connected steps."""
    runs = "".join("x" if step == "connected" else " " for step in steps).split()
    return sum(len(run) ** 2 for run in runs) / len(steps) ** 2


def slow_scores(network, paths_points, radius):
    """Scores of paths, each matched to what those before have left."""
    target = SlowTarget(network, radius)
    scores, breaks = [], 0
    for points in ([tuple(p) for p in path] for path in paths_points):
        chosen, steps = follow(target, points)
        uses = [
            use
            for i, step in enumerate(steps)
            if step == "connected"
            for use in target.use(chosen[i], chosen[i + 1], points[i], points[i + 1])
        ]
        target.remove(uses)
        scores.append(score(steps))
        breaks += steps.count("broken")
    return scores, breaks


def _lowest(function, low, high):
    """Where a convex function is least, by thirds; an end where it is as low as any place inside."""
    a, b = low, high
    for _ in range(70):
        x, y = a + (b - a) / 3, b - (b - a) / 3
        a, b = (a, y) if function(x) < function(y) else (x, b)
    return min((low, high, (a + b) / 2), key=lambda t: (round(function(t), 10), t not in (low, high)))


def _border(away, deepest, end):
    """The last place inside on the way from the deepest one to an end."""
    if away(end) <= 0:
        return end
    inside, outside = deepest, end
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if away(middle) <= 0 else (inside, middle)
    return inside
