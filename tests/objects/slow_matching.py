"""The matching of Özdemir et al. by trying every set of pairs, straight from the printed constraint (4)."""

from itertools import combinations

import numpy as np


def allowed(z) -> bool:
    """(4 - min(column sum, 2)) - min(row sum, 2) >= z for every pair."""
    z = np.asarray(z)
    return all(
        4 - min(z[:, j].sum(), 2) - min(z[i].sum(), 2) >= z[i, j] for i in range(z.shape[0]) for j in range(z.shape[1])
    )


def best_matching(C):
    """Weight, number of matched objects and chosen pairs of the best matching by the tie rules. Tiny matrices only."""
    C = np.asarray(C)
    pairs = [(int(i), int(j)) for i, j in np.argwhere(C > 0)]
    best = (0, 0, [])
    key = None
    for k in range(len(pairs) + 1):
        for chosen in combinations(range(len(pairs)), k):
            z = np.zeros(C.shape, dtype=int)
            for e in chosen:
                z[pairs[e]] = 1
            if not allowed(z):
                continue
            weight = sum(C[pairs[e]] for e in chosen)
            count = int((z.sum(axis=0) > 0).sum() + (z.sum(axis=1) > 0).sum())
            first = tuple(1 if e in chosen else 0 for e in range(len(pairs)))
            if key is None or (weight, count, first) > key:
                key = (weight, count, first)
                best = (weight, count, [pairs[e] for e in chosen])
    return best
