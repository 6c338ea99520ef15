"""How the loops that arrays cannot express are compiled: quickly, for a first run waits for it."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, without the wrapper for callers in C, which nobody needs."""
    return njit(**_OPTIONS)(function)


def inner(function: Function) -> Function:
    """Compile a function that only other compiled ones call, without the wrapper for Python either."""
    options = _OPTIONS | {"no_cpython_wrapper": True}
    return njit(**options)(function)
