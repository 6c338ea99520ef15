"""Results whose ground is used again (``--aoi RESULT.json``), in another form than geoeval writes."""

import json

from tests.fuzz.hostile.row import hostile

_SQUARE = "POLYGON ((500000 5000000, 500100 5000000, 500100 5000100, 500000 5000000))"


def _result(path, area, crs="EPSG:32632"):
    path.write_text(json.dumps({"geoeval": "0.1.0", "kind": "roads", "area": area, "crs": crs, "scores": {}}))


@hostile("list.json", "area", "is no polygon")
def result_whose_area_is_a_list(path, _):
    _result(path, [])


@hostile("number.json", "area", "is no polygon")
def result_whose_area_is_a_number(path, _):
    _result(path, {"wkt": 5})


@hostile("nested.json", "area", "is no polygon")
def result_whose_area_is_nested(path, _):
    _result(path, {"wkt": "GEOMETRYCOLLECTION(" * 100_000 + ")" * 100_000})


@hostile("open.json", "area", "is no polygon")
def result_whose_area_is_not_closed(path, _):
    _result(path, {"wkt": "POLYGON ((nan nan, 1 0, 1 1))"})


@hostile("crs.json", "area", "unknown coordinate reference system")
def result_whose_crs_is_a_long_text(path, _):
    _result(path, {"wkt": _SQUARE}, crs="x" * 100_000)


@hostile("huge.json", "area", "off the world|no extent|area")
def result_whose_area_is_larger_than_the_earth(path, _):
    _result(path, {"wkt": "POLYGON ((0 0, 1e15 0, 1e15 1e15, 0 0))"}, crs="EPSG:3857")


@hostile("deep.json", "area", "cannot be read as an area")
def area_of_brackets_inside_each_other(path, _):
    path.write_text('{"geoeval": ' + "[" * 300_000)


@hostile("schema.gml", "area", "no polygons|cannot be read")
def area_whose_schema_is_an_address(path, address):
    path.write_text(
        '<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:a="http://a" '
        f'xsi:schemaLocation="http://a {address}?SERVICE=WFS&amp;REQUEST=DescribeFeatureType&amp;TYPENAME=a:r">'
        "<gml:featureMember><a:r/></gml:featureMember></wfs:FeatureCollection>"
    )
