"""The layers of the report's map: what a reader can turn on and off, and the data that the page draws them from."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Floats, Objects, writable
from geoeval.model.error_kinds import BLACK, ErrorKind
from geoeval.model.features import is_of_reference
from geoeval.model.result import Result, amount
from geoeval.report.map_content import INPUT_COLOURS, ROLES, error_groups, input_lines
from geoeval.report.packing import pack_floats, pack_geometries, pack_texts
from geoeval.writers.grids import local_scores
from geoeval.writers.styles import OUTLINE_COLOURS, SCORE_COLOURS

if TYPE_CHECKING:
    import geopandas as gpd

WEB_MERCATOR = CRS.from_epsg(3857)
# Coordinates on the page are multiples of this: a decimetre, where the page is in metres.
_STEP = 0.1
# Above so many vertices the lines of a layer are simplified, by as many metres as it takes of these.
_INPUT_VERTICES, _ERROR_VERTICES = 400_000, 40_000
_SIMPLER = (2.0, 10.0, 50.0)


@dataclass(frozen=True)
class PageLayer:
    """A layer of the map.

    Attributes
    ----------
    name
        What the page calls it.
    label, about, colour, count
        In the legend.
    shown
        Whether the map shows it at first.
    geometry
        ``points``, ``lines`` or ``polygons``.
    kind
        The kind of its errors; ``None`` for what is no error.
    data
        What the script of the page unpacks.
    """

    name: str
    label: str
    about: str
    colour: str
    count: int
    shown: bool
    geometry: str
    kind: ErrorKind | None = None
    data: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def black(self) -> bool:
        """Whether it has the colour of the ink, which is white on dark paper."""
        return self.colour == BLACK

    @property
    def drawn(self) -> bool:
        """Whether the picture for print draws it too."""
        return self.shown and self.name != "grid" and (self.kind is None or self.kind.is_error)


class Screen:
    """Coordinates on the page: Web Mercator where the place on Earth is known, else as they are.

    ``box`` is all that was compared, as (minx, miny, maxx, maxy); ``None`` where that is nothing.
    """

    def __init__(self, result: Result) -> None:
        self.crs = result.crs
        self.local = projections.is_local(self.crs)
        self.box = None if result.extent is None else self._box(np.array(result.extent).reshape(2, 2))
        self.origin = np.zeros(2) if self.box is None else np.floor(self.box[:2])
        # A drawing may be small, in units of its own.
        size = 0.0 if self.box is None else float((self.box[2:] - self.box[:2]).max())
        self.step = _STEP if not self.local or size == 0 else min(_STEP, float(f"{size / 1e6:.0e}"))

    def xy(self, coordinates: Floats) -> Floats:
        """Coordinates of the result on the page."""
        return coordinates if self.local else projections.transform(coordinates, self.crs, WEB_MERCATOR)

    def packed(self, geometries: Objects, limit: int = _ERROR_VERTICES) -> dict[str, Any]:
        """Geometries for the page, simplified where they are too many to be light."""
        for tolerance in _SIMPLER:
            if shapely.get_num_coordinates(geometries).sum() <= limit:
                break
            geometries = np.asarray(shapely.simplify(geometries, tolerance, preserve_topology=False))
        return pack_geometries(geometries, place=self.xy, origin=self.origin, step=self.step)

    def _box(self, corners: Floats) -> Floats:
        (left, bottom), (right, top) = corners
        around = self.xy(np.array([[left, bottom], [right, top], [left, top], [right, bottom]]))
        return np.concatenate([around.min(axis=0), around.max(axis=0)])


def page_layers(result: Result, grid: "gpd.GeoDataFrame | None", screen: Screen) -> Iterator[PageLayer]:
    """The layers from the bottom up: grid, evaluated ground, inputs, errors."""
    if grid is not None and len(grid):
        yield _grid_layer(grid, result, screen)
    if result.area is not None and not result.area.is_empty:
        yield _area_layer(result, screen)
    for role in ROLES:
        lines = input_lines(result, role)
        if lines is not None:
            yield _input_layer(role, lines, result, screen)
    for kind, geometry, rows in error_groups(result):
        apart = is_of_reference(rows)
        for of_reference, own in ((True, rows[apart]), (False, rows[~apart])):
            if len(own):
                yield _error_layer(kind, geometry, own, screen, of_reference=of_reference)


def _area_layer(result: Result, screen: Screen) -> PageLayer:
    outline = np.array([None, result.area.boundary], dtype=object)[1:]
    area = result.area.area
    size = f"{area / 1e6:,.2f} km²" if result.unit == "m" else f"{area:,.0f} {result.unit}²"
    return PageLayer(
        "area", "Evaluated ground", f"The ground on which both were compared: {size}.", BLACK, 1, shown=True,
        geometry="lines", data={"role": "area", **screen.packed(outline)},
    )  # fmt: skip


def _input_layer(role: str, lines: Objects, result: Result, screen: Screen) -> PageLayer:
    facts = getattr(result, role)
    count = int(facts.get("objects", len(lines)))
    return PageLayer(
        role, role.capitalize(), f"{amount(facts)} of the {role}.", INPUT_COLOURS[role], count, shown=True,
        geometry="lines", data={"role": role, **screen.packed(lines, _INPUT_VERTICES)},
    )  # fmt: skip


def _grid_layer(grid: "gpd.GeoDataFrame", result: Result, screen: Screen) -> PageLayer:
    """The cells, coloured by their most telling score; outlines only where they have none."""
    score = next(iter(local_scores(grid, result.kind)), None)
    values = np.full(len(grid), np.nan) if score is None else grid[score].to_numpy(dtype=np.float64)
    cells = screen.packed(shapely.get_exterior_ring(grid.geometry.to_numpy()))
    return PageLayer(
        "grid", "Grid" if score is None else f"Grid: {score}", "Local scores, dark is bad.", SCORE_COLOURS[2],
        len(grid), shown=False, geometry="polygons", data={"role": "grid", "score": pack_floats(values), **cells},
    )  # fmt: skip


# What is said of an error: label, column, whether it is a number.
FACTS = (("", "note", False), ("class", "class", False), ("metric", "metric", False), ("length (m)", "length_m", True),
         ("distance (m)", "dist_m", True), ("reference id", "ref_id", False), ("prediction id", "pred_id", False),
         ("confidence", "confidence", True), ("rank in the plan", "rank", True), ("IoU", "iou", True),
         ("Mallows", "mallows", True))  # fmt: skip


def _error_layer(
    kind: ErrorKind, geometry: str, rows: "gpd.GeoDataFrame", screen: Screen, *, of_reference: bool
) -> PageLayer:
    texts, numbers = {}, {}
    for _, column, is_number in FACTS:
        if column not in rows:
            continue
        if is_number:
            values = rows[column].to_numpy(dtype=np.float64)
            if np.isfinite(values).any():
                numbers[column] = pack_floats(values)
        elif any(values := rows[column].tolist()):
            texts[column] = pack_texts(values)
    geometries = rows.geometry.to_numpy()
    if geometry == "polygons":
        parts, row = shapely.get_parts(writable(geometries), return_index=True)
        rings = shapely.get_exterior_ring(parts)
        geometries = np.asarray(shapely.multilinestrings(rings, indices=row))
    graded_by = kind.graded_by if geometry == "polygons" and kind.graded_by in numbers else ""
    name, label, about, colour = f"{kind.name}-{geometry}", kind.label, kind.about, kind.colour
    if of_reference:
        name, label = f"{name}-reference", f"{label} in the reference"
    label += " (places)" if geometry == "points" else ""
    if graded_by:
        graded = next(label for label, column, _ in FACTS if column == graded_by)
        label, about, colour = f"{label}: {graded}", f"{about} {graded} as colour, dark is bad.", OUTLINE_COLOURS[2]
    # What is matched, or said of the reference alone, is on the map and not in the list of errors.
    return PageLayer(
        name, label, about, colour, len(rows), shown=not kind.hidden, geometry=geometry, kind=kind,
        data={"role": "error", "label": kind.label, "kind": kind.name, "wide": kind.emphasised,
              "listed": kind.is_error and not of_reference,
              "gathered": kind.is_task, "graded": graded_by, "texts": texts, "numbers": numbers,
              **screen.packed(geometries)},
    )  # fmt: skip
