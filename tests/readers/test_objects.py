"""Objects from files: polygons, OpenStreetMap, tables and images become the same map."""

import numpy as np
import pytest
import shapely

from geoeval import ObjectMap, evaluate_objects, read_objects
from geoeval.exceptions import EmptyInputError, LayerChoiceError, MissingCRSError, UnreadableInputError

gpd = pytest.importorskip("geopandas")
rasterio = pytest.importorskip("rasterio")

CRS = "EPSG:32616"
HOUSES = [shapely.box(500_000 + 40 * k, 3_700_000, 500_000 + 40 * k + 12 + k, 3_700_010) for k in range(4)]
YARD = shapely.Polygon(
    [(500_200, 3_700_000), (500_230, 3_700_000), (500_230, 3_700_030), (500_200, 3_700_030)],
    [[(500_210, 3_700_010), (500_220, 3_700_010), (500_220, 3_700_020), (500_210, 3_700_020)]],
)


def frame(geometries, **columns):
    return gpd.GeoDataFrame(columns, geometry=list(geometries), crs=CRS)


@pytest.mark.parametrize("name", ["b.gpkg", "b.shp", "b.geojson", "b.fgb", "b.parquet"])
def test_every_vector_format_gives_the_same_objects(tmp_path, name):
    given = frame([*HOUSES, YARD])
    given.to_parquet(tmp_path / name) if name.endswith("parquet") else given.to_file(tmp_path / name)
    read = read_objects(tmp_path / name)
    expected = ObjectMap.from_geodataframe(given)
    np.testing.assert_allclose(read.areas, expected.areas, rtol=1e-6)
    np.testing.assert_allclose(read.centroids, expected.centroids, atol=1e-2)
    assert read.source.endswith(name)


def test_only_the_layer_of_polygons_is_read(tmp_path):
    path = tmp_path / "town.gpkg"
    frame([shapely.LineString([(500_000, 3_700_000), (500_100, 3_700_000)])]).to_file(path, layer="roads")
    frame(HOUSES).to_file(path, layer="houses")
    assert len(read_objects(path)) == 4
    frame(HOUSES[:1]).to_file(path, layer="more")
    with pytest.raises(LayerChoiceError, match="houses, more"):
        read_objects(path)
    assert len(read_objects(path, layer="more")) == 1


def test_what_is_no_polygon_is_counted_or_refused(tmp_path):
    bow = shapely.Polygon([(500_000, 3_700_000), (500_010, 3_700_010), (500_010, 3_700_000), (500_000, 3_700_010)])
    frame([HOUSES[1], bow, None, shapely.Point(500_000, 3_700_000)]).to_file(tmp_path / "mixed.gpkg")
    read = read_objects(tmp_path / "mixed.gpkg")
    assert read.problems == {"without_geometry": 1, "not_polygons": 1, "repaired": 1}
    assert read.areas.tolist() == pytest.approx([50, 130])
    frame([shapely.Point(500_000, 3_700_000)]).to_file(tmp_path / "points.gpkg")
    with pytest.raises(EmptyInputError, match="holds points, no polygons"):
        read_objects(tmp_path / "points.gpkg")
    frame(HOUSES).iloc[:0].to_file(tmp_path / "none.gpkg", geometry_type="Polygon")
    assert read_objects(tmp_path / "none.gpkg").is_empty
    frame(HOUSES).to_file(tmp_path / "nowhere.shp")
    (tmp_path / "nowhere.prj").unlink()
    with pytest.raises(MissingCRSError, match="crs="):
        read_objects(tmp_path / "nowhere.shp")
    with pytest.raises(UnreadableInputError, match="no such file"):
        read_objects(tmp_path / "nothing.gpkg")


def test_confidence_is_read_where_it_is_a_number(tmp_path):
    frame(HOUSES, conf=[0.9, 0.1, 0.5, 0.7]).to_file(tmp_path / "sure.gpkg")
    assert read_objects(tmp_path / "sure.gpkg").confidence.tolist() == [0.9, 0.1, 0.5, 0.7]
    frame(HOUSES, score=["high", "low", "low", "low"]).to_file(tmp_path / "words.gpkg")
    assert read_objects(tmp_path / "words.gpkg").confidence is None


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


TABLE = """ImageId,BuildingId,PolygonWKT_Pix,Confidence
a,1,"POLYGON ((0 0 0, 10 0 0, 10 10 0, 0 10 0, 0 0 0))",0.5
a,2,"POLYGON ((20 0, 30 0, 30 10, 20 10, 20 0))",0.75
b,-1,POLYGON EMPTY,1
"""


