"""The ground that a file says it covers, with or without a road on it: bounds of an extract, the edge of an image."""

from dataclasses import dataclass, replace
from typing import Any

import shapely
from pyproj import CRS
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.area import area_in
from geoeval.arrays import Box


@dataclass(frozen=True)
class Extent:
    """A declared extent.

    Attributes
    ----------
    shape, crs
        A polygon and its CRS, as declared: it is projected when it is used, once.
    exact
        Whether the source covers all of it for certain, as an image does. The bounds of an OpenStreetMap file may be
        a box around a country, and its data a town or end at a border.
    """

    shape: BaseGeometry
    crs: CRS
    exact: bool = True

    def polygon(self, crs: CRS) -> BaseGeometry:
        """The extent in a CRS; empty where that shows another side of the Earth."""
        return area_in(self.shape, crs, aoi_crs=self.crs)

    def within(self, area: BaseGeometry, crs: CRS) -> "Extent":
        """What is left of it in an area in a CRS."""
        return replace(self, shape=only_polygons(shapely.intersection(self.polygon(crs), area)), crs=crs)

    def as_dict(self) -> dict[str, Any]:
        """The extent as JSON can keep it, to the last bit."""
        return {"wkb": self.shape.wkb_hex, "crs": self.crs.to_wkt(), "exact": self.exact}

    @classmethod
    def from_dict(cls, kept: dict[str, Any] | None) -> "Extent | None":
        """What ``as_dict`` gave; ``None`` for nothing."""
        if kept is None:
            return None
        return cls(shapely.from_wkb(kept["wkb"]), projections.parse_crs(kept["crs"]), kept["exact"])

    @classmethod
    def of_box(cls, box: Box, crs: CRS, *, exact: bool) -> "Extent | None":
        """The extent of a box; ``None`` where it has none."""
        west, south, east, north = box
        return cls(shapely.box(*box), crs, exact) if west < east and south < north else None


def only_polygons(shape: BaseGeometry) -> BaseGeometry:
    """The polygons of a geometry, without the lines and points where two areas merely touch."""
    if shape.geom_type in {"Polygon", "MultiPolygon"}:
        return shape
    return shapely.union_all([part for part in shapely.get_parts(shape) if part.geom_type == "Polygon"])
