"""How much nested things make, counted before any of it is made.

A block of a drawing can be inserted in another one, as a grid of copies too, and a group can be repeated in another
group. So a file of a few lines may stand for more shapes than any memory holds, and for endlessly many if a block
contains itself.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Thing = TypeVar("Thing", bound=Hashable)


class EndlessError(Exception):
    """A thing contains itself."""

    def __init__(self, thing: object) -> None:
        super().__init__(str(thing))
        self.thing = thing


def count_nested(
    things: Iterable[Thing], parts: Callable[[Thing], Iterable[tuple[Thing, int]]], own: Callable[[Thing], int]
) -> dict[Thing, tuple[int, int]]:
    """Of each thing, and of all that is in them: how much it makes, and how many things are inside each other.

    Parameters
    ----------
    things
        What to count.
    parts
        What is in a thing, and in how many copies.
    own
        How much a thing makes by itself.

    Raises
    ------
    EndlessError
        A thing contains itself.

    Notes
    -----
    O(things and parts), without recursion: the depth is what is to be found out.
    """
    counted: dict[Thing, tuple[int, int]] = {}
    for first in things:
        trail: dict[Thing, Iterator[tuple[Thing, int]]] = {} if first in counted else {first: iter(parts(first))}
        while trail:
            thing, rest = next(reversed(trail.items()))
            inner = next((part for part, _ in rest if part not in counted), None)
            if inner is None:
                del trail[thing]
                insides = [(copies, *counted[part]) for part, copies in parts(thing)]
                size = own(thing) + sum(copies * inside for copies, inside, _ in insides)
                counted[thing] = size, 1 + max((depth for _, _, depth in insides), default=0)
            elif inner in trail:
                raise EndlessError(inner)
            else:
                trail[inner] = iter(parts(inner))
    return counted
