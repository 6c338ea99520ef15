"""Runs of samples with one label, and sets of things that belong together."""

import numpy as np

from geoeval.arrays import Floats, Ints


def groups_of(run: Ints, label: Ints) -> Ints:
    """Where each group of successive samples with one label on one run begins."""
    opens = np.ones(len(run), dtype=bool)
    opens[1:] = (run[1:] != run[:-1]) | (label[1:] != label[:-1])
    return np.flatnonzero(opens)


def smoothed(run: Ints, label: Ints, weight: Floats, shortest: float) -> Ints:
    """Labels in which no group shorter than ``shortest`` metres is left that has a longer neighbour on its run."""
    label = label.copy()
    for _ in range(8):
        first = groups_of(run, label)
        if len(first) < 2:
            break
        length = np.add.reduceat(weight, first)
        owner, own = run[first], label[first]
        before = np.where(owner[1:] == owner[:-1], length[:-1], -1.0)
        left, right = np.append(-1.0, before), np.append(np.where(owner[1:] == owner[:-1], length[1:], -1.0), -1.0)
        best = np.maximum(left, right)
        weak = (length < shortest) & (best > length)
        # Equal neighbours of a weak group must not change places with it.
        if not weak.any():
            break
        new = np.where(left >= right, np.append(own[:1], own[:-1]), np.append(own[1:], own[-1:]))
        own = np.where(weak, new, own)
        label = np.repeat(own, np.diff(np.append(first, len(run))))
    return label


def joined_sets(count: int, first: Ints, second: Ints) -> Ints:
    """For ``count`` things of which pairs belong together, the number of the set that each is in."""
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    links = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.int64)


def rings(ends: Ints) -> Ints:
    """For roads between pairs of nodes, the number of the ring that each is part of, or one of its own. O(n log n)."""
    road = np.repeat(np.arange(len(ends)), 2)
    node = np.unique(ends, return_inverse=True)[1].ravel()
    order = np.argsort(node, kind="stable")
    same = np.flatnonzero(np.diff(node[order]) == 0)
    number = joined_sets(len(ends), road[order][same], road[order][same + 1])
    # In a ring two roads meet at each node.
    loose = np.bincount(node)[node] != 2
    is_ring = np.bincount(number[road], weights=loose, minlength=len(ends)) == 0
    return np.unique(np.where(is_ring[number], number, len(ends) + np.arange(len(ends))), return_inverse=True)[1]
