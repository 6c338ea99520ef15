"""Objects such as buildings: polygons in metres, and where each came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Floats, Ints, Objects, writable
from geoeval.exceptions import MissingExtraError, ParameterError
from geoeval.model.extent import Extent
from geoeval.model.frame_columns import crs_of_frame, ids_of_frame
from geoeval.model.immutable import Counts, Immutable, frozen
from geoeval.model.outlines import Outlines, outlines_of
from geoeval.model.rings import Rings, rings_of
from geoeval.repairing import repaired

if TYPE_CHECKING:
    import geopandas as gpd
    from matplotlib.axes import Axes

Geometries = Objects

# A common part smaller than this share of the smaller object is rounding, not overlap.
ROUNDING = 1e-9
# What an object without a class is called.
NO_CLASS = "no class"
_IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0)


@dataclass(frozen=True)
class Labels:
    """The pixels that objects came from: ``codes[row, column]`` is the number of the object from 1 on, 0 background."""

    codes: Ints
    affine: tuple[float, ...]
    crs: CRS

    def same_grid(self, other: "Labels") -> bool:
        """Whether the pixels of both coincide."""
        return (
            self.codes.shape == other.codes.shape
            and self.crs == other.crs
            and bool(np.allclose(self.affine, other.affine, rtol=1e-12, atol=0.0))
        )


class ObjectMap(Immutable):
    """Objects as polygons in metres, each one polygon or several parts. Immutable.

    The constructor ensures that every object is a valid polygon with an area. Objects are sorted by geometry, so the
    order of the input leaves no trace. Make one with ``from_polygons``, ``from_geodataframe``, ``from_labels`` or
    ``read_objects``.

    Parameters
    ----------
    polygons
        Polygons in metres. Invalid ones are repaired and those without area dropped; both are counted in ``problems``.
    crs
        CRS of the coordinates; ``None`` for metres without a place on Earth.
    ids
        Ids of the features that the objects came from; by default their numbers.
    confidence
        Confidence of a detector in each object, if known.
    classes
        What each object is (house, church), as text, if that is wanted; ``None`` and not a number are "no class".
    labels
        The pixels that the polygons outline, numbered in the order of the polygons.
    problems
        What was dropped or repaired so far, counted by name.
    source
        Where the objects came from, for messages and results.
    scale_error
        Largest relative error of a length in ``crs``; ``None`` if unknown.
    extent
        The ground that the source says it covers; ``None`` where it does not say.
    """

    polygons: Geometries
    ids: NDArray[Any]
    confidence: Floats | None
    classes: Objects | None
    labels: Labels | None
    crs: CRS
    problems: Mapping[str, int]
    source: str
    scale_error: float | None
    extent: Extent | None

    def __init__(
        self,
        polygons: Sequence[Any] | Geometries,
        *,
        crs: Any = None,
        ids: Iterable[Any] | None = None,
        confidence: ArrayLike | None = None,
        classes: Iterable[Any] | None = None,
        labels: Labels | None = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
        scale_error: float | None = None,
        extent: Extent | None = None,
    ) -> None:
        given = _object_array(polygons)
        names = _ids(ids, len(given))
        sure = None if confidence is None else _confidences(confidence, len(given))
        kinds = None if classes is None else _class_names(classes, len(given))
        counts = dict(problems or {})
        valid = _repaired(given, counts, source)
        kept = np.flatnonzero(shapely.area(valid) > 0)
        _count(counts, "without_area", len(valid) - len(kept))
        order = kept[_geometry_order(valid[kept])]
        pixels = None
        if labels is not None:
            number = np.zeros(len(given) + 1, dtype=np.int64)
            number[order + 1] = np.arange(1, len(order) + 1)
            pixels = Labels(number[labels.codes], labels.affine, labels.crs)
        vars(self).update(
            polygons=frozen(valid[order]),
            ids=frozen(names[order]),
            confidence=None if sure is None else frozen(sure[order]),
            classes=None if kinds is None else frozen(kinds[order]),
            labels=frozen(pixels),
            crs=_assumed(given) if crs is None else projections.parse_crs(crs),
            problems=Counts(counts),
            source=source,
            scale_error=scale_error,
            extent=extent,
        )

    @classmethod
    def from_polygons(
        cls,
        polygons: Iterable[Any],
        *,
        crs: Any = None,
        ids: Iterable[Any] | None = None,
        confidence: ArrayLike | None = None,
        classes: Iterable[Any] | None = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
        extent: Extent | None = None,
        trust_projected: bool = True,
    ) -> "ObjectMap":
        """Make a map from shapely polygons; a multi-part polygon is one object.

        Parameters
        ----------
        polygons
            Shapely polygons. Z and M are dropped; of a collection the polygons are kept. ``None``, empty geometries,
            other geometries and polygons with a coordinate that is not a number are dropped and counted.
        crs
            CRS of the coordinates. Degrees, feet and Mercator are projected to metres; a projected CRS in metres is
            kept; ``None`` means metres without a place on Earth, which what looks like degrees must not be.
        ids
            One per polygon; by default its number.
        confidence
            Confidence of a detector in each polygon.
        classes
            What each polygon is, as text.
        trust_projected
            Whether a projected CRS in metres is kept although its lengths are more than 0.1 % off; else one that fits
            the polygons takes its place, as for all files.

        Examples
        --------
        >>> import shapely
        >>> from geoeval import ObjectMap
        >>> ObjectMap.from_polygons([shapely.box(0, 0, 10, 8)], crs="EPSG:32616").area
        80.0
        """
        given = _object_array(list(polygons))
        names = _ids(ids, len(given))
        sure = None if confidence is None else _confidences(confidence, len(given))
        kinds = None if classes is None else _class_names(classes, len(given))
        counts = dict(problems or {})
        flat = _polygonal(shapely.force_2d(given), counts)
        kept = np.array([one is not None for one in flat], dtype=bool)
        flat, names = flat[kept], names[kept]
        sure, kinds = (None if column is None else column[kept] for column in (sure, kinds))
        own = _assumed(flat) if crs is None else projections.parse_crs(crs)
        xy, metric, error = projections.to_metres(shapely.get_coordinates(flat), own, trust_projected=trust_projected)
        if len(flat):
            flat = shapely.set_coordinates(flat, xy)
        facts: dict[str, Any] = {"source": source, "scale_error": error, "extent": extent}
        return cls(flat, crs=metric, ids=names, confidence=sure, classes=kinds, problems=counts, **facts)

    @classmethod
    def from_labels(
        cls,
        labels: ArrayLike,
        *,
        transform: Any = None,
        crs: Any = None,
        problems: Mapping[str, int] | None = None,
        source: str = "",
        extent: Extent | None = None,
        trust_projected: bool = True,
    ) -> "ObjectMap":
        """Make a map from an image of object numbers; 0 is background.

        Parameters
        ----------
        labels
            Integers ``(rows, columns)``. All pixels with the same number are one object, connected or not.
        transform
            Affine map from column and row to x and y (rasterio's, or its first six numbers); by default a pixel is a
            metre, and y points down.
        crs
            CRS of x and y; ``None`` for metres without a place on Earth, which what looks like degrees must not be.
        trust_projected
            As in ``from_polygons``.

        Notes
        -----
        Ids are the labels. Two maps on the same pixels are compared by counting pixels. An image without labels gives
        an empty map.
        """
        values = np.asarray(labels)
        if values.ndim != 2 or values.dtype.kind not in "biu":
            raise ParameterError("labels must be integers in rows and columns; give a 2-D integer array")
        affine = _IDENTITY if transform is None else tuple(float(value) for value in tuple(transform)[:6])
        names = np.unique(values)
        codes = np.searchsorted(names, values)  # np.unique's own numbers would take three times the memory
        if len(names) and names[0] == 0:
            names = names[1:]
        elif (names == 0).any():  # negative labels come before the background
            zero = int(np.flatnonzero(names == 0)[0])
            codes = np.where(codes == zero, 0, np.where(codes < zero, codes + 1, codes))
            names = np.delete(names, zero)
        else:
            codes += 1
        counts = dict(problems or {})
        outlines = _outlines(codes, affine, len(names))
        own = _assumed(outlines) if crs is None else projections.parse_crs(crs)
        _count(counts, "labels_in_several_parts", int((shapely.get_num_geometries(outlines) > 1).sum()))
        xy, metric, error = projections.to_metres(
            shapely.get_coordinates(outlines), own, trust_projected=trust_projected
        )
        if len(outlines):
            outlines = shapely.set_coordinates(outlines, xy)
        return cls(
            outlines,
            crs=metric,
            ids=names.tolist(),
            labels=Labels(codes, affine, own),
            problems=counts,
            source=source,
            scale_error=error,
            extent=extent,
        )

    @classmethod
    def from_geodataframe(
        cls, frame: "gpd.GeoDataFrame", *, id_column: str | None = None, crs: Any = None, source: str = ""
    ) -> "ObjectMap":
        """Make a map from a GeoDataFrame of polygons.

        Parameters
        ----------
        frame
            Polygons; see ``from_polygons``.
        id_column
            Column with the ids; by default the index.
        crs
            CRS to use instead of the frame's.
        """
        own = crs_of_frame(frame, crs)
        return cls.from_polygons(frame.geometry.to_numpy(), crs=own, ids=ids_of_frame(frame, id_column), source=source)

    def __len__(self) -> int:
        return len(self.polygons)

    def __repr__(self) -> str:
        amount = f"{len(self):,} object{'s' * (len(self) != 1)}, {self.area:,.0f} m²"
        return f"<ObjectMap: {amount}, {projections.crs_name(self.crs)}>"

    def plot(self, ax: "Axes | None" = None, **style: Any) -> "Axes":
        """Plot the objects with matplotlib.

        Parameters
        ----------
        ax
            Axes to draw on; by default new ones.
        style
            Arguments of ``matplotlib.collections.PathCollection``, such as ``facecolor``, ``edgecolor`` or ``alpha``.

        Returns
        -------
        matplotlib.axes.Axes
            With the same scale in x and y.
        """
        from geoeval.model.plotting import plot_objects

        return plot_objects(self, ax, **style)

    @property
    def is_empty(self) -> bool:
        """Whether there are no objects."""
        return len(self.polygons) == 0

    @cached_property
    def areas(self) -> Floats:
        """Area of each object in square metres."""
        return frozen(np.asarray(shapely.area(self.polygons), dtype=np.float64))

    @property
    def area(self) -> float:
        """Area of all objects in square metres; where two overlap, it counts twice."""
        return fsum(self.areas.tolist())

    @property
    def line_ends(self) -> Floats:
        """Both ends of each side of all outlines, ``(m, 2, 2)``: what tells the ground that the objects cover."""
        rings = shapely.get_rings(shapely.get_parts(writable(self.polygons)))
        xy, ring = shapely.get_coordinates(rings, return_index=True)
        return np.stack([xy[:-1], xy[1:]], axis=1)[ring[:-1] == ring[1:]]

    @cached_property
    def centroids(self) -> Floats:
        """Centroids ``(n, 2)``."""
        return frozen(shapely.get_coordinates(shapely.centroid(self.polygons)).reshape(-1, 2))

    @cached_property
    def names(self) -> Objects:
        """The ids as text."""
        return frozen(np.array([None, *map(str, self.ids)], dtype=object)[1:])

    @cached_property
    def rings(self) -> Rings:
        """The vertices of all rings, as arrays."""
        return rings_of(self.polygons)

    @cached_property
    def outlines(self) -> Outlines:
        """The corners of all outlines, as arrays."""
        return outlines_of(self.rings)

    @property
    def nodes(self) -> Floats:
        """Vertices of all outlines ``(k, 2)``."""
        return shapely.get_coordinates(self.polygons)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """``(minx, miny, maxx, maxy)``; NaN for an empty map."""
        if self.is_empty:
            return (np.nan, np.nan, np.nan, np.nan)
        minx, miny, maxx, maxy = shapely.total_bounds(self.polygons).tolist()
        return minx, miny, maxx, maxy

    @cached_property
    def overlapping(self) -> Ints:
        """Pairs ``(k, 2)`` of objects of this map that overlap."""
        if self.labels is not None:
            return frozen(np.zeros((0, 2), dtype=np.int64))
        pairs = shapely.STRtree(self.polygons).query(self.polygons).T.astype(np.int64)
        pairs = pairs[pairs[:, 0] < pairs[:, 1]]
        common = self.rings.common_areas(pairs[:, 0], self.rings, pairs[:, 1])
        smaller = self.areas[pairs].min(axis=1) if len(pairs) else np.zeros(0)
        found = pairs[common > ROUNDING * smaller]
        return frozen(found[np.lexsort(found.T[::-1])])

    def clip(self, aoi: Any, *, aoi_crs: Any = None) -> "ObjectMap":
        """The part of the map inside an area, given as for ``RoadNetwork.clip``.

        Objects on the border are cut and counted in ``problems``. An evaluation cuts both maps in the same way, so cut
        objects are compared on common ground.
        """
        area = area_in(aoi, self.crs, aoi_crs=aoi_crs, near=self.bounds)
        if self.is_empty:
            return self
        shapely.prepare(area)
        inside = shapely.covers(area, self.polygons)
        crossing = np.flatnonzero(~inside & shapely.intersects(area, self.polygons))
        problems = dict(self.problems)
        cut = _polygonal(shapely.intersection(self.polygons[crossing], area), {})
        real = np.array([one is not None and one.area > 0 for one in cut], dtype=bool)
        _count(problems, "cut_objects", int(real.sum()))
        kept = np.concatenate([np.flatnonzero(inside), crossing[real]])
        extent = None if self.extent is None else self.extent.within(area, self.crs)
        return self._with(np.concatenate([self.polygons[inside], cut[real]]), kept, problems=problems, extent=extent)

    def take(self, rows: ArrayLike, *, ids: Iterable[Any] | None = None) -> "ObjectMap":
        """Some of the objects, by ascending numbers, with their own or other ids; the pixels are left behind."""
        chosen = np.asarray(rows, dtype=np.int64)
        taken = object.__new__(ObjectMap)  # objects chosen in order are still valid and in order
        vars(taken).update(
            polygons=frozen(self.polygons[chosen]),
            ids=frozen(self.ids[chosen] if ids is None else _object_array(list(ids))),
            confidence=None if self.confidence is None else frozen(self.confidence[chosen]),
            classes=None if self.classes is None else frozen(self.classes[chosen]),
            labels=None,
            crs=self.crs,
            problems=self.problems,
            source=self.source,
            scale_error=self.scale_error,
            extent=self.extent,
        )
        if "overlapping" in vars(self):
            vars(taken)["overlapping"] = frozen(_renumbered(self.overlapping, chosen, len(self)))
        return taken

    def class_names_of(self, ids: Sequence[str]) -> list[str]:
        """The class of each source object, whose id is given as text; empty where it is not known."""
        known = {} if self.classes is None else dict(zip(map(str, self.ids), self.classes, strict=True))
        return [known.get(one, "") for one in ids]

    def with_classes(self, classes: Iterable[Any] | None) -> "ObjectMap":
        """The same objects with other classes, one each, or with none."""
        other = self.take(np.arange(len(self)))
        kinds = None if classes is None else frozen(_class_names(classes, len(self)))
        vars(other).update(classes=kinds, labels=self.labels)
        return other

    def to_crs(self, crs: Any) -> "ObjectMap":
        """The same objects in another CRS in metres."""
        target = projections.parse_crs(crs)
        if target == self.crs:
            return self
        xy, _, error = projections.to_metres(shapely.get_coordinates(self.polygons), self.crs, target=target)
        moved = shapely.set_coordinates(self.polygons.copy(), xy) if len(self) else self.polygons
        labels = self.labels
        return self._with(moved, np.arange(len(self)), crs=target, scale_error=error, labels=labels)

    def to_geodataframe(self) -> "gpd.GeoDataFrame":
        """One row per object, with its ``source_id`` and ``area_m2``, and ``class`` and ``confidence`` if known."""
        import geopandas as gpd

        columns = {"source_id": self.ids, "area_m2": self.areas, "class": self.classes, "confidence": self.confidence}
        columns = {name: values for name, values in columns.items() if values is not None}
        return gpd.GeoDataFrame(columns, geometry=self.polygons, crs=self.crs)

    def _with(self, polygons: Geometries, rows: Ints, **changed: Any) -> "ObjectMap":
        sure = None if self.confidence is None else self.confidence[rows]
        kinds = None if self.classes is None else self.classes[rows]
        facts: dict[str, Any] = {
            "crs": self.crs,
            "problems": self.problems,
            "source": self.source,
            "scale_error": self.scale_error,
            "extent": self.extent,
        }
        return ObjectMap(polygons, ids=self.ids[rows], confidence=sure, classes=kinds, **(facts | changed))


def _renumbered(pairs: Ints, chosen: Ints, count: int) -> Ints:
    """The pairs in which both of ``count`` objects are chosen, by their new numbers; order and columns stay."""
    number = np.full(count, -1, dtype=np.int64)
    number[chosen] = np.arange(len(chosen))
    new = number[pairs]
    return new[(new >= 0).all(axis=1)]


def _assumed(geometries: Any) -> CRS:
    """The CRS of geometries that come without one."""
    return projections.assumed_metres(shapely.get_coordinates(geometries))


def _polygonal(geometries: Geometries, counts: dict[str, int]) -> Geometries:
    """The polygons among geometries and inside collections, ``None`` for everything else."""
    out = geometries.copy()
    types = shapely.get_type_id(geometries)
    for row in np.flatnonzero(types == 7):
        parts = [part for part in shapely.get_parts(geometries[row]) if part.geom_type in {"Polygon", "MultiPolygon"}]
        out[row] = shapely.MultiPolygon(shapely.get_parts(parts).tolist()) if parts else shapely.Point()
    missing = shapely.is_missing(out) | (shapely.is_empty(out) & np.isin(types, (3, 6)))
    other = ~missing & ~np.isin(shapely.get_type_id(out), (3, 6))
    broken = ~missing & ~other & ~np.isfinite(shapely.bounds(out).reshape(-1, 4)).all(axis=1)
    sound = np.flatnonzero(~missing & ~other & ~broken)
    xy, owner = shapely.get_coordinates(out[sound], return_index=True)
    broken[sound[owner[~np.isfinite(xy).all(axis=1)]]] = True
    for name, mask in (("without_geometry", missing), ("not_polygons", other), ("not_a_number", broken)):
        _count(counts, name, int(mask.sum()))
        out[mask] = None
    return out


def _repaired(polygons: Geometries, counts: dict[str, int], source: str) -> Geometries:
    """Valid polygons; an outline that crosses itself encloses everything inside its rings."""
    valid = shapely.is_valid(polygons)
    if valid.all():
        return polygons
    out = polygons.copy()
    _count(counts, "repaired", int((~valid).sum()))
    mended = _polygonal(repaired(polygons[~valid], source or "the map"), {})
    out[~valid] = [shapely.Polygon() if one is None else one for one in mended]
    return out


def _geometry_order(polygons: Geometries) -> Ints:
    """Order by bounding box, then area, then all coordinates."""
    keys = np.column_stack([shapely.bounds(polygons).reshape(-1, 4), shapely.area(polygons)])
    order = np.lexsort(keys.T[::-1])
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    start = 0
    for end in [*(np.flatnonzero(~same) + 1), len(order)]:
        if end - start > 1:
            group = order[start:end]
            texts = shapely.to_wkb(shapely.normalize(polygons[group]))
            order[start:end] = group[sorted(range(len(group)), key=lambda k, texts=texts: texts[k])]  # type: ignore[misc]
        start = end
    return np.asarray(order, dtype=np.int64)


def _outlines(codes: Ints, affine: tuple[float, ...], count: int) -> Geometries:
    """The outline of the pixels of each code, exactly along their sides."""
    try:
        from rasterio import Affine
        from rasterio.features import shapes
    except ImportError as error:
        raise MissingExtraError(
            'images need rasterio, which is not installed; pip install "geoeval[raster]"'
        ) from error
    parts: list[list[Any]] = [[] for _ in range(count)]
    small = codes.astype(np.int32)
    for outline, code in shapes(small, mask=small > 0, connectivity=4, transform=Affine(*affine)):
        rings = outline["coordinates"]
        parts[int(code) - 1].append(shapely.Polygon(rings[0], rings[1:]))
    return _object_array([own[0] if len(own) == 1 else shapely.MultiPolygon(own) for own in parts])


def _ids(ids: Iterable[Any] | None, count: int) -> NDArray[Any]:
    """The ids of polygons, or their numbers."""
    return np.arange(count) if ids is None else _one_each(_object_array(list(ids)), count, "ids", "id")


def _confidences(confidence: ArrayLike, count: int) -> Floats:
    return _one_each(np.asarray(confidence, dtype=np.float64).reshape(-1), count, "confidences", "confidence")


def _class_names(classes: Iterable[Any], count: int) -> Objects:
    """Classes as text; a number without a fraction is written without one, as files of other kinds have it."""
    return _one_each(_object_array([_class_name(one) for one in classes]), count, "classes", "class")


def _one_each(values: NDArray[Any], count: int, several: str, one: str) -> NDArray[Any]:
    if len(values) != count:
        raise ParameterError(f"{len(values)} {several} for {count} polygons; give one {one} per polygon")
    return values


def _class_name(one: Any) -> str:
    if one is None or one != one or one == "":  # noqa: PLR0124 - NaN is not itself
        return NO_CLASS
    return str(int(one)) if isinstance(one, float | np.floating) and float(one).is_integer() else str(one)


def _object_array(values: Any) -> NDArray[Any]:
    if isinstance(values, np.ndarray):
        return values
    return np.array([None, *values], dtype=object)[1:]


def _count(counts: dict[str, int], name: str, number: int) -> None:
    if number:
        counts[name] = counts.get(name, 0) + number
