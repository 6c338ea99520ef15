"""What pixel formats share: where their pixels are, and networks of numbered nodes.

Pixel coordinates are columns to the right and rows downwards. A georeference places them on Earth. Without one, x is
the column and y minus the row, times the size of a pixel: so the map is the right way up, and lies on the image where
a GIS shows an image without georeference. All pixel formats are read alike, so that two of them for one image lie on
top of each other.
"""

import math
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from pyproj import CRS

from geoeval import crs as projections
from geoeval.arrays import Floats, Ints
from geoeval.exceptions import (
    HOW_TO_GIVE_CRS,
    MissingCRSError,
    MissingPixelSizeError,
    ParameterError,
    UnreadableInputError,
)
from geoeval.gdal_files.drivers import OFFLINE, image_driver
from geoeval.model.extent import Extent
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.extras import import_extra
from geoeval.readers.options import check_options

Affine = tuple[float, float, float, float, float, float]
HOW_TO_PLACE_PIXELS = (
    "give where the image is with {option:georeference=IMAGE.tif}, or, if both maps are in its pixels, the metres per "
    "pixel with {option:pixel-size=M}; {option:pixel-size=1} keeps pixels"
)
# Six numbers take less than so many characters.
_WORLD_FILE_SIZE = 1000
_WORLD_FILES = (".wld", ".tfw", ".pgw", ".jgw", ".bpw", ".gfw", ".j2w", ".tifw", ".pngw", ".jpgw")
# Six numbers are degrees if they place the first pixel on Earth and no pixel is larger than this, about a kilometre.
_LARGEST_DEGREES = 0.01


@dataclass(frozen=True)
class PixelFrame:
    """Where pixels are: a CRS, and the affine map from column and row to its x and y."""

    crs: CRS
    affine: Affine

    def places(self, pixels: Floats) -> Floats:
        """Places of ``(n, 2)`` columns and rows; the corner of the first pixel is 0, 0."""
        a, b, c, d, e, f = self.affine
        column, row = pixels[:, 0], pixels[:, 1]
        return np.column_stack([a * column + b * row + c, d * column + e * row + f])

    def geometries(self, geometries: Any) -> Any:
        """Geometries in pixels, or one of them, at their places."""
        return shapely.transform(geometries, self.places)


def place_pixels(
    path: str | Path, *, crs: Any, pixel_size: float | None, georeference: Any = None, pixels: Floats | None = None
) -> PixelFrame:
    """Where the pixels of an input are.

    Parameters
    ----------
    path
        The input, for messages.
    crs
        CRS of the georeference, if there is one and it does not say or is wrong; else of the coordinates, which then
        are no pixels and stay as they are.
    pixel_size
        Metres per pixel, where there is no georeference.
    georeference
        The registered image, its world file (``.tfw``, ``.pgw`` and the like), or the numbers a, b, c, d, e, f of its
        affine map as text or a sequence: x = a column + b row + c, y = d column + e row + f.
    pixels
        The pixels ``(n, 2)`` themselves, as column and row, of content that may hold degrees in their place.

    Raises
    ------
    MissingPixelSizeError
        Nothing of this is given.
    MissingCRSError
        The georeference is not in degrees and comes without a CRS, or the image has none; or the pixels are degrees.
    """
    check_options({"pixel_size": pixel_size})
    if georeference is not None:
        return _georeferenced(georeference, crs)
    if crs is None and pixel_size is None:
        raise MissingPixelSizeError(f"{path} is in pixels; {HOW_TO_PLACE_PIXELS}")
    own = projections.assumed_metres([] if pixels is None else pixels) if crs is None else projections.parse_crs(crs)
    size = pixel_size or 1.0
    # On Earth y goes up already; rows of an image go down.
    return PixelFrame(own, (size, 0.0, 0.0, 0.0, -size if projections.is_local(own) else size, 0.0))


def extent_of_image(georeference: Any) -> Extent | None:
    """The ground of a registered image; ``None`` where the georeference is no image."""
    if _numbers(georeference) is not None:
        return None
    affine, named, (width, height) = _of_image(Path(georeference))
    if named is None:
        return None
    frame = PixelFrame(projections.parse_crs(named), affine)
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float64)
    return Extent(shapely.Polygon(frame.places(corners)), frame.crs)


def _georeferenced(georeference: Any, crs: Any) -> PixelFrame:
    """The frame of a georeference; a given CRS counts more than that of the image."""
    numbers = _numbers(georeference)
    if numbers is None:
        affine, named, _ = _of_image(Path(georeference))
    else:
        affine, named = numbers, None
    if affine[0] * affine[4] == affine[1] * affine[3]:
        msg = f"georeference {_shown(georeference)} puts all pixels on one line; give the six numbers as a,b,c,d,e,f"
        raise ParameterError(msg)
    if crs is not None or named is not None:
        return PixelFrame(projections.parse_crs(named if crs is None else crs), affine)
    a, b, c, d, e, f = affine
    if abs(c) <= 180 and abs(f) <= 90 and max(abs(a), abs(b), abs(d), abs(e)) <= _LARGEST_DEGREES:
        return PixelFrame(projections.WGS84, affine)
    msg = f"georeference {_shown(georeference)} is not in degrees and does not say its CRS; {HOW_TO_GIVE_CRS}"
    raise MissingCRSError(msg)


