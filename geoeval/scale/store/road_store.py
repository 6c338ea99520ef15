"""A road network on disk that can be read by place.

A store is one GeoParquet file (version 1.1, encoding ``linestring``), which GDAL, QGIS and geopandas open too. It has
one row per segment, along a curve through the plane, in groups of rows. Parquet keeps the smallest and largest
coordinate of each group, so a reader finds the groups that a box needs and reads nothing else. The columns are
``geometry``, ``from`` and ``to`` (identities of the nodes at the ends), ``source``, ``from_cut`` and ``to_cut``, and
``class``, the number of a name among the facts, -1 where the class of a road is not known.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geoeval import crs as projections
from geoeval.files import new_file
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.content import describe
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.store.segments import Segments, class_facts, network_of, segments_of
from geoeval.scale.store.spool import Spool
from geoeval.scale.store.store_file import write_rows

__all__ = ["Segments", "Store", "network_of", "store_network", "write_store"]

_X, _Y = ("geometry.list.element.x", "geometry.list.element.y")


def write_store(
    path: str | Path,
    batches: Iterable[Segments],
    *,
    crs: Any,
    facts: Mapping[str, Any],
    overwrite: bool = False,
) -> "Store":
    """Write segments of any number into a store.

    Parameters
    ----------
    path
        The file. It appears only when it is complete.
    batches
        The segments, in parts of any size and any order; those with the same nodes keep theirs. No segments make an
        empty store.
    crs
        CRS of their coordinates.
    facts
        What to keep beside them, as JSON. They are written after the last batch was taken, so that the batches may
        complete them. ``duplicate_segments``, the number of segments whose nodes another segment has too, is added to
        its ``problems`` unless it is there.
    overwrite
        Whether an existing file may be replaced.

    Raises
    ------
    OutputError
        The file exists already or cannot be written.
    ParameterError
        A coordinate is not a number, or some ids are numbers and others text.

    Notes
    -----
    O(m log m) time; memory for about a million segments, whatever m is; the rest is kept on disk beside the file.
    """
    crs = projections.parse_crs(crs)
    with new_file(path, overwrite=overwrite) as unfinished:
        waiting = unfinished.parent / "waiting"
        waiting.mkdir()
        spool = Spool(waiting)
        for batch in batches:
            spool.put(batch)
        write_rows(unfinished, spool, crs, facts)
        shutil.rmtree(waiting)
    return Store(path)


def store_network(
    path: str | Path, network: RoadNetwork, *, facts: Mapping[str, Any] | None = None, overwrite: bool = False
) -> "Store":
    """Write a network into a store, its coordinates bit for bit, with its duplicate segments.

    The number of a node is its identity. Source ids that are neither whole numbers nor text become text. The facts are
    ``problems``, ``source``, ``scale_error``, ``extent`` and names of the ``classes`` of the network, its digest, and
    those that are given.
    """
    own = {
        "source": network.source,
        "problems": dict(network.problems),
        "scale_error": network.scale_error,
        "sha256": describe(network)["sha256"],
        "extent": None if network.extent is None else network.extent.as_dict(),
        "classes": class_facts(network.classes),
    }
    batches = [segments_of(network)]
    return write_store(path, batches, crs=network.crs, facts={**own, **(facts or {})}, overwrite=overwrite)


class Store(GroupedFile[Segments]):
    """A store of roads, open for reading."""

    BOUNDS = (_X, _Y, _X, _Y)

    def read(self, box: Sequence[float]) -> Segments:
        """All segments whose bounding boxes meet the box, borders included, in the order of the store.

        ``box`` is ``(minx, miny, maxx, maxy)`` in the coordinates of the store. O(groups + rows of the groups that
        meet the box); groups that were read lately are still in memory.
        """
        parts = self.parts_in(box)
        return Segments.joined([part for part in parts if len(part)] or parts[:1] or [self._none()])

    def read_all(self) -> Segments:
        """All segments."""
        return Segments.joined(list(self.batches()) or [self._none()])

    def _understood(self, table: Any) -> Segments:
        columns = {name: table.column(name).combine_chunks() for name in table.column_names}
        points = columns["geometry"].values if len(table) else columns["geometry"].flatten()
        xy = np.column_stack([points.field(0).to_numpy(), points.field(1).to_numpy()])
        source = columns["source"].to_numpy(zero_copy_only=False)
        return Segments(
            xy.reshape(-1, 2, 2),
            np.column_stack([columns["from"].to_numpy(), columns["to"].to_numpy()]),
            np.asarray(source.tolist(), dtype=str) if self._text_ids else source,
            np.column_stack([columns[end].to_numpy(zero_copy_only=False) for end in ("from_cut", "to_cut")]),
            columns["class"].to_numpy().astype(np.int64),
        )

    @property
    def _text_ids(self) -> bool:
        return bool(self._file.schema_arrow.field("source").type != "int64")

    def _none(self) -> Segments:
        none = Segments.joined([])
        return Segments(none.xy, none.node, none.source.astype(str) if self._text_ids else none.source, none.cut)
