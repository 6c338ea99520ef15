"""The class of each source feature of a network (residential, service, track), as its reader found it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Ints
from geoeval.model.object_map import NO_CLASS

# Digits of a whole number that surely is no id.
_LONGEST_ID = 19


@dataclass(frozen=True)
class SourceClasses:
    """Classes by feature: ids in ascending order, for each the number of its class, and the names of the classes.

    ``of_ways`` tells that they are classes of OpenStreetMap ways, among which a network type chooses.
    """

    ids: NDArray[Any]
    numbers: Ints
    names: tuple[str, ...]
    of_ways: bool = False

    def of(self, ids: NDArray[Any]) -> Ints:
        """The number of the class of each feature; -1 for one that is not known. O(n log m)."""
        if len(self.ids) == 0 or ids.dtype.kind != self.ids.dtype.kind:
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, self.numbers[at], -1)

    def names_of(self, ids: Sequence[str]) -> list[str]:
        """The class of each feature, whose id is given as text; empty where it is not known."""
        whole = [int(one) if one.lstrip("-").isdigit() and len(one) < _LONGEST_ID else -1 for one in ids]
        numbers = self.of(np.array(whole, dtype=np.int64))
        return [self.names[number] if number >= 0 else "" for number in numbers.tolist()]


def source_classes(ids: NDArray[Any], classes: NDArray[Any], *, of_ways: bool = False) -> SourceClasses | None:
    """The classes of features, given as text; ``None`` where ids are no numbers or there are no classes."""
    texts = np.array(["" if one is None else str(one) for one in classes.tolist()], dtype=str)
    names, numbers = np.unique(texts, return_inverse=True)
    return numbered_classes(ids, numbers.ravel(), names.tolist(), of_ways=of_ways)


def numbered_classes(
    ids: NDArray[Any], numbers: Ints, names: Sequence[str], *, of_ways: bool = False
) -> SourceClasses | None:
    """The classes of features by number, -1 where a feature has none; the order of the names does not matter."""
    if len(ids) == 0 or ids.dtype.kind not in "iu" or not any(names):
        return None
    own, first = np.unique(ids[numbers >= 0], return_index=True)
    order = np.argsort(np.array(names, dtype=str), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    in_order = tuple(names[one] or NO_CLASS for one in order.tolist())
    return SourceClasses(own, place[numbers[numbers >= 0][first]], in_order, of_ways)
