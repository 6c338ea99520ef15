"""The heaviest stars of a tree, or of a component that is nearly one, by eliminating object after object.

A table says, for each role that the neighbours of the eliminated objects can play (centre of a star or leaf, with or
without a partner yet), what the eliminated objects are worth at best. On a tree a table covers two objects at most, so
the time is linear.

The elimination order is computed by hand because it was measured: for a chain of 6,000 objects networkx
(``treewidth_min_degree``) takes 75 times as long, for a component of 7 objects 6 times, and it gives no order.
"""

from heapq import heapify, heappop, heappush

Edges = list[tuple[int, int]]

# States of an object in a table: leaf without and with its partner, centre without and with a leaf.
_LEAF, _TAKEN, _CENTRE, _USED = 0, 1, 2, 3
_JOINED = {
    (_LEAF, _LEAF): _LEAF, (_LEAF, _TAKEN): _TAKEN, (_TAKEN, _LEAF): _TAKEN,
    (_CENTRE, _CENTRE): _CENTRE, (_CENTRE, _USED): _USED, (_USED, _CENTRE): _USED, (_USED, _USED): _USED,
}  # fmt: skip
# Weight, objects matched, and the chosen pairs as bits, the first pair the highest: compared in this order.
_Value = tuple[int, int, int]
_Table = dict[tuple[int, ...], _Value]


def elimination_order(edges: Edges, count: int, widest: int) -> list[int] | None:
    """An order that eliminates an object with the fewest neighbours first; ``None`` if a table would be too wide.

    The neighbours of an eliminated object become neighbours of each other. O(n log n) on trees.
    """
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    queue = [(len(own), node) for node, own in enumerate(near)]
    heapify(queue)
    order: list[int] = []
    gone = [False] * count
    while queue:
        degree, node = heappop(queue)
        if gone[node] or degree != len(near[node]):
            continue
        if degree >= widest:
            return None
        gone[node] = True
        order.append(node)
        for other in near[node]:
            near[other] |= near[node]
            near[other] -= {other, node}
            heappush(queue, (len(near[other]), other))
    return order


def eliminate(edges: Edges, weights: list[int], order: list[int]) -> list[bool]:
    """Which pairs are chosen: the heaviest set, of these the one with most objects, of these the first in order."""
    rank = {node: place for place, node in enumerate(order)}
    # Each table waits at the object of its scope that is eliminated first.
    waiting: list[list[tuple[tuple[int, ...], _Table]]] = [[] for _ in order]
    for k, ((a, b), weight) in enumerate(zip(edges, weights, strict=True)):
        bit = 1 << (len(edges) - 1 - k)
        first, second = (a, b) if rank[a] < rank[b] else (b, a)
        table: _Table = {(p, q): (0, 0, 0) for p in (_LEAF, _CENTRE) for q in (_LEAF, _CENTRE)}
        table[_USED, _TAKEN] = table[_TAKEN, _USED] = (weight, 0, bit)
        waiting[first].append(((first, second), table))
    found: _Value = (0, 0, 0)
    for node in order:
        scope, table = waiting[node][0]
        for other_scope, other in waiting[node][1:]:
            scope, table = _joined(scope, table, other_scope, other)
        waiting[node] = []
        scope, table = _without(node, scope, table)
        if scope:
            waiting[min(scope, key=rank.__getitem__)].append((scope, table))
        else:
            best = table[()]
            found = (found[0] + best[0], found[1] + best[1], found[2] | best[2])
    return [bool(found[2] >> (len(edges) - 1 - k) & 1) for k in range(len(edges))]


def _joined(
    scope: tuple[int, ...], table: _Table, other_scope: tuple[int, ...], other: _Table
) -> tuple[tuple[int, ...], _Table]:
    common = [(scope.index(node), other_scope.index(node)) for node in scope if node in other_scope]
    new = [place for place, node in enumerate(other_scope) if node not in scope]
    out: _Table = {}
    for state, value in table.items():
        for other_state, other_value in other.items():
            merged = list(state)
            for here, there in common:
                both = _JOINED.get((state[here], other_state[there]))
                if both is None:
                    break
                merged[here] = both
            else:
                key = (*merged, *(other_state[place] for place in new))
                total = (value[0] + other_value[0], value[1] + other_value[1], value[2] | other_value[2])
                if key not in out or total > out[key]:
                    out[key] = total
    return (*scope, *(other_scope[place] for place in new)), out


def _without(node: int, scope: tuple[int, ...], table: _Table) -> tuple[tuple[int, ...], _Table]:
    """The table without an object: it counts if it has a partner, and it cannot be a centre without a leaf."""
    place = scope.index(node)
    out: _Table = {}
    for state, value in table.items():
        if state[place] == _CENTRE:
            continue
        key = state[:place] + state[place + 1 :]
        total = (value[0], value[1] + (state[place] != _LEAF), value[2])
        if key not in out or total > out[key]:
            out[key] = total
    return scope[:place] + scope[place + 1 :], out
