"""Small whole inputs of every kind that geoeval takes, which the mutators then damage.

``targets`` gives by name what is read (``roads``, ``objects``, ``lines``, ``image``, ``area``, or one of ``OWN``), the
name of the file, and its bytes.
"""

import gzip
import json
import pickle
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import NamedTuple

import ezdxf
import geopandas as gpd
import networkx as nx
import numpy as np
import rasterio
import shapely
import shapely.affinity
from pyproj import CRS

from tests.fuzz.hostile import svg
from tests.readers.graph.graph_files import node_link, streets
from tests.readers.osm.osm_files import NODES, TOWN, WAYS, way, write, xml


class Target(NamedTuple):
    """What is read, the name of its file, and a whole content."""

    content: str
    file: str
    data: bytes


LINES = [
    shapely.LineString([(8.6, 49.4), (8.61, 49.41), (8.62, 49.4)]),
    shapely.LineString([(8.61, 49.41), (8.6, 49.42)]),
]
POLYGONS = [shapely.box(8.6 + k / 1000, 49.4, 8.6005 + k / 1000, 49.4005) for k in range(3)]
SPACENET = 'ImageId,WKT_Pix\nimg1,"LINESTRING (0 0, 10 10, 20 5)"\nimg1,"LINESTRING (10 10, 0 20)"\n'
BUILDINGS = 'ImageId,BuildingId,PolygonWKT_Pix,Confidence\nimg1,1,"POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0))",0.5\n'
TRACK = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>a</name><trkseg>'
    '<trkpt lat="49" lon="8"/><trkpt lat="49.1" lon="8"/></trkseg></trk></gpx>'
)
TOPOLOGY = {
    "type": "Topology",
    "objects": {"a": {"type": "GeometryCollection", "geometries": [{"type": "LineString", "arcs": [0, -2]}]}},
    "arcs": [[[0, 0], [10, 10]], [[20, 0], [10, 10]]],
    "transform": {"scale": [1e-4, 1e-4], "translate": [8.6, 49.4]},
}
GRAPH = "0.0 0.0\n100.0 0.0\n100.0 50.0\n\n0 1\n1 0\n1 2\n"
CONSTRUCTED = "1,0.0,0.0\n2,100.0,0.0\n3,100.0,50.0\n"
SHAPES = (
    '<g transform="rotate(5)"><line x1="0" y1="0" x2="5" y2="5" stroke="black"/>'
    '<circle cx="3" cy="3" r="2" stroke="red"/>'
    '<path d="M0 0 C1 1 2 2 3 0 A2 2 0 0 1 5 5 Z" stroke="#123" stroke-width="2px"/></g><use href="#a"/>'
    '<rect id="a" width="3" height="2" style="stroke:blue;stroke-dasharray:3 1"/>'
)
REQUEST = [
    "roads", "a.geojson", "a.geojson", "--reference-layer", "a", "--metrics", "ccq,opt-j", "--set", "ccq.tolerance=5.0",
    "--set", "opt-j.max_distance=15.0", "--node", "ends", "--seed", "0", "--grid", "500.0", "--crs", "EPSG:32632",
    "--aoi", "8.5,49.3,8.7,49.5", "--align",
]  # fmt: skip
DEGREES = [[[49.4, 8.6], [49.41, 8.61], [49.4, 8.62]], [[0, 1], [1, 2]]]
COCO = {
    "images": [{"id": 1, "width": 40, "height": 30, "file_name": "a.png"}],
    "categories": [{"id": 100, "name": "building"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 100, "segmentation": [[1, 1, 9, 1, 9, 9, 1, 9]], "area": 64,
         "bbox": [1, 1, 8, 8], "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 100, "segmentation": {"size": [30, 40], "counts": [61, 8, 22, 8, 1101]},
         "area": 16, "bbox": [2, 1, 2, 8], "iscrowd": 1},
    ],
}  # fmt: skip
_TABLE = "# a table\n0 0 10 10 1.5 2\n10 10 20 5 1\n0 0 5 5 wall\n"
PAIRS = {(0, 0): [(0, 9)], (0, 9): [(0, 0), (5, 5)], (5, 5): [(0, 9)]}
SCORES = {
    "geoeval": "0.1.0",
    "kind": "roads",
    "scores": {"ccq": {"correctness": 0.5, "completeness": 0.7, "quality": 0.4}, "opt-j": {"f1": 0.9, "tp": 3}},
}


