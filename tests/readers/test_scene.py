"""Tiles of one scene: whatever the tiles, the map is that of the whole."""

import json

import geopandas as gpd
import numpy as np
import pytest
import rasterio
import shapely
from rasterio.transform import Affine
from shapely.affinity import rotate, translate

from geoeval import evaluate, read_objects
from geoeval.exceptions import GeoevalWarning, ParameterError, UnreadableInputError
from geoeval.pipeline.record import described
from geoeval.readers.patterns import files_of

UTM = "EPSG:32631"
EAST, NORTH, SIZE = 500_000.0, 5_000_000.0, 100.0


def houses(seed=0, count=40):
    """Turned houses that keep 3 m from each other, on four tiles of 100 m; many lie on a border."""
    rng = np.random.default_rng(seed)
    kept = [rotate(shapely.box(93, 91, 111, 108), 20)]  # on the corner of all four
    while len(kept) < count:
        x, y = rng.uniform(8, 192, 2)
        house = rotate(shapely.box(x, y, x + rng.uniform(6, 14), y + rng.uniform(5, 10)), rng.uniform(0, 90))
        if shapely.box(0, 0, 200, 200).contains(house) and min(house.distance(one) for one in kept) > 3:
            kept.append(house)
    return [translate(one, EAST, NORTH) for one in kept]


def tiles(margin=0.0):
    """Name and ground of the four tiles, which may overlap."""
    for row in range(2):
        for column in range(2):
            x, y = EAST + SIZE * column, NORTH + SIZE * row
            yield f"{column}_{row}", shapely.box(x - margin, y - margin, x + SIZE + margin, y + SIZE + margin)


def placed_at(west, north, pixel):
    return Affine(pixel, 0.0, west, 0.0, -pixel, north)


def cut(whole, ground):
    return [one for one in shapely.intersection(whole, ground).tolist() if not one.is_empty]


def images(folder, margin=0.0, pixel=0.5):
    """An empty georeferenced image for each tile."""
    folder.mkdir(exist_ok=True)
    for name, ground in tiles(margin):
        west, _, _, north = ground.bounds
        size = round((SIZE + 2 * margin) / pixel)
        with rasterio.open(
            folder / f"{name}.tif", "w", driver="GTiff", width=size, height=size, count=1, dtype="uint8", crs=UTM,
            transform=placed_at(west, north, pixel),
        ) as image:  # fmt: skip
            image.write(np.zeros((size, size), dtype=np.uint8), 1)
    return str(folder / "{name}.tif")


def pixels_of(shape, ground, pixel=0.5):
    west, _, _, north = ground.bounds
    return shapely.transform(shape, lambda xy: (xy - [west, north]) * [1 / pixel, -1 / pixel])


def assert_whole(found, whole, tolerance=1e-5):
    """Each object of the scene is one of the map, with its ground and its corners."""
    assert len(found) == len(whole)
    expected = [whole[row] for row in np.argmin(shapely.distance(found.polygons[:, None], whole), axis=1)]
    difference = shapely.area(shapely.symmetric_difference(found.polygons, expected))
    assert difference.max() < tolerance * SIZE
    one = gpd.GeoDataFrame(geometry=whole, crs=UTM)
    scores = evaluate(one, found, kind="objects", metrics="iou,vertex", aoi="all", crs=UTM).scores
    assert (scores["iou"]["fp"], scores["iou"]["fn"], scores["vertex"]["f1"]) == (0, 0, 1.0)


@pytest.mark.parametrize("margin", [0.0, 12.0], ids=["side by side", "overlapping"])
def test_layers_cut_at_borders_are_whole_again(tmp_path, margin):
    whole = houses()
    count = 0
    for name, ground in tiles(margin):
        own = cut(whole, ground)
        count += len(own)
        frame = gpd.GeoDataFrame({"score": np.linspace(0.1, 0.9, len(own))}, geometry=own, crs=UTM)
        frame.to_file(tmp_path / f"{name}_labels.geojson")
    assert count > len(whole) + 6
    found = read_objects(tmp_path / "{name}_labels.geojson", georeference=images(tmp_path / "images", margin))
    assert_whole(found, whole)
    assert max(one.count("+") for one in found.ids) == 3  # the one on the corner of all four
    pieces = sum(one.count("+") + 1 for one in found.ids if "+" in one)
    assert found.problems["joined_at_borders"] == pieces == count - len(whole) + sum("+" in one for one in found.ids)
    # An object is as sure as its surest piece.
    frames = {name: gpd.read_file(tmp_path / f"{name}_labels.geojson") for name, _ in tiles()}
    row = next(k for k, one in enumerate(found.ids) if one.count("+") == 3)
    pieces = [one.split("/") for one in found.ids[row].split("+")]
    assert found.confidence[row] == max(frames[name]["score"].iloc[int(number)] for name, number in pieces)


