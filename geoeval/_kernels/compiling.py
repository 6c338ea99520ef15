"""How the loops that arrays cannot express are compiled: quickly, and with a message, because a first run waits."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from numba import njit
from numba.core import event

from geoeval._kernels.kept_loops import KeptLoops

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, without the wrapper for callers in C, which is not needed."""
    return _compiled(function, _OPTIONS)


def inner(function: Function) -> Function:
    """Compile a function that only compiled functions call, without the wrapper for Python either."""
    return _compiled(function, _OPTIONS | {"no_cpython_wrapper": True})


def searching(function: Function) -> Function:
    """Compile as ``inner``, for loops that look for the lowest or highest of numbers, none of which is NaN.

    The processor then compares several at once. No sum is taken in another order, so no result changes.
    """
    return _compiled(function, _OPTIONS | {"no_cpython_wrapper": True, "fastmath": {"nnan", "nsz"}})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    """A function that is compiled when it is first called, and kept on disk where there is a place for it."""
    loop: Any = njit(**options)(function)
    if loop is function:
        return function  # NUMBA_DISABLE_JIT is set
    try:
        loop.enable_caching()
    except RuntimeError:
        return loop  # neither the folder of the package nor that of the user can be written
    loop._cache._cache_file = KeptLoops(loop._cache._cache_file, function)  # noqa: SLF001 - numba has no door for this
    return loop


@contextmanager
def announce_compilation(progress: Callable[[float, str], None] | None) -> Iterator[None]:
    """Report once, through ``progress``, that a function missing from numba's cache is being compiled."""
    if progress is None:
        yield
        return
    with event.install_listener("numba:compile", _Announcer(lambda: progress(0.0, "compiling, on the first run only"))):
        yield


class _Announcer(event.Listener):
    def __init__(self, say: Callable[[], None]) -> None:
        self.say: Callable[[], None] | None = say

    def on_start(self, event: Any) -> None:  # noqa: ARG002 - numba decides the signature
        if self.say is not None:
            say, self.say = self.say, None
            say()

    def on_end(self, event: Any) -> None:
        pass
