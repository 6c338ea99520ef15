"""Objects of COCO files, for evaluations in metres: outlines as they are, runs of pixels along the pixels' sides."""

import json
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from geoeval.exceptions import EmptyInputError, LayerChoiceError
from geoeval.model.object_map import ObjectMap
from geoeval.readers.coco.coco_json import read_coco
from geoeval.readers.coco.coco_set import CocoSet, Shape
from geoeval.readers.coco.runs import PixelRuns
from geoeval.readers.extras import import_extra
from geoeval.readers.pixel_frame import place_pixels
from geoeval.readers.reader import InputFile, Reader

_KEYS = re.compile(rb'"(images|annotations|image_id|segmentation)"\s*:')
_GEOJSON = re.compile(rb'"type"\s*:\s*"(Feature|FeatureCollection|Topology)"')


def read_coco_objects(
    path: str | Path,
    *,
    crs: Any = None,
    pixel_size: float | None = None,
    georeference: Any = None,
    layer: str | None = None,
    class_column: str | None = None,
) -> ObjectMap:
    """Read the objects of one image of a COCO file.

    Parameters
    ----------
    path
        Annotations or a list of results, see :func:`geoeval.readers.coco.coco_json.read_coco`.
    crs
        CRS of the georeference.
    pixel_size, georeference
        As in :func:`geoeval.readers.pixel_frame.place_pixels`.
    layer
        Which image, by its id or the name of its file, if there are several.
    class_column
        Anything: the classes are the categories, by their names where the file has them, else by their ids.

    Returns
    -------
    ObjectMap
        Ids are those of the objects, confidences their scores. Rings of an object are put together. A crowd is no
        object; crowds and rows with neither outline, pixels nor box are counted in ``problems``.

    Raises
    ------
    LayerChoiceError
        There are several images and none was chosen, or not this one.
    """
    found = read_coco(path)
    if layer is not None or len(found.images) > 1:
        image = _chosen_image(found, layer)
        found = found.take(found.rows_of_images.get(image, []))
    if len(found) and all(shape is None for shape in found.shapes) and not np.isfinite(found.boxes).any():
        raise EmptyInputError(f"{path} holds rows without outlines, pixels or boxes; buildings need one of them")
    frame = place_pixels(path, crs=crs, pixel_size=pixel_size, georeference=georeference)
    rows = np.flatnonzero(~found.crowd).tolist()
    shapes = [polygon_of(found.shapes[row], found.boxes[row]) for row in rows]
    problems = {"crowds": len(found) - len(rows)} if len(rows) < len(found) else {}
    return ObjectMap.from_polygons(
        frame.geometries(np.array([None, *shapes], dtype=object)[1:]),
        crs=frame.crs,
        ids=[found.ids[row] for row in rows],
        confidence=None if found.score is None else found.score[rows],
        classes=None if class_column is None else [found.categories[found.category[row]] for row in rows],
        problems=problems,
        source=str(path),
        trust_projected=False,
    )


def polygon_of(shape: Shape, box: Any) -> Any:
    """The outline of an object in pixels: that of all its rings or pixels together, else its box."""
    if shape is None:
        x, y, width, height = box
        return shapely.box(x, y, x + width, y + height) if np.isfinite(x) else None
    if isinstance(shape, PixelRuns):
        return _outline(shape)
    rings = [shapely.Polygon(ring) for ring in shape if len(ring) > 2]
    if len(rings) == 1:
        return rings[0]
    return shapely.union_all(shapely.make_valid(rings, method="structure", keep_collapsed=False))


def _outline(runs: PixelRuns) -> Any:
    shapes = import_extra("rasterio.features").shapes
    mask = runs.mask().astype(np.uint8)
    parts = [
        shapely.Polygon(one["coordinates"][0], one["coordinates"][1:])
        for one, _ in shapes(mask, mask=mask > 0, connectivity=4)
    ]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _chosen_image(found: CocoSet, wanted: str | None) -> Hashable:
    names = {str(key): key for key in found.images} | {one.name: key for key, one in found.images.items()}
    if wanted is not None and wanted in names:
        return names[wanted]
    listed = ", ".join(str(key) for key in list(found.images)[:5])
    listed += f" and {len(found.images) - 5} more" if len(found.images) > 5 else ""
    if wanted is None:
        msg = f"{found.source} holds {len(found.images)} images ({listed}); to choose one, {{give:layer=NAME}}, or "
        raise LayerChoiceError(msg + "to score all of them as published, {give:protocol=coco}")
    raise LayerChoiceError(f"{found.source} has no image {wanted!r} ({listed}); {{give:layer=NAME}}")


def image_names(path: str | Path) -> dict[str, str]:
    """By id, as text, the names of the images of a COCO file: those of their files without suffix, else their ids."""
    return {key: Path(name).stem or key for key, name in image_files(path).items()}


def image_files(path: str | Path) -> dict[str, str]:
    """By id, as text, the files of the images of a COCO file, as it names them."""
    return {str(key): one.name for key, one in read_coco(path).images.items()}


def names_for_results(given: Any, results: Any) -> dict[str, str]:
    """By id, as text, the names of the categories of a COCO file, for a list of results, which has none of its own.

    None for any other inputs.
    """
    if not (_is_coco_file(given) and _is_coco_file(results) and _is_list(results)):
        return {}
    return {str(number): name for number, name in read_coco(given).categories.items() if str(number) != name}


def _is_coco_file(given: Any) -> bool:
    return isinstance(given, str | Path) and Path(given).is_file() and is_coco(InputFile(Path(given)))


def _is_list(path: str | Path) -> bool:
    return InputFile(Path(path)).head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def is_coco(file: InputFile) -> bool:
    """Whether it is JSON with COCO's keys near its beginning, or anywhere in an object that names no features."""
    head = file.head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith((b"{", b"[")) or _GEOJSON.search(head):
        return False
    if _KEYS.search(head):
        return True
    if head.replace(b" ", b"") in {b"[]", b"[]\n"}:  # results without any detection
        return True
    if not re.match(rb'\{\s*"(info|licenses|categories)"', head):
        return False
    try:
        content = json.loads(file.path.read_bytes())
    except (ValueError, OSError, RecursionError):
        return False
    return "images" in content and "annotations" in content


READER = Reader(
    "coco",
    reads={"objects": read_coco_objects},
    refuses={"roads": "is a COCO file of objects, not of roads; give geoeval objects"},
    by_content=is_coco,
)
