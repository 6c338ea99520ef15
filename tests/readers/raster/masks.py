"""Masks drawn from lines, and the topology of images and networks."""

import math

import numpy as np
import rasterio
import shapely
from scipy import ndimage

from geoeval.model.road_network import RoadNetwork
from geoeval.readers.raster.road_masks import thinned
from geoeval.readers.raster.skeleton import pixel_graph, trace

TEE = [[(20, 100), (180, 100)], [(100, 100), (100, 180)]]
CIRCLE = shapely.Point(100, 100).buffer(40, quad_segs=64).exterior
ROUNDABOUT = [CIRCLE, [(140, 100), (195, 100)], [(60, 100), (5, 100)], [(100, 140), (100, 195)], [(100, 60), (100, 5)]]
STAR = [[(100, 100), (100 + 80 * math.cos(angle), 100 + 80 * math.sin(angle))] for angle in np.arange(5) * 1.2566]
EIGHT = [[(100 + side * x, y) for x, y in ((0, 100), (40, 60), (80, 100), (40, 140), (0, 100))] for side in (-1, 1)]
LADDER = [[(20, 60), (180, 60)], [(20, 140), (180, 140)], [(60, 60), (60, 140)], [(140, 60), (140, 140)]]
SQUARE = [[(40, 40), (160, 40), (160, 160), (40, 160), (40, 40)]]


def crossing(angle, x=100.0, y=100.0):
    dx, dy = 70 * math.cos(math.radians(angle)), 70 * math.sin(math.radians(angle))
    return [[(x - 80, y), (x + 80, y)], [(x - dx, y - dy), (x + dx, y + dy)]]


def draw(lines, width, shape=(200, 200)):
    """All pixels whose middle is at most half the width from a line."""
    rows, columns = np.mgrid[: shape[0], : shape[1]]
    area = shapely.union_all(shapely.buffer([shapely.LineString(line) for line in lines], width / 2))
    shapely.prepare(area)
    return shapely.intersects_xy(area, columns, rows)


def topology(image):
    """Components (8-connected) and holes (4-connected) of an image, by labelling."""
    padded = np.pad(image, 1)
    return ndimage.label(padded, np.ones((3, 3)))[1], ndimage.label(~padded)[1] - 1


def traced(mask, *, min_spur=10.0, simplify=1.0):
    pixels, segments = pixel_graph(thinned(mask))
    got = trace(mask, pixels, segments, metres=pixels, min_spur=min_spur, simplify=simplify)
    return RoadNetwork(got.xy, got.segments, merge_coincident=False, problems=got.problems)


def graph_topology(network):
    components = int(network.components.max()) + 1
    return components, len(network.segments) - len(network.nodes) + components


def ends_and_junctions(network):
    """How many nodes there are of each degree but 2."""
    values, times = np.unique(network.degrees[network.degrees != 2], return_counts=True)
    return dict(zip(values.tolist(), times.tolist(), strict=True))


def write(path, values, **profile):
    bands = values[None] if values.ndim == 2 else values
    profile = {"driver": "GTiff" if path.suffix == ".tif" else "PNG", "dtype": bands.dtype} | profile
    with rasterio.open(path, "w", count=len(bands), height=bands.shape[1], width=bands.shape[2], **profile) as dataset:
        dataset.write(bands)
    return path


def utm(size=1.0):
    return {"crs": "EPSG:32610", "transform": rasterio.Affine(size, 0, 500_000, 0, -size, 4_000_000)}
