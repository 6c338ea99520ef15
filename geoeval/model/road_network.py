"""A road network as arrays: nodes in metres, straight segments, and where each segment came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.exceptions import ParameterError
from geoeval.model.clipping import stretches_inside
from geoeval.model.contraction import Roads, adjacency_of, contract
from geoeval.model.extent import Extent
from geoeval.model.frame_columns import crs_of_frame, ids_of_frame
from geoeval.model.immutable import Counts, Immutable, frozen
from geoeval.model.source_classes import SourceClasses

if TYPE_CHECKING:
    import geopandas as gpd
    import networkx as nx
    from matplotlib.axes import Axes


# Coordinates that agree to a micrometre are the same place.
PRECISION = 1e-6
# Distinct nodes at one place (a bridge right above a road) are kept this far apart.
KEEP_APART = 1e-5


@dataclass(frozen=True)
class Location:
    """Places on a network: the segment, metres from its first node, the coordinates, and how far away it was."""

    segment: Ints
    offset: Floats
    xy: Floats
    distance: Floats


class RoadNetwork(Immutable):
    """Roads as a graph of straight segments, in metres. Immutable.

    The constructor ensures that no two nodes coincide, no segment has zero length or occurs twice, and every node has
    a segment. Nodes are sorted by coordinates and segments by nodes, so the order, direction and division of the input
    lines leave no trace. Segments that cross without a common node are not connected.

    Make one with ``from_lines``, ``from_geodataframe``, ``from_networkx``, ``from_osmnx`` or ``read_network``.

    Parameters
    ----------
    nodes
        Coordinates ``(n, 2)`` in metres.
    segments
        Pairs of node numbers ``(m, 2)``.
    crs
        CRS of the coordinates; ``None`` for metres without a place on Earth.
    source_ids
        For each segment, the id of the feature it came from; by default its number.
    merge_coincident
        Whether coincident nodes become one node. With ``False`` the topology is kept as given, and coincident nodes
        are moved 10 micrometres apart.
    cut
        For each node, whether it is an end that clipping made rather than a dead end of the road.
    problems
        What was dropped or repaired so far, counted by name.
    source
        Where the network came from, for messages and results.
    scale_error
        Largest relative error of a length in ``crs``; ``None`` if unknown.
    extent
        The ground that the source says it covers; ``None`` where it does not say.

    Attributes
    ----------
    duplicates, duplicate_ids
        Segments that the input had more than once, and the ids of their features.
    classes
        The class of each source feature, where the reader knows it.
    """

    nodes: Floats
    segments: Ints
    crs: CRS
    source_ids: NDArray[Any]
    cut: Bools
    duplicates: Ints
    duplicate_ids: NDArray[Any]
    problems: Mapping[str, int]
    source: str
    scale_error: float | None
    extent: Extent | None
    classes: SourceClasses | None = None

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
        extent: Extent | None = None,
    ) -> None:
        xy = np.round(np.asarray(nodes, dtype=np.float64).reshape(-1, 2), 6) + 0.0  # + 0.0: no negative zero
        pairs = np.asarray(segments, dtype=np.int64).reshape(-1, 2)
        ids = _as_ids(source_ids, len(pairs))
        ends_cut = np.zeros(len(xy), dtype=bool) if cut is None else np.asarray(cut, dtype=bool)
        if not np.isfinite(xy).all():
            raise ParameterError("a coordinate of a node is not a number; drop such nodes first")
        own_crs = projections.assumed_metres(xy) if crs is None else projections.parse_crs(crs)
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
        arrays = {
            "nodes": xy[used],
            "segments": new[pairs[first]],
            "source_ids": ids[first],
            "cut": merged_cut[used],
            "duplicates": new[pairs[again]],
            "duplicate_ids": ids[again],
        }
        vars(self).update(
            {name: frozen(array) for name, array in arrays.items()},
            crs=own_crs,
            problems=Counts(counts),
            source=source,
            scale_error=scale_error,
            extent=extent,
        )

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
        """Make a network from lines, joined where they share a vertex.

        Parameters
        ----------
        lines
            Shapely lines or sequences of coordinates. Z and M are dropped, multi-part lines split up. ``None``, empty
            geometries and geometries that are not lines are dropped and counted in ``problems``.
        crs
            CRS of the coordinates. Degrees, feet and Mercator are projected to metres; a projected CRS in metres is
            kept; ``None`` means metres without a place on Earth, which what looks like degrees must not be.
        ids
            One per line; by default its number.

        Examples
        --------
        >>> from geoeval import RoadNetwork
        >>> RoadNetwork.from_lines([[(0, 0), (100, 0)], [(50, 0), (50, 80)]], crs="EPSG:32610").length
        180.0
        """
        from geoeval.model.line_parts import network_parts

        parts = network_parts(lines, ids)
        given = projections.assumed_metres(parts.coordinates) if crs is None else projections.parse_crs(crs)
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
    def from_geodataframe(
        cls, frame: "gpd.GeoDataFrame", *, id_column: str | None = None, crs: Any = None, source: str = ""
    ) -> Self:
        """Make a network from a GeoDataFrame of lines, joined where they share a vertex.

        Parameters
        ----------
        frame
            Lines; see ``from_lines``.
        id_column
            Column with the ids; by default the index.
        crs
            CRS to use instead of the frame's.
        """
        own = crs_of_frame(frame, crs)
        return cls.from_lines(frame.geometry.to_numpy(), crs=own, ids=ids_of_frame(frame, id_column), source=source)

    @classmethod
    def from_networkx(cls, graph: "nx.Graph[Any]", *, crs: Any = None) -> Self:
        """Make a network from a networkx graph of any kind, connected as the graph is.

        Nodes have ``x`` and ``y``, or ``pos``, or are coordinate pairs themselves. Edges may have a ``geometry``. In a
        directed graph the two directions of a road become one; any other edge with the same geometry is a duplicate.
        ``crs`` defaults to ``graph.graph["crs"]``, and without that to metres without a place on Earth, which what
        looks like degrees must not be; a projected one in metres is kept, whatever its distortion (readers and
        ``evaluate`` replace a distorted one).
        """
        from geoeval.model.interchange import from_networkx

        return from_networkx(cls, graph, crs=crs)

    @classmethod
    def from_osmnx(cls, graph: "nx.MultiDiGraph[Any]") -> Self:
        """Make a network from an osmnx graph, projected or not; ids are the ``osmid`` of the edges."""
        return cls.from_networkx(graph)

    # ------------------------------------------------------------------ giving one

    def to_networkx(self) -> "nx.MultiGraph[Any]":
        """A multigraph with one edge per road between junctions and ends.

        Nodes have ``x`` and ``y``, edges ``geometry``, ``length`` and ``source_ids`` (one per segment); the graph has
        ``crs``. ``from_networkx`` gives the same network back.
        """
        from geoeval.model.interchange import to_networkx

        return to_networkx(self)

    def to_geodataframe(self) -> "gpd.GeoDataFrame":
        """One row per road, split where the source feature changes.

        Columns: ``source_id``, ``length_m``, and the numbers of the end nodes, ``ge_from`` and ``ge_to``, which tell
        lines that join from lines that merely touch. In a clipped network ``ge_cut`` tells which ends clipping made: 1
        the first, 2 the last, 3 both.
        """
        from geoeval.model.interchange import to_geodataframe

        return to_geodataframe(self)

    def to_crs(self, crs: Any) -> "RoadNetwork":
        """The same network in another CRS, with its scale error measured."""
        target = projections.parse_crs(crs)
        if target == self.crs:
            return self
        xy = projections.transform(self.nodes, self.crs, target)
        error = projections.scale_error(target, projections.to_lonlat(self.nodes, self.crs)) if len(xy) else 0.0
        return self._with(xy, self.segments, self.source_ids, cut=self.cut, crs=target, scale_error=error)

    def clip(self, aoi: Any, *, aoi_crs: Any = None) -> "RoadNetwork":
        """The part of the network inside an area.

        Segments are cut at the border. Ends of roads that went on outside are marked in ``cut`` and are not dead ends.
        What lies on the border, to 2 micrometres, is inside. O(m log n) for an area with n vertices.

        Parameters
        ----------
        aoi
            ``(minx, miny, maxx, maxy)``, a polygon, a GeoDataFrame or a file of polygons.
        aoi_crs
            CRS of an area that has none of its own; by default degrees where the numbers can be degrees, else metres
            in the CRS of the network.

        Examples
        --------
        >>> from geoeval import RoadNetwork
        >>> RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610").clip((-10, -10, 40, 10)).length
        40.0
        """
        area = area_in(aoi, self.crs, aoi_crs=aoi_crs, near=self.bounds)
        if self.is_empty:
            return self
        parts = stretches_inside(self.nodes[self.segments], self.segment_lengths, area)
        pairs = self.segments[parts.segment]
        share = np.column_stack([parts.begin, parts.end]) / self.segment_lengths[parts.segment][:, None]
        own = (share == 0.0) | (share == 1.0)
        made = ~own
        start, end = self.nodes[pairs[:, 0]], self.nodes[pairs[:, 1]]
        places = start[:, None] + share[..., None] * (end - start)[:, None]
        pairs[made] = len(self.nodes) + np.arange(made.sum())
        left = np.bincount(pairs[own], minlength=len(self.nodes))
        return self._with(
            np.concatenate([self.nodes, places[made]]),
            pairs,
            self.source_ids[parts.segment],
            # A road that went on outside the area is cut at the border, also where it had a node there.
            cut=np.concatenate([self.cut | ((left == 1) & (self.degrees > 1)), np.ones(made.sum(), dtype=bool)]),
            extent=None if self.extent is None else self.extent.within(area, self.crs),
        )

    def some(self, which: Bools) -> "RoadNetwork":
        """The network of those segments alone that are chosen; they stay in their order. O(m log m)."""
        return self._with(self.nodes, self.segments[which], self.source_ids[which], cut=self.cut)

    def _with(
        self,
        nodes: Floats,
        segments: Ints,
        source_ids: NDArray[Any],
        *,
        cut: Bools,
        crs: CRS | None = None,
        scale_error: float | None = None,
        extent: Extent | None = None,
    ) -> "RoadNetwork":
        made = RoadNetwork(
            nodes,
            segments,
            crs=crs or self.crs,
            source_ids=source_ids,
            merge_coincident=False,
            cut=cut,
            problems=self.problems,
            source=self.source,
            scale_error=self.scale_error if scale_error is None else scale_error,
            extent=extent or self.extent,
        )
        return made.with_classes(self.classes)

    def class_names_of(self, ids: Sequence[str]) -> list[str]:
        """The class of each source feature, whose id is given as text; empty where it is not known."""
        return [""] * len(ids) if self.classes is None else self.classes.names_of(ids)

    def with_classes(self, classes: SourceClasses | None) -> "RoadNetwork":
        """A copy of which the classes of its source features are known; it shares all arrays."""
        if classes is self.classes:
            return self
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), classes=classes)
        return copy

    # ------------------------------------------------------------------ looking at one

    @property
    def line_ends(self) -> Floats:
        """Both ends of each segment, ``(m, 2, 2)``: what tells the ground that the roads cover."""
        return np.asarray(self.nodes[self.segments], dtype=np.float64)

    @cached_property
    def segment_lengths(self) -> Floats:
        """Length of each segment in metres."""
        ends = self.nodes[self.segments]
        return frozen(np.hypot(*(ends[:, 1] - ends[:, 0]).T))

    @cached_property
    def length(self) -> float:
        """Length of all roads in metres, rounded once: parts of a network that are added up give the same."""
        return fsum(self.segment_lengths.tolist())

    @property
    def is_empty(self) -> bool:
        """Whether there are no roads."""
        return len(self.segments) == 0

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(minx, miny, maxx, maxy)``; NaN for an empty network."""
        if self.is_empty:
            return (np.nan, np.nan, np.nan, np.nan)
        x, y = self.nodes.T  # column by column is many times as quick as along the first axis
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())

    @cached_property
    def degrees(self) -> Ints:
        """Number of segments that meet at each node."""
        return frozen(np.bincount(self.segments.ravel(), minlength=len(self.nodes)))

    @cached_property
    def features(self) -> Ints:
        """Nodes where roads end or meet (degree other than 2), except ends made by clipping."""
        return frozen(np.flatnonzero((self.degrees != 2) & ~((self.degrees == 1) & self.cut)))

    @cached_property
    def adjacency(self) -> tuple[Ints, Ints, Ints]:
        """``(start, neighbour, segment)``: the neighbours of node i are ``neighbour[start[i]:start[i + 1]]``."""
        return frozen(adjacency_of(self.segments, len(self.nodes)))

    @cached_property
    def roads(self) -> Roads:
        """Polylines between junctions and ends, in an order that depends on their geometry alone."""
        return frozen(contract(self.nodes, self.segments, self.segment_lengths, self.degrees, self.adjacency))

    @cached_property
    def components(self) -> Ints:
        """For each node, the number of its connected component."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        n = len(self.nodes)
        links = coo_array((np.ones(len(self.segments)), self.segments.T), shape=(n, n))
        return frozen(connected_components(links, directed=False)[1].astype(np.int64))

    @cached_property
    def lines(self) -> Objects:
        """Each segment as a shapely line."""
        return frozen(shapely.linestrings(self.nodes[self.segments]))

    @cached_property
    def tree(self) -> shapely.STRtree:
        """Spatial index of ``lines``."""
        return shapely.STRtree(self.lines)

    def nearest(self, points: ArrayLike, *, max_distance: float | None = None) -> Location:
        """The place on the network nearest to each point; segment -1 and distance inf where there is none.

        Of several places that are equally near (to a micrometre) the one with the smallest coordinates is taken, so
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
            f"<RoadNetwork: {self.length / 1000:,.2f} km, {len(self.nodes):,} nodes, {len(self.segments):,} segments, "
            f"{projections.crs_name(self.crs)}>"
        )

    def plot(self, ax: "Axes | None" = None, **style: Any) -> "Axes":
        """Plot the roads with matplotlib.

        Parameters
        ----------
        ax
            Axes to draw on; by default new ones.
        style
            Arguments of ``matplotlib.collections.LineCollection``, such as ``color`` or ``linewidth``.

        Returns
        -------
        matplotlib.axes.Axes
            With the same scale in x and y.
        """
        from geoeval.model.plotting import plot_network

        return plot_network(self, ax, **style)


