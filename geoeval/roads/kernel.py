"""How functions are compiled that only other compiled functions call."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def inner(function: Function) -> Function:
    """Compile without the two wrappers for callers outside, which take as long as a short function itself."""
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(cache=True, error_model="numpy", **options)(function)
