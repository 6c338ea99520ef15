"""Buildings of OpenStreetMap."""

import pytest
import shapely

from geoeval import read_objects
from geoeval.exceptions import EmptyInputError

OSM = """<osm version="0.6">
<node id="1" lat="49.4100" lon="8.6900"/><node id="2" lat="49.4100" lon="8.6904"/>
<node id="3" lat="49.4103" lon="8.6904"/><node id="4" lat="49.4103" lon="8.6900"/>
<node id="5" lat="49.4101" lon="8.6901"/><node id="6" lat="49.4101" lon="8.6903"/>
<node id="7" lat="49.4102" lon="8.6903"/><node id="8" lat="49.4102" lon="8.6901"/>
<node id="11" lat="49.4110" lon="8.6900"/><node id="12" lat="49.4110" lon="8.6902"/>
<node id="13" lat="49.4111" lon="8.6902"/>
<way id="10"><nd ref="1"/><nd ref="2"/><nd ref="3"/></way>
<way id="11"><nd ref="3"/><nd ref="4"/><nd ref="1"/></way>
<way id="12"><nd ref="5"/><nd ref="6"/><nd ref="7"/><nd ref="8"/><nd ref="5"/></way>
<way id="20"><nd ref="11"/><nd ref="12"/><nd ref="13"/><nd ref="11"/><tag k="building" v="house"/></way>
<way id="21"><nd ref="11"/><nd ref="12"/><nd ref="13"/><nd ref="11"/><tag k="building" v="no"/></way>
<way id="22"><nd ref="11"/><nd ref="12"/><tag k="building" v="yes"/></way>
<way id="23"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/><tag k="leisure" v="park"/></way>
<relation id="30"><member type="way" ref="10" role="outer"/><member type="way" ref="11" role="outer"/>
<member type="way" ref="12" role="inner"/><tag k="type" v="multipolygon"/><tag k="building" v="yes"/></relation>
</osm>"""


def test_buildings_of_openstreetmap(tmp_path):
    """A closed way, and a relation whose outer ring is in two ways with a courtyard; an open way has no outline."""
    path = tmp_path / "town.osm"
    path.write_text(OSM)
    read = read_objects(path)
    assert sorted(read.ids) == ["relation/30", "way/20"]
    assert read.problems == {"buildings_without_outline": 1}
    hall = read.polygons[list(read.ids).index("relation/30")]
    assert len(shapely.get_parts(hall)[0].interiors) == 1
    # 0.0004 x 0.0003 degrees without 0.0002 x 0.0001: 10 of 12 parts of 29.02 m x 33.36 m.
    assert hall.area == pytest.approx(29.02 * 33.36 * 10 / 12, rel=2e-3)
    assert str(read.crs) == "EPSG:32632"


def test_openstreetmap_in_any_order_and_without_buildings(tmp_path):
    lines = OSM.splitlines()
    nodes = [line for line in lines if line.startswith("<node")]
    rest = [line for line in lines if not line.startswith("<node")]
    mixed = tmp_path / "mixed.osm"
    mixed.write_text("\n".join([rest[0], *nodes, *rest[4:8], *rest[1:4], *rest[8:]]))
    assert sorted(read_objects(mixed).ids) == ["relation/30", "way/20"]
    bare = tmp_path / "bare.osm"
    bare.write_text(OSM.replace("building", "barn"))
    with pytest.raises(EmptyInputError, match="no building"):
        read_objects(bare)


def test_real_extracts(data):
    town = read_objects(data / "osm" / "graphhopper_monaco.osm.gz")
    assert len(town) == 966
    assert len(read_objects(data / "osm" / "otp_portland-central-filtered.osm.pbf")) == 1  # its ways are out of order