def project(points: Floats, segments: Floats) -> tuple[Floats, Floats, Floats]:
    """The nearest place to each point on its segment ``(n, 2, 2)``: metres along it, coordinates, distance."""
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
        raise ParameterError(f"{len(array)} source ids for {count} segments; give one id per segment")
    return array


def _merge(xy: Floats) -> tuple[Floats, Ints]:
    """Distinct places sorted by x, then y, and the place of each node."""
    order = _by_coordinates(xy)
    x, y = xy[order, 0], xy[order, 1]
    new = np.ones(len(xy), dtype=bool)
    new[1:] = (x[1:] != x[:-1]) | (y[1:] != y[:-1])
    number = np.empty(len(xy), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return np.column_stack([x[new], y[new]]), number


def _by_coordinates(xy: Floats) -> Ints:
    """The order by x, then y, then number. Few nodes share an x, so one sort by x does nearly all the work."""
    x = np.ascontiguousarray(xy[:, 0])
    order = np.argsort(x)
    same = x[order[1:]] == x[order[:-1]]
    at = np.flatnonzero(np.append(same, False) | np.append(False, same))
    tied = np.sort(order[at])
    order[at] = tied[np.lexsort([xy[tied, 1], x[tied]])]
    return order


def _keep_apart(xy: Floats) -> tuple[Floats, Ints]:
    """As ``_merge``, but coincident nodes stay different nodes, a little apart."""
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
    """Where each distinct key occurs first, in the order of the keys."""
    order = np.argsort(keys)
    new = np.ones(len(keys), dtype=bool)
    new[1:] = keys[order[1:]] != keys[order[:-1]]
    return np.minimum.reduceat(order, np.flatnonzero(new)) if len(keys) else order


def _count(counts: dict[str, int], what: str, number: int) -> None:
    if number:
        counts[what] = counts.get(what, 0) + number
