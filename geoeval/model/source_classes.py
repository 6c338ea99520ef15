"""The class of each source feature of a network (residential, service, track), as its reader found it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geoeval.arrays import Ints


@dataclass(frozen=True)
class SourceClasses:
    """Classes by feature: ids in ascending order, for each the number of its class, and the names of the classes."""

    ids: NDArray[Any]
    numbers: Ints
    names: tuple[str, ...]

    def of(self, ids: NDArray[Any]) -> Ints:
        """The number of the class of each feature; -1 for one that is not known. O(n log m)."""
        if len(self.ids) == 0 or ids.dtype.kind != self.ids.dtype.kind:
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, self.numbers[at], -1)


def source_classes(ids: NDArray[Any], classes: NDArray[Any]) -> SourceClasses | None:
    """The classes of features, given as text; ``None`` where ids are no numbers or there are no classes."""
    if len(ids) == 0 or ids.dtype.kind not in "iu":
        return None
    texts = np.array(["" if one is None else str(one) for one in classes.tolist()])
    names, numbers = np.unique(texts, return_inverse=True)
    own, first = np.unique(ids, return_index=True)
    if not any(names):
        return None
    return SourceClasses(own, numbers.ravel()[first].astype(np.int64), tuple(str(name) or "no class" for name in names))
