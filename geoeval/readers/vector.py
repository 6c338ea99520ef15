"""Lines of a vector file as a road network: Shapefile, GeoPackage, GeoJSON, FlatGeobuf, GeoParquet and the like.

Files that geoeval wrote name the nodes at the ends of their lines in the columns ``ge_from`` and ``ge_to``. Where
these agree with the geometry the graph is the one that was written, so that a road that merely touches another
stays apart. Files that were edited since, and all others, are joined by their geometry.
"""

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval.crs import parse_crs, to_metres
from geoeval.exceptions import HOW_TO_GIVE_CRS, CRSError, EmptyInputError, MissingCRSError, UnreadableInputError
from geoeval.model.lines import NetworkParts, network_parts
from geoeval.model.network import RoadNetwork
from geoeval.readers.noding import check_mode, node_lines
from geoeval.readers.ogr import VectorTable, read_table
from geoeval.readers.wkb import kinds_of

FROM, TO, CUT, SOURCE = "ge_from", "ge_to", "ge_cut", "source_id"
# A program that hands over a copy of its own rows names them in this column; a copy has other feature ids.
ROW_ID = "ge_id"


def read_vector(path: str | Path, *, crs: Any = None, layer: str | None = None, node: str = "ends") -> RoadNetwork:
    """Read a road network from a vector file.

    Parameters
    ----------
    path
        A file, a zipped shapefile, or a folder (.gdb) that GDAL opens, or GeoParquet.
    crs
        What the coordinates are in, where the file does not say, or to overrule what it says.
    layer
        Which layer, where several have lines.
    node
        How lines join: ``"ends"``, ``"crossings"`` or ``"none"``, see :mod:`geoeval.readers.noding`. ``"ends"``
        leaves the graph of a file that geoeval wrote as it was.

    Returns
    -------
    RoadNetwork
        In metres; ``source_ids`` are the feature ids of the file, its column ``ge_id`` where there is one, or the
        ``source_id`` of a file that geoeval wrote. Rows without geometry, and what is no line, are counted in
        ``problems``. A layer of lines without
        any row is an empty network.

    Raises
    ------
    EmptyInputError
        There are rows, but no line among them.
    MissingCRSError
        Neither the file nor the caller says what the coordinates are in.
    """
    check_mode(node)
    file = Path(path)
    if not file.exists():
        raise UnreadableInputError(f"{path}: no such file; check the path")
    table = read_table(file, layer=layer, columns=(FROM, TO, CUT, SOURCE, ROW_ID))
    ids = _without_nulls(table.columns[ROW_ID]) if ROW_ID in table.columns else table.ids
    parts = network_parts(table.geometries, ids)
    parts.problems = _added(parts.problems, table.problems)
    if len(parts.segments) == 0 and (len(table.geometries) or not table.may_hold):
        raise EmptyInputError(f"{file} holds {_holdings(table)}, no lines; give a layer of lines")
    parts.coordinates, metric, error = to_metres(parts.coordinates, crs_of(file, table, crs))

    graph, cut = None, None
    if node == "ends" and FROM in table.columns and TO in table.columns and len(table.geometries):
        graph = _written_graph(table, parts)
        if graph is None:
            parts.problems["rows_joined_by_geometry"] = len(table.geometries)
    if graph is None:
        parts = node_lines(parts, node=node)
    else:
        parts, cut = graph
    return RoadNetwork(
        parts.coordinates,
        parts.segments,
        crs=metric,
        source_ids=parts.ids,
        merge_coincident=graph is None,
        cut=cut,
        problems=parts.problems,
        source=str(path),
        scale_error=error,
    )


def crs_of(file: Path, table: VectorTable, given: Any) -> CRS:
    """What the coordinates are in; heights are left away."""
    if given is not None:
        crs = parse_crs(given)
    else:
        if table.crs is None:
            raise MissingCRSError(f"{file} does not say which CRS its coordinates are in; {HOW_TO_GIVE_CRS}")
        try:
            crs = parse_crs(table.crs)
        except CRSError as error:
            raise CRSError(f"the CRS of {file} cannot be understood; {HOW_TO_GIVE_CRS}") from error
        # GeoPackage has two entries that say that nothing is known.
        if crs.name.lower().startswith("undefined"):
            raise MissingCRSError(f"{file} says that its CRS is undefined; {HOW_TO_GIVE_CRS}")
    return crs.sub_crs_list[0] if crs.is_compound else crs.to_2d()


def _written_graph(table: VectorTable, parts: NetworkParts) -> tuple[NetworkParts, NDArray[np.bool_]] | None:
    """The graph that the columns name, and its cut ends; ``None`` where the columns do not agree with the geometry.

    They agree when every row is one whole line, every name stands for one place and every place has one name.
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

    # Ends of the same name are the first of them; the others are left out, they would push it aside.
    vertex = np.arange(len(parts.coordinates))
    vertex[ends.ravel()] = ends.ravel()[position][number.ravel()]
    kept, vertex = np.unique(vertex, return_inverse=True)
    cut = np.zeros(len(kept), dtype=bool)
    if CUT in columns and np.issubdtype(columns[CUT].dtype, np.integer):
        cut[vertex[ends]] = np.column_stack([columns[CUT] & 1, columns[CUT] & 2]) > 0
    ids = parts.ids
    if SOURCE in columns:
        owner = np.repeat(np.arange(len(lines)), np.diff(first_vertex) - 1)
        ids = _without_nulls(columns[SOURCE])[owner]
    return NetworkParts(parts.coordinates[kept], vertex[parts.segments], ids, parts.problems), cut


def _without_nulls(ids: NDArray[Any]) -> NDArray[Any]:
    """Shapefiles cannot tell an empty text from none."""
    if ids.dtype != object:
        return ids
    return np.array([None, *("" if value is None else value for value in ids)], dtype=object)[1:]


def _holdings(table: VectorTable) -> str:
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
