"""Objects in images: pixels that carry the number of their object, masks, and probability maps.

What an image is, is told by its values:

- whole numbers of which there are more than two: labels, 0 being background; a colour image has one label a colour,
  black being background, and an image with a palette one label an entry;
- 0 and one other whole number, fractions, and JPEG: a mask, whose connected parts are the objects (pixels that touch at
  a corner only are not connected). The threshold is half of full scale, or the one given, which makes any image a mask.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import label as connected_parts

from geoeval.exceptions import UnreadableInputError
from geoeval.model.objects import ObjectMap
from geoeval.readers.pixels import check_pixel_size
from geoeval.readers.raster import Mask, default_threshold, open_image, wanted_bands


def read_label_image(
    path: Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    band: str | None = None,
    threshold: float | None = None,
) -> ObjectMap:
    """Read the objects of an image; pixels without data are background. No object gives an empty map."""
    check_pixel_size(pixel_size)
    values, valid, grid = open_image(path, crs=crs, pixel_size=pixel_size, layer=band, read=_labels)
    values = np.where(valid, values, 0)
    numbers = values.dtype.kind in "iu" and path.suffix.lower() not in {".jpg", ".jpeg"}
    if numbers and threshold is None and len(np.unique(values[values != 0])) > 1:
        codes = values
    elif numbers and threshold is None:
        codes, _ = connected_parts(values != 0)
    else:
        limit = default_threshold(values, valid, path) if threshold is None else threshold
        codes, _ = connected_parts((values >= limit) & valid)
    return ObjectMap.from_labels(codes, transform=grid.affine, crs=grid.crs, source=str(path))


def _labels(dataset: Any, path: Path, layer: str | int | None) -> tuple[NDArray[Any], Mask]:
    """One number a pixel: the band's, or that of its colour; white and grey colours are as bright as they are."""
    bands = wanted_bands(dataset, path, layer)
    values = dataset.read(bands[0])
    if values.dtype.kind not in "biuf":
        raise UnreadableInputError(f"{path} holds {values.dtype} values; labels or a mask are expected")
    valid = np.ones(values.shape, dtype=bool)
    for band in bands:
        flags = {flag.name for flag in dataset.mask_flag_enums[band - 1]}
        # Where the file calls 0 "no data" nothing is lost: it is background anyway.
        if not flags & {"all_valid", "alpha"}:
            valid &= dataset.read_masks(band) > 0
    if len(bands) == 3:
        red, green, blue = (dataset.read(band).astype(np.int64) for band in bands)
        grey = bool(((red == green) & (green == blue)).all())
        values = red if grey else (red << 16) + (green << 8) + blue
    elif values.dtype.kind == "b":
        values = values.astype(np.uint8)
    return values, valid
