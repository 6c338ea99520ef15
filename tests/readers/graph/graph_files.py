"""Small graphs and their files."""

import json

import networkx as nx
import numpy as np

from geoeval.model.road_network import RoadNetwork

# Where a UTM zone is true to scale, so that readers keep it.
MIDDLE = 500_000.0


def same(a: RoadNetwork, b: RoadNetwork) -> None:
    np.testing.assert_allclose(a.nodes, b.nodes, atol=2e-6)
    np.testing.assert_array_equal(a.segments, b.segments)
    np.testing.assert_array_equal(a.cut, b.cut)


def save(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def streets(kind=nx.MultiGraph, **attributes):
    graph = kind(crs="EPSG:32610", **attributes)
    for node, (x, y) in {"a": (0.0, 0.0), "b": (100.0, 0.0), "c": (100.0, 50.0), "d": (-9.0, 0.0)}.items():
        graph.add_node(node, x=MIDDLE + x, y=y)
    graph.add_edge("a", "b", geometry="LINESTRING (500000 0, 500050 10, 500100 0)", name="bent")
    graph.add_edge("b", "c")
    graph.add_edge("d", "a")
    if graph.is_multigraph():
        graph.add_edge("a", "b")
    return graph


def node_link(graph, edges="links"):
    return {
        "directed": graph.is_directed(),
        "multigraph": graph.is_multigraph(),
        "graph": dict(graph.graph),
        "nodes": [{"id": node, **data} for node, data in graph.nodes(data=True)],
        edges: [{"source": u, "target": v, **data} for u, v, data in graph.edges(data=True)],
    }


def written(graph, tmp_path, form):
    path = tmp_path / f"g.{form.split('-')[0]}"
    if form == "graphml":
        nx.write_graphml(graph, path)
    else:
        path.write_text(json.dumps(node_link(graph, form.split("-")[1])))
    return path


FORMS = ["graphml", "json-links", "json-edges"]
