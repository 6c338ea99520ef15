"""Masks and probability maps of roads: GeoTIFF, and PNG or JPEG with the size of a pixel."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.exceptions import (
    HOW_TO_GIVE_CRS,
    EmptyInputError,
    LayerChoiceError,
    MissingCRSError,
    MissingExtraError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.model.network import RoadNetwork
from geoeval.readers.pixels import check_pixel_size, pixel_frame
from geoeval.readers.skeleton import pixel_graph, trace

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# From an open dataset, its path and the wanted band: the values, and which of them are data.
Reader = Callable[[Any, Path, str | int | None], tuple[NDArray[Any], Mask]]

DEFAULT_MIN_SPUR = 10.0
MAX_PIXELS = 500_000_000
_FIRST_BYTES = {
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"II*\x00": "GTiff",
    b"MM\x00*": "GTiff",
    b"II+\x00": "GTiff",
    b"MM\x00+": "GTiff",
}
# The value of a sure road in the usual masks and probability maps.
_FULL_SCALES = (1.0, 255.0, 65535.0)


def read_raster(
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    threshold: float | None = None,
    min_spur: float = DEFAULT_MIN_SPUR,
    simplify: float | None = None,
    layer: str | int | None = None,
) -> RoadNetwork:
    """Read a mask or probability map of roads, thin it and trace its middle lines.

    The network has one component for every component of the mask (pixels that touch at a corner are connected) and
    one ring for every hole. Thinning shortens the ends of roads by up to half their width. A component that is
    thinned to a single pixel is dropped and counted in ``problems``, as are the pruned spurs.

    Parameters
    ----------
    path
        GeoTIFF, PNG or JPEG.
    crs
        What the georeference is in, where the file does not say, or to overrule what it says.
    pixel_size
        Metres per pixel, for an image without georeference. y then stays downwards, as in all pixel formats; the
        middle of the first pixel is at half a pixel.
    threshold
        A pixel is road if its value is at least this. By default half of full scale, which is the first of 1, 255
        and 65535 that no value exceeds. Pixels without data are no road.
    min_spur
        Dead ends that leave a junction and are shorter than this, in metres, are pruned.
    simplify
        How far a simplified course may be from the traced one, in metres; by default one pixel.
    layer
        Which band, from 1. Needed where there are several bands that are no colours; of colours a pixel has the
        largest. An alpha band is ignored.

    Returns
    -------
    RoadNetwork
        ``source_ids`` number the roads between junctions. A mask without any road is an error.
    """
    check_pixel_size(pixel_size)
    for name, value in (("min_spur", min_spur), ("simplify", simplify), ("threshold", threshold)):
        if value is not None and (math.isnan(value) or (value < 0 and name != "threshold")):
            raise ParameterError(f"{name} is {value}; give a number that is not negative")
    values, valid, grid = open_image(Path(path), crs=crs, pixel_size=pixel_size, layer=layer)
    limit = default_threshold(values, valid, path) if threshold is None else threshold
    mask = (values >= limit) & valid
    if not mask.any():
        highest = f"the largest value is {values[valid].max():g}" if valid.any() else "no pixel has data"
        msg = f"{path} has no pixel of at least {limit:g} ({highest}); give another threshold="
        raise EmptyInputError(msg)

    pixels, segments = pixel_graph(thinned(mask))
    if len(segments) == 0:
        raise EmptyInputError(f"{path} has {len(pixels)} dots of road but no line; check the image and the threshold")
    xy, metric, error = projections.to_metres(grid.places(pixels), grid.crs, trust_projected=True)
    tolerance = grid.pixel_metres(pixels.mean(axis=0), metric) if simplify is None else simplify
    traced = trace(mask, pixels, segments, metres=xy, min_spur=min_spur, simplify=tolerance)
    return RoadNetwork(
        traced.xy,
        traced.segments,
        crs=metric,
        source_ids=traced.road,
        merge_coincident=False,
        problems=traced.problems,
        source=str(path),
        scale_error=error,
    )


def thinned(mask: Mask) -> Mask:
    """Lines of one pixel with the components and holes of the mask.

    By Lee, Kashyap and Chu (1994), which keeps both for certain. The quicker method of Zhang and Suen, the default of
    scikit-image, eats up half of a diagonal road that is two pixels wide.
    """
    return _extra("skimage.morphology").skeletonize(mask, method="lee").astype(bool)


@dataclass(frozen=True)
class _Grid:
    """Where pixels are: the CRS, and the affine map from column and row to its x and y."""

    crs: CRS
    affine: tuple[float, float, float, float, float, float]

    def places(self, pixels: Floats) -> Floats:
        """Middles of pixels, given as column and row."""
        a, b, c, d, e, f = self.affine
        column, row = pixels[:, 0] + 0.5, pixels[:, 1] + 0.5
        return np.column_stack([a * column + b * row + c, d * column + e * row + f])

    def pixel_metres(self, pixel: Floats, metric: CRS) -> float:
        """Side of a square as large as this pixel."""
        corners = self.places(pixel + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        xy, _, _ = projections.to_metres(corners, self.crs, target=metric)
        return math.sqrt(abs(float(np.linalg.det(xy[1:] - xy[0]))))


def open_image(
    path: Path, *, crs: Any, pixel_size: float | None, layer: str | int | None, read: Reader | None = None
) -> tuple[NDArray[Any], Mask, _Grid]:
    """Values as ``read`` takes them, by default the largest; whether they are data; and where the pixels are."""
    rasterio = _extra("rasterio")
    try:
        driver = _driver(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.open(path, driver=driver) as dataset:
                grid = _grid(dataset, path, crs=crs, pixel_size=pixel_size)
                if dataset.width * dataset.height > MAX_PIXELS:
                    size = f"{dataset.width} x {dataset.height} pixels"
                    msg = f"{path} has {size}, more than {MAX_PIXELS // 10**6} million; cut it into tiles"
                    raise UnreadableInputError(msg)
                values, valid = (read or _values)(dataset, path, layer)
    except (rasterio.errors.RasterioError, OSError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"{path} cannot be read as an image ({reason}); check the file") from error
    if values.dtype.kind == "f":
        valid &= np.isfinite(values)
    return values, valid, grid


def _driver(path: Path) -> str:
    """The format, by the first bytes: GDAL knows many more, some of which open other files or addresses."""
    with path.open("rb") as stream:
        head = stream.read(8)
    for start, driver in _FIRST_BYTES.items():
        if head.startswith(start):
            return driver
    if path.suffix.lower() == ".vrt":
        return "VRT"
    raise UnreadableInputError(f"{path} is no image; GeoTIFF, PNG and JPEG are read")


def _values(dataset: Any, path: Path, layer: str | int | None) -> tuple[NDArray[Any], Mask]:
    """Of each pixel the largest value of the wanted bands that is data, and whether there is one."""
    values: Any = None
    valid: Any = None
    for band in wanted_bands(dataset, path, layer):
        one = dataset.read(band)
        if one.dtype.kind not in "biuf":
            raise UnreadableInputError(f"{path} holds {one.dtype} values; a mask or probabilities are expected")
        if dataset.driver == "PNG" and dataset.colorinterp[band - 1].name == "palette":
            colours = np.zeros(256, dtype=np.uint8)
            for index, colour in dataset.colormap(band).items():
                colours[index] = max(colour[:3])
            one = colours[one]
        flags = {flag.name for flag in dataset.mask_flag_enums[band - 1]}
        data = np.ones(one.shape, dtype=bool) if flags & {"all_valid", "alpha"} else dataset.read_masks(band) > 0
        if values is None:
            values, valid = one, data
        else:
            larger = data & (~valid | (one > values))
            values = np.where(larger, one, values)
            valid |= data
    return values, valid


def wanted_bands(dataset: Any, path: Path, layer: str | int | None) -> list[int]:
    """The band that a user names, or the only one, or those of the colours."""
    meanings = [meaning.name for meaning in dataset.colorinterp]
    if layer is not None:
        if str(layer) not in map(str, dataset.indexes):
            raise LayerChoiceError(f"{path} has no band {layer!r}; choose with --layer among 1 to {dataset.count}")
        return [int(layer)]
    bands = [band for band, meaning in zip(dataset.indexes, meanings, strict=True) if meaning != "alpha"]
    if len(bands) > 1 and not {meanings[band - 1] for band in bands} <= {"red", "green", "blue"}:
        msg = f"{path} has {len(bands)} bands; choose one with --layer NUMBER (layer=), from 1"
        raise LayerChoiceError(msg)
    return bands


def _grid(dataset: Any, path: Path, *, crs: Any, pixel_size: float | None) -> _Grid:
    """The file's own georeference if it has one, else pixels of a given size."""
    named = crs if crs is not None else dataset.crs.to_wkt() if dataset.crs else None
    if not dataset.transform.is_identity and named is not None:
        return _Grid(projections.parse_crs(named), tuple(dataset.transform)[:6])
    if pixel_size is None:
        if not dataset.transform.is_identity:
            msg = f"{path} has a georeference but no CRS; {HOW_TO_GIVE_CRS}"
            raise MissingCRSError(msg)
        if dataset.gcps[0]:
            msg = f"{path} is placed by control points only; warp it (gdalwarp) or give --pixel-size M (pixel_size=)"
            raise MissingCRSError(msg)
        if crs is not None:
            msg = f"{path} has no georeference, so a CRS does not place it; give --pixel-size M (pixel_size=) instead"
            raise MissingPixelSizeError(msg)
    frame, size = pixel_frame(path, crs=None, pixel_size=pixel_size)
    return _Grid(frame, (size, 0.0, 0.0, 0.0, size, 0.0))


def default_threshold(values: NDArray[Any], valid: Mask, path: str | Path) -> float:
    """Half of full scale, which is the first of 1, 255 and 65535 that no value exceeds."""
    highest = float(values.max(where=valid, initial=0))
    for full in _FULL_SCALES:
        if highest <= full * (1 + 1e-6):
            return full / 2
    msg = f"{path} has values up to {highest:g}; say from which one on a pixel is road with threshold="
    raise ParameterError(msg)


def _extra(package: str) -> Any:
    """A package of the raster extra."""
    try:
        return import_module(package)
    except ImportError as error:
        msg = f'images need {package.split(".", maxsplit=1)[0]}, which is not installed; pip install "geoeval[raster]"'
        raise MissingExtraError(msg) from error