def test_tables_and_coco_files_of_many_images(tmp_path):
    whole, pattern = houses(1), images(tmp_path / "images")
    rows, listed, annotations = ["ImageId,BuildingId,PolygonWKT_Pix,Confidence"], [], []
    for number, (name, ground) in enumerate(tiles()):
        listed.append({"id": number, "file_name": f"{name}.jpg", "width": 200, "height": 200})
        west, _, _, north = ground.bounds
        (tmp_path / f"{name}.jgw").write_text(f"0.5\n0\n0\n-0.5\n{west + 0.25}\n{north - 0.25}\n")
        for piece in cut(whole, ground):
            own = pixels_of(piece, ground)
            rows.append(f'{name},{len(rows)},"{own.wkt}",0.5')
            ring = shapely.get_coordinates(own.exterior)[:-1].ravel().tolist()
            annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": 1,
                                "segmentation": [ring]})  # fmt: skip
    (tmp_path / "houses.csv").write_text("\n".join(rows))
    content = {"images": listed, "annotations": annotations, "categories": [{"id": 1, "name": "house"}]}
    (tmp_path / "houses.json").write_text(json.dumps(content))
    for name in ("houses.csv", "houses.json"):
        assert_whole(read_objects(tmp_path / name, georeference=pattern), whole)
        assert_whole(read_objects(tmp_path / name, georeference=str(tmp_path / "{name}.jgw"), crs=UTM), whole)
        chosen = read_objects(tmp_path / name, georeference=pattern, layer="1_0")
        assert len(chosen) == len(cut(whole, dict(tiles())["1_0"]))
        assert shapely.box(*chosen.bounds).within(dict(tiles())["1_0"].buffer(1e-6))


def test_labelled_images(tmp_path):
    """Pixels are cut exactly, so the scene is the whole image; ids of the tiles are told apart."""
    from rasterio.features import rasterize

    whole = houses(2)
    transform = placed_at(EAST, NORTH + 2 * SIZE, 0.5)
    codes = rasterize([(one, k + 1) for k, one in enumerate(whole)], (400, 400), transform=transform, dtype="int32")
    parts = {"all": (codes, transform)}
    for name, ground in tiles():
        west, _, _, north = ground.bounds
        column, row = round((west - EAST) / 0.5), round((NORTH + 2 * SIZE - north) / 0.5)
        parts[f"tile_{name}"] = codes[row : row + 200, column : column + 200], placed_at(west, north, 0.5)
    for name, (values, placed) in parts.items():
        with rasterio.open(
            tmp_path / f"{name}.tif", "w", driver="GTiff", width=values.shape[1], height=values.shape[0], count=1,
            dtype="int32", crs=UTM, transform=placed,
        ) as image:  # fmt: skip
            image.write(values, 1)
    scene, at_once = read_objects(tmp_path / "tile_{name}.tif"), read_objects(tmp_path / "all.tif")
    assert len(scene) == len(at_once)
    assert scene.area == pytest.approx(at_once.area, rel=1e-12)
    assert scene.extent.exact
    assert scene.extent.shape.area == pytest.approx(40_000)
    result = evaluate(tmp_path / "all.tif", tmp_path / "tile_{name}.tif", kind="objects", metrics="iou,polis")
    assert (result.scores["iou"]["f1"], result.scores["polis"]["polis"]) == (1.0, pytest.approx(0.0, abs=1e-9))
    assert result.run["files"]["prediction"]["sha256"] == described(tmp_path / "tile_{name}.tif")["sha256"]


def test_neighbours_at_a_border_stay_two(tmp_path):
    """Houses that meet at a corner of the border, that keep away from it, and of different classes."""
    left = [shapely.box(80, 10, 100, 20), shapely.box(80, 40, 98, 50), shapely.box(80, 70, 100, 80)]
    right = [shapely.box(100, 20, 120, 30), shapely.box(100, 40, 120, 50), shapely.box(100, 70, 120, 80)]
    for name, own, kinds in (("0_0", left, "aab"), ("1_0", right, "aac")):
        placed = [translate(one, EAST, NORTH) for one in own]
        gpd.GeoDataFrame({"use": list(kinds)}, geometry=placed, crs=UTM).to_file(tmp_path / f"{name}.gpkg")
    pattern = images(tmp_path / "images")
    assert len(read_objects(tmp_path / "{name}.gpkg", georeference=pattern)) == 5
    assert len(read_objects(tmp_path / "{name}.gpkg", georeference=pattern, class_column="use")) == 6


@pytest.mark.parametrize("gap", [0.3, 0.8])
def test_a_gap_of_a_pixel_is_closed(tmp_path, gap):
    """Detectors that end at the last pixel's middle leave a gap on both sides of the border."""
    ends = (shapely.box(80, 10, 100 - gap / 2, 20), shapely.box(100 + gap / 2, 10, 120, 20))
    for name, own in zip(("0_0", "1_0"), ends, strict=True):
        frame = gpd.GeoDataFrame(geometry=[translate(own, EAST, NORTH)], crs=UTM)
        frame.to_file(tmp_path / f"{name}.gpkg")
    found = read_objects(tmp_path / "{name}.gpkg", georeference=images(tmp_path / "images"))
    assert len(found) == 1
    assert found.polygons[0].geom_type == "Polygon"
    assert found.outlines.corners.tolist() == [4]
    assert found.area == pytest.approx(400)


