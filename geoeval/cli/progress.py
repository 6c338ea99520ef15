"""Progress as a bar for people, as JSON lines for programs, or not at all."""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Protocol

from geoeval._version import __version__
from geoeval.cli.options import ProgressChoice
from geoeval.cli.terminal import open_bar, say_json

PROTOCOL = 1
_HEARTBEAT = 0.8
# A program that sets this to 1 holds our standard input open; when it dies or closes it, we end too.
END_WITH_STDIN = "GEOEVAL_END_WITH_STDIN"
_GRACE = 3.0


class Report(Protocol):
    """What a long job calls: a fraction from 0 to 1 and what is being done."""

    def __call__(self, fraction: float, message: str) -> None:
        """Report."""


def emit(kind: str, **values: Any) -> None:
    """One JSON object on a line of its own on standard output."""
    say_json(json.dumps({"type": kind, **values}, ensure_ascii=False, allow_nan=False))


@contextmanager
def progress_report(choice: ProgressChoice) -> Iterator[Report]:
    """A function to report progress with, shown as chosen; ``auto`` is a bar on a terminal."""
    if choice is ProgressChoice.json:
        with _json_lines() as report:
            yield report
    elif choice is ProgressChoice.bar or (choice is ProgressChoice.auto and sys.stderr.isatty()):
        with open_bar() as report:
            yield report
    else:
        yield lambda _fraction, _message: None


@contextmanager
def _json_lines() -> Iterator[Report]:
    """JSON lines, the last one again at least once a second, so that a listener knows the worker lives."""
    if os.environ.get(END_WITH_STDIN) == "1":
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    emit("hello", protocol=PROTOCOL, version=__version__)
    state: dict[str, Any] = {"value": 0.0, "message": "starting", "sent": monotonic()}
    lock = threading.Lock()
    stop = threading.Event()

    def send() -> None:
        state["sent"] = monotonic()
        emit("progress", value=round(100 * state["value"], 1), message=state["message"])

    def report(fraction: float, message: str) -> None:
        with lock:
            changed = message != state["message"] or fraction >= 1
            state["value"], state["message"] = max(state["value"], min(max(fraction, 0.0), 1.0)), message
            if changed or monotonic() - state["sent"] > 0.1:
                send()

    def beat() -> None:
        while not stop.wait(_HEARTBEAT / 4):
            with lock:
                if monotonic() - state["sent"] > _HEARTBEAT:
                    send()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield report
    finally:
        stop.set()
        thread.join()


def _end_with_stdin() -> None:
    """Wait for the end of standard input, then end as on SIGTERM; by force where a long kernel does not look up."""
    # The file itself and not sys.stdin, whose lock would be held when the interpreter shuts down.
    while os.read(0, 4096):
        pass
    signal.raise_signal(signal.SIGTERM)
    threading.Event().wait(_GRACE)
    os._exit(143)
