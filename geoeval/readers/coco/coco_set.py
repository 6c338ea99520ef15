"""A COCO data set as its file lists it: images, categories, and objects with outlines, runs of pixels or boxes."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats
from geoeval.readers.coco.runs import PixelRuns

# Rings ``(k, 2)`` of columns and rows, as listed; or runs of pixels; or nothing but a box.
Shape = tuple[Floats, ...] | PixelRuns | None


@dataclass(frozen=True)
class CocoImage:
    """An image of a data set; its size is unknown in lists of results."""

    height: int | None
    width: int | None
    name: str = ""

    @property
    def size(self) -> tuple[int, int]:
        """Height and width."""
        assert self.height is not None
        assert self.width is not None
        return self.height, self.width


@dataclass(frozen=True)
class CocoSet:
    """Objects of several images, one row each, in the order of the file.

    Attributes
    ----------
    source
        Where they come from.
    images, categories
        By id; of a list of results only what its rows name.
    ids, image, category
        Ids of each object, its image and its category.
    shapes
        Outlines or pixels of each object.
    boxes
        Left, top, width, height ``(n, 4)``; not a number where a file gives none.
    areas
        As the file says; not a number where it does not.
    crowd
        Whether a row stands for a crowd of objects.
    score
        Confidence of a detector; ``None`` for annotations.
    """

    source: str
    images: Mapping[Hashable, CocoImage]
    categories: Mapping[Hashable, str]
    ids: Sequence[Hashable]
    image: Sequence[Hashable]
    category: Sequence[Hashable]
    shapes: Sequence[Shape]
    boxes: Floats
    areas: Floats
    crowd: Bools
    score: Floats | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def rows_of_images(self) -> dict[Hashable, list[int]]:
        """Rows of each image that has any, in the order of the file."""
        rows: dict[Hashable, list[int]] = {}
        for row, image in enumerate(self.image):
            rows.setdefault(image, []).append(row)
        return rows

    def facts(self) -> dict[str, Any]:
        """What a result says of it: its source, its size, and a digest that identifies it."""
        digest = sha256(repr((self.image, self.category)).encode())
        for shape in self.shapes:
            for part in (shape.counts,) if isinstance(shape, PixelRuns) else shape or ():
                digest.update(np.ascontiguousarray(part).tobytes())
        for values in (self.boxes, self.areas, self.crowd, self.score):
            digest.update(b"" if values is None else values.tobytes())
        return {
            "source": self.source, "objects": len(self), "images": len(self.images), "sha256": digest.hexdigest(),
            "unit": "px",
        }  # fmt: skip

    def take(self, rows: Sequence[int]) -> "CocoSet":
        """Some of the rows; images and categories stay."""
        chosen = np.asarray(rows, dtype=np.int64)
        return replace(
            self, ids=[self.ids[k] for k in rows], image=[self.image[k] for k in rows],
            category=[self.category[k] for k in rows], shapes=[self.shapes[k] for k in rows],
            boxes=self.boxes[chosen], areas=self.areas[chosen], crowd=self.crowd[chosen],
            score=None if self.score is None else self.score[chosen],
        )  # fmt: skip
