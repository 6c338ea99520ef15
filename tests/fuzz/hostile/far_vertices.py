"""Vertices beyond anything on Earth, where rings begin and end and elsewhere, in every format that can say so."""

import json
import struct

from tests.fuzz.hostile.row import add_hostile

_FAR = {"1e31": "1e31", "minus_1e300": "-1e300", "1e400": "1e400", "nan": "NaN"}


def _ring(x, y="49"):
    """Places of a ring that begins and ends far away."""
    return [(x, y), ("8.61", "49"), ("8.61", "49.1"), (x, y)]


def _brackets(places):
    return "[" + ",".join(f"[{x},{y}]" for x, y in places) + "]"


def _spaces(places, sign=" ", between=","):
    return between.join(f"{x}{sign}{y}" for x, y in places)


def _geojson(kind, inside):
    return f'{{"type": "{kind}", "coordinates": {inside}}}'


_KML = '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark>{}</Placemark></Document></kml>'
_GML = (
    '<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml">'
    '<gml:featureMember><ogr:r fid="r.0"><ogr:geometryProperty><gml:Polygon srsName="EPSG:4326"><gml:outerBoundaryIs>'
    "<gml:LinearRing><gml:coordinates>{}</gml:coordinates></gml:LinearRing></gml:outerBoundaryIs></gml:Polygon>"
    "</ogr:geometryProperty></ogr:r></gml:featureMember></ogr:FeatureCollection>"
)
_MIF = (
    'Version 300\nCharset "Neutral"\nDelimiter ","\nCoordSys Earth Projection 1, 104\nColumns 1\n a integer\nData\n\n'
)
_NEAR = [("8", "49"), ("8.2", "49"), ("8.2", "49.1"), ("8", "49")]

_TEXTS = {
    "a_polygon_of_geojson": ("a.geojson", lambda ring: _geojson("Polygon", f"[{_brackets(ring)}]")),
    "a_hole_of_geojson": ("a.geojson", lambda ring: _geojson("Polygon", f"[{_brackets(_NEAR)},{_brackets(ring)}]")),
    "a_multipolygon_of_geojson": (
        "a.geojson", lambda ring: _geojson("MultiPolygon", f"[[{_brackets(_NEAR)}],[{_brackets(ring)}]]"),
    ),
    "a_collection_of_geojson": (
        "a.geojson",
        lambda ring: '{"type": "GeometryCollection", "geometries": ['
        + _geojson("Polygon", f"[{_brackets(ring)}]") + "," + _geojson("LineString", _brackets(ring)) + "]}",
    ),
    "a_line_of_geojson": ("a.geojson", lambda ring: _geojson("LineString", _brackets(ring))),
    "a_polygon_of_kml": (
        "a.kml",
        lambda ring: _KML.format(
            "<Polygon><outerBoundaryIs><LinearRing><coordinates>" + _spaces(ring, ",", " ")
            + "</coordinates></LinearRing></outerBoundaryIs></Polygon>"
        ),
    ),
    "a_ring_of_kml": (
        "a.kml",
        lambda ring: _KML.format(f"<LinearRing><coordinates>{_spaces(ring, ',', ' ')}</coordinates></LinearRing>"),
    ),
    "a_polygon_of_gml": ("a.gml", lambda ring: _GML.format(_spaces(ring, ",", " "))),
    "a_region_of_mif": ("a.mif", lambda ring: f"{_MIF}Region 1\n4\n{_spaces(ring, ' ', chr(10))}\n"),
    "wkt_in_pixels": (
        "b.csv", lambda ring: f'ImageId,BuildingId,PolygonWKT_Pix,Confidence\na,1,"POLYGON (({_spaces(ring)}))",0.5\n',
    ),
    "wkt_of_a_multipolygon": (
        "b.csv",
        lambda ring: "ImageId,BuildingId,PolygonWKT_Pix,Confidence\n"
        f'a,1,"MULTIPOLYGON ((({_spaces(_NEAR)})),(({_spaces(ring)})))",0.5\n',
    ),
    "wkt_of_a_line": ("b.csv", lambda ring: f'ImageId,WKT_Pix\na,"LINESTRING ({_spaces(ring)})"\n'),
    "svg": (
        "a.svg",
        lambda ring: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><polygon stroke="red" points="'
        f'{_spaces(ring, ",", " ")}"/></svg>',
    ),
    "a_table_of_lines": ("a.txt", lambda ring: f"0 0 10 10 1 2\n{ring[0][0]} 0 10 10 1 2\n"),
}  # fmt: skip

for _place, (_file, _text) in _TEXTS.items():
    for _word, _x in _FAR.items():
        for _content in ("objects", "lines"):

            def _make(path, _, text=_text, x=_x):
                path.write_text(text(_ring(x)))
                if path.suffix == ".mif":
                    path.with_suffix(".mid").write_text("1\n")

            add_hostile(f"{_word}_in_{_place}_as_{_content}", _file, _content, "", _make)


def _parquet(path, _, x=1e31, y=49.0):
    import pyarrow as pa
    from pyarrow import parquet

    geo = {"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": {"encoding": "WKB"}}}
    places = (x, y, 8.61, 49.0, 8.61, 49.1, x, y)
    ring = struct.pack("<BIII8d", 1, 3, 1, 4, *places)
    parquet.write_table(pa.table({"geometry": [ring]}).replace_schema_metadata({"geo": json.dumps(geo)}), path)


for _word, _x in {"1e31": 1e31, "infinity": float("inf"), "nan": float("nan"), "the_largest": 1.7e308}.items():
    for _content in ("objects", "area", "lines"):

        def _make(path, _, x=_x):
            _parquet(path, _, x=x)

        add_hostile(f"{_word}_in_geoparquet_as_{_content}", "a.parquet", _content, "", _make)
