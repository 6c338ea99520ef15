"""Tell the user when numba compiles, which only a first run does."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import event


class _Announcer(event.Listener):
    def __init__(self, say: Callable[[], None]) -> None:
        self.say: Callable[[], None] | None = say

    def on_start(self, event: Any) -> None:  # noqa: ARG002 - numba decides the signature
        if self.say is not None:
            say, self.say = self.say, None
            say()

    def on_end(self, event: Any) -> None:
        pass


@contextmanager
def announce_compilation(progress: Callable[[float, str], None] | None) -> Iterator[None]:
    """Report once, through ``progress``, that a function missing from numba's cache is being compiled."""
    if progress is None:
        yield
        return
    with event.install_listener("numba:compile", _Announcer(lambda: progress(0.0, "compiling, on the first run only"))):
        yield
