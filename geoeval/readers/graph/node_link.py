"""Node-link JSON as written by networkx."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.exceptions import UnreadableInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.attributed import network_from_graph, short_reason
from geoeval.readers.reader import InputFile, Reader
from geoeval.readers.text import read_text

if TYPE_CHECKING:
    import networkx as nx


def read_node_link(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, georeference: Any = None
) -> RoadNetwork:
    """Read node-link JSON with edges under ``links`` or ``edges``; parameters as in ``network_from_graph``."""
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise UnreadableInputError(f"{path} is not JSON ({short_reason(error)}); write it again") from error
    try:
        graph = _node_link_graph(content)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        msg = (
            f"{path} is not a node-link graph ({short_reason(error)}); "
            "it needs 'nodes' with 'id', and 'links' or 'edges' with 'source' and 'target'"
        )
        raise UnreadableInputError(msg) from error
    return network_from_graph(graph, path, crs=crs, pixel_size=pixel_size, georeference=georeference)


def _node_link_graph(content: Any) -> "nx.MultiGraph[Any]":
    import networkx as nx

    # Built by hand because the name of the edges' key, and its default, differ between versions of networkx.
    graph: nx.MultiGraph[Any] = nx.MultiDiGraph() if content.get("directed") else nx.MultiGraph()
    graph.graph.update(dict(content.get("graph", {})))
    for node in content["nodes"]:
        graph.add_node(_hashable(node["id"]), **{key: value for key, value in node.items() if key != "id"})
    for edge in content["links"] if "links" in content else content["edges"]:
        ends = _hashable(edge["source"]), _hashable(edge["target"])
        if not (ends[0] in graph and ends[1] in graph):
            raise ValueError(f"edge {str(ends)[:60]} has an end that is not a node")
        graph.add_edges_from([(*ends, {k: v for k, v in edge.items() if k not in {"source", "target", "key"}})])
    return graph


def _hashable(node: Any) -> Any:
    return tuple(_hashable(part) for part in node) if isinstance(node, list) else node


def _is_node_link(file: InputFile) -> bool:
    """Whether it is JSON with nodes and links; GeoJSON has features or a geometry instead."""
    if not file.is_json_object:
        return False
    try:
        content = json.loads(file.path.read_bytes())
    except (ValueError, OSError, RecursionError):
        return False
    return "nodes" in content and ("links" in content or "edges" in content)


READER = Reader("node-link", reads={"roads": read_node_link}, refuses=NO_OBJECTS, by_content=_is_node_link)
