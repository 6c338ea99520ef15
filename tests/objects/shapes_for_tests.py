"""Tiny hand-made maps of objects and hypothesis strategies that the tests reuse."""

import shapely
from hypothesis import strategies as st

from geoeval.model.object_map import ObjectMap

CRS = "EPSG:32616"


def rectangle(x, y, w, h):
    return shapely.box(x, y, x + w, y + h)


def objects(*boxes, **kwargs) -> ObjectMap:
    """A map of boxes ``(x, y, width, height)`` in a metric CRS."""
    return ObjectMap.from_polygons([rectangle(*box) for box in boxes], crs=kwargs.pop("crs", CRS), **kwargs)


@st.composite
def boxes(draw, most=6, size=30):
    """A few boxes with whole coordinates."""
    number = st.integers(0, size)
    side = st.integers(2, 12)
    return draw(st.lists(st.tuples(number, number, side, side), max_size=most, unique=True))
