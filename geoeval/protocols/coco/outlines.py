"""Outlines of the objects of a data set, image by image, as the scripts of polygon papers take them."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.readers.coco.coco_set import CocoSet

Rings = tuple[Floats, ...]
RULES = ("scripted", "mended")


@dataclass(frozen=True)
class ImageOutlines:
    """The rings of each true and each predicted object of an image, in the order of the files."""

    image: Hashable
    true: list[Rings]
    found: list[Rings]


def outlines_by_image(reference: CocoSet, prediction: CocoSet) -> Iterator[ImageOutlines]:
    """Every image of the reference, in the order of its file.

    Raises
    ------
    ParameterError
        An object has no outline but pixels or a box only, or its image is unknown.
    """
    for data in (reference, prediction):
        strange = next((one for one in data.image if one not in reference.images), None)
        if strange is not None:
            raise ParameterError(f"{data.source} has objects of image {strange!r}, which the reference does not have")
    for image in reference.images:
        true, found = (
            [_rings(data, row) for row in data.rows_of_images.get(image, [])] for data in (reference, prediction)
        )
        yield ImageOutlines(image, true, found)


def check_rules(protocol: str, rules: str) -> bool:
    """Whether the scripts' faulty rules are kept; an error for an unknown word."""
    if rules not in RULES:
        raise ParameterError(f"{protocol}.rules is {rules!r}; choose one of {', '.join(RULES)}")
    return rules == "scripted"


def opened(ring: Floats) -> Floats:
    """The vertices of a ring without its closing one, where the file repeats the first at the end."""
    return ring[:-1] if len(ring) > 1 and (ring[0] == ring[-1]).all() else ring


def _rings(data: CocoSet, row: int) -> Rings:
    shape = data.shapes[row]
    if not isinstance(shape, tuple) or any(len(opened(ring)) < 3 for ring in shape):
        msg = f"object {data.ids[row]!r} of {data.source} has no outline of three vertices or more; "
        raise ParameterError(f"{msg}this protocol compares outlines, so give polygons, not pixels or boxes")
    return tuple(np.asarray(ring, dtype=np.float64) for ring in shape)
