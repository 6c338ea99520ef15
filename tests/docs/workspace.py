"""A folder with the files that the documentation speaks of, all tiny, so that its commands can be run as they stand."""

import json
import pickle
import shutil
from pathlib import Path

import geopandas as gpd
import numpy as np
from pyproj import Transformer
from shapely import affinity, box

import geoeval
from tests.networks import grid
from tests.readers.osm.osm_files import node, way, write, xml

CRS = "EPSG:32635"
CORNER = np.array([385_000.0, 6_672_000.0])
STREETS = [[tuple(CORNER + place) for place in line] for line in grid(6, 6, 110.0)]
HOUSES = [
    box(CORNER[0] + x, CORNER[1] + y, CORNER[0] + x + 14, CORNER[1] + y + 10)
    for x in range(20, 480, 40)
    for y in range(20, 460, 36)
]


def fill(folder):
    """Write every file."""
    streets = geoeval.RoadNetwork.from_lines(STREETS, crs=CRS)
    broken = geoeval.perturb(geoeval.perturb(streets, "missing", 3, seed=1).prediction, "interruptions", 4, seed=2)
    other = geoeval.perturb(streets, "missing", 6, seed=3)
    write(folder / "city.osm.pbf", osm())
    for copy in ("country.osm.pbf", "reference.osm.pbf"):
        (folder / copy).write_bytes((folder / "city.osm.pbf").read_bytes())
    for name, network in (("prediction.shp", broken.prediction), ("prediction.gpkg", broken.prediction),
                          ("reference.gpkg", streets), ("method-a.shp", broken.prediction),
                          ("method-b.shp", other.prediction)):  # fmt: skip
        geoeval.write_network(network, folder / name)
    moved = [affinity.translate(house, 1, 0) for house in HOUSES[5:]]
    for name, houses in (("houses.gpkg", HOUSES), ("detections.gpkg", moved), ("buildings.gpkg", moved)):
        gpd.GeoDataFrame({"score": np.linspace(0.3, 1, len(houses))}, geometry=houses, crs=CRS).to_file(folder / name)
    drawings(folder)
    graph = {(10, 10): [(10, 90)], (10, 90): [(10, 10), (90, 90)], (90, 90): [(10, 90)]}
    for name in ("gt.p", "prop.p", "truth.p", "prediction.p", "method-a.p", "method-b.p"):
        (folder / name).write_bytes(pickle.dumps(graph, protocol=2))
    coco(folder)
    results(folder, streets, {"method-a": broken.prediction, "method-b": other.prediction})


def names_of(page):
    """What the Python blocks of a page take as given."""
    if page != "docs/benchmark.md":
        return {}
    true = np.zeros((2, 64, 64), dtype=bool)
    true[:, 20, 5:60] = True
    others = geoeval.streaming.RoadScores(metrics="ccq,opt-j", pixel_size=1.0)
    others.update(true, true)
    return {"true": true, "predicted": true, "others": others}


def put_files_of(page):
    """Files that are others on one page than elsewhere, into the working folder."""
    if page == "docs/buildings.md":
        for name in ("reference.gpkg", "prediction.gpkg"):
            shutil.copy("detections.gpkg", name)
        scene(Path())


def scene(folder):
    """The houses on two tiles side by side, whose border cuts some of them: labels, images, layers and a table."""
    import rasterio
    from rasterio.features import rasterize
    from rasterio.transform import Affine

    rows = ["ImageId,BuildingId,PolygonWKT_Pix,Confidence"]
    for name in ("labels", "images", "predictions"):
        (folder / name).mkdir(exist_ok=True)
    for number, name in enumerate(("west", "east")):
        west, north = CORNER[0] + 230 * number, CORNER[1] + 460
        ground, frame = box(west, north - 460, west + 230, north), Affine(1.0, 0.0, west, 0.0, -1.0, north)
        own = [one for house in HOUSES if not (one := house.intersection(ground)).is_empty]
        codes = rasterize([(one, k + 1) for k, one in enumerate(own)], (460, 230), transform=frame, dtype="int32")
        grid_of = {"driver": "GTiff", "width": 230, "height": 460, "count": 1, "dtype": "int32", "crs": CRS}
        for kind, values in (("labels", codes), ("images", np.zeros_like(codes))):
            with rasterio.open(folder / kind / f"{name}.tif", "w", transform=frame, **grid_of) as image:
                image.write(values, 1)
        gpd.GeoDataFrame(geometry=own, crs=CRS).to_file(folder / "predictions" / f"{name}.geojson")
        pixels = [affinity.affine_transform(one, [1, 0, 0, -1, -west, north]) for one in own]
        rows += [f'{name},{k},"{one.wkt}",0.5' for k, one in enumerate(pixels)]
    (folder / "predictions.csv").write_text("\n".join(rows))


