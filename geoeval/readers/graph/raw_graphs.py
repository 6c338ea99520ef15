"""Graphs as their files list them: for protocols, to whose numbers the order of a file belongs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import UnreadableInputError
from geoeval.readers.graph.pickles import row_column
from geoeval.readers.graph.roadtracer import listed_graph
from geoeval.readers.graph.unpickle import load
from geoeval.readers.registry import recognise


@dataclass(frozen=True)
class RawGraph:
    """Nodes as (row, column) in units of the file, and pairs of node numbers in the order of the file."""

    rows_columns: Floats
    pairs: Ints


def read_raw_graph(path: str | Path) -> RawGraph | None:
    """The graph of a pickled dictionary or a RoadTracer file; None for a file of any other kind.

    Nodes of a dictionary are numbered as they first occur, a key before its neighbours; keys without neighbours vanish.
    """
    kind = recognise(path, "roads").kind
    if kind == "roadtracer":
        places, pairs, _ = listed_graph(path)
        return RawGraph(np.array(places)[:, ::-1], np.array(pairs, dtype=np.int64).reshape(-1, 2))
    if kind != "pickle":
        return None
    try:
        held = load(Path(path).read_bytes(), path)
    except OSError as error:
        raise UnreadableInputError(f"{path} cannot be read ({error.strerror}); check the path") from error
    if not isinstance(held, Mapping):
        return None
    number: dict[tuple[float, float], int] = {}
    listed = []
    for node, others in held.items():
        if not isinstance(others, list | tuple | set | frozenset | Mapping):
            raise UnreadableInputError(f"{path}: the neighbours of a node are no list; write the graph again")
        ordered = sorted(others, key=repr) if isinstance(others, set | frozenset) else others
        for other in ordered:
            first = number.setdefault(row_column(node, path), len(number))
            listed.append((first, number.setdefault(row_column(other, path), len(number))))
    rows_columns = np.array(list(number), dtype=np.float64).reshape(-1, 2)
    return RawGraph(rows_columns, np.array(listed, dtype=np.int64).reshape(-1, 2))
