"""A dict that is filled when somebody looks into it."""

from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any


class LaterDict(UserDict[str, Any]):
    """What ``make`` makes, made once and when it is first looked at; a copy in another process is a plain dict."""

    def __init__(self, make: Callable[[], dict[str, Any]]) -> None:
        self._make = make

    @cached_property
    def data(self) -> dict[str, Any]:  # type: ignore[override] # an attribute of the base class
        """The dict itself."""
        return self._make()

    def __or__(self, other: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[override] # no later dict of a dict
        return {**self.data, **other}

    def __ror__(self, other: Mapping[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        return {**other, **self.data}

    def copy(self) -> dict[str, Any]:  # type: ignore[override]
        """Return a plain dict."""
        return dict(self.data)

    # That of the base class copies an attribute that is not there before the first look.
    __copy__ = copy  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.data,)
