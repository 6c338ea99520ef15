"""Drawings of what each metric counts: a tiny map, what is counted on it, and the scores that follow.

All are drawn in one language (``canvas``), and each is also a case: its scores follow from what is drawn, and the tests
compare them with those of the metric on the same map.
"""

from making.drawings import line_drawings, object_drawings, outline_drawings, road_drawings, surrounding_drawings
from making.drawings.canvas import Sketch, drawn, written

SKETCHES = {
    "roads": road_drawings.SKETCHES | surrounding_drawings.SKETCHES,
    "objects": object_drawings.SKETCHES | outline_drawings.SKETCHES,
    "lines": line_drawings.SKETCHES,
}

__all__ = ["SKETCHES", "Sketch", "drawn", "written"]