def as_geojson(shapes) -> str:
    """Shapes in degrees as GeoJSON."""
    features = [
        {"type": "Feature", "properties": {"name": "a"}, "geometry": shapely.geometry.mapping(one)} for one in shapes
    ]
    return json.dumps({"type": "FeatureCollection", "features": features})


def targets() -> dict[str, Target]:
    """All whole inputs, by name."""
    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # images without a georeference are wanted
        return dict(_made(Path(folder)))


def _made(folder: Path):
    town = xml(*NODES, *WAYS, way(105, [1, 2, 5, 1], {"building": "yes"}))
    for suffix in (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf"):
        data = write(folder / f"town{suffix}", town).read_bytes()
        yield f"roads{suffix}", Target("roads", f"town{suffix}", data)
        yield f"buildings{suffix}", Target("objects", f"town{suffix}", data)
    yield "josm.osm", Target("roads", "josm.osm", TOWN.replace('"hand"', '"JOSM"').encode())
    for content, shapes in (("roads", LINES), ("objects", POLYGONS), ("area", POLYGONS[:1])):
        frame = gpd.GeoDataFrame({"name": ["a"] * len(shapes), "width": 3.0}, geometry=shapes, crs=4326)
        for suffix in (".geojson", ".gpkg", ".fgb", ".gml", ".kml", ".parquet"):
            path = folder / f"{content}{suffix}"
            if suffix == ".parquet":
                frame.to_parquet(path)
            else:
                frame.to_file(path, driver={".kml": "KML", ".gml": "GML"}.get(suffix))
            yield f"{content}{suffix}", Target(content, path.name, path.read_bytes())
            if content == "roads" and suffix != ".kml":
                yield f"lines{suffix}", Target("lines", path.name, path.read_bytes())
        frame.to_file(folder / f"{content}.shp")
        parts = sorted(folder.glob(f"{content}.[sdcp][hbpr][pfgxj]"))
        with zipfile.ZipFile(folder / f"{content}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for part in parts:
                archive.write(part, part.name)
        yield f"{content}.zip", Target(content, f"{content}.zip", (folder / f"{content}.zip").read_bytes())
    yield from _more_vectors(folder)
    yield from _graphs(folder)
    yield from _drawings(folder)
    yield from _images(folder)
    yield from _own(folder, town)


def _more_vectors(folder: Path):
    """Formats that are unpacked, counted or looked through before GDAL opens them."""
    frame = gpd.GeoDataFrame({"name": ["a", "b"]}, geometry=LINES, crs=4326)
    frame.to_file(folder / "more.sqlite", driver="SQLite")
    yield "roads.sqlite", Target("roads", "more.sqlite", (folder / "more.sqlite").read_bytes())
    frame.to_file(folder / "more.kml", driver="KML")
    with zipfile.ZipFile(folder / "more.kmz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(folder / "more.kml", "doc.kml")
    yield "roads.kmz", Target("roads", "more.kmz", (folder / "more.kmz").read_bytes())
    yield from _more_archives(folder)
    yield from _more_definitions()
    yield "roads.geojson.gz", Target("roads", "more.geojson.gz", gzip.compress(as_geojson(LINES).encode(), mtime=0))
    yield "roads.gpx", Target("roads", "more.gpx", TRACK.encode())
    yield "roads.topojson", Target("roads", "more.topo.json", json.dumps(TOPOLOGY).encode())
    yield (
        "roads.dxf",
        Target(
            "roads",
            "more.dxf",
            b"0\nSECTION\n2\nENTITIES\n0\nLINE\n8\n0\n10\n8.6\n20\n49.4\n11\n8.7\n21\n49.5\n0\nENDSEC\n0\nEOF\n",
        ),
    )


def _more_archives(folder: Path):
    """Archives that have something before them, or the name of something else."""
    for content, shapes in (("roads", LINES), ("objects", POLYGONS)):
        inside = folder / f"{content}-inside.gpkg"
        gpd.GeoDataFrame(geometry=shapes, crs=4326).to_file(inside)
        for name in (f"{content}.gpkg.zip", f"{content}.dat"):
            path = folder / name
            path.write_bytes(b"#!/bin/sh\n" if name.endswith(".dat") else b"")
            with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
                archive.write(inside, "inside.gpkg")
            yield name, Target(content, name, path.read_bytes())
    packed = gzip.compress((folder / "roads-inside.gpkg").read_bytes(), mtime=0)
    yield "roads.gpkg.gz", Target("roads", "roads.gpkg.gz", packed)
    path = folder / "area.shz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        for part in sorted(folder.glob("area.[sdcp][hbpr][pfgxj]")):
            archive.write(part, part.name)
    yield "area.shz", Target("area", "area.shz", path.read_bytes())


def _more_definitions():
    """CRSs in all the words that files have for them."""
    utm = CRS.from_epsg(32632)
    placed = [shapely.affinity.affine_transform(line, (1e4, 0, 0, 1e4, 4e5, 5e6)) for line in LINES]
    texts = {"epsg": "EPSG:32632", "proj": utm.to_proj4(), "wkt": utm.to_wkt("WKT1_GDAL"), "wkt2": utm.to_wkt()}
    for word, text in texts.items():
        described = json.loads(as_geojson(placed))
        described["crs"] = {"type": "name", "properties": {"name": text}}
        file = f"{word}.geojson"
        yield f"roads.{file}", Target("roads", file, json.dumps(described).encode())
    graph = {"nodes": [{"id": 1, "x": 5e5, "y": 5e6}, {"id": 2, "x": 5.01e5, "y": 5e6}],
             "links": [{"source": 1, "target": 2}]}  # fmt: skip
    for word, text in {**texts, "projjson": utm.to_json_dict()}.items():
        described = {**graph, "graph": {"crs": text}}
        yield f"{word}.json", Target("roads", f"{word}.json", json.dumps(described).encode())


def _graphs(folder: Path):
    graph = streets()
    nx.write_graphml(graph, folder / "g.graphml")
    yield "roads.graphml", Target("roads", "g.graphml", (folder / "g.graphml").read_bytes())
    yield "roads.json", Target("roads", "g.json", json.dumps(node_link(graph)).encode())
    yield "tile.json", Target("roads", "tile.json", json.dumps(DEGREES).encode())
    yield "coco.json", Target("objects", "annotations.json", json.dumps(COCO).encode())
    for protocol in (0, 2, 4):
        yield f"graph{protocol}.p", Target("roads", "g.p", pickle.dumps(graph, protocol=protocol))
    yield "pairs.p", Target("roads", "pairs.p", pickle.dumps(PAIRS, protocol=2))
    yield "roads.graph", Target("roads", "g.graph", GRAPH.encode())
    yield "roads.txt", Target("roads", "g_vertices.txt", CONSTRUCTED.encode())
    yield "roads.csv", Target("roads", "roads.csv", SPACENET.encode())
    yield "objects.csv", Target("objects", "buildings.csv", BUILDINGS.encode())


def _drawings(folder: Path):
    document = ezdxf.new()
    space = document.modelspace()
    block = document.blocks.new("B")
    block.add_line((0, 0), (1, 1))
    space.add_blockref("B", (3, 3), dxfattribs={"row_count": 2, "row_spacing": 1.0})
    space.add_arc((1, 1), 2, 0, 90)
    space.add_lwpolyline([(0, 0, 0, 0, 0.5), (3, 3, 0, 0, 0), (4, 0, 0, 0, 0)])
    space.add_spline([(0, 0, 0), (1, 2, 0), (3, 3, 0), (4, 0, 0)])
    space.add_ellipse((0, 0), (3, 0), 0.5)
    document.saveas(folder / "d.dxf")
    yield "lines.dxf", Target("lines", "d.dxf", (folder / "d.dxf").read_bytes())
    yield "lines.svg", Target("lines", "d.svg", svg(SHAPES).encode())
    yield "lines.txt", Target("lines", "d.txt", _TABLE.encode())


def _images(folder: Path):
    values = np.zeros((40, 40), dtype=np.uint8)
    values[10:13], values[:, 20:22], values[30:35, 5:9] = 255, 255, 128
    place = {"crs": "EPSG:32632", "transform": rasterio.Affine(1, 0, 5e5, 0, -1, 5e6)}
    for suffix, options in ((".tif", {"compress": "DEFLATE", **place}), (".lzw.tif", {"compress": "LZW", **place}),
                            (".png", {}), (".jpg", {})):  # fmt: skip
        path = folder / f"mask{suffix}"
        with rasterio.open(path, "w", width=40, height=40, count=1, dtype="uint8", **options) as image:
            image.write(values, 1)
        for content in ("roads", "objects", "image"):
            yield f"{content}{suffix}", Target(content, path.name, path.read_bytes())


def _own(folder: Path, town: str):
    """What geoeval and its plugin write themselves, and read again."""
    from geoeval.benchmarking.outcome import Outcome
    from geoeval.scale.store.osm_store import store_osm
    from geoeval.scale.tiles.part import Part
    from geoeval.writers.tables import write_csv
    from tests.fuzz.own_inputs import small_record, small_result, small_run, small_run_of_objects

    result = small_result()
    whole = json.dumps(result.plain()).encode()
    yield "results.json", Target("scores", "result.json", whole)
    yield "previous.json", Target("previous", "earlier.json", whole)
    yield "area.json", Target("area", "result.json", whole)
    yield "record.json", Target("record", "record.json", small_record().encode())
    yield "plan.csv", Target("plan", "plan.csv", write_csv(result.plan.edits, folder / "plan.csv").read_bytes())
    run, verdicts = small_run()
    yield "run.gpkg", Target("run", "run.gpkg", run)
    yield "objects of run.gpkg", Target("run", "run.gpkg", small_run_of_objects())
    yield "verdicts.csv", Target("verdicts", "verdicts.csv", verdicts)
    yield "request.json", Target("request", "request.json", json.dumps(REQUEST).encode())
    yield "protocol.p", Target("protocol", "pairs.p", pickle.dumps(PAIRS, protocol=2))
    yield "protocol.graph", Target("protocol", "g.graph", GRAPH.encode())
    yield "protocol.png", Target("protocol", "mask.png", (folder / "mask.png").read_bytes())
    yield "evaluation.geojson", Target("evaluation", "roads.geojson", as_geojson(LINES).encode())
    yield "evaluation.graph", Target("evaluation", "roads.graph", GRAPH.encode())
    for suffix in (".svg", ".txt"):
        drawn = folder / f"d{suffix}"
        drawn.write_text(svg(SHAPES) if suffix == ".svg" else _TABLE)
        yield f"drawing{suffix}", Target("drawing", drawn.name, drawn.read_bytes())
    yield "drawing.geojson", Target("drawing", "roads.geojson", as_geojson(LINES).encode())

    store = store_osm(write(folder / "store.osm.pbf", town), folder / "store.parquet")
    yield "store.parquet", Target("store", "town.osm.pbf", store.path.read_bytes())
    part = Part(counts={}, scores={"ccq": {"quality": 0.5}}, seconds={"ccq": 1.0})
    yield "tile.part", Target("part", "0_0.part", part.to_bytes())
    yield "result.json", Target("scores", "a.json", json.dumps(SCORES).encode())
    yield "pairs.csv", Target("pairs", "pairs.csv", b"name,reference,one,two\na,roads.geojson,roads.geojson,\n")
    scores = {
        "ccq": [{"quality": 0.5}, {"ref_length": 9.0, "ref_matched": 9.0, "pred_length": 9.0, "pred_matched": 9.0}]
    }
    yield "streamed.json", Target("streamed", "streamed.json", json.dumps(scores).encode() + b"\n")
    yield "kept.part", Target("kept part", "0_0.part", part.to_bytes())
    outcome = Outcome(
        "a", "b", "scored", scores={"ccq": {"quality": 0.5}}, crs="EPSG:32632", extent=(0.0, 0.0, 9.0, 9.0)
    )
    yield "kept.place", Target("kept place", "000_0.part", outcome.to_bytes())
    yield "scores.csv", Target("scores", "a.csv", b"name,f1,iou\nA,0.5,0.2\nB,0.7,0.1\n")
    kind = {"name": "missing", "plural": "missing roads", "is_error": True, "hidden": False, "layers": []}
    facts = {"protocol": 1, "version": "0.1.0", "commands": ["roads"], "errors": ["doubled"], "error_kinds": [kind]}
    yield "engine.json", Target("engine", "engine.json", json.dumps(facts).encode())
