"""A road network as arrays: nodes in metres, straight segments, and where each segment came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.exceptions import ParameterError
from geoeval.model.roads import Roads, adjacency_of, contract

if TYPE_CHECKING:
    import geopandas as gpd
    import networkx as nx

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Coordinates that agree to a micrometre are the same place.
PRECISION = 1e-6
# Distinct nodes at one place (a bridge right above a road) are kept this far apart.
KEEP_APART = 1e-5


@dataclass(frozen=True)
class Location:
    """Points on a network: the segment, metres from its first node, the place, and how far it was away."""

    segment: Ints
    offset: Floats
    xy: Floats
    distance: Floats


class RoadNetwork:
    """Roads as a graph of straight segments, in metres. Immutable.

    The constructor makes these hold: no two nodes at one place, no segment of no length, no segment twice,
    no node without a segment. Nodes are ordered by coordinates and segments by nodes, so that the order,
    direction and cut of the input's lines leave no trace. Segments that cross without a common node are not
    connected.

    Parameters
    ----------
    nodes
        Coordinates ``(n, 2)``, metres in ``crs``.
    segments
        Pairs of node numbers ``(m, 2)``.
    crs
        What the metres are in; ``None`` for metres without a place on Earth.
    source_ids
        For each segment the id of the feature that it came from; by default its number.
    merge_coincident
        Whether nodes at one place are one node. With ``False`` they are different nodes (the topology is
        the one given), and moved apart by 10 micrometres to stay so.
    cut
        For each node whether it is an end that clipping made: it is not a dead end of the road.
    problems
        What was found and mended or dropped on the way, counted.
    source
        Where the network came from, for messages and results.
    """

    nodes: Floats
    segments: Ints
    crs: CRS
    source_ids: NDArray[Any]
    cut: NDArray[np.bool_]
    duplicates: Ints
    duplicate_ids: NDArray[Any]
    problems: dict[str, int]
    source: str
    scale_error: float | None

    def __init__(
        self,
        nodes: ArrayLike,
        segments: ArrayLike,
        *,
        crs: Any = None,
        source_ids: ArrayLike | None = None,
        merge_coincident: bool = True,
        cut: ArrayLike | None = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
        scale_error: float | None = None,
    ) -> None:
        xy = np.round(np.asarray(nodes, dtype=np.float64).reshape(-1, 2), 6) + 0.0  # + 0.0: no negative zero
        pairs = np.asarray(segments, dtype=np.int64).reshape(-1, 2)
        ids = _as_ids(source_ids, len(pairs))
        ends_cut = np.zeros(len(xy), dtype=bool) if cut is None else np.asarray(cut, dtype=bool)
        if not np.isfinite(xy).all():
            raise ParameterError("a node has a coordinate that is not a number; drop such nodes first")
        counts = dict(problems or {})

        xy, number = _merge(xy) if merge_coincident else _keep_apart(xy)
        merged_cut = np.zeros(len(xy), dtype=bool)
        merged_cut[number[ends_cut]] = True
        pairs = number[pairs]
        pairs = np.column_stack([np.minimum(*pairs.T), np.maximum(*pairs.T)])

        real = pairs[:, 0] != pairs[:, 1]
        if not real.all():
            _count(counts, "zero_length_segments", int((~real).sum()))
            pairs, ids = pairs[real], ids[real]
        first = _first_of_each(pairs[:, 0] * max(len(xy), 1) + pairs[:, 1])
        again = np.ones(len(pairs), dtype=bool)
        again[first] = False
        _count(counts, "duplicate_segments", int(again.sum()))

        used = np.zeros(len(xy), dtype=bool)
        used[pairs] = True
        new = np.cumsum(used) - 1
        self.nodes = _frozen(xy[used])
        self.segments = _frozen(new[pairs[first]])
        self.source_ids = _frozen(ids[first])
        self.cut = _frozen(merged_cut[used])
        self.duplicates = _frozen(new[pairs[again]])
        self.duplicate_ids = _frozen(ids[again])
        self.crs = projections.LOCAL_METRES if crs is None else projections.parse_crs(crs)
        self.problems = counts
        self.source = source
        self.scale_error = scale_error

    # ------------------------------------------------------------------ making one

    @classmethod
    def from_lines(
        cls,
        lines: Iterable[Any],
        *,
        crs: Any = None,
        ids: Iterable[Any] | None = None,
        source: str = "",
    ) -> Self:
        """A network from lines that join where they share a vertex.

        Parameters
        ----------
        lines
            Shapely lines or sequences of coordinates. Z and M are dropped, multi-part lines taken apart,
            ``None``, empty and non-line geometries dropped and counted.
        crs
            What the coordinates are in. Degrees, feet and Mercator are projected to metres; a projected CRS
            in metres is kept; ``None`` means metres without a place on Earth.
        ids
            One per line; by default its number.

        Examples
        --------
        >>> RoadNetwork.from_lines([[(0, 0), (100, 0)], [(50, 0), (50, 80)]], crs="EPSG:32610").length
        180.0
        """
        from geoeval.model.lines import network_parts

        parts = network_parts(lines, ids)
        given = projections.LOCAL_METRES if crs is None else projections.parse_crs(crs)
        xy, metric, error = projections.to_metres(parts.coordinates, given, trust_projected=True)
        return cls(
            xy,
            parts.segments,
            crs=metric,
            source_ids=parts.ids,
            problems=parts.problems,
            source=source,
            scale_error=error,
        )

    @classmethod
    def from_geodataframe(cls, frame: "gpd.GeoDataFrame", *, id_column: str | None = None, crs: Any = None) -> Self:
        """A network from a GeoDataFrame of lines, joined where they share a vertex; ids from a column or the index."""
        from geoeval.exceptions import MissingCRSError

        given = crs or frame.crs
        if given is None:
            raise MissingCRSError("the GeoDataFrame has no CRS; set it with frame.set_crs('EPSG:n') or pass crs=")
        ids = frame.index if id_column is None else frame[id_column]
        return cls.from_lines(frame.geometry.to_numpy(), crs=given, ids=ids)

    @classmethod
    def from_networkx(cls, graph: "nx.Graph[Any]", *, crs: Any = None) -> Self:
        """A network from a networkx graph of any kind; topology from the graph's nodes alone.

        Nodes carry ``x`` and ``y``, or ``pos``, or are coordinate pairs themselves. An edge may carry its
        ``geometry``. In a directed graph the two directions of a road are one; any other edge with the same
        course is a duplicate.
        ``crs`` defaults to ``graph.graph["crs"]``.
        """
        from geoeval.model.interchange import from_networkx

        return from_networkx(cls, graph, crs=crs)

    @classmethod
    def from_osmnx(cls, graph: "nx.MultiDiGraph[Any]") -> Self:
        """A network from an osmnx graph, projected or not; ids are the edges' ``osmid``."""
        return cls.from_networkx(graph)

    # ------------------------------------------------------------------ giving one

    def to_networkx(self) -> "nx.MultiGraph[Any]":
        """A multigraph of the roads between junctions and ends, each with its course and length.

        Nodes have ``x`` and ``y``, edges ``geometry``, ``length`` and ``source_ids`` (one a segment); the
        graph has ``crs``. ``from_networkx`` gives the same network back.
        """
        from geoeval.model.interchange import to_networkx

        return to_networkx(self)

    def to_geodataframe(self) -> "gpd.GeoDataFrame":
        """One row a road, cut where the source feature changes.

        Columns ``source_id``, ``length_m``, and ``ge_from`` and ``ge_to``, which name the nodes at its ends,
        so that lines that merely touch are told from lines that join.
        """
        from geoeval.model.interchange import to_geodataframe

        return to_geodataframe(self)

    def to_crs(self, crs: Any) -> "RoadNetwork":
        """The same network in another CRS; its scale error is measured."""
        target = projections.parse_crs(crs)
        if target == self.crs:
            return self
        xy = projections.transform(self.nodes, self.crs, target)
        error = projections.scale_error(target, projections.to_lonlat(self.nodes, self.crs)) if len(xy) else 0.0
        return self._with(xy, self.segments, self.source_ids, cut=self.cut, crs=target, scale_error=error)

    def clip(self, aoi: tuple[float, float, float, float] | BaseGeometry) -> "RoadNetwork":
        """The part inside an area: ``(minx, miny, maxx, maxy)`` or a polygon in the network's CRS.

        Segments are cut at the border; the ends so made are marked in ``cut`` and are not dead ends.
        O(m log m) for the segments near the border.
        """
        area = shapely.box(*aoi) if isinstance(aoi, tuple | list) else aoi
        if len(self.segments) == 0:
            return self
        shapely.prepare(area)
        lines = self.lines
        inside = shapely.covers(area, lines)
        crossing = np.flatnonzero(~inside & shapely.intersects(area, lines))
        pieces, owner = shapely.get_parts(shapely.intersection(lines[crossing], area), return_index=True)
        line_like = shapely.get_type_id(pieces) == 1
        pieces, owner = pieces[line_like], crossing[owner[line_like]]
        ends = np.stack([shapely.get_coordinates(shapely.get_point(pieces, i)) for i in (0, -1)], axis=1)

        # An end of a piece is a node of the segment where it lies on one, else it was made by the cut.
        own = self.nodes[self.segments[owner]]
        gap = np.linalg.norm(ends[:, :, None] - own[:, None], axis=-1)
        nearest = gap.argmin(axis=-1)
        same = gap.min(axis=-1) <= PRECISION
        number = np.take_along_axis(self.segments[owner], nearest, axis=1)
        made = np.flatnonzero(~same.ravel())
        flat = number.ravel()
        flat[made] = len(self.nodes) + np.arange(len(made))
        return self._with(
            np.concatenate([self.nodes, ends.reshape(-1, 2)[made]]),
            np.concatenate([self.segments[inside], flat.reshape(-1, 2)]),
            np.concatenate([self.source_ids[inside], self.source_ids[owner]]),
            cut=np.concatenate([self.cut, np.ones(len(made), dtype=bool)]),
        )

    def _with(
        self,
        nodes: Floats,
        segments: Ints,
        source_ids: NDArray[Any],
        *,
        cut: NDArray[np.bool_],
        crs: CRS | None = None,
        scale_error: float | None = None,
    ) -> "RoadNetwork":
        return RoadNetwork(
            nodes,
            segments,
            crs=crs or self.crs,
            source_ids=source_ids,
            merge_coincident=False,
            cut=cut,
            problems=self.problems,
            source=self.source,
            scale_error=self.scale_error if scale_error is None else scale_error,
        )

    # ------------------------------------------------------------------ looking at one

    @cached_property
    def segment_lengths(self) -> Floats:
        """Length of each segment in metres."""
        ends = self.nodes[self.segments]
        return _frozen(np.hypot(*(ends[:, 1] - ends[:, 0]).T))

    @property
    def length(self) -> float:
        """Length of all roads in metres."""
        return float(self.segment_lengths.sum())

    @property
    def is_empty(self) -> bool:
        """Whether there is no road at all."""
        return len(self.segments) == 0

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(minx, miny, maxx, maxy)``; NaN for an empty network."""
        if self.is_empty:
            return (np.nan, np.nan, np.nan, np.nan)
        return (*self.nodes.min(axis=0).tolist(), *self.nodes.max(axis=0).tolist())

    @cached_property
    def degrees(self) -> Ints:
        """Number of segments that meet at each node."""
        return _frozen(np.bincount(self.segments.ravel(), minlength=len(self.nodes)))

    @cached_property
    def features(self) -> Ints:
        """Nodes where roads end or meet (degree other than 2), without the ends that clipping made."""
        return _frozen(np.flatnonzero((self.degrees != 2) & ~((self.degrees == 1) & self.cut)))

    @cached_property
    def adjacency(self) -> tuple[Ints, Ints, Ints]:
        """``(start, neighbour, segment)``: the neighbours of node i are ``neighbour[start[i]:start[i + 1]]``."""
        start, neighbour, segment = adjacency_of(self.segments, len(self.nodes))
        return _frozen(start), _frozen(neighbour), _frozen(segment)

    @cached_property
    def roads(self) -> Roads:
        """The polylines between junctions and ends, in an order that depends on their geometry alone."""
        return contract(self.nodes, self.segments, self.segment_lengths, self.degrees, self.adjacency)

    @cached_property
    def components(self) -> Ints:
        """For each node the number of its connected component."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.nodes)
        links = coo_array((np.ones(len(self.segments)), self.segments.T), shape=(n, n))
        return _frozen(connected_components(links, directed=False)[1].astype(np.int64))

    @cached_property
    def lines(self) -> NDArray[np.object_]:
        """Each segment as a shapely line."""
        return _frozen(shapely.linestrings(self.nodes[self.segments]))

    @cached_property
    def tree(self) -> shapely.STRtree:
        """Spatial index of ``lines``."""
        return shapely.STRtree(self.lines)

    def nearest(self, points: ArrayLike, *, max_distance: float | None = None) -> Location:
        """The nearest place on the network for each point; segment -1 and distance inf where there is none.

        Where several places are equally near (to a micrometre), the one with the smallest coordinates is taken, so
        that the answer depends on the geometry alone. O(n log m).
        """
        xy = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        segment = np.full(len(xy), -1, dtype=np.int64)
        offset, distance = np.zeros(len(xy)), np.full(len(xy), np.inf)
        foot = np.full((len(xy), 2), np.nan)
        if self.is_empty or len(xy) == 0:
            return Location(segment, offset, foot, distance)
        limit = None if max_distance is None else max_distance * (1 + 1e-12) + 1e-9
        where = np.asarray(shapely.points(xy))
        point, candidate = self.tree.query_nearest(where, max_distance=limit, all_matches=False)
        _, _, gap = project(xy[point], self.nodes[self.segments[candidate]])
        # What is as near but for rounding is as near: vertices on a line must not choose among roads that lie on it.
        number, candidate = self.tree.query(where[point], predicate="dwithin", distance=gap + PRECISION)
        point = point[number]
        along, place, gap = project(xy[point], self.nodes[self.segments[candidate]])
        road, metres = self.roads.along(candidate, along, self.segment_lengths)
        rounded = np.round(place, 4)
        best = np.lexsort([metres, road, rounded[:, 1], rounded[:, 0], point])
        best = best[np.r_[True, np.diff(point[best]) > 0]] if len(best) else best
        chosen = point[best]
        segment[chosen], offset[chosen] = candidate[best], along[best]
        foot[chosen], distance[chosen] = place[best], gap[best]
        return Location(segment, offset, foot, distance)

    def __repr__(self) -> str:
        return (
            f"<RoadNetwork {self.length / 1000:.2f} km, {len(self.nodes)} nodes, {len(self.segments)} segments, "
            f"{projections.crs_name(self.crs)}>"
        )


