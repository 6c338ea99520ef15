"""Objects of images: labels, masks and probability maps. The values decide which of them an image is.

- More than two different whole numbers are labels, and 0 is background. In a colour image each colour is a label and
  black is background; in an image with a palette each entry is a label.
- 0 and one other whole number, fractions, and any JPEG are a mask. Its connected parts are the objects; pixels that
  touch only at a corner are not connected. The threshold is half of full scale. A given threshold makes any image a
  mask.
"""

from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.arrays import Bools
from geoeval.exceptions import UnreadableInputError
from geoeval.model.object_map import ObjectMap
from geoeval.readers.options import check_options
from geoeval.readers.raster.images import (
    default_threshold,
    has_image_suffix,
    is_all_data,
    is_image,
    open_image,
    wanted_bands,
)
from geoeval.readers.raster.photographs import refuse_photograph, refuse_photograph_of_labels
from geoeval.readers.reader import Reader
from geoeval.trust import check_expansion

# Bytes of a place.
_PLACE = 16


def read_label_image(
    path: Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
    layer: str | None = None,
    threshold: float | None = None,
) -> ObjectMap:
    """Read the objects of an image; pixels without data are background. No object gives an empty map."""
    from scipy.ndimage import label as connected_parts

    check_options({"pixel_size": pixel_size, "threshold": threshold})
    is_mask = threshold is not None or path.suffix.lower() in {".jpg", ".jpeg"}
    values, valid, grid = open_image(
        path, crs=crs, pixel_size=pixel_size, georeference=georeference, layer=layer, read=None if is_mask else _labels
    )
    values = np.where(valid, values, 0)
    numbers = values.dtype.kind in "iu" and not is_mask
    if numbers and len(np.unique(values[values != 0])) > 1:
        refuse_photograph_of_labels(values, path)
        codes = values
    elif numbers:
        codes, _ = connected_parts(values != 0)
    else:
        if threshold is None:
            refuse_photograph(values, valid, path)
        limit = default_threshold(values, valid, path) if threshold is None else threshold
        codes, _ = connected_parts((values >= limit) & valid)
    _check_outlines(codes, path)
    try:
        return ObjectMap.from_labels(
            codes,
            transform=grid.affine,
            crs=grid.crs,
            source=str(path),
            trust_projected=False,
            extent=grid.extent(valid),
        )
    except shapely.errors.ShapelyError as error:  # places beyond all numbers
        raise UnreadableInputError(f"{path}: its georeference makes no sense; georeference it again") from error


def _check_outlines(codes: NDArray[Any], path: Path) -> None:
    """An image of a few kilobytes may hold millions of objects of one pixel."""
    sides = int((codes[1:] != codes[:-1]).sum()) + int((codes[:, 1:] != codes[:, :-1]).sum())
    check_expansion(_PLACE * sides, path.stat().st_size, path, "bytes of outlines")


def _labels(dataset: Any, path: Path, layer: str | int | None) -> tuple[NDArray[Any], Bools]:
    """One number per pixel: that of the band or of the colour. Grey colours count as a single band."""
    bands = wanted_bands(dataset, path, layer)
    values = dataset.read(bands[0])
    if values.dtype.kind not in "biuf":
        raise UnreadableInputError(f"{path} holds {values.dtype} values; labels or a mask are expected")
    valid = np.ones(values.shape, dtype=bool)
    for band in bands:
        # Where the file calls 0 "no data" nothing is lost: it is background anyway.
        if not is_all_data(dataset, band):
            valid &= dataset.read_masks(band) > 0
    if len(bands) == 3:
        red, green, blue = (dataset.read(band).astype(np.int64) for band in bands)
        grey = bool(((red == green) & (green == blue)).all())
        values = red if grey else (red << 16) + (green << 8) + blue
    elif values.dtype.kind == "b":
        values = values.astype(np.uint8)
    return values, valid


READER = Reader("raster", reads={"objects": read_label_image}, by_content=is_image, by_name=has_image_suffix)
