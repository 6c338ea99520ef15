"""A road network on disk that can be read by place.

A store is one GeoParquet file (version 1.1, encoding ``linestring``), which GDAL, QGIS and geopandas open too: a row
a segment, in the order of a curve through the plane, in groups of rows. Parquet keeps the smallest and largest
coordinate of each group, so a reader knows which groups a box needs and reads nothing else. The columns are
``geometry``, ``from`` and ``to`` (identities of the nodes at its ends), ``source``, ``from_cut`` and ``to_cut``.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from geoeval import crs as projections
from geoeval.model.network import RoadNetwork
from geoeval.scale.grouped import GroupedFile
from geoeval.scale.segments import Segments, network_of, segments_of
from geoeval.scale.spool import Spool
from geoeval.scale.store_file import write_rows
from geoeval.writers.aside import new_file

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
        The file; it gets its name when it is complete.
    batches
        The segments, in parts of any size and any order; those with the same nodes stay in theirs. No segments at all
        make an empty store.
    crs
        What their coordinates are in.
    facts
        What else shall be known of them, as JSON has it. They are written after the last batch was taken, so that
        who makes the batches may complete them. ``duplicate_segments``, the number of segments whose nodes another
        segment has too, is added to its ``problems`` unless it is there.
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
    O(m log m) time; memory for about a million segments, whatever m is; the rest waits beside the file on disk.
    """
    crs = projections.parse_crs(crs)
    with new_file(path, overwrite=overwrite) as aside:
        waiting = aside.parent / "waiting"
        waiting.mkdir()
        spool = Spool(waiting)
        for batch in batches:
            spool.put(batch)
        write_rows(aside, spool, crs, facts)
        shutil.rmtree(waiting)
    return Store(path)


def store_network(
    path: str | Path, network: RoadNetwork, *, facts: Mapping[str, Any] | None = None, overwrite: bool = False
) -> "Store":
    """Write a network into a store, its coordinates bit for bit, with its duplicate segments.

    A node's number is its identity. Source ids that are neither whole numbers nor text become text. ``problems``,
    ``source`` and ``scale_error`` of the network are among the facts.
    """
    known = {"problems": dict(network.problems), "source": network.source, "scale_error": network.scale_error}
    batches = [segments_of(network)]
    return write_store(path, batches, crs=network.crs, facts={**known, **(facts or {})}, overwrite=overwrite)


class Store(GroupedFile[Segments]):
    """Roads that were written; reading starts when something is asked for."""

    BOUNDS = (_X, _Y, _X, _Y)

    def read(self, box: Sequence[float]) -> Segments:
        """All segments whose bounding boxes meet the box, borders included; in the order of the store.

        ``box`` is ``(minx, miny, maxx, maxy)`` in the coordinates of the store. O(groups + rows of the groups that
        meet the box); groups that were read lately are at hand.
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
        )

    @property
    def _text_ids(self) -> bool:
        return bool(self._file.schema_arrow.field("source").type != "int64")

    def _none(self) -> Segments:
        none = Segments.joined([])
        return Segments(none.xy, none.node, none.source.astype(str) if self._text_ids else none.source, none.cut)
