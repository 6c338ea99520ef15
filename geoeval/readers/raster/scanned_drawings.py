"""The black pixels of scanned drawings and maps: PNG, TIFF, JPEG."""

from pathlib import Path
from typing import Any

import numpy as np

from geoeval.crs import is_local
from geoeval.exceptions import CRSError, ParameterError
from geoeval.model.drawing import PixelImage
from geoeval.readers.options import check_options
from geoeval.readers.raster.images import has_image_suffix, is_image, open_image
from geoeval.readers.reader import Reader
from geoeval.trust import no_such_file

INKS = ("auto", "dark", "bright")


def read_image(
    path: str | Path, *, ink: str = "auto", crs: Any = None, pixel_size: float | None = None, layer: str | None = None
) -> PixelImage:
    """Read the black pixels of a scanned drawing or map.

    Parameters
    ----------
    path
        The image. Without a georeference, pixel (column, row) lies at these coordinates times ``pixel_size``.
    ink
        ``"dark"``, ``"bright"``, or ``"auto"``: whichever is rarer. The limit is the middle of the values.
    crs
        CRS of the georeference, if the file does not say or is wrong.
    pixel_size
        Size of a pixel of an image without georeference; by default 1.
    layer
        Which band, if there are several.

    Raises
    ------
    CRSError
        The image is in degrees.
    """
    if ink not in INKS:
        raise ParameterError(f"unknown ink {ink!r}; choose one of {', '.join(INKS)}")
    check_options({"pixel_size": pixel_size})
    file = Path(path)
    if not file.exists():
        raise no_such_file(path)
    values, valid, grid = open_image(file, crs=crs, pixel_size=pixel_size or 1.0, layer=layer)
    if grid.crs.is_geographic:
        raise CRSError(f"{path} is in degrees, where widths mean nothing; warp it to a CRS in metres (gdalwarp)")
    values = values.astype(np.float64)
    low, high = (values.min(where=valid, initial=np.inf), values.max(where=valid, initial=-np.inf))
    dark = (values <= (low + high) / 2) & valid & (low < high)
    bright = (values > (low + high) / 2) & valid
    chosen = dark if ink == "dark" or (ink == "auto" and dark.sum() <= bright.sum() and low < high) else bright
    if is_local(grid.crs):  # plain pixel coordinates are those of centres, and y goes down as in the drawing
        size = pixel_size or 1.0
        centre = (size, 0.0, 0.0, 0.0, size, 0.0)
    else:  # a georeference is that of corners
        a, b, c, d, e, f = grid.affine
        centre = (a, b, c + (a + b) / 2, d, e, f + (d + e) / 2)
    return PixelImage(chosen, centre, grid.crs, source=str(path))


READER = Reader(
    "raster",
    refuses={"lines": "is an image, not lines; to measure against it, {give:image=FILE}"},
    by_content=is_image,
    by_name=has_image_suffix,
)
