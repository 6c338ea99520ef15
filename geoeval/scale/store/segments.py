"""Road segments as arrays, as they go into a store and come out of it, and the network that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats, Ints
from geoeval.model.road_network import RoadNetwork
from geoeval.model.source_classes import SourceClasses, numbered_classes


@dataclass(frozen=True)
class Segments:
    """Straight pieces of road, each with both its ends.

    Parameters
    ----------
    xy
        Coordinates ``(m, 2, 2)``: segment, end, x and y.
    node
        Identities of the nodes at the ends, ``(m, 2)``: equal numbers are the same node, which has one place;
        different nodes may lie at the same place.
    source
        Id of the feature that each segment came from: whole numbers or text.
    cut
        Ends that clipping made, ``(m, 2)``.
    road_class
        Number of the class of each segment's feature; -1, as by default, where none is known.
    """

    xy: Floats
    node: Ints
    source: NDArray[Any]
    cut: Bools
    road_class: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if len(self.road_class) != len(self.xy):
            object.__setattr__(self, "road_class", np.full(len(self.xy), -1))

    def __len__(self) -> int:
        return len(self.xy)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        return self.xy.nbytes + self.node.nbytes + self.source.nbytes + self.cut.nbytes + self.road_class.nbytes

    @property
    def bounds(self) -> Floats:
        """``minx, miny, maxx, maxy`` of each segment, ``(m, 4)``."""
        return np.concatenate([self.xy.min(axis=1), self.xy.max(axis=1)], axis=1)

    def meets(self, box: Sequence[float]) -> Bools:
        """Whether the bounding box of each segment meets the box, borders included."""
        west, south, east, north = box
        x, y = self.xy[:, :, 0], self.xy[:, :, 1]
        in_x = (np.minimum(x[:, 0], x[:, 1]) <= east) & (np.maximum(x[:, 0], x[:, 1]) >= west)
        in_y = (np.minimum(y[:, 0], y[:, 1]) <= north) & (np.maximum(y[:, 0], y[:, 1]) >= south)
        return np.asarray(in_x & in_y)

    def take(self, rows: ArrayLike | slice) -> "Segments":
        """Some of the segments: row numbers, a mask, or a slice."""
        chosen: Any = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(chosen, slice) and chosen.dtype != bool:
            chosen = chosen.astype(np.int64)
        return Segments(*(getattr(self, one.name)[chosen] for one in fields(self)))

    @staticmethod
    def joined(parts: Sequence["Segments"]) -> "Segments":
        """All segments of several parts, in order; without parts, no segments, with whole numbers as ids."""
        if not parts:
            return Segments(
                np.zeros((0, 2, 2)),
                np.zeros((0, 2), dtype=np.int64),
                np.zeros(0, dtype=np.int64),
                np.zeros((0, 2), dtype=bool),
            )
        if len(parts) == 1:
            return parts[0]
        return Segments(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Segments)))


def network_of(segments: Segments, *, crs: Any, to_crs: Any, facts: Mapping[str, Any] | None = None) -> RoadNetwork:
    """The network that segments make, joined at their nodes and nowhere else.

    Nodes at the same place are kept apart in the order of their identities, so that overlapping parts of a store
    agree. Of segments with the same nodes the first is kept; the others are its duplicates.

    Parameters
    ----------
    segments
        A part of a store, or all of it. No segments make an empty network.
    crs
        CRS of their coordinates.
    to_crs
        CRS of the network, in metres.
    facts
        Of the store: where its network came from (``source``) and the names of its ``classes``.

    Notes
    -----
    O(m log m) time and O(m) memory.
    """
    target = projections.parse_crs(to_crs)
    identity, first, number = np.unique(segments.node, return_index=True, return_inverse=True)
    number = number.reshape(-1, 2)
    xy = projections.transform(segments.xy.reshape(-1, 2)[first], projections.parse_crs(crs), target)
    cut = np.zeros(len(identity), dtype=bool)
    cut[number[segments.cut]] = True
    about = facts or {}
    network = RoadNetwork(
        xy,
        number,
        crs=target,
        source_ids=segments.source,
        merge_coincident=False,
        cut=cut,
        source=str(about.get("source", "")),
    )
    classes = about.get("classes") or {"names": []}
    return network.with_classes(numbered_classes(segments.source, segments.road_class, **classes))


def segments_of(network: RoadNetwork) -> Segments:
    """The segments of a network and then their duplicates; nodes are identified by their numbers."""
    node = np.concatenate([network.segments, network.duplicates])
    ids = [np.asarray(ids) for ids in (network.source_ids, network.duplicate_ids)]
    source = np.concatenate(ids) if len(ids[1]) else ids[0]
    known = None if network.classes is None else network.classes.of(source)
    return Segments(network.nodes[node], node, source, network.cut[node], *([] if known is None else [known]))


def class_facts(classes: SourceClasses | None) -> dict[str, Any] | None:
    """What a store keeps of the classes beside their numbers; ``network_of`` takes it."""
    return None if classes is None else {"names": list(classes.names), "of_ways": classes.of_ways}
