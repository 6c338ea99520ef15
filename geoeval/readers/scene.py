"""Tiles of one scene as one map: an object that a border cuts is one object again.

A pattern with ``{name}`` stands for the tiles, as in ``geoeval benchmark``: files (``labels/{name}.tif``), or the
images of a table or COCO file, which ``georeference`` (``images/{name}.tif``) puts in their places.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from geoeval import crs as projections
from geoeval.exceptions import GeoevalWarning, ParameterError, UnreadableInputError
from geoeval.files import NAME
from geoeval.model.extent import Extent
from geoeval.model.object_map import ObjectMap
from geoeval.readers.joining import Tile, joined_pieces
from geoeval.readers.patterns import files_of
from geoeval.readers.pixel_frame import extent_of_image
from geoeval.readers.reader import InputFile


def read_scene(content: str, source: str | Path, read: Callable[..., Any], **options: Any) -> Any:
    """Read all tiles of a scene, each as ``read`` does, and join them at their borders.

    One file, or one chosen image, is read as it is: ``{name}`` in its georeference is its own name.

    Returns
    -------
    ObjectMap
        Ids are those of the tiles, with the name of the tile before them where they occur in several; of an object that
        was joined, all of them with ``+``. It is as sure as its surest piece; there are confidences only if every tile
        with objects has them. ``problems`` counts the pieces that were joined with another (``joined_at_borders``).

    Raises
    ------
    ParameterError
        The content is not objects, two images have the same name, or tiles have no place on Earth.
    """
    found = _tiles(source, options)
    _check_names(found, source)
    if NAME not in str(source) and len(found) == 1:
        return read(content, source, **_options_of(options, *found[0][::2]))
    if content != "objects":
        msg = f"{source}: tiles of one scene are joined for objects, not for {content}; use geoeval benchmark"
        raise ParameterError(msg)
    tiles: dict[str, Tile] = {}
    for name, path, layer in found:
        own = _options_of(options, name, layer)
        objects = read(content, path, **own)
        tiles[name] = Tile(objects, _extent(objects, own.get("georeference")))
    return _one_map(tiles, str(source))


def _options_of(options: Mapping[str, Any], name: str, layer: str | None) -> dict[str, Any]:
    """The options to read one tile with."""
    own = {**options, **({} if layer is None else {"layer": layer})}
    if (pattern := options.get("georeference")) is not None:
        own["georeference"] = str(pattern).replace(NAME, name)
    return own


def _tiles(source: str | Path, options: Mapping[str, Any]) -> list[tuple[str, Path, str | None]]:
    """Name, file and image of each tile."""
    if NAME in str(source):
        layer = options.get("layer")
        return [(name, path, layer) for name, path in files_of(str(source)).items()]
    from geoeval.readers.coco.coco_objects import image_names, is_coco
    from geoeval.readers.vector.spacenet import has_images, images_of

    path, chosen = Path(source), None if (layer := options.get("layer")) is None else str(layer)
    images: dict[str, str] = {}
    if path.is_file() and is_coco(InputFile(path)):
        images = image_names(path)
    elif path.suffix.lower() in {".csv", ".tsv"} and has_images(path):
        images = {name: name for name in images_of(path)}
    if chosen is not None and chosen != NAME:  # one image, of which the reader says if it is not there
        named = [] if chosen in images else [layer for layer, name in images.items() if name == chosen]
        return [(images.get(chosen, Path(chosen).stem), path, layer) for layer in named or [chosen]]
    if images or chosen is None:
        return [(name, path, layer) for layer, name in images.items()] or [(path.stem, path, None)]
    msg = f"{source} has no images that {NAME} could stand for; give a table of images, a COCO file, or {NAME}.tif"
    raise UnreadableInputError(msg)


def _check_names(tiles: Sequence[tuple[str, Path, str | None]], source: str | Path) -> None:
    """Refuse images of one name: they would be put in one place, and all but one would be lost."""
    images: dict[str, str | None] = {}
    for name, path, layer in tiles:
        if name in images:  # files and images of tables are told apart by their whole names
            from geoeval.readers.coco.coco_objects import image_files

            files = image_files(path)
            one, other = (f"{files[str(image)]!r} (id {image})" for image in (images[name], layer))
            msg = f"{source}: {NAME} is {name!r} for both images {one} and {other}; rename one, "
            raise ParameterError(msg + "or {give:layer=ID}")
        images[name] = layer


def _extent(objects: ObjectMap, georeference: Any) -> BaseGeometry | None:
    """The ground of a tile in the CRS of its objects: that of its image, else what its file declares, else a box."""
    declared = objects.extent
    if georeference is not None:
        declared = extent_of_image(georeference) or declared
    if declared is not None:
        return declared.polygon(objects.crs)
    return None if objects.is_empty else shapely.box(*objects.bounds)


def _one_map(tiles: Mapping[str, Tile], source: str) -> ObjectMap:
    maps = [tile.objects for tile in tiles.values()]
    if len(maps) > 1 and any(projections.is_local(one.crs) for one in maps):
        msg = f"the tiles of {source} have no place on Earth; {{give:georeference=IMAGES/{NAME}.tif}}"
        raise ParameterError(msg)
    one_crs = len({one.crs for one in maps if not one.is_empty}) <= 1
    crs = next((one.crs for one in maps if not one.is_empty), maps[0].crs) if one_crs else projections.WGS84
    if not one_crs:  # on the border of two zones: the projection that fits all of them
        corners = np.concatenate([projections.to_lonlat(one.nodes, one.crs) for one in maps])
        crs = projections.to_metres(corners, projections.WGS84)[1]
    placed = [tile.to_crs(crs) for tile in tiles.values()]
    counted = Counter(str(one) for tile in placed for one in tile.objects.ids)
    several = any(number > 1 for number in counted.values())
    names = [
        [f"{name}/{one}" if several else str(one) for one in tile.objects.ids]
        for name, tile in zip(tiles, placed, strict=True)
    ]
    pieces = joined_pieces(placed)
    _warn_of_confidences(tiles, source)
    problems = Counter[str]()
    for one in maps:
        problems.update(one.problems)
    flat = [name for own in names for name in own]
    left = len(flat) - len(pieces.members)
    if left:
        problems["joined_at_borders"] = sum(len(one) for one in pieces.members if len(one) > 1)
    grounds = [tile.ground for tile in placed]
    extent = None
    if all(one is not None for one in grounds) and all(tile.is_image for tile in placed):
        extent = Extent(shapely.union_all(grounds), crs)
    return ObjectMap(
        pieces.polygons, crs=crs, ids=["+".join(flat[row] for row in one) for one in pieces.members],
        confidence=pieces.confidence, classes=pieces.classes, problems=dict(problems), source=source,
        scale_error=max((tile.objects.scale_error or 0.0 for tile in placed), default=0.0), extent=extent,
    )  # fmt: skip


def _warn_of_confidences(tiles: Mapping[str, Tile], source: str) -> None:
    """Say where confidences are left out, because only some tiles have them."""
    told = {name: tile.objects.confidence is not None for name, tile in tiles.items() if not tile.objects.is_empty}
    without = [name for name, sure in told.items() if not sure]
    if without and len(without) < len(told):
        listed = ", ".join(without[:5]) + (f" and {len(without) - 5} more" if len(without) > 5 else "")
        msg = f"{source}: the tiles {listed} have no confidences, so those of the other tiles are not used"
        warnings.warn(msg, GeoevalWarning, stacklevel=4)