def project(points: Floats, segments: Floats) -> tuple[Floats, Floats, Floats]:
    """Nearest place of each point on its segment ``(n, 2, 2)``: metres along, coordinates, distance."""
    start, vector = segments[:, 0], segments[:, 1] - segments[:, 0]
    length = np.hypot(vector[:, 0], vector[:, 1])
    share = np.einsum("ij,ij->i", points - start, vector) / length**2
    share = np.clip(share, 0.0, 1.0)
    place = np.where((share == 1.0)[:, None], segments[:, 1], start + share[:, None] * vector)
    return share * length, place, np.hypot(*(points - place).T)


def _as_ids(ids: ArrayLike | None, count: int) -> NDArray[Any]:
    if ids is None:
        return np.arange(count)
    array = np.asarray(ids)
    if array.ndim != 1 or len(array) != count:
        raise ParameterError(f"{len(array)} source ids for {count} segments; give one id a segment")
    return array


def _merge(xy: Floats) -> tuple[Floats, Ints]:
    """Distinct places in order of x, then y, and for each given node its place."""
    order = _by_coordinates(xy)
    x, y = xy[order, 0], xy[order, 1]
    new = np.ones(len(xy), dtype=bool)
    new[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    number = np.empty(len(xy), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return np.column_stack([x[new], y[new]]), number


def _by_coordinates(xy: Floats) -> Ints:
    """The order by x, then y, then number. Few nodes share an x, so one sort by x does nearly all of it."""
    x = np.ascontiguousarray(xy[:, 0])
    order = np.argsort(x)
    same = x[order[1:]] == x[order[:-1]]
    at = np.flatnonzero(np.append(same, False) | np.append(False, same))
    tied = np.sort(order[at])
    order[at] = tied[np.lexsort([xy[tied, 1], x[tied]])]
    return order


def _keep_apart(xy: Floats) -> tuple[Floats, Ints]:
    """As ``_merge``, but nodes at one place stay different nodes, a little apart."""
    xy = xy.copy()
    while True:
        places, number = _merge(xy)
        if len(places) == len(xy):
            return places, number
        shared = np.flatnonzero(np.bincount(number)[number] > 1)
        order = shared[np.argsort(number[shared], kind="stable")]
        _, first, size = np.unique(number[order], return_index=True, return_counts=True)
        rank = np.arange(len(order)) - np.repeat(first, size)
        xy[order] = np.round(xy[order] + rank[:, None] * [KEEP_APART, 0.0], 6)


def _first_of_each(keys: Ints) -> Ints:
    """Where each distinct key is met first, in the order of the keys."""
    order = np.argsort(keys)
    new = np.ones(len(keys), dtype=bool)
    new[1:] = keys[order[1:]] != keys[order[:-1]]
    return np.minimum.reduceat(order, np.flatnonzero(new)) if len(keys) else order


def _count(counts: dict[str, int], what: str, number: int) -> None:
    if number:
        counts[what] = counts.get(what, 0) + number


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array