def _shown(georeference: Any) -> str:
    return str(georeference)[:100]


def _numbers(georeference: Any) -> Affine | None:
    """The six numbers, also as text, of a world file and as an ``affine.Affine`` of nine; ``None`` for an image."""
    if isinstance(georeference, Path) or (isinstance(georeference, str) and Path(georeference).exists()):
        return _of_world_file(Path(georeference)) if _is_world_file(georeference) else None
    given: list[Any] = georeference.split(",") if isinstance(georeference, str) else list(georeference)
    if isinstance(georeference, str) and len(given) == 1:
        raise UnreadableInputError(f"georeference {_shown(georeference)}: no such image; check the path")
    try:
        numbers = tuple(float(number) for number in given)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in (6, 9) or not all(map(math.isfinite, numbers)):
        msg = f"georeference {_shown(georeference)} is neither an image nor six numbers; give IMAGE.tif or a,b,c,d,e,f"
        raise ParameterError(msg)
    a, b, c, d, e, f = numbers[:6]
    return a, b, c, d, e, f


def _is_world_file(path: str | Path) -> bool:
    return str(path).lower().endswith(_WORLD_FILES)


def _of_world_file(path: Path) -> Affine:
    """The numbers of a world file, which places the middle of the first pixel."""
    numbers: list[float] = []
    with suppress(OSError, ValueError), path.open(encoding="ascii") as stream:
        numbers = [float(line) for line in stream.read(_WORLD_FILE_SIZE).split()]
    if len(numbers) != 6 or not all(map(math.isfinite, numbers)):
        raise UnreadableInputError(f"georeference {path} is no world file of six numbers; check it")
    a, d, b, e, x, y = numbers
    return a, b, x - (a + b) / 2, d, e, y - (d + e) / 2


def _of_image(path: Path) -> tuple[Affine, str | None, tuple[int, int]]:
    """The affine map of an image, its CRS as WKT, width and height; nothing but the head of the file is read."""
    rasterio = import_extra("rasterio")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rasterio.errors.NotGeoreferencedWarning)
            with rasterio.Env(**OFFLINE), rasterio.open(path.absolute(), driver=image_driver(path)) as image:
                a, b, c, d, e, f = tuple(image.transform)[:6]
                is_placed = not image.transform.is_identity
                named = image.crs.to_wkt() if image.crs else None
                size = (image.width, image.height)
    except (
        rasterio.errors.RasterioError,
        rasterio._err.CPLE_BaseError,  # noqa: SLF001 - has no other name
        OSError,
        UnicodeDecodeError,
    ) as error:
        reason = " ".join(str(error).split())[:120]
        raise UnreadableInputError(f"georeference {path} cannot be read as an image ({reason}); check it") from error
    if not is_placed:
        msg = f"georeference {path} is an image without georeference; give a GeoTIFF, or a,b,c,d,e,f"
        raise MissingCRSError(msg)
    return (a, b, c, d, e, f), named, size


def network_from_pairs(coordinates: Floats, pairs: Ints, *, ids: NDArray[Any], crs: CRS, source: str) -> RoadNetwork:
    """A network whose topology is that of the node numbers.

    An edge and its reverse are one and not counted, because such formats list both. An edge that is listed twice in
    the same direction, and a node without any edge, are counted in ``problems``. O(n log n).
    """
    directed = pairs[:, 0] * max(len(coordinates), 1) + pairs[:, 1]
    _, first = np.unique(directed, return_index=True)
    problems = {}
    if len(first) < len(pairs):
        problems["duplicate_segments"] = len(pairs) - len(first)
    first.sort()
    both = np.sort(pairs[first], axis=1)
    _, single = np.unique(both[:, 0] * max(len(coordinates), 1) + both[:, 1], return_index=True)
    kept = first[np.sort(single)]
    used = np.zeros(len(coordinates), dtype=bool)
    used[pairs] = True
    if not used.all():
        problems["nodes_without_edges"] = int((~used).sum())
    new = np.cumsum(used) - 1
    xy, metric, error = projections.to_metres(coordinates[used], crs)
    return RoadNetwork(
        xy,
        new[pairs[kept]],
        crs=metric,
        source_ids=ids[kept],
        merge_coincident=False,
        problems=problems,
        source=source,
        scale_error=error,
    )
