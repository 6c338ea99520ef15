"""How large the cells of the score grid are, if nobody says: about twenty across the data."""

import math

from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsCsException

ACROSS = 20
USUAL = 500.0
# Metres in a degree of latitude, near enough for the size of a cell.
_DEGREE = 111_000


def fitted(length):
    """The number of the series 1, 2, 5, 10, ... that is nearest to a twentieth of a length in metres."""
    if not length > 0 or not math.isfinite(length):
        return USUAL
    wanted = length / ACROSS
    power = 10 ** math.floor(math.log10(wanted))
    return float(max(1, min((one * power for one in (1, 2, 5, 10)), key=lambda one: abs(math.log(one / wanted)))))


def length_of(extent, crs, context):
    """The longer side of an extent in metres; 0 if it cannot be told."""
    if extent.isEmpty() or not crs.isValid():
        return 0.0
    degrees = QgsCoordinateReferenceSystem("EPSG:4326")
    try:
        box = QgsCoordinateTransform(crs, degrees, context.transformContext()).transformBoundingBox(extent)
    except QgsCsException:
        return 0.0
    narrower = math.cos(math.radians(box.center().y()))
    return _DEGREE * max(box.height(), box.width() * narrower)
