"""A binary heap in two arrays, for compiled searches."""

from geoeval._kernels.compiling import inner
from geoeval.arrays import Floats, Ints


@inner
def heap_push(keys: Floats, items: Ints, size: int, key: float, item: int) -> int:
    """Add an item; returns the new size. The arrays must be large enough."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] < key or (keys[parent] == key and items[parent] <= item):
            break
        keys[i], items[i] = keys[parent], items[parent]
        i = parent
    keys[i], items[i] = key, item
    return size + 1


@inner
def heap_pop(keys: Floats, items: Ints, size: int) -> int:
    """Remove the first item (read ``keys[0]`` and ``items[0]`` before); returns the new size.

    Equal keys leave in order of their items, so that the order never depends on history.
    """
    size -= 1
    key, item = keys[size], items[size]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (keys[right] < keys[child] or (keys[right] == keys[child] and items[right] < items[child])):
            child = right
        if key < keys[child] or (key == keys[child] and item <= items[child]):
            break
        keys[i], items[i] = keys[child], items[child]
        i = child
    keys[i], items[i] = key, item
    return size
