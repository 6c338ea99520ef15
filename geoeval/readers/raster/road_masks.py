"""Roads of masks and probability maps: GeoTIFF, and PNG or JPEG with the size of a pixel."""

from pathlib import Path
from typing import Any

from geoeval.arrays import Bools
from geoeval.crs import to_metres
from geoeval.exceptions import EmptyInputError
from geoeval.model.road_network import RoadNetwork
from geoeval.readers.extras import import_extra
from geoeval.readers.options import check_options
from geoeval.readers.raster.images import PixelGrid, default_threshold, has_image_suffix, is_image, open_image
from geoeval.readers.raster.photographs import refuse_photograph
from geoeval.readers.reader import Reader
from geoeval.trust import check_expansion

# Bytes of a pixel that is part of a line, and of the piece to the next one.
_PIXEL = 32


def read_raster(
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
    threshold: float | None = None,
    min_spur: float = 10.0,
    simplify: float | None = None,
    layer: str | int | None = None,
) -> RoadNetwork:
    """Read a mask or probability map of roads, thin it and trace its centre lines.

    The network has one component for every component of the mask (pixels that touch at a corner are connected) and
    one ring for every hole. Thinning shortens the ends of roads by up to half their width. A component that is
    thinned to a single pixel is dropped and counted in ``problems``, as are the pruned spurs.

    Parameters
    ----------
    path
        GeoTIFF, PNG or JPEG.
    crs
        CRS of the georeference, if the file does not say or is wrong.
    pixel_size
        Metres per pixel, for an image without georeference. The corner of the first pixel is at 0, 0, and y is the
        row with the sign turned, so that north is up.
    georeference
        Where an image without georeference is, see :func:`geoeval.readers.pixel_frame.place_pixels`.
    threshold
        A pixel is road if its value is at least this. By default half of full scale, which is the first of 1, 255
        and 65535 that no value exceeds. Pixels without data are not road.
    min_spur
        Dead ends that leave a junction and are shorter than this, in metres, are pruned.
    simplify
        How far a simplified line may be from the traced one, in metres; by default one pixel.
    layer
        Which band, counted from 1. Needed for several bands that are not colours; for colours the largest value
        counts. An alpha band is ignored.

    Returns
    -------
    RoadNetwork
        ``source_ids`` number the roads between junctions.

    Raises
    ------
    EmptyInputError
        The mask has no road.
    ParameterError
        It looks like a photograph, and no threshold is given.
    """
    check_options({"pixel_size": pixel_size, "threshold": threshold, "min_spur": min_spur, "simplify": simplify})
    values, valid, grid = open_image(Path(path), crs=crs, pixel_size=pixel_size, georeference=georeference, layer=layer)
    if threshold is None:
        refuse_photograph(values, valid, path)
    limit = default_threshold(values, valid, path) if threshold is None else threshold
    mask = (values >= limit) & valid
    if not mask.any():
        highest = f"the largest value is {values[valid].max():g}" if valid.any() else "no pixel has data"
        msg = f"{path} has no pixel of at least {limit:g} ({highest}); give another {{option:threshold}}"
        raise EmptyInputError(msg)
    network = network_of_mask(
        mask, grid, valid, min_spur=min_spur, simplify=simplify, source=str(path), size=Path(path).stat().st_size
    )
    if network.is_empty:
        dots = network.problems["dots"]
        raise EmptyInputError(f"{path} has {dots} dots of road but no line; check the image and the threshold")
    return network


def network_of_mask(
    mask: Bools,
    grid: PixelGrid,
    valid: Bools,
    *,
    min_spur: float,
    simplify: float | None,
    source: str,
    size: int | None = None,
) -> RoadNetwork:
    """The centre lines of a mask on its grid; an empty network where it has no line, its ``problems`` the dots.

    ``size`` are the bytes of the file that the mask comes from: what becomes of them is limited.
    """
    from geoeval.readers.raster.skeleton import pixel_graph, trace

    lines = thinned(mask)
    if size is not None:
        check_expansion(_PIXEL * int(lines.sum()), size, source, "bytes of lines")
    pixels, segments = pixel_graph(lines)
    if len(segments) == 0:
        dots = {"dots": len(pixels)}
        return RoadNetwork([], [], crs=grid.crs, problems=dots, source=source, extent=grid.extent(valid))
    xy, metric, error = to_metres(grid.places(pixels), grid.crs)
    tolerance = grid.pixel_metres(pixels.mean(axis=0), metric) if simplify is None else simplify
    traced = trace(mask, pixels, segments, metres=xy, min_spur=min_spur, simplify=tolerance)
    return RoadNetwork(
        traced.xy,
        traced.segments,
        crs=metric,
        source_ids=traced.road,
        merge_coincident=False,
        problems=traced.problems,
        source=source,
        scale_error=error,
        extent=grid.extent(valid),
    )


def thinned(mask: Bools) -> Bools:
    """Lines of one pixel with the components and holes of the mask.

    By Lee, Kashyap and Chu (1994), which keeps both for certain. The faster method of Zhang and Suen, the default of
    scikit-image, loses half of a diagonal road that is two pixels wide.
    """
    return import_extra("skimage.morphology").skeletonize(mask, method="lee").astype(bool)


READER = Reader("raster", reads={"roads": read_raster}, by_content=is_image, by_name=has_image_suffix)
