"""Small results made by hand."""

import numpy as np
import shapely
from pyproj import CRS

from geoeval.model.features import ErrorFeatures, error_frames
from geoeval.model.result import Result

UTM10 = CRS.from_epsg(32610)
EAST, NORTH = 491000.0, 5458000.0  # Vancouver
HOSTILE = ("<script>alert(1)</script>", '=cmd("x")', "quotes \" and '", "two\nlines", "[1, 2]", '{"a": 1}', "a & b < c")


def line(*points):
    return shapely.LineString([(EAST + x, NORTH + y) for x, y in points])


def point(x, y):
    return shapely.Point(EAST + x, NORTH + y)


def box(x, y, size):
    return shapely.box(EAST + x, NORTH + y, EAST + x + size, NORTH + y + size)


def make_result(*collected, kind="roads", crs=UTM10, scores=None, area=None, errors=None, **more):
    """A result with these errors; every metric that collected some counts as evaluated, as a map wants it."""
    scores = {"opt-j": {"f1": 0.5, "tp": 3, "recall": None}, "ccq": {"quality": 0.25}} if scores is None else scores
    return Result(
        kind=kind,
        crs=crs,
        scale_error=0.0004,
        seed=0,
        reference={},
        prediction={},
        parameters={},
        scores={one.metric: {} for one in collected} | scores,
        counts={},
        errors=error_frames(collected, crs) if errors is None else errors,
        notes={},
        seconds={},
        area=area,
        **more,
    )


def roads_with_errors(crs=UTM10, *, note="Übergang fehlt"):
    """Lines and points, several kinds, one of them with both; ids and notes of all sorts."""
    ccq, opt_j = ErrorFeatures("ccq"), ErrorFeatures("opt-j")
    ccq.add("missing", [line((0, 0), (100, 0)), line((0, 50), (80, 50), (90, 60))], ref_id=["way/1", "2"], note=note)
    ccq.add("spurious", [line((0, 10), (100, 10))], pred_id="=1+1", dist_m=12.5, severity=0.25)
    ccq.add("missing", [point(5, 5)], severity=np.nan)
    opt_j.add("junction", [point(i * 10, 0) for i in range(len(HOSTILE))], note=list(HOSTILE), severity=0.5)
    opt_j.add("break", [line((40, 0), (42, 0))])
    opt_j.add("brand_new_kind", [point(1, 1)])
    return make_result(ccq, opt_j, crs=crs, area=box(0, 0, 1000))
