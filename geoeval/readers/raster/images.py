"""Images of all kinds: GeoTIFF, PNG and JPEG as values, and where their pixels are."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
import shapely.affinity
import shapely.geometry
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Bools, Floats
from geoeval.exceptions import (
    HOW_TO_GIVE_CRS,
    GeoevalError,
    LayerChoiceError,
    MissingCRSError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.gdal_files.drivers import IMAGE_FORMATS, OFFLINE, image_driver
from geoeval.model.extent import Extent
from geoeval.readers.extras import import_extra
from geoeval.readers.pixel_frame import place_pixels
from geoeval.readers.reader import InputFile, has_suffix
from geoeval.trust import check_expansion, check_limit

# From an open dataset, its path and the wanted band: the values, and which of them are data.
ReadValues = Callable[[Any, Path, str | int | None], tuple[NDArray[Any], Bools]]

# The largest value of the usual masks and probability maps.
_FULL_SCALES = (1.0, 255.0, 65535.0)

has_image_suffix = has_suffix(".tif", ".tiff", ".png", ".jpg", ".jpeg", ".vrt")


def is_image(file: InputFile) -> bool:
    """Whether the first bytes are those of an image that is read here."""
    return file.head.startswith(tuple(IMAGE_FORMATS))


@dataclass(frozen=True)
class PixelGrid:
    """Where pixels are: the CRS, and the affine map from column and row to its x and y."""

    crs: CRS
    affine: tuple[float, float, float, float, float, float]

    def places(self, pixels: Floats) -> Floats:
        """Centres of pixels, given as column and row."""
        a, b, c, d, e, f = self.affine
        column, row = pixels[:, 0] + 0.5, pixels[:, 1] + 0.5
        return np.column_stack([a * column + b * row + c, d * column + e * row + f])

    def extent(self, valid: Bools) -> Extent | None:
        """The ground of the pixels with data; in images without a georeference too."""
        if not valid.any():
            return None
        rows, columns = (np.flatnonzero(valid.any(axis=axis)) for axis in (1, 0))
        if valid[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].all():
            box = shapely.box(columns[0], rows[0], columns[-1] + 1, rows[-1] + 1)
        else:
            shapes = import_extra("rasterio.features").shapes(valid.astype(np.uint8), mask=valid, connectivity=4)
            box = shapely.union_all([shapely.geometry.shape(outline) for outline, _ in shapes])
        a, b, c, d, e, f = self.affine
        return Extent(shapely.affinity.affine_transform(box, (a, b, d, e, c, f)), self.crs)

    def pixel_metres(self, pixel: Floats, metric: CRS) -> float:
        """Side of a square with the area of this pixel."""
        corners = self.places(pixel + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        xy, _, _ = projections.to_metres(corners, self.crs, target=metric)
        return math.sqrt(abs(float(np.linalg.det(xy[1:] - xy[0]))))


def open_image(
    path: Path,
    *,
    crs: Any,
    pixel_size: float | None,
    layer: str | int | None,
    georeference: Any = None,
    read: ReadValues | None = None,
) -> tuple[NDArray[Any], Bools, PixelGrid]:
    """The values, which of them are data, and where the pixels are; ``read`` defaults to the largest of all bands."""
    rasterio = import_extra("rasterio")
    try:
        driver = image_driver(path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.Env(**OFFLINE), rasterio.open(path.absolute(), driver=driver) as dataset:
                grid = _grid(dataset, path, crs=crs, pixel_size=pixel_size, georeference=georeference)
                _check_size(dataset, path)
                values, valid = (read or _largest_values)(dataset, path, layer)
    except (
        rasterio.errors.RasterioError,
        rasterio._err.CPLE_BaseError,  # noqa: SLF001 - has no other name
        OSError,
        UnicodeDecodeError,
    ) as error:
        reason = " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"{path} cannot be read as an image ({reason}); check the file") from error
    if values.dtype.kind == "f":
        valid &= np.isfinite(values)
    return values, valid, grid


def size_without_georeference(path: Path) -> tuple[int, int] | None:
    """Columns and rows of an image that lies nowhere on Earth; ``None`` for any other file, damaged ones too."""
    file = InputFile(path)
    if not has_image_suffix(file) or not path.is_file():
        return None
    rasterio = import_extra("rasterio")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.Env(**OFFLINE), rasterio.open(path.absolute(), driver=image_driver(path)) as dataset:
                return (dataset.width, dataset.height) if dataset.crs is None else None
    except (rasterio.errors.RasterioError, rasterio._err.CPLE_BaseError, OSError, GeoevalError):  # noqa: SLF001 - as above
        return None


def _check_size(dataset: Any, path: Path) -> None:
    """An image of a few kilobytes may unpack to gigabytes."""
    pixels = dataset.width * dataset.height
    size = f"{dataset.width:,} x {dataset.height:,} pixels"
    check_limit("pixels", pixels, path, f"has {size} (it can be cut into tiles)")
    if dataset.driver != "VRT":
        check_expansion(pixels * dataset.count, path.stat().st_size, path, "pixels")


def _largest_values(dataset: Any, path: Path, layer: str | int | None) -> tuple[NDArray[Any], Bools]:
    """For each pixel the largest value of the wanted bands, and whether any of them is data."""
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
        data = np.ones(one.shape, dtype=bool) if is_all_data(dataset, band) else dataset.read_masks(band) > 0
        if values is None:
            values, valid = one, data
        else:
            larger = data & (~valid | (one > values))
            values = np.where(larger, one, values)
            valid |= data
    return values, valid


def is_all_data(dataset: Any, band: int) -> bool:
    """Whether no pixel of a band is marked as without data; an alpha band marks nothing."""
    return bool({flag.name for flag in dataset.mask_flag_enums[band - 1]} & {"all_valid", "alpha"})


def wanted_bands(dataset: Any, path: Path, layer: str | int | None) -> list[int]:
    """The band that the user chose, or the only one, or those of the colours."""
    meanings = [meaning.name for meaning in dataset.colorinterp]
    if layer is not None:
        if str(layer) not in map(str, dataset.indexes):
            raise LayerChoiceError(
                f"{path} has no band {layer!r}; to choose one of 1 to {dataset.count}, {{give:layer=NUMBER}}"
            )
        return [int(layer)]
    bands = [band for band, meaning in zip(dataset.indexes, meanings, strict=True) if meaning != "alpha"]
    if len(bands) > 1 and not {meanings[band - 1] for band in bands} <= {"red", "green", "blue"}:
        msg = f"{path} has {len(bands)} bands; to choose one, counted from 1, {{give:layer=NUMBER}}"
        raise LayerChoiceError(msg)
    return bands


def _grid(dataset: Any, path: Path, *, crs: Any, pixel_size: float | None, georeference: Any) -> PixelGrid:
    """The file's own georeference if it has one, else the given one, else pixels of a given size."""
    placed = not dataset.transform.is_identity
    if not all(map(math.isfinite, tuple(dataset.transform)[:6])):
        raise UnreadableInputError(f"{path}: its georeference makes no sense; georeference it again")
    named = crs if crs is not None else dataset.crs.to_wkt() if dataset.crs else None
    if placed and named is not None:
        return PixelGrid(projections.parse_crs(named), tuple(dataset.transform)[:6])
    if georeference is not None and not placed:
        frame = place_pixels(path, crs=crs, pixel_size=None, georeference=georeference)
        return PixelGrid(frame.crs, frame.affine)
    if pixel_size is None:
        if placed:
            msg = f"{path} has a georeference but no CRS; {HOW_TO_GIVE_CRS}"
            raise MissingCRSError(msg)
        if dataset.gcps[0]:
            msg = f"{path} has only control points; warp it (gdalwarp), or {{give:pixel-size=M}}"
            raise MissingCRSError(msg)
        if crs is not None:
            msg = f"{path} has no georeference, so a CRS does not place it; {{give:pixel-size=M}} instead"
            raise MissingPixelSizeError(msg)
    frame = place_pixels(path, crs=None, pixel_size=pixel_size)
    return PixelGrid(frame.crs, frame.affine)


def default_threshold(values: NDArray[Any], valid: Bools, path: str | Path) -> float:
    """Half of full scale, which is the first of 1, 255 and 65535 that no value exceeds."""
    highest = float(values.max(where=valid, initial=0))
    for full in _FULL_SCALES:
        if highest <= full * (1 + 1e-6):
            return full / 2
    msg = f"{path} has values up to {highest:g}; to say which are roads or objects, {{give:threshold=V}}"
    raise ParameterError(msg)
