"""Compiled loops that are kept on disk: the name of a file says all that it was made from.

numba keeps an index for each function, numbers its files, and notices changes of the function's own module only. So a
loop goes on with an earlier version of what it calls in another module; and since the index is written before the file,
processes that compile at once, or one after another that was killed, may be handed the code of an earlier version or of
other arguments. Here nothing is looked up: the file is found by its name or made, and its content is checked.
"""

import pickle
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import CPUDispatcher
from numba.core.serialize import dumps

_DIGEST = 16
# With what they are compiled.
_OPTIONS = str(Path(__file__).with_name("compiling.py"))
# Constants that are compiled into a loop.
_CONSTANTS = (bool, int, float, str, tuple)


class KeptLoops(IndexDataCacheFile):
    """The files of one function; takes the place of numba's own (``plain``)."""

    def __init__(self, plain: IndexDataCacheFile, function: Callable[..., Any]) -> None:
        vars(self).update(vars(plain))
        self._function = function
        self._base = plain._index_name.removesuffix(".nbi")  # noqa: SLF001 - what numba calls the function

    def flush(self) -> None:
        """Forget all that is kept of the function."""
        for path in Path(self._cache_path).glob(f"{self._base}.*"):
            path.unlink(missing_ok=True)

    def load(self, key: Any) -> Any:
        """What was compiled for these arguments and this processor; ``None`` if that is nowhere, or damaged."""
        try:
            kept = self._path(key).read_bytes()
        except OSError:
            return None
        content = kept[_DIGEST:]
        return pickle.loads(content) if _digest(content) == kept[:_DIGEST] else None  # noqa: S301 - written by us

    def save(self, key: Any, data: Any) -> None:
        """Keep what was compiled, as far as there is room, in place of what earlier versions of the loop were."""
        content: bytes = dumps(data)
        path = self._path(key)
        try:
            with self._open_for_write(str(path)) as file:
                file.write(_digest(content) + content)
            for other in path.parent.glob(f"{self._with_this_numba()}.*"):
                if not other.name.startswith(f"{self._from_these_sources()}."):
                    other.unlink(missing_ok=True)
        except OSError:
            return

    def _path(self, key: Any) -> Path:
        asked = _digest(repr(key).encode()).hex()[:16]
        return Path(self._cache_path) / f"{self._from_these_sources()}.{asked}.nbc"

    def _from_these_sources(self) -> str:
        return f"{self._with_this_numba()}.{_made_of(self._function).hex()[:16]}"

    def _with_this_numba(self) -> str:
        return f"{self._base}.{_digest(numba.__version__.encode()).hex()[:8]}"


@cache
def _made_of(function: Callable[..., Any]) -> bytes:
    """A digest of the modules of a function and of all compiled functions it calls, and of the constants they use."""
    files = {_OPTIONS}
    constants: set[str] = set()
    for one in _with_callees(function):
        files.add(one.__code__.co_filename)
        constants.update(
            f"{name} {value!r}" for name, value in _names(one) if isinstance(value, _CONSTANTS)
        )  # fmt: skip
    return _digest(b"".join(sorted(map(_content, files))) + "\n".join(sorted(constants)).encode())


def _with_callees(function: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """A function and all compiled ones that it calls, each once."""
    seen, waiting = {function}, [function]
    while waiting:
        one = waiting.pop()
        yield one
        called = {value.py_func for _, value in _names(one) if isinstance(value, CPUDispatcher)} - seen
        seen |= called
        waiting += called


def _names(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The names of a function's module that it uses, and what they stand for."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield name, function.__globals__[name]


@cache
def _content(path: str) -> bytes:
    return _digest(Path(path).read_bytes())


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST).digest()
