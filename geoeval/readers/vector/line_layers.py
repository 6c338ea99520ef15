"""Roads of line layers: Shapefile, GeoPackage, GeoJSON, FlatGeobuf, GeoParquet and the like.

Files written by geoeval name the nodes at the ends of their lines in the columns ``ge_from`` and ``ge_to``. Where
these agree with the geometry, the graph is the one that was written, so that roads that only touch stay apart. Files
that were edited since, and all others, are joined by their geometry.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Bools
from geoeval.crs import to_metres
from geoeval.exceptions import EmptyInputError
from geoeval.model.line_parts import NetworkParts, network_parts
from geoeval.model.road_network import RoadNetwork
from geoeval.model.source_classes import source_classes
from geoeval.readers.options import check_options
from geoeval.readers.reader import Reader
from geoeval.readers.vector.layer_basics import crs_of, id_columns, ids_of, is_vector, may_be_vector, without_nulls
from geoeval.readers.vector.wkb import kinds_of
from geoeval.trust import no_such_file

if TYPE_CHECKING:
    from geoeval.readers.vector.ogr import VectorTable

FROM, TO, CUT, SOURCE = "ge_from", "ge_to", "ge_cut", "source_id"
# Columns that may say what class of road a row is.
CLASSES = ("highway", "fclass", "class")
COLUMNS = (FROM, TO, CUT, SOURCE, *CLASSES)


def read_vector(
    path: str | Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    node: str = "ends",
    id_column: str | None = None,
) -> RoadNetwork:
    """Read a road network from a layer of lines.

    Parameters
    ----------
    path
        A file, a zipped shapefile or a folder (.gdb) that GDAL opens, or GeoParquet.
    crs
        CRS of the coordinates, if the file does not say or is wrong.
    layer
        Which layer, if several have lines.
    node
        How lines join: ``"ends"``, ``"crossings"`` or ``"none"``, see :mod:`geoeval.readers.vector.noding`. ``"ends"``
        keeps the graph of a file that geoeval wrote.
    id_column
        Column with the ids.

    Returns
    -------
    RoadNetwork
        In metres. ``source_ids`` are the feature ids of the file, its column ``ge_id`` if there is one, the
        ``source_id`` of a file that geoeval wrote, or those of ``id_column``. Rows without geometry and geometries
        that are not lines are counted in ``problems``. A layer of lines without any row gives an empty network.

    Raises
    ------
    EmptyInputError
        There are rows, but no line among them.
    MissingCRSError
        Neither the file nor the caller gives a CRS.
    """
    from geoeval.readers.vector.ogr import read_table

    check_options({"node": node})
    file = Path(path)
    if not file.exists():
        raise no_such_file(path)
    table = read_table(file, layer=layer, columns=(*COLUMNS, *id_columns(id_column)))
    return network_from_table(table, str(path), crs=crs, node=node, id_column=id_column)


def network_from_table(
    table: "VectorTable", source: str, *, crs: Any = None, node: str = "ends", id_column: str | None = None
) -> RoadNetwork:
    """A network from rows of lines, as ``read_vector`` describes it; ``COLUMNS`` are used if they exist."""
    from geoeval.readers.vector.noding import node_lines

    ids = ids_of(source, table, id_column)
    parts = network_parts(table.geometries, ids)
    if len(parts.segments) == 0 and (len(table.geometries) or not table.may_hold):
        raise EmptyInputError(f"{source} holds {_holdings(table)}, no lines; give a layer of lines")
    xy, metric, error = to_metres(parts.coordinates, crs_of(source, table, crs))
    parts = NetworkParts(xy, parts.segments, parts.ids, _added(parts.problems, table.problems))

    graph, cut = None, None
    if node == "ends" and FROM in table.columns and TO in table.columns and len(table.geometries):
        graph = _written_graph(table, parts, has_own_ids=id_column is not None)
        if graph is None:
            parts.problems["rows_joined_by_geometry"] = len(table.geometries)
    if graph is None:
        parts = node_lines(parts, node=node)
    else:
        parts, cut = graph
    network = RoadNetwork(
        parts.coordinates,
        parts.segments,
        crs=metric,
        source_ids=parts.ids,
        merge_coincident=graph is None,
        cut=cut,
        problems=parts.problems,
        source=source,
        scale_error=error,
    )
    column = next((name for name in CLASSES if name in table.columns), None)
    if column is None or graph is not None:  # rows of our own files are not the features that their ids name
        return network
    return network.with_classes(source_classes(ids, table.columns[column]))


def _written_graph(
    table: "VectorTable", parts: NetworkParts, *, has_own_ids: bool
) -> tuple[NetworkParts, Bools] | None:
    """The graph named by the columns, and its cut ends; ``None`` if the columns do not agree with the geometry.

    They agree if every row is one whole line, every name stands for one place and every place has one name.
    """
    columns = table.columns
    names = np.column_stack([columns[FROM], columns[TO]])
    lines = table.geometries
    if not np.issubdtype(names.dtype, np.integer) or (shapely.get_num_geometries(lines) != 1).any():
        return None
    first_vertex = np.concatenate([[0], np.cumsum(shapely.get_num_coordinates(lines))])
    if parts.problems or first_vertex[-1] != len(parts.coordinates):
        return None
    ends = np.column_stack([first_vertex[:-1], first_vertex[1:] - 1])
    places = shapely.get_coordinates(lines)[ends.ravel()]
    known = np.column_stack([names.ravel().astype(np.float64), places])
    name, position, number = np.unique(names.ravel(), return_index=True, return_inverse=True)
    if not len(name) == len(np.unique(known, axis=0)) == len(np.unique(places, axis=0)):
        return None

    # Ends of the same name become the first of them; the others are left out, or they would push it aside.
    vertex = np.arange(len(parts.coordinates))
    vertex[ends.ravel()] = ends.ravel()[position][number.ravel()]
    kept, vertex = np.unique(vertex, return_inverse=True)
    cut = np.zeros(len(kept), dtype=bool)
    if CUT in columns and np.issubdtype(columns[CUT].dtype, np.integer):
        cut[vertex[ends]] = np.column_stack([columns[CUT] & 1, columns[CUT] & 2]) > 0
    ids = parts.ids
    if SOURCE in columns and not has_own_ids:
        owner = np.repeat(np.arange(len(lines)), np.diff(first_vertex) - 1)
        ids = without_nulls(columns[SOURCE])[owner]
    return NetworkParts(parts.coordinates[kept], vertex[parts.segments], ids, parts.problems), cut


def _holdings(table: "VectorTable") -> str:
    """What a layer without lines holds, in words."""
    kinds = [kind for kind in kinds_of(table.geometries) if kind != "lines"]
    if kinds:
        return " and ".join(kinds)
    if table.problems.get("not_lines"):
        return "surfaces"
    if len(table.geometries) == 0:
        return "no rows"
    return f"{len(table.geometries)} row(s) without a usable geometry"


def _added(first: dict[str, int], second: dict[str, int]) -> dict[str, int]:
    return {what: first.get(what, 0) + second.get(what, 0) for what in {**first, **second}}


READER = Reader("vector", reads={"roads": read_vector}, by_content=is_vector, by_name=may_be_vector)
