"""Ends that come from outside: Ctrl-C and SIGTERM, and moments in which they have to wait."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Terminated(KeyboardInterrupt):
    """A polite request to end (SIGTERM): what is half-written is cleared away, as after Ctrl-C."""


def end_politely() -> None:
    """Let SIGTERM raise ``Terminated``, where this is the main thread; by default it ends the process at once."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _terminate)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait until the end of the block, so that what belongs together happens together.

    Only the main thread is ever interrupted; in another one there is nothing to wait for.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    usual: dict[signal.Signals, Any] = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            usual[number] = signal.signal(number, lambda signum, _frame: came.append(signum)) or signal.SIG_DFL
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        for one in dict.fromkeys(came):
            signal.raise_signal(one)


def _terminate(*_: object) -> None:
    raise Terminated
