"""GEO and TOPO of lane graphs."""

import itertools
from math import dist

import numpy as np


def points_of(neighbours, size=4096.0):
    """Places, and their neighbours in the order in which edges are listed."""
    places, around, number, done = [], [], {}, set()

    def point(place):
        places.append(tuple(map(float, place)))
        around.append([])
        return len(places) - 1

    def join(a, b):
        for one, other in ((a, b), (b, a)):
            if other not in around[one]:
                around[one].append(other)

    for key, others in neighbours.items():
        for other in others:
            for node in (key, other):
                if node not in number:
                    number[node] = point(node)
            if key == other or (other, key) in done or (key, other) in done:
                continue
            done.add((key, other))
            a, b = np.array(key, dtype=float), np.array(other, dtype=float)
            count = max(2, int(np.hypot(*(b - a))) // 2 + 1)
            way = [number[key]]
            way += [point(a + (b - a) * k / (count - 1)) for k in range(1, count - 1)]
            way.append(number[other])
            for one, two in itertools.pairwise(way):
                join(one, two)
    inside = [all(0 <= part <= size for part in place) for place in places]
    around = [[j for j in row if inside[j]] if inside[i] else [] for i, row in enumerate(around)]
    return places, around, [i for i, ok in enumerate(inside) if ok]


def greedy(true, ones, guess, others, match=8.0):
    pairs = [(away, i, j) for i in ones for j in others if (away := dist(true[i], guess[j])) < match]
    taken, used, used_too = [], set(), set()
    for _, i, j in sorted(pairs):
        if i not in used and j not in used_too:
            used.add(i)
            used_too.add(j)
            taken.append((i, j))
    return taken


def spread(places, around, origin, travel):
    seen = {origin: None}

    def follow(point, gone):
        if gone >= travel:
            return
        for there in around[point]:
            if there not in seen:
                seen[there] = None
                follow(there, gone + dist(places[there], places[point]))

    follow(origin, 0.0)
    return list(seen)


def geo_topo(reference, prediction, travel=400.0, every=10):
    """GEO precision and recall, TOPO precision and recall."""
    true, true_around, ones = points_of(reference)
    guess, guess_around, others = points_of(prediction)
    taken = greedy(true, ones, guess, others)
    p, r = [], []
    for i, j in taken[::every]:
        here, there = spread(true, true_around, i, travel), spread(guess, guess_around, j, travel)
        both = len(greedy(true, here, guess, there))
        p.append(both / len(there))
        r.append(both / len(here))
    precision, recall = len(taken) / len(others), len(taken) / len(ones)
    return precision, recall, precision * (np.mean(p) if p else 0.0), recall * (np.mean(r) if r else 0.0)