def test_spacenet_tables(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(TABLE)
    read = read_objects(path, layer="a", pixel_size=0.5)
    assert read.areas.tolist() == [25, 25]
    assert read.ids.tolist() == [1, 2]
    assert read.confidence.tolist() == [0.5, 0.75]
    empty = read_objects(path, layer="b", pixel_size=0.5)
    assert empty.is_empty
    assert empty.problems == {"without_geometry": 1}
    with pytest.raises(LayerChoiceError, match="2 images"):
        read_objects(path, pixel_size=1)


def image(path, values, **kwargs):
    values = np.asarray(values)
    bands = values if values.ndim == 3 else values[None]
    driver = "PNG" if path.suffix == ".png" else "GTiff"
    size = {"height": bands.shape[1], "width": bands.shape[2], "count": len(bands), "dtype": bands.dtype}
    with rasterio.open(path, "w", driver=driver, **size, **kwargs) as dataset:
        dataset.write(bands)
    return path


PIXELS = np.zeros((20, 30), dtype=np.uint8)
PIXELS[2:8, 3:9] = 1
PIXELS[8:12, 9:15] = 1  # touches the first at a corner
PIXELS[2:8, 20:28] = 1
LABELS = PIXELS.copy()
LABELS[2:8, 20:24] = 7
LABELS[2:8, 24:28] = 9


@pytest.mark.filterwarnings("ignore::rasterio.errors.NotGeoreferencedWarning")
def test_masks_and_labels(tmp_path):
    """Masks of any two values fall into connected parts; more values are labels, whatever lies where."""
    for name, values in (("m.png", PIXELS * 255), ("m1.png", PIXELS), ("m7.png", PIXELS * 7)):
        read = read_objects(image(tmp_path / name, values), pixel_size=0.5)
        assert read.areas.tolist() == [9, 6, 12]
        assert read.problems == {}
    share = read_objects(image(tmp_path / "p.tif", PIXELS * np.float32(0.7)), pixel_size=0.5)
    assert share.areas.tolist() == [9, 6, 12]
    assert read_objects(tmp_path / "p.tif", pixel_size=0.5, threshold=0.8).is_empty
    labels = read_objects(image(tmp_path / "l.png", LABELS), pixel_size=0.5)
    assert sorted(zip(labels.ids, labels.areas, strict=True)) == [(1, 15), (7, 6), (9, 6)]
    assert labels.problems == {"labels_in_several_parts": 1}
    colours = np.stack([LABELS, LABELS // 2, 255 * (LABELS > 0)]).astype(np.uint8)
    assert sorted(read_objects(image(tmp_path / "c.png", colours), pixel_size=0.5).areas) == [6, 6, 15]
    assert len(read_objects(tmp_path / "l.png", pixel_size=0.5, threshold=1)) == 3
    assert read_objects(image(tmp_path / "none.png", 0 * PIXELS), pixel_size=1).is_empty


def test_a_georeferenced_label_image_lies_where_its_polygons_do(tmp_path):
    place = {"crs": CRS, "transform": rasterio.Affine(2.0, 0.0, 500_000.0, 0.0, -2.0, 3_700_000.0)}
    labels = read_objects(image(tmp_path / "l.tif", LABELS.astype(np.int32), **place))
    labels.to_geodataframe().to_file(tmp_path / "l.gpkg")
    polygons = read_objects(tmp_path / "l.gpkg")
    assert labels.bounds == polygons.bounds == (500_006, 3_699_976, 500_056, 3_699_996)
    mixed = evaluate_objects(labels, polygons, parameters={"max-overlap": {"resolution": 2.0}}).scores
    pixels = evaluate_objects(labels, labels, parameters={"max-overlap": {"resolution": 2.0}}).scores
    assert mixed["max-overlap"]["mallows"] == pytest.approx(1)
    assert mixed["bgm"]["score"] == pixels["bgm"]["score"] == 1
    assert pixels["max-overlap"]["overlap"] == mixed["max-overlap"]["overlap"] == 432


def test_an_area_cuts_both_kinds_alike(tmp_path):
    frame(HOUSES).to_file(tmp_path / "h.gpkg")
    cut = read_objects(tmp_path / "h.gpkg", aoi=(499_990, 3_699_990, 500_046, 3_700_020))
    assert cut.areas.tolist() == [120, 60]
    assert cut.problems == {"cut_objects": 1}


def test_real_extracts(data):
    town = read_objects(data / "osm" / "graphhopper_monaco.osm.gz")
    assert len(town) == 966
    assert len(read_objects(data / "osm" / "otp_portland-central-filtered.osm.pbf")) == 1  # its ways are out of order


def test_spacenet_samples(data):
    """Published: TP 8, FP 20, FN 20 at IoU 0.5; the same from the reference in degrees."""
    folder = data / "buildings"
    prediction = read_objects(folder / "pred.geojson")
    results = [
        evaluate_objects(read_objects(folder / name), prediction, parameters={"max-overlap": {"mallows": False}})
        for name in ("gt.geojson", "gt_epsg4326.json")
    ]
    for result in results:
        assert [result.scores["iou"][name] for name in ("tp", "fp", "fn")] == [8, 20, 20]
    for metric, scores in results[0].scores.items():
        for name, value in scores.items():
            assert results[1].scores[metric][name] == (value if value is None else pytest.approx(value, rel=1e-6))


def test_spacenet_tables_as_published(data):
    """Every row of the published results, and the IoU of every building to the last digits."""
    pd = pytest.importorskip("pandas")
    folder = data / "buildings"
    published = pd.read_csv(folder / "SN2_test_results_full.csv")
    by_building = pd.read_csv(folder / "SN2_sample_iou_by_building.csv")
    seen = 0
    for row in published.itertuples():
        maps = [
            read_objects(folder / f"SN2_sample_{name}.csv", layer=row.imageID, pixel_size=1)
            for name in ("truth", "preds")
        ]
        result = evaluate_objects(*maps, metrics="iou", parameters={"iou": {"min_area": 20}})
        scores = result.scores["iou"]
        assert (scores["tp"], scores["fp"], scores["fn"]) == (row.TruePos, row.FalsePos, row.FalseNeg)
        if row.TruePos:
            assert scores["precision"] == pytest.approx(row.Precision, abs=1e-12)
            assert scores["recall"] == pytest.approx(row.Recall, abs=1e-12)
            assert scores["f1"] == pytest.approx(row.F1Score, abs=1e-12)
        # The row in the table is one less than the number of the line below the header.
        for number, value in zip(maps[0].ids, result.details["iou"]["reference_iou"], strict=True):
            assert value == pytest.approx(by_building.iou_score[number - 1], abs=1e-9)
            seen += 1
    assert seen == 171