def test_images_of_one_name_are_refused(tmp_path):
    """Both would be put where the one georeference is, and one would replace the other."""
    pattern = images(tmp_path / "images")
    listed = [{"id": k + 1, "file_name": f"{folder}/0_0.png", "width": 200, "height": 200}
              for k, folder in enumerate("ab")]  # fmt: skip
    rows = [{"id": k, "image_id": k, "category_id": 1, "bbox": [20 * k, 20, 10, 10]} for k in (1, 2)]
    path = tmp_path / "houses.json"
    path.write_text(json.dumps({"images": listed, "annotations": rows, "categories": [{"id": 1, "name": "house"}]}))
    for layer in (None, "{name}", "0_0"):
        with pytest.raises(ParameterError, match=r"'a/0_0.png' \(id 1\) and 'b/0_0.png' \(id 2\).*give layer=ID"):
            read_objects(path, georeference=pattern, layer=layer)
    for layer, own in (("1", 1), ("2", 2), ("a/0_0.png", 1)):
        assert read_objects(path, georeference=pattern, layer=layer).ids.tolist() == [own]


def test_an_image_is_chosen_by_its_id_before_the_name_of_another(tmp_path):
    """The objects and the place are those of one image."""
    pattern = images(tmp_path / "images")
    listed = [{"id": key, "file_name": f"{name}.png", "width": 200, "height": 200}
              for key, name in (("0_0", "1_0"), ("1_0", "0_0"))]  # fmt: skip
    rows = [{"id": k + 1, "image_id": one["id"], "category_id": 1, "bbox": [20, 20, 10, 10]}
            for k, one in enumerate(listed)]  # fmt: skip
    path = tmp_path / "houses.json"
    path.write_text(json.dumps({"images": listed, "annotations": rows, "categories": [{"id": 1, "name": "house"}]}))
    chosen = read_objects(path, georeference=pattern, layer="0_0")
    assert chosen.ids.tolist() == [1]
    assert shapely.box(*chosen.bounds).within(dict(tiles())["1_0"])


def test_a_tile_without_objects_has_no_columns(tmp_path):
    """An empty GeoJSON says nothing of classes, confidences and ids, and fits all other tiles."""
    pattern = images(tmp_path / "images")
    placed = [translate(shapely.box(80, 10, 90, 20), EAST, NORTH)]
    full = gpd.GeoDataFrame({"use": ["a"], "score": [0.5], "number": [7]}, geometry=placed, crs=UTM)
    full.to_file(tmp_path / "0_0.geojson")
    (tmp_path / "1_0.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    options = {"georeference": pattern, "class_column": "use", "confidence": "score", "id_column": "number"}
    found = read_objects(tmp_path / "{name}.geojson", **options)
    assert (found.ids.tolist(), found.classes.tolist(), found.confidence.tolist()) == (["7"], ["a"], [0.5])


def test_confidences_of_some_tiles_are_not_used(tmp_path):
    for name, column in (("0_0", {"score": [0.5]}), ("1_0", {})):
        place = translate(shapely.box(20, 10, 30, 20), EAST + SIZE * int(name[0]), NORTH)
        gpd.GeoDataFrame(column, geometry=[place], crs=UTM).to_file(tmp_path / f"{name}.gpkg")
    pattern = images(tmp_path / "images")
    with pytest.warns(GeoevalWarning, match="the tiles 1_0 have no confidences") as caught:
        found = read_objects(tmp_path / "{name}.gpkg", georeference=pattern)
    assert len(caught) == 1
    assert len(found) == 2
    assert found.confidence is None


def test_what_cannot_be_a_scene_is_said(tmp_path):
    (tmp_path / "a.csv").write_text('ImageId,WKT_Pix\nx,"POLYGON ((0 0, 1 0, 1 1, 0 0))"\ny,"POLYGON EMPTY"\n')
    with pytest.raises(UnreadableInputError, match="no file fits the pattern"):
        read_objects(tmp_path / "{name}.tif")
    with pytest.raises(ParameterError, match="have no place on Earth"):
        read_objects(tmp_path / "a.csv", layer="{name}", pixel_size=0.5)
    with pytest.raises(ParameterError, match="joined for objects, not for roads"):
        evaluate(tmp_path / "{name}.csv", tmp_path / "{name}.csv")
    gpd.GeoDataFrame(geometry=[shapely.box(0, 0, 1, 1)], crs=UTM).to_file(tmp_path / "b.gpkg")
    with pytest.raises(UnreadableInputError, match="has no images"):
        read_objects(tmp_path / "b.gpkg", layer="{name}")
    # A file that is no tile is read as it is, whatever places the images of the other one.
    assert len(read_objects(tmp_path / "b.gpkg", georeference=str(tmp_path / "{name}.tif"))) == 1
    assert list(files_of(str(tmp_path / "{name}.csv"))) == ["a"]
