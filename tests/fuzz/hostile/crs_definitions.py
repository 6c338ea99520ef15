"""Definitions of CRSs that name a file, in every place where a file may define its CRS."""

import json
import sqlite3
import struct
import warnings

from tests.fuzz.hostile.row import LINES, add_hostile

_WGS84 = (
    'GEOGCRS["WGS 84",DATUM["World Geodetic System 1984",ELLIPSOID["WGS 84",6378137,298.257223563]],'
    'CS[ellipsoidal,2],AXIS["latitude",north],AXIS["longitude",east],UNIT["degree",0.0174532925199433]]'
)
_OLD = 'GEOGCS["x",DATUM["x",SPHEROID["x",6378137,298.257]{}],PRIMEM["G",0],UNIT["degree",0.0174532925199433]{}]'
_GRID = "+proj=hgridshift +grids={} +type=crs"
_METHOD = (
    'PROJCRS["x",BASEGEOGCRS["x",DATUM["x",ELLIPSOID["x",6378137,298.257]]],CONVERSION["x",METHOD["{}"]],'
    'CS[Cartesian,2],AXIS["e",east],AXIS["n",north],UNIT["metre",1]]'
)
# Definitions with a place for the name of a file.
_DEFINITIONS = {
    "init": "+init={}:666",
    "init_without_a_sign": "init={}:666",
    "init_with_white_space": "+init   =   {}:666",
    "init_after_a_projection": "+proj=longlat +init={}:666",
    "grids": "+proj=longlat +ellps=GRS80 +nadgrids={} +type=crs",
    "one_of_several_grids": "+proj=longlat +ellps=GRS80 +nadgrids=@null,@{} +type=crs",
    "grids_of_heights": "+proj=longlat +ellps=GRS80 +geoidgrids={} +vunits=m +type=crs",
    "a_shift": _GRID,
    "a_pipeline": "+proj=pipeline +step +proj=hgridshift +grids={} +type=crs",
    "a_triangulation": "+proj=tinshift +file={} +type=crs",
    "a_model": "+proj=defmodel +model={} +type=crs",
    "a_catalogue": "+proj=longlat +ellps=GRS80 +catalog={} +type=crs",
    "wkt_with_grids": _OLD.format("", ',EXTENSION["PROJ4","+proj=longlat +ellps=GRS80 +nadgrids={}"]'),
    "wkt_with_a_shift": 'PROJCS["x",' + _OLD.format("", "") + ',PROJECTION["custom_proj4"],UNIT["metre",1],'
    f'EXTENSION["PROJ4","{_GRID}"]]',
    "wkt_of_a_method": _METHOD.format("PROJ utm +zone=32 +step +proj=hgridshift +grids={}"),
    "wkt_of_a_pipeline": _METHOD.format("PROJ pipeline step proj=hgridshift grids={}"),
    "wkt_with_a_remark": f'{_WGS84[:-1]},REMARK["PROJ CRS string: {_GRID}"]]',
    "wkt_of_a_grid": _OLD.format(',EXTENSION["PROJ4_GRIDS","{}"]', ""),
    "wkt_of_a_bound_crs": f"BOUNDCRS[SOURCECRS[{_WGS84.replace('WGS 84', 'x')}],TARGETCRS[{_WGS84}],"
    'ABRIDGEDTRANSFORMATION["x",METHOD["NTv2",ID["EPSG",9615]],'
    'PARAMETERFILE["Latitude and longitude difference file","{}",ID["EPSG",8656]]]]',
}
_SAYS = "names? (?:a|its CRS by a) file.*links.{1,2}follow|naming a file|cannot be understood|unknown coordinate"


def _secret(path):
    """A grid, or a list of definitions, of somebody else's."""
    secret = path.parent.parent / "secret"
    secret.write_text("<666> +proj=longlat +datum=WGS84 <>\n")
    return str(secret)


def _geojson(definition, path):
    crs = {"type": "name", "properties": {"name": definition}}
    return json.dumps({**LINES, "crs": crs})


def _escaped(definition, path):
    """Every sign as an escape of JSON, the names of members too."""
    text = _geojson(definition, path)
    signs = "".join(f"\\u{ord(sign):04x}" for sign in definition)
    return text.replace(json.dumps(definition), f'"{signs}"').replace('"crs"', '"\\u0063rs"')


def _in_the_middle(definition, path):
    """Far from both ends of the file, where nobody looks."""
    padding = {"type": "Feature", "properties": {"a": "x" * 40_000}, "geometry": LINES["features"][0]["geometry"]}
    crs = {"type": "name", "properties": {"name": definition}}
    text = {"type": "FeatureCollection", "name": "y" * 40_000, "crs": crs, "features": [padding]}
    return json.dumps(text)


