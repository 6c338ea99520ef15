"""JUNCT of RoadTracer, on adjacency dictionaries within a region that holds them whole."""

import networkx as nx
import numpy as np


def graph_of(neighbours):
    graph, number = nx.Graph(), {}
    for key, others in neighbours.items():
        for place in (key, *others):
            number.setdefault(place, len(number))
            graph.add_node(number[place], at=np.array(place, dtype=float))
        graph.add_edges_from((number[key], number[other]) for other in others)
    for a, b, data in graph.edges(data=True):
        data["length"] = gap(graph.nodes[a]["at"], graph.nodes[b]["at"])
    return graph


def gap(one, other):
    return float(np.hypot(*(one - other)))


def junct(reference, prediction, low, high, border):
    """Correct, extra and the number of true clusters that count."""
    true, guess = graph_of(reference), graph_of(prediction)
    clusters = true_clusters(true)
    found = [(true.nodes[members[0]]["at"], arms(true, members)) for members in clusters]
    others = [
        (guess.nodes[members[0]]["at"], arms(guess, members)) for members in predicted_clusters(guess, true, clusters)
    ]

    def counts(cluster):
        return all(low + border < part < high - border for part in cluster[0])

    correct, extra, used = 0.0, 0.0, set()
    scored = [cluster for cluster in found if counts(cluster)]
    for cluster in scored:
        best = None
        for j, other in enumerate(others):
            away = gap(cluster[0], other[0])
            if j in used or away > 110.5:
                continue
            right, wrong = compare(cluster[1], other[1])
            if right - wrong > 0 and (best is None or right - wrong - away / 110.5 > best[0]):
                best = right - wrong - away / 110.5, j, right, wrong
        if best is not None:
            used.add(best[1])
            correct, extra = correct + best[2], extra + best[3]
    extra += sum(1 for j, other in enumerate(others) if j not in used and counts(other))
    return correct, extra, len(scored)


def junctions(graph):
    return [node for node in sorted(graph) if graph.degree(node) >= 3]


def within(graph, node, limit):
    return nx.single_source_dijkstra_path_length(graph, node, cutoff=limit, weight="length")


def true_clusters(graph):
    used, clusters = set(), []
    for first in junctions(graph):
        if first not in used:
            near = within(graph, first, 170)
            at = graph.nodes[first]["at"]
            members = [first] + [
                node for node in junctions(graph)
                if node not in used and node != first and node in near and gap(graph.nodes[node]["at"], at) < 85
            ]  # fmt: skip
            used |= set(members)
            clusters.append(members)
    return clusters


def predicted_clusters(graph, true, clusters):
    owned = {}
    for node in junctions(graph):
        at = graph.nodes[node]["at"]
        away, owner = min(
            ((gap(true.nodes[member]["at"], at), k) for k, members in enumerate(clusters) for member in members),
            default=(0.0, None),
        )
        owned.setdefault(node if owner is None else ("true", owner), []).append((away, node))
    made = []
    for key in sorted(owned, key=lambda key: key if isinstance(key, int) else key[1]):
        members = [node for _, node in sorted(owned[key], key=lambda pair: pair[0])]
        near = within(graph, members[0], 255)
        made.append([node for node in members if node in near])
        made += [[node] for node in members if node not in near]
    return made


def arms(graph, members):
    """Directions of the places where roads out of a cluster stop, the nearest stops first."""
    stops, seen, front = [], set(members), [(0.0, node) for node in members]
    while front:
        front.sort()
        gone, node = front.pop(0)
        for there in graph[node]:
            if there in seen:
                continue
            a, b = graph.nodes[node]["at"], graph.nodes[there]["at"]
            length = graph[node][there]["length"]
            if gone + length >= 110.5:
                stops.append(a + (b - a) * (110.5 - gone) / length)
            elif graph.degree(there) != 2:
                stops.append(b)
            else:
                seen.add(there)
                front.append((gone + length, there))
    at = graph.nodes[members[0]]["at"]
    return [np.arctan2(*(stop - at)) for stop in stops]


def compare(true, guess):
    if not true or not guess:
        return 0.0, 1.0

    def near(one, others):
        turned = [abs((one - other + np.pi) % (2 * np.pi) - np.pi) for other in others]
        return min(turned) < np.pi / 2 - 1e-9

    return sum(near(arm, guess) for arm in true) / len(true), sum(not near(arm, true) for arm in guess) / len(guess)
