"""Ends that come from outside: Ctrl-C and SIGTERM, and moments in which they have to wait."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

# Seconds after which an interrupt that was lost, or came at a bad moment, comes again.
_MOMENT = 0.02
# Where the code of numba is: its part in C may crash, or say that something else went wrong, when it is interrupted
# while it loads or compiles a loop.
_NUMBA = f"{os.sep}numba{os.sep}"


class Terminated(KeyboardInterrupt):
    """A polite request to end (SIGTERM): what is half-written is cleared away, as after Ctrl-C."""


def lose_no_interrupt() -> None:
    """Let an interrupt come again that falls into the clean-up of an object, where Python only prints it.

    One that falls into numba, where this is the main thread, comes again until numba is done.
    """
    if not isinstance(sys.unraisablehook, _Repeated):
        sys.unraisablehook = _Repeated(sys.unraisablehook)
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def end_politely() -> None:
    """Let SIGTERM raise ``Terminated``, where this is the main thread; by default it ends the process at once.

    From then on no interrupt is lost.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
        lose_no_interrupt()


class _Repeated:
    """Sends an interrupt again that could not be raised where it came; all else is said as before."""

    def __init__(self, before: Callable[[Any], object]) -> None:
        self._before = before

    def __call__(self, lost: Any) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            self._before(lost)
            return
        _send_later(signal.SIGTERM if issubclass(lost.exc_type, Terminated) else signal.SIGINT)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End what is being done, now or as soon as it may be ended."""
    while frame is not None:
        if _NUMBA in frame.f_code.co_filename:
            _send_later(number)
            return
        frame = frame.f_back
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _send_later(number: int) -> None:
    later = threading.Timer(_MOMENT, _send_again, [number])
    later.daemon = True
    later.start()


def _send_again(number: int) -> None:
    """Send a signal to the main thread, which wakes it from whatever it waits for; Windows cannot do that."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)


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