def _graph(definition, path):
    nodes = [{"id": 1, "x": 8.6, "y": 49.4}, {"id": 2, "x": 8.61, "y": 49.41}]
    return json.dumps({"graph": {"crs": definition}, "nodes": nodes, "links": [{"source": 1, "target": 2}]})


def _graphml(definition, path):
    quoted = definition.replace("&", "&amp;").replace('"', "&quot;")
    return (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="c" for="graph" attr.name="crs" '
        'attr.type="string"/><key id="x" for="node" attr.name="x" attr.type="double"/><key id="y" for="node" '
        f'attr.name="y" attr.type="double"/><graph edgedefault="undirected"><data key="c">{quoted}</data>'
        '<node id="1"><data key="x">8.6</data><data key="y">49.4</data></node><node id="2"><data key="x">8.61</data>'
        '<data key="y">49.41</data></node><edge source="1" target="2"/></graph></graphml>'
    )


def _gml(definition, path):
    quoted = "".join(f"&#x{ord(sign):x};" for sign in definition)
    return (
        '<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml">'
        f'<gml:featureMember><ogr:r fid="r.0"><ogr:geometryProperty><gml:LineString srsName="{quoted}">'
        "<gml:coordinates>8.6,49.4 8.61,49.41</gml:coordinates></gml:LineString></ogr:geometryProperty></ogr:r>"
        "</gml:featureMember></ogr:FeatureCollection>"
    )


def _gmt(definition, path):
    wkt = definition.replace('"', '\\"')
    kind = "w" if '"' in definition else "p"
    return f'# @VGMT1.0 @GLINESTRING\n# @J{kind}"{wkt}"\n# FEATURE_DATA\n>\n8.6 49.4\n8.61 49.41\n'


def _topojson(definition, path):
    shape = {"type": "GeometryCollection", "geometries": [{"type": "LineString", "arcs": [0]}]}
    crs = {"type": "name", "properties": {"name": definition}}
    return json.dumps({"type": "Topology", "crs": crs, "objects": {"a": shape}, "arcs": [[[8, 49], [9, 50]]]})


_TEXTS = {
    "geojson": ("a.geojson", "roads", _geojson),
    "escaped_geojson": ("a.geojson", "roads", _escaped),
    "the_middle_of_geojson": ("a.geojson", "lines", _in_the_middle),
    "a_graph": ("g.json", "roads", _graph),
    "gml": ("a.gml", "objects", _gml),
}
for place, (file, content, text) in _TEXTS.items():
    for word, definition in _DEFINITIONS.items():

        def _make(path, _, text=text, definition=definition):
            path.write_text(text(definition.replace("{}", _secret(path)), path))

        add_hostile(f"{word}_in_{place}", file, content, _SAYS, _make)

_FEW = ("init", "a_shift", "wkt_with_a_shift", "wkt_of_a_method", "wkt_of_a_bound_crs")
_OTHERS = {
    "graphml": ("g.graphml", "roads", _graphml),
    "gmt": ("a.gmt", "lines", _gmt),
    "topojson": ("a.topo.json", "roads", _topojson),
    "an_area": ("a.geojson", "area", _geojson),
    "an_escaped_area": ("a.geojson", "area", _escaped),
}
for place, (file, content, text) in _OTHERS.items():
    for word in _FEW:

        def _make(path, _, text=text, definition=_DEFINITIONS[word]):
            path.write_text(text(definition.replace("{}", _secret(path)), path))

        add_hostile(f"{word}_in_{place}", file, content, _SAYS, _make)


def _frame():
    import geopandas as gpd
    from shapely.geometry import LineString

    return gpd.GeoDataFrame({"a": ["b"]}, geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)


def _shapefile(path, definition):
    _frame().to_file(path)
    path.with_suffix(".prj").write_text(definition)


def _database(path, definition):
    driver = "SQLite" if path.suffix == ".sqlite" else "GPKG"
    _frame().to_file(path, driver=driver)
    database = sqlite3.connect(path)
    if driver == "GPKG":
        database.execute("UPDATE gpkg_spatial_ref_sys SET definition = ?, organization = 'x'", (definition,))
    else:
        database.execute("UPDATE spatial_ref_sys SET srtext = ?, auth_name = 'x'", (definition,))
    database.commit()
    database.close()


def _parquet(path, definition):
    import pyarrow as pa
    from pyarrow import parquet

    geo = {"encoding": "WKB", "crs": definition}
    described = json.dumps({"version": "1.0.0", "primary_column": "geometry", "columns": {"geometry": geo}})
    line = struct.pack("<BII4d", 1, 2, 2, 8.6, 49.4, 8.61, 49.41)
    parquet.write_table(pa.table({"geometry": [line]}).replace_schema_metadata({"geo": described}), path)