def coco(folder):
    """Objects as COCO's program takes them."""
    ring = [10, 10, 40, 10, 40, 30, 10, 30]
    image, category = {"id": 1, "width": 100, "height": 100, "file_name": "a.png"}, {"id": 1, "name": "building"}
    outline = {"id": 1, "image_id": 1, "category_id": 1, "segmentation": [ring], "area": 600, "bbox": [10, 10, 30, 20],
               "iscrowd": 0}  # fmt: skip
    truth = {"images": [image], "categories": [category], "annotations": [outline]}
    (folder / "instances.json").write_text(json.dumps(truth))
    found = {"image_id": 1, "category_id": 1, "segmentation": [ring], "score": 0.9}
    (folder / "results.json").write_text(json.dumps([found]))


def osm():
    """Streets and houses as OpenStreetMap has them."""
    to_degrees = Transformer.from_crs(CRS, "EPSG:4326", always_xy=True).transform
    outlines = [[*house.exterior.coords][:-1] for house in HOUSES]
    places = sorted({place for line in [*STREETS, *outlines] for place in line})
    numbers = {place: number for number, place in enumerate(places, start=1)}
    nodes = [node(number, *to_degrees(*place)) for place, number in numbers.items()]
    roads = [[*map(numbers.get, line)] for line in STREETS]
    rings = [[numbers[place] for place in (*line, line[0])] for line in outlines]
    ways = [way(number, refs, {"highway": "residential"}) for number, refs in enumerate(roads, start=1)]
    ways += [way(number, refs, {"building": "yes"}) for number, refs in enumerate(rings, start=1000)]
    return xml(*nodes, *ways)


def drawings(folder):
    import ezdxf
    from PIL import Image

    rows = [(20.0, 20.0 * row, 180.0, 20.0 * row) for row in range(1, 9)]
    drawing = geoeval.Drawing.from_lines([[row[:2], row[2:]] for row in rows], width=3)
    document = ezdxf.new()
    for x1, y1, x2, y2 in rows:
        document.modelspace().add_line((x1, y1), (x2, y2))
    document.saveas(folder / "drawing.dxf")
    geoeval.write_drawing(drawing, folder / "vectorised.svg")
    geoeval.write_drawing(drawing, folder / "plan.txt")
    pixels = np.full((200, 200), 255, dtype=np.uint8)
    pixels[19::20, 20:180] = 0
    Image.fromarray(pixels).save(folder / "scan.png")


def results(folder, streets, predictions):
    """The same street network scored in several places by two methods."""
    for method, prediction in predictions.items():
        (folder / "results" / method).mkdir(parents=True)
        for place in range(6):
            x, y = CORNER[0], CORNER[1] + 60 * place
            part = (x, y, x + 560, y + 250)
            scored = geoeval.evaluate(streets, prediction, metrics="ccq,opt-j", aoi=part)
            scored.write_json(folder / "results" / method / f"place-{place}.json")
        whole = geoeval.evaluate(streets, prediction, metrics="ccq,opt-j", aoi="all")
        whole.write_json(folder / "results" / f"{method}.json")
    geoeval.evaluate(streets, streets, metrics="ccq,opt-j", aoi="all").write_json(folder / "results" / "perfect.json")
    geoeval.evaluate(folder / "reference.gpkg", folder / "prediction.gpkg").write_json(folder / "yesterday.json")
