"""Buildings of OpenStreetMap."""

import pytest
import shapely

from geoeval import evaluate, read_objects
from geoeval.exceptions import EmptyInputError
from tests.readers.osm.osm_files import write

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


def _town(*elements):
    """Nodes 1 to 4, 5 to 8 and 11 to 14 are the corners of three plots, 0.0004 x 0.0003 degrees each."""
    corners = {first + k: (x + dx, dy) for first, x in ((1, 0), (5, 10), (11, 20)) for k, (dx, dy) in enumerate(PLOT)}
    nodes = [
        f'<node id="{number}" lat="{49.41 + y * 1e-4:.7f}" lon="{8.69 + x * 1e-4:.7f}"/>'
        for number, (x, y) in corners.items()
    ]
    return "\n".join(['<osm version="0.6">', *nodes, *elements, "</osm>"])


def _way(number, *refs, tags='<tag k="building" v="yes"/>'):
    return f'<way id="{number}">' + "".join(f'<nd ref="{ref}"/>' for ref in refs) + f"{tags}</way>"


PLOT = ((0, 0), (4, 0), (4, 3), (0, 3))
BUILDING = '<tag k="type" v="multipolygon"/><tag k="building" v="yes"/></relation>'
CROSSING = _town(
    _way(20, 1, 2, 3, 4, 1),
    _way(21, 5, 7, 6, 8, 5),  # a bow tie: half of its plot
    _way(22, 11, 13, 12, tags=""),
    _way(23, 11, 14, 12, tags=""),
    _way(24, 1, 2, 99, 1),  # one node is missing
    _way(25, 1, 3, tags=""),
    f'<relation id="30"><member type="way" ref="22" role="outer"/><member type="way" ref="23" role=""/>{BUILDING}',
    f'<relation id="31"><member type="way" ref="25" role="outer"/>{BUILDING}',  # does not close
)


def _negative(text):
    return text.replace('id="', 'id="-').replace('ref="', 'ref="-')


@pytest.mark.parametrize("edit", [str, _negative], ids=["ids", "negative"])
@pytest.mark.parametrize("packed", [False, True], ids=["xml", "pbf"])
def test_one_building_that_crosses_itself_does_not_stop_a_country(tmp_path, edit, packed):
    path = tmp_path / "town.osm"
    path.write_text(edit(CROSSING))
    if packed:
        path = write(tmp_path / "town.osm.pbf", edit(CROSSING))
    read = read_objects(path)
    sign = "-" if edit is _negative else ""
    found = dict(zip(read.ids.tolist(), read.areas.tolist(), strict=True))
    assert set(found) == {f"way/{sign}20", f"way/{sign}21", f"relation/{sign}30"}
    plot = found[f"way/{sign}20"]
    assert found[f"way/{sign}21"] == pytest.approx(plot / 2, rel=1e-5)
    assert found[f"relation/{sign}30"] == pytest.approx(plot / 2, rel=1e-5)
    assert read.problems == {"repaired": 2, "buildings_without_outline": 2}


def test_courtyards_with_negative_ids(tmp_path):
    """Outer ways that run in opposite directions, and an inner ring that touches nothing."""
    path = tmp_path / "josm.osm"
    path.write_text(_negative(OSM))
    negative = read_objects(path)
    (tmp_path / "plain.osm").write_text(OSM)
    plain = read_objects(tmp_path / "plain.osm")
    assert sorted(negative.ids) == ["relation/-30", "way/-20"]
    assert negative.area == pytest.approx(plain.area, rel=1e-12)
    assert negative.problems == plain.problems
    turned = OSM.replace(
        '<nd ref="3"/><nd ref="4"/><nd ref="1"/></way>', '<nd ref="1"/><nd ref="4"/><nd ref="3"/></way>'
    )
    path.write_text(_negative(turned))
    assert read_objects(path).area == pytest.approx(plain.area, rel=1e-12)


def test_crossing_buildings_in_tiles_give_the_numbers_of_the_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = write(tmp_path / "town.osm.pbf", CROSSING)
    whole = evaluate(path, path, kind="objects")
    tiled = evaluate(path, path, kind="objects", tile_size=1000)
    assert whole.scores["iou"]["tp"] == 3
    assert tiled.scores == whole.scores
