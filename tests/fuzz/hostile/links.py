"""Files that lead to other files or addresses, and archives with members outside of them."""

import gzip
import json
import struct
import zipfile

from tests.fuzz.hostile.row import LINES, entities_that_grow, hostile


def _secret(path):
    """A file of somebody else's beside the folder."""
    secret = path.parent.parent / "secret.geojson"
    secret.write_text(json.dumps(LINES))
    return secret


@hostile("layer.vrt", "roads", "virtual file.*links.{1,2}follow")
def ogr_vrt(path, _):
    path.write_text(
        '<OGRVRTDataSource><OGRVRTLayer name="secret">'
        f"<SrcDataSource>{_secret(path)}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    )


@hostile("sql.xml", "objects", "virtual file.*links.{1,2}follow")
def ogr_vrt_with_sql_and_another_name(path, address):
    path.write_text(
        f'<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource>/vsicurl/{address}.geojson</SrcDataSource>'
        "<SrcSQL>SELECT * FROM secret</SrcSQL></OGRVRTLayer></OGRVRTDataSource>"
    )


@hostile("service.xml", "roads", "virtual file.*links.{1,2}follow")
def wfs_description(path, address):
    path.write_text(f"<OGRWFSDataSource><URL>{address}</URL></OGRWFSDataSource>")


@hostile("pipeline.gdalg.json", "roads", "not a kind of file|cannot be read|no layers")
def gdal_pipeline(path, address):
    line = f"gdal vector pipeline ! read /vsicurl/{address}.geojson"
    path.write_text(json.dumps({"type": "gdal_streamed_alg", "command_line": line}))


@hostile("link.geojson", "roads", "names its CRS by an address")
def geojson_whose_crs_is_an_address(path, address):
    crs = {"type": "link", "properties": {"href": address, "type": "proj4"}}
    path.write_text(json.dumps({**LINES, "crs": crs}))


@hostile("schema.gml", "roads", "")
def gml_whose_schema_is_an_address(path, address):
    path.write_text(
        '<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
        'xmlns:a="http://a" '
        f'xsi:schemaLocation="http://a {address}?SERVICE=WFS&amp;REQUEST=DescribeFeatureType&amp;TYPENAME=a:r">'
        f'<gml:featureMember><a:r><a:g xlink:href="{address}#1"/></a:r></gml:featureMember></wfs:FeatureCollection>'
    )


@hostile("network.kml", "roads", r"loads a layer from elsewhere \(NetworkLink\)")
def kml_that_loads_another(path, address):
    path.write_text(
        '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink><Link>'
        f"<href>{address}.kml</href></Link></NetworkLink></Document></kml>"
    )


@hostile("up.zip", "roads", "lies outside of the archive")
def zip_with_a_member_above_it(path, _):
    _secret(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../secret.geojson", "{}")


@hostile("absolute.zip", "roads", "lies outside of the archive")
def zip_with_an_absolute_member(path, _):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{path.parent.parent}/roads.shp", b"x")
        archive.writestr(f"{path.parent.parent}/roads.dbf", b"x")


@hostile("link.zip", "roads", "which is a link")
def zip_with_a_symbolic_link(path, _):
    member = zipfile.ZipInfo("roads.geojson")
    member.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, str(_secret(path)))


@hostile("bomb.zip", "roads", "unpacks to .*limits.{1,2}expansion=")
def zip_bomb(path, _):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roads.geojson", json.dumps(LINES) + " " * 100_000_000)


@hostile("lies.zip", "roads", "Bad CRC|cannot be read")
def zip_that_lies_about_a_size(path, _):
    inside = json.dumps(LINES)[:-1] + " " * 60_000_000 + "}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("roads.geojson", inside)
    told = struct.pack("<I", len(inside))
    path.write_bytes(path.read_bytes().replace(told, struct.pack("<I", 1000)))


@hostile("many.zip", "roads", "members.*limits.{1,2}members=")
def zip_of_very_many_files(path, _):
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3000):
            archive.writestr(f"{number}.geojson", "{}")


@hostile("bomb.gml.gz", "roads", "unpacks to .*limits.{1,2}expansion=")
def gzip_bomb_of_gml(path, _):
    path.write_bytes(gzip.compress(b"<ogr:FeatureCollection>" + b" " * 120_000_000, 9))


@hostile("bomb.geojson.gz", "area", "unpacks to .*limits.{1,2}expansion=")
def gzip_bomb_of_an_area(path, _):
    path.write_bytes(gzip.compress(b"{" + b" " * 120_000_000, 9))


@hostile("bomb.kmz", "roads", "unpacks to .*limits.{1,2}expansion=")
def kmz_bomb(path, _):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doc.kml", "<kml>" + " " * 100_000_000)


def _secret_grid(path):
    secret = path.parent.parent / "secret"
    secret.write_text("<666> +proj=longlat +datum=WGS84 <>\n")
    return secret


def _graph(path, crs):
    nodes = [{"id": 1, "x": 8.6, "y": 49.4}, {"id": 2, "x": 8.61, "y": 49.41}]
    links = [{"source": 1, "target": 2}]
    path.write_text(json.dumps({"graph": {"crs": crs}, "nodes": nodes, "links": links}))


@hostile("init.json", "roads", "names a file.*links.{1,2}follow")
def graph_whose_crs_is_in_a_file(path, _):
    _graph(path, f"+init={_secret_grid(path)}:666")


@hostile("grid.json", "roads", "names a file.*links.{1,2}follow")
def graph_whose_crs_needs_a_file(path, _):
    _graph(path, f"+proj=longlat +nadgrids={_secret_grid(path)} +type=crs")


@hostile("init.geojson", "roads", "by a file|names a file|cannot be understood")
def geojson_whose_crs_is_in_a_file(path, _):
    name = f"+init={_secret_grid(path)}:666"
    path.write_text(json.dumps({**LINES, "crs": {"type": "name", "properties": {"name": name}}}))


_GML = (
    '<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml">'
    '<gml:featureMember><ogr:r fid="r.0"><ogr:geometryProperty><gml:LineString srsName="EPSG:4326">'
    "<gml:coordinates>8.6,49.4 8.61,49.41</gml:coordinates></gml:LineString></ogr:geometryProperty>"
    "<ogr:name>{}</ogr:name></ogr:r></gml:featureMember></ogr:FeatureCollection>"
)
_GPX = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>{}</name><trkseg>'
    '<trkpt lat="49" lon="8"/><trkpt lat="49.1" lon="8"/></trkseg></trk></gpx>'
)


def _external(document, path, address):
    (path.parent.parent / "secret.txt").write_text("secret")
    entities = f'<!ENTITY x SYSTEM "file://{path.parent.parent}/secret.txt"><!ENTITY y SYSTEM "{address}">'
    path.write_text(f'<?xml version="1.0"?><!DOCTYPE r [{entities}]>' + document.format("&x;&y;"))


@hostile("external.gml", "roads", "takes text from another file or address")
def gml_of_external_entities(path, address):
    _external(_GML, path, address)


@hostile("external.gpx", "roads", "takes text from another file or address")
def gpx_of_external_entities(path, address):
    _external(_GPX, path, address)


@hostile("laughs.gml", "roads", "no rows|cannot be read|laugh")
def gml_of_entities_that_grow(path, _):
    path.write_text(entities_that_grow(_GML.format("&a9;")))


@hostile("laughs.gpx", "roads", "laugh|cannot be read")
def gpx_of_entities_that_grow(path, _):
    path.write_text(entities_that_grow(_GPX.format("&a9;")))
