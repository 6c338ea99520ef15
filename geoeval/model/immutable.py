"""What makes the maps immutable: attributes that cannot be assigned, arrays and counts that cannot be written to."""

from dataclasses import fields, is_dataclass
from typing import Any, NoReturn, Self

import numpy as np


class Immutable:
    """Base of objects that do not change once they are made.

    A constructor fills ``vars(self)``; from then on assigning or deleting an attribute is an ``AttributeError``. Cached
    properties work, and copies and unpickled objects are as read-only as the original.
    """

    source: str

    def __setattr__(self, name: str, value: object) -> NoReturn:
        hint = "use with_source()" if name == "source" else "make a new one"
        raise AttributeError(f"cannot set {name!r}: {type(self).__name__} objects are immutable; {hint}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name!r}: {type(self).__name__} objects are immutable; make a new one")

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickled and copied arrays have forgotten that they are read-only.
        vars(self).update({name: frozen(value) for name, value in state.items()})

    def with_source(self, source: str) -> Self:
        """A copy with another ``source``. It shares all arrays and everything computed so far, so it costs nothing."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), source=source)
        return copy

    def with_extent(self, extent: Any) -> Self:
        """A copy of which it is said what ground its source covers."""
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), extent=extent)
        return copy


class Counts(dict[str, int]):
    """A read-only dict of counts by name."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("these counts are read-only; copy them with dict()")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Self], tuple[dict[str, int]]]:
        return type(self), (dict(self),)


def frozen(value: Any) -> Any:
    """The value, made read-only if it is an array, or a tuple or dataclass of arrays."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for item in value:
            frozen(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            frozen(getattr(value, field.name))
    return value
