"""GraphML as written by networkx and osmnx."""

import io
from pathlib import Path
from typing import Any, NoReturn
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from geoeval.exceptions import UnreadableInputError, UnsafeFileError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.graph import NO_OBJECTS
from geoeval.readers.graph.attributed import network_from_graph, short_reason
from geoeval.readers.reader import InputFile, Reader, has_suffix


def read_graphml(
    path: str | Path, *, crs: Any = None, pixel_size: float | None = None, georeference: Any = None
) -> RoadNetwork:
    """Read a GraphML graph as written by networkx and osmnx; parameters as in ``network_from_graph``.

    Entity declarations are refused, so that no file can grow in memory or refer to another file.
    """
    import networkx as nx

    try:
        content = Path(path).read_bytes()
        _refuse_entities(content, path)
        graph = nx.read_graphml(io.BytesIO(content), force_multigraph=True)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
    except (ParseError, expat.ExpatError, LookupError) as error:
        raise UnreadableInputError(f"{path} is not well-formed XML ({short_reason(error)}); write it again") from error
    except (nx.NetworkXException, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableInputError(f"{path} is not a GraphML graph ({short_reason(error)}); write it again") from error
    return network_from_graph(graph, path, crs=crs, pixel_size=pixel_size, georeference=georeference)


class _RootReachedError(Exception):
    """The prolog of an XML file ends here."""


def _refuse_entities(content: bytes, path: str | Path) -> None:
    """Read the prolog only, because entities cannot be declared elsewhere."""

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


def _is_graphml(file: InputFile) -> bool:
    return b"<graphml" in file.head


READER = Reader(
    "graphml",
    reads={"roads": read_graphml},
    refuses=NO_OBJECTS,
    by_content=_is_graphml,
    by_name=has_suffix(".graphml"),
)
