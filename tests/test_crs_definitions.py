"""Definitions of CRSs are data: what they may be, and that none of them opens a file unasked."""

import json

import pytest
from pyproj import CRS

from geoeval.crs import crs_name, from_name, parse_crs
from geoeval.crs_definitions import named_file
from geoeval.exceptions import CRSError, GeoevalWarning, LinkedFileError
from geoeval.trust import trusting

UTM = CRS.from_epsg(32632)
OVER = CRS.from_proj4("+proj=longlat +datum=WGS84 +over +type=crs")
TURNED = CRS.from_proj4("+proj=ob_tran +o_proj=longlat +lon_0=0 +o_lon_p=0 +o_lat_p=40 +type=crs")
MERCATOR = "+proj=merc +a=6378137 +b=6378137 +lat_ts=0 +lon_0=0 +k=1 +units=m +nadgrids=@null +wktext +no_defs"


@pytest.mark.parametrize(
    "definition",
    [
        32632, ("EPSG", 32632), "EPSG:32632", "epsg:32632", "32632", "WGS 84 / UTM zone 32N",
        "urn:ogc:def:crs:EPSG::32632", "http://www.opengis.net/def/crs/EPSG/0/32632", "ESRI:102003", "NAD83(2011)",
        "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:25832+5783", "urn:ogc:def:crs,crs:EPSG::25832,crs:EPSG::5783",
        UTM.to_wkt(), UTM.to_wkt("WKT1_GDAL"), UTM.to_wkt("WKT1_ESRI"), UTM.to_json(), UTM.to_json_dict(),
        f"  {UTM.to_json()}\n", "+proj=utm +zone=32 +datum=WGS84", "proj=utm zone=32", MERCATOR,
        {"proj": "utm", "zone": 32, "datum": "WGS84"}, OVER.to_wkt(), TURNED.to_wkt(), TURNED.to_json(),
        CRS.from_epsg(28992).to_wkt(), CRS.from_user_input("EPSG:27700+5701").to_wkt(),
    ],
    ids=lambda one: str(one)[:40],
)  # fmt: skip
def test_what_files_and_people_write_is_understood_as_proj_does(definition):
    with trusting():
        understood = parse_crs(definition)
    expected = CRS.from_user_input(definition)
    assert understood == expected
    assert crs_name(understood) == crs_name(expected)


@pytest.mark.parametrize("definition", ["+init=epsg:4326", "init=EPSG:4326 +no_defs", {"init": "epsg:4326"}])
def test_the_old_words_for_a_code_are_that_code(definition):
    assert parse_crs(definition) == CRS.from_epsg(4326)


@pytest.mark.parametrize(
    "definition",
    ["", "/etc/passwd", "a.json", "EPSG:0", "{}", "[1]", '{"type": 3, "name": "x"}', "+proj=pipeline +step +proj=utm",
     "+proj=utm +zone=32 +unheard=1", "+proj=", "+init=epsg:4326 +units=us-ft", "+init=secret:666", True, b"EPSG:4326",
     [1, 2, 3], {}, {"proj": "nothing"}, "GEOGCS[" * 900, "EPSG:4326\0", '{"a":' * 5000],
    ids=lambda one: str(one)[:30],
)  # fmt: skip
def test_anything_else_is_one_line(definition):
    with pytest.raises(CRSError, match="unknown coordinate reference system"):
        parse_crs(definition)


def wkt_of_a_method(method):
    return (
        'PROJCRS["x",BASEGEOGCRS["x",DATUM["x",ELLIPSOID["x",6378137,298.257]]],CONVERSION["x",METHOD["'
        f'{method}"]],CS[Cartesian,2],AXIS["e",east],AXIS["n",north],UNIT["metre",1]]'
    )


@pytest.mark.parametrize(
    "definition",
    [
        "+init={}:666", " + init = {}:666", "+proj=longlat +nadgrids=@null,{}", '+proj=longlat +nadgrids="{}"',
        "+proj=longlat +ellps=GRS80 +geoidgrids={} +vunits=m", "+proj=hgridshift +grids={} +type=crs",
        wkt_of_a_method("PROJ utm +step +proj=hgridshift +grids={}"), wkt_of_a_method("PROJ tinshift file={}"),
        f'{UTM.to_wkt()[:-1]},REMARK["PROJ CRS string: +proj=hgridshift +grids={{}}"]]',
        json.dumps({"init": "{}:666"}).replace("{}", "\\u002fsecret"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("place", ["/secret", "./secret", "..\\secret", "https://secret/x", "/" + "a" * 400])
def test_definitions_that_name_a_file_are_refused(definition, place):
    with trusting(), pytest.raises(LinkedFileError, match="names a file"):
        parse_crs(definition.replace("{}", place))
    with pytest.raises(LinkedFileError):  # a record, whoever reads it
        from_name(definition.replace("{}", place))


def test_a_file_that_users_name_themselves_is_opened_with_a_warning(tmp_path):
    (tmp_path / "own").write_text("<666> +proj=longlat +datum=WGS84 <>\n")
    definition = f"+init={tmp_path}/own:666"
    with pytest.warns(GeoevalWarning, match="the CRS names a file .*, which is opened"):
        assert parse_crs(definition).is_geographic
    with trusting(links="follow"):
        assert parse_crs(definition).is_geographic


def test_names_of_grids_that_proj_has_itself_are_no_files():
    assert named_file(MERCATOR) is None
    assert named_file(parse_crs("+proj=longlat +ellps=bessel +nadgrids=BETA2007.gsb,@null")) is None