def _image(path, definition):
    import numpy as np
    import rasterio

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an image without a georeference is wanted
        with rasterio.open(path, "w", driver="PNG", width=9, height=9, count=1, dtype="uint8") as image:
            image.write(np.ones((9, 9), np.uint8), 1)
    quoted = definition.replace('"', "&quot;")
    place = "<GeoTransform>5e5,1,0,5e6,0,-1</GeoTransform>"
    path.with_name(path.name + ".aux.xml").write_text(f"<PAMDataset><SRS>{quoted}</SRS>{place}</PAMDataset>")


def _flatgeobuf(path, definition):
    """The definition takes the place of a long name of the same size."""
    frame = _frame()
    frame["a"] = ["b"]
    name = "n" * len(definition)
    frame = frame.set_crs(_OLD.format("", "").replace('GEOGCS["x"', f'GEOGCS["{name}"'), allow_override=True)
    frame.to_file(path, driver="FlatGeobuf")
    path.write_bytes(path.read_bytes().replace(name.encode(), definition.replace('"', "'").encode()))


_MADE = {
    "a_shapefile": ("a.shp", "roads", _shapefile),
    "a_geopackage": ("a.gpkg", "roads", _database),
    "a_geopackage_as_area": ("a.gpkg", "area", _database),
    "sqlite": ("a.sqlite", "roads", _database),
    "geoparquet": ("a.parquet", "roads", _parquet),
    "geoparquet_as_area": ("a.parquet", "area", _parquet),
    "a_sidecar_of_an_image": ("a.png", "objects", _image),
    "flatgeobuf": ("a.fgb", "lines", _flatgeobuf),
}
for place, (file, content, make) in _MADE.items():
    for word in _FEW:

        def _make(path, _, make=make, definition=_DEFINITIONS[word]):
            make(path, definition.replace("{}", _secret(path)))

        # Without its quotes that one is no definition, and with them it is no header.
        says = "" if (place, word) == ("flatgeobuf", "wkt_of_a_bound_crs") else _SAYS
        add_hostile(f"{word}_in_{place}", file, content, says, _make)


def _projjson(change):
    from pyproj import CRS

    described = CRS.from_epsg(25832).to_json_dict()
    change(described)
    return described


# What is no definition at all, or one that is damaged.
_DAMAGED = {
    "a_number": 5,
    "a_list": [1, 2],
    "an_empty_object": {},
    "a_type_alone": {"type": "GeographicCRS"},
    "another_type": {"type": 3, "name": "x"},
    "true": True,
    "an_empty_text": "",
    "a_zero_byte": "EPSG:4326\0",
    "a_huge_code": "EPSG:" + "9" * 30,
    "unfinished_json": '{"type": "GeographicCRS"',
    "endless_words": "+proj=longlat " + "+a=1 " * 50_000,
    "endless_brackets": "GEOGCS[" * 5_000,
    "a_loop": {"type": "BoundCRS", "name": "x", "source_crs": {"type": "BoundCRS"}},
}
for word, definition in _DAMAGED.items():

    def _make(path, _, definition=definition):
        _parquet(path, definition)

    add_hostile(f"crs_of_geoparquet_is_{word}", "a.parquet", "roads", "cannot be understood|does not say", _make)


def _with_members(path, definition):
    path.write_text(_graph(definition, path))


def _method_of_projjson(path, _):
    def change(described):
        described["conversion"]["method"] = {"name": f"PROJ utm +zone=32 +step +proj=hgridshift +grids={_secret(path)}"}

    _with_members(path, _projjson(change))


def _remark_of_projjson(path, _):
    def change(described):
        described["remarks"] = f"PROJ CRS string: +proj=hgridshift +grids={_secret(path)}"

    _with_members(path, _projjson(change))


def _padded_json(path, _):
    _with_members(path, " " * 5000 + json.dumps({"init": f"{_secret(path)}:666"}) + " " * 5000)


def _json_in_json(path, _):
    _with_members(path, json.dumps({"proj": "hgridshift", "grids": _secret(path)}).replace("g", "\\u0067"))


def _mapping(path, _):
    _with_members(path, {"init": f"{_secret(path)}:666"})


def _list_of_grids(path, _):
    _with_members(path, {"proj": "longlat", "ellps": "GRS80", "nadgrids": ["@null", _secret(path)]})


def _name_of_a_file(path, _):
    _with_members(path, _secret(path))


def _at_and_a_file(path, _):
    _with_members(path, "@" + _secret(path))


def _virtual_file(path, address):
    _with_members(path, f"/vsicurl/{address}")


def _address(path, address):
    _with_members(path, address)


for _make in (
    _method_of_projjson, _remark_of_projjson, _padded_json, _json_in_json, _mapping, _list_of_grids, _name_of_a_file,
    _at_and_a_file, _virtual_file, _address,
):  # fmt: skip
    add_hostile(f"crs_of_a_graph_is{_make.__name__}", "g.json", "roads", _SAYS, _make)
