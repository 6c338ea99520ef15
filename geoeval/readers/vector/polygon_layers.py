"""Objects of polygon layers: Shapefile, GeoPackage, GeoJSON, FlatGeobuf, GeoParquet and the like."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Floats
from geoeval.exceptions import EmptyInputError, ParameterError
from geoeval.model.object_map import ObjectMap
from geoeval.readers.reader import Reader
from geoeval.readers.vector.layer_basics import classes_of, crs_of, id_columns, ids_of, is_vector, may_be_vector
from geoeval.readers.vector.wkb import kinds_of

if TYPE_CHECKING:
    from geoeval.readers.vector.ogr import VectorTable

# Columns that say how sure a detector is, in order of preference.
CONFIDENCE = ("confidence", "Confidence", "conf", "score", "probability", "prob")


def read_polygons(
    path: Path,
    *,
    crs: Any = None,
    layer: str | None = None,
    id_column: str | None = None,
    confidence: str | None = None,
    class_column: str | None = None,
) -> ObjectMap:
    """Read objects from a layer of polygons.

    Parameters
    ----------
    path
        A file, a zipped shapefile or a folder (.gdb) that GDAL opens, or GeoParquet.
    crs
        CRS of the coordinates, if the file does not say or is wrong.
    layer
        Which layer, if several have polygons.
    id_column
        Column with the ids.
    confidence
        Column that says how sure a detector is, in numbers; a layer without it has no confidences.
    class_column
        Column that says what each object is.

    Returns
    -------
    ObjectMap
        In metres. Ids are the feature ids of the file, its column ``ge_id`` if there is one, or those of ``id_column``.
        A layer of polygons without any row gives an empty map.

    Raises
    ------
    EmptyInputError
        There are rows, but no polygon among them.
    """
    from geoeval.readers.vector.ogr import read_table

    wanted = CONFIDENCE if confidence is None else (confidence,)
    columns = (*wanted, *id_columns(id_column), *([] if class_column is None else [class_column]))
    table = read_table(path, layer=layer, columns=columns, shape="polygons")
    return objects_from_table(
        table, str(path), crs=crs, id_column=id_column, confidence=confidence, class_column=class_column
    )


def objects_from_table(
    table: "VectorTable",
    source: str,
    *,
    crs: Any = None,
    id_column: str | None = None,
    confidence: str | None = None,
    class_column: str | None = None,
) -> ObjectMap:
    """Objects from rows of polygons, as ``read_polygons`` describes them."""
    kinds = set(kinds_of(table.geometries))
    if not kinds & {"polygons", "collections"} and (len(table.geometries) or not table.may_hold):
        held = " and ".join(sorted(kinds)) or f"{len(table.geometries)} rows without a usable geometry"
        raise EmptyInputError(f"{source} holds {held}, no polygons; give a layer of polygons")
    # Surfaces that could not be read are counted again as what they became.
    problems = {name: count for name, count in table.problems.items() if name != "not_lines"}
    return ObjectMap.from_polygons(
        table.geometries,
        crs=crs_of(source, table, crs),
        ids=ids_of(source, table, id_column),
        confidence=confidence_in(table.columns, confidence, source),
        classes=classes_of(source, table, class_column),
        problems=problems,
        source=source,
        trust_projected=False,
    )


def confidence_in(columns: Mapping[str, NDArray[Any]], wanted: str | None = None, source: str = "") -> Floats | None:
    """The confidences of the wanted column, else of the first known one that holds numbers only.

    The other side of a comparison has no such column, so one that is not there is no error; one without numbers is.
    """
    for name in CONFIDENCE if wanted is None else (wanted,):
        if name in columns:
            try:
                values = np.asarray(columns[name], dtype=np.float64)
            except (TypeError, ValueError):
                values = np.full(1, np.nan)
            if np.isfinite(values).all():
                return values
            if wanted is not None:
                msg = f"the column {wanted!r} of {source} has values that are no numbers; {{give:confidence=NAME}}"
                raise ParameterError(msg)
    return None


READER = Reader("vector", reads={"objects": read_polygons}, by_content=is_vector, by_name=may_be_vector)
