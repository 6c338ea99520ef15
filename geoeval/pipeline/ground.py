"""Which ground is evaluated: the same for both maps, and the same when reference and prediction are swapped.

No map is charged for ground that its source never covered. What a file declares comes first: both maps are cut to the
bounds of an extract and to the edge of an image. Where a map declares nothing, its lines tell what it covers (see
``geoeval.coverage``), and where the other one clearly goes on beyond that, both are cut there. Where each lies on the
ground of the other, nothing is cut.

Nobody can tell from two maps whether a whole region was not mapped or not found. So what was left out is always said.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import BOUNDS, EVERYTHING, OF_PREDICTION, OF_REFERENCE, OVERLAP, AreaFile, area_in, result_in
from geoeval.arrays import Box, Floats
from geoeval.contents import SIDES
from geoeval.coverage import Coverage, coverage_of
from geoeval.exceptions import ParameterError
from geoeval.model.extent import Extent, only_polygons
from geoeval.wording import named

# A map goes on beyond the ground of the other where more than this share of it lies outside.
BEYOND = 0.1
# Bounds that hold less than this share of their own map are not believed.
LEAST_WITHIN = 0.2
# Bounds of which a map covers less than this share say how far it goes at most, not that it covers all of them.
LEAST_FILLED = 0.75
# More than this share left out is said as a warning.
MUCH = 0.2

ALL_OF_BOTH = "all of both inputs"
# How a result says that a word or a file was given, whatever door somebody came in by: it is compared with others.
_BY_OPTION = "--aoi "


@dataclass(frozen=True)
class OneSide:
    """What tells the ground of one map.

    Attributes
    ----------
    crs
        What its segments are in, metres.
    segments
        Gives its segments ``(m, 2, 2)`` in batches; called only where the ground must be told from them.
    declared
        What its source says it covers.
    dots
        Where its objects are, if it is a map of objects.
    """

    crs: CRS
    segments: Callable[[], Iterable[Floats]]
    declared: Extent | None = None
    dots: Floats | None = None

    @cached_property
    def coverage(self) -> Coverage:
        """What it covers by its lines or objects."""
        return coverage_of(self.segments(), self.crs, dots=self.dots)

    @cached_property
    def declared_polygon(self) -> BaseGeometry | None:
        """What its source says it covers, in its own CRS."""
        return None if self.declared is None else self.declared.polygon(self.crs)

    @cached_property
    def share_within(self) -> float:
        """How much of the map lies in its declared bounds."""
        assert self.declared_polygon is not None
        return _share(self.coverage.places, self.declared_polygon)

    @cached_property
    def believed(self) -> Extent | None:
        """The declared extent, unless it holds next to nothing of its own map."""
        return self.declared if self.declared is not None and self.share_within >= LEAST_WITHIN else None

    @cached_property
    def fills_bounds(self) -> bool:
        """Whether the believed bounds are all covered, for certain or by the look of the map."""
        if self.believed is None or self.declared_polygon is None:
            return False
        common = shapely.intersection(self.declared_polygon, self.coverage.polygon)
        return self.believed.exact or common.area >= LEAST_FILLED * self.declared_polygon.area

    def polygon(self, crs: CRS) -> BaseGeometry:
        """The ground of this map alone: its bounds where it fills them, else what it covers within them."""
        covered = area_in(self.coverage.polygon, crs, aoi_crs=self.crs) if not self.coverage.is_empty else None
        if self.believed is None:
            return shapely.Polygon() if covered is None else covered
        bounds = self.believed.polygon(crs)
        return bounds if self.fills_bounds or covered is None else intersection([bounds, covered])


@dataclass(frozen=True)
class Ground:
    """The evaluated ground.

    Attributes
    ----------
    area
        What both maps are cut to; ``None`` where nothing is cut.
    how
        Where it comes from, in words.
    chosen
        Whether the user named it.
    findings
        What is off with it, as in ``Result.diagnosis``.
    """

    area: BaseGeometry | None
    how: str = ALL_OF_BOTH
    chosen: bool = False
    findings: tuple[dict[str, str], ...] = field(default=())


def side_of_map(one: Any) -> OneSide:
    """What tells the ground of a map: its lines and, where it has single things, where they are."""
    return OneSide(one.crs, lambda: [one.line_ends], one.extent, getattr(one, "centroids", None))


def find_ground(
    reference: OneSide, prediction: OneSide, crs: CRS, aoi: Any = None, *, near: Box | None = None
) -> Ground:
    """The ground to evaluate.

    Parameters
    ----------
    reference, prediction
        What tells the ground of each.
    crs
        CRS of the area.
    aoi
        What the user wants, see ``geoeval.area``; ``None`` for the rule of this module.
    near
        Bounds of the maps in ``crs``, which tell degrees from metres.
    """
    sides = dict(zip(SIDES, (reference, prediction), strict=True))
    if aoi is None:
        return _common_ground(sides, crs)
    if isinstance(aoi, str | Path):
        earlier = result_in(Path(aoi))
        if aoi == EVERYTHING or (earlier is not None and earlier.get("area") is None):
            return Ground(None, chosen=True)
        if isinstance(aoi, str) and aoi in _NAMED:
            return Ground(_NAMED[aoi](sides, crs), f"{_BY_OPTION}{aoi}", chosen=True)
    how = f"{_BY_OPTION}{aoi}" if isinstance(aoi, str | Path | AreaFile) else "the given area"
    return Ground(area_in(aoi, crs, near=near), how, chosen=True)


def intersection(polygons: Sequence[BaseGeometry]) -> BaseGeometry:
    """The ground that all polygons have in common, to the last bit the same in whatever order they come."""
    common, *others = sorted(polygons, key=lambda one: one.wkb)
    for other in others:
        common = only_polygons(shapely.intersection(common, other))
    return shapely.normalize(common)


# ---------------------------------------------------------------------- where the user names no area


def _common_ground(sides: dict[str, OneSide], crs: CRS) -> Ground:
    if any(side.coverage.is_empty for side in sides.values()):
        return Ground(None)
    findings = [finding for name, side in sides.items() for finding in _about_bounds(name, side)]
    bounds = {name: side.believed for name, side in sides.items() if side.believed is not None}
    polygons = {f"the {name}'s declared bounds": one.polygon(crs) for name, one in bounds.items()}
    covered = []
    for name, other in (SIDES, SIDES[::-1]):
        side = sides[name]
        beyond = 0.0 if side.fills_bounds else _beyond(sides[other], side, list(bounds.values()))
        if beyond > BEYOND and side.coverage.is_known:
            polygons[f"the {name}'s coverage"] = area_in(side.coverage.polygon, crs, aoi_crs=side.crs)
            covered.append(name)
        elif beyond > BEYOND:
            findings.append(_too_few(name, other, beyond))
    if not polygons:
        return Ground(None, findings=tuple(findings))
    area = intersection(list(polygons.values()))
    if area.is_empty or all(_lies_in(side, area, crs) for side in sides.values()):
        return Ground(None, findings=tuple(findings))
    how = " and ".join(polygons)
    if len(covered) == len(polygons) == len(SIDES):
        how = "the ground that both cover"
    elif len(bounds) == len(polygons) == len(SIDES):
        how = "the bounds that both declare"
    return Ground(area, how, findings=tuple(findings))


def _beyond(other: OneSide, side: OneSide, bounds: list[Extent]) -> float:
    """The share of the other map, as far as it lies in all declared bounds, that lies beyond what a side covers."""
    places = other.coverage.places
    for extent in bounds:
        places = places[_inside(places, extent.polygon(other.crs))]
    there = projections.transform_if_possible(places, other.crs, side.crs)
    return 1 - _share(there, side.coverage.polygon)


def _share(places: Floats, polygon: BaseGeometry) -> float:
    return float(_inside(places, polygon).mean()) if len(places) else 1.0


def _inside(places: Floats, polygon: BaseGeometry) -> Any:
    shapely.prepare(polygon)
    return shapely.contains_xy(polygon, places)


def _lies_in(side: OneSide, area: BaseGeometry, crs: CRS) -> bool:
    """Whether nothing of a map would be cut off: all its cells lie in the area."""
    places, half = side.coverage.places, side.coverage.size / 2
    corners = np.concatenate([places + np.array([x, y]) for x in (-half, half) for y in (-half, half)])
    # A cell at the edge of an image reaches beyond it, and what is in the cell does not.
    own = area if side.declared is None or not side.declared.exact else area.buffer(2 * side.coverage.size)
    return bool(_inside(projections.transform_if_possible(corners, side.crs, crs), own).all())


# ---------------------------------------------------------------------- where the user names it in a word


def _both(sides: dict[str, OneSide], crs: CRS) -> BaseGeometry:
    return intersection([side.polygon(crs) for side in sides.values()])


def _bounds(sides: dict[str, OneSide], crs: CRS) -> BaseGeometry:
    declared = [side.declared.polygon(crs) for side in sides.values() if side.declared is not None]
    if not declared:
        raise ParameterError("neither input declares its bounds; {give:aoi=overlap}, or {give:aoi=AREA}")
    return intersection(declared)


_NAMED: dict[str, Callable[[dict[str, OneSide], CRS], BaseGeometry]] = {
    OF_REFERENCE: lambda sides, crs: sides["reference"].polygon(crs),
    OF_PREDICTION: lambda sides, crs: sides["prediction"].polygon(crs),
    OVERLAP: _both,
    BOUNDS: _bounds,
}


# ---------------------------------------------------------------------- what is said of it


def left_out(name: str, evaluated: float, whole: float) -> dict[str, float]:
    """The share of a map that is not evaluated, as a result has it: to a hundredth of a per cent."""
    share = 1 - evaluated / whole if whole else 0.0
    return {f"{name}_left_out": round(min(max(share, 0.0), 1.0), 4)}


def said_of_ground(ground: Ground, shares: dict[str, float]) -> dict[str, Any] | None:
    """What a result says of its area; ``None`` where nothing was cut."""
    return None if ground.area is None else {"how": ground.how, **shares}


def ground_note(ground: Ground, shares: dict[str, float], *, in_metres: bool = True) -> str:
    """The evaluated ground in words, with what was left out."""
    if ground.area is None:
        return f"evaluated on {ground.how}; nothing was left out"
    size = f", {ground.area.area / 1e6:,.2f} km²" if in_metres else ""
    told = ", ".join(f"{_percent(shares[f'{name}_left_out'])} of the {name}" for name in SIDES)
    given = ground.how.removeprefix(_BY_OPTION)
    how = named("aoi", given) if given != ground.how else ground.how
    return f"evaluated on {how}{size}; left out: {told}"


def ground_findings(ground: Ground, shares: dict[str, float]) -> tuple[dict[str, str], ...]:
    """What is off with the ground, with a warning where much was left out that the user did not ask to leave out."""
    found = list(ground.findings)
    if ground.area is not None and not ground.chosen:
        for name, other in (SIDES, SIDES[::-1]):
            share = shares[f"{name}_left_out"]
            if share > MUCH:
                found.append(_finding(
                    f"{_percent(share)} of the {name} was left out: it lies outside {ground.how}. Whether the {other} "
                    "lacks it or its source never covered it cannot be told", f"--aoi {name}",
                ))  # fmt: skip
    return tuple(found)


def _about_bounds(name: str, side: OneSide) -> list[dict[str, str]]:
    if side.declared is None or side.believed is not None:
        return []
    held = _percent(side.share_within)
    return [_finding(f"the bounds that the {name} declares hold {held} of it and are not believed", "--aoi bounds")]


def _too_few(name: str, other: str, beyond: float) -> dict[str, str]:
    return _finding(
        f"the {name} is too little to tell which ground it covers, so {ALL_OF_BOTH} is evaluated; {_percent(beyond)} "
        f"of the {other} lies beyond its surroundings", f"--aoi {name}",
    )  # fmt: skip


def _finding(message: str, option: str) -> dict[str, str]:
    return {"check": "ground", "level": "warning", "message": message, "option": option}


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
