"""Files that networkx and osmnx write: GraphML and node-link JSON."""

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from geoeval.exceptions import UnreadableInputError, UnsafeFileError
from geoeval.model.network import RoadNetwork
from geoeval.readers.attributed import network_from_graph
from geoeval.readers.text import read_text

if TYPE_CHECKING:
    import networkx as nx


def read_graphml(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read a GraphML graph as networkx and osmnx write it; see ``network_from_graph`` for what attributes mean.

    Entity declarations are refused, so that no file can grow in memory or reach for another file.
    """
    import networkx as nx

    try:
        content = Path(path).read_bytes()
        _refuse_entities(content, path)
        graph = nx.read_graphml(io.BytesIO(content), force_multigraph=True)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
    except (ParseError, expat.ExpatError) as error:
        raise UnreadableInputError(f"{path} is not well-formed XML ({error}); write it again") from error
    except (nx.NetworkXException, KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableInputError(f"{path} is not a GraphML graph ({_short(error)}); write it again") from error
    return network_from_graph(graph, path, crs=crs, pixel_size=pixel_size)


def read_node_link(path: str | Path, *, crs: Any = None, pixel_size: float | None = None) -> RoadNetwork:
    """Read node-link JSON as networkx writes it, its edges under ``links`` or ``edges``.

    See ``network_from_graph`` for what attributes mean.
    """
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise UnreadableInputError(f"{path} is not JSON ({_short(error)}); write it again") from error
    try:
        graph = _node_link_graph(content)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        msg = (
            f"{path} is not a node-link graph ({_short(error)}); "
            "it needs 'nodes' with 'id', and 'links' or 'edges' with 'source' and 'target'"
        )
        raise UnreadableInputError(msg) from error
    return network_from_graph(graph, path, crs=crs, pixel_size=pixel_size)


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
            raise ValueError(f"edge {str(ends)[:60]} has an end that is no node")
        graph.add_edges_from([(*ends, {k: v for k, v in edge.items() if k not in {"source", "target", "key"}})])
    return graph


def _hashable(node: Any) -> Any:
    return tuple(_hashable(part) for part in node) if isinstance(node, list) else node


class _RootReachedError(Exception):
    """The prolog of an XML file is over."""


def _refuse_entities(content: bytes, path: str | Path) -> None:
    """Read the prolog only: entities can be declared nowhere else."""

    def refuse(name: str, *_: Any) -> NoReturn:
        raise UnsafeFileError(f"{path} declares the XML entity {name[:40]!r}; GraphML needs none, remove its DOCTYPE")

    def reached(*_: Any) -> NoReturn:
        raise _RootReachedError

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = reached
    try:
        parser.Parse(content, True)  # noqa: FBT003 -- expat takes no keywords
    except _RootReachedError:
        return


def _short(error: Exception) -> str:
    """What an error says, in one line."""
    text = " ".join(str(error).split()) or type(error).__name__
    return f"no {text}" if isinstance(error, KeyError) else text[:120]
