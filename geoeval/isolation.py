"""A call in a process of its own, so that what ends the process is an error here and not the end.

Libraries in C and C++ can end the interpreter: an assertion that fails, memory that is not theirs. Files that nobody
vouches for are read in such a process (``untrusted`` of :data:`geoeval.readers.options.INPUT_OPTIONS`).
"""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoeval.exceptions import GeoevalError, GeoevalWarning

_CODE = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from geoeval.isolation import serve; serve(sys.argv[2])"
)
_ASKED, _ANSWER = "asked", "answer"
# The code of a process that found no room for its answer.
_NO_ROOM = 74
# Processes that a thread waits for.
_running: set[subprocess.Popen[bytes]] = set()


class IsolationError(GeoevalError):
    """The process that made a call ended without an answer."""


def call_in_child(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """What a function of a module returns or raises, computed in a process of its own.

    Arguments and answer must be picklable. Warnings are passed on. The process does not outlive this one.

    Raises
    ------
    IsolationError
        The process ended without an answer.
    OSError
        There is no room for the answer in the folder for temporary files.
    """
    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        (Path(folder) / _ASKED).write_bytes(pickle.dumps((function, arguments, options)))
        # Isolated, so that no module of the folder that somebody works in is taken for one of Python's; names of files
        # are read as they are here.
        options_of_python = ["-I", "-X", f"utf8={sys.flags.utf8_mode}"]
        command = [sys.executable, *options_of_python, "-c", _CODE, json.dumps(sys.path), folder]
        with subprocess.Popen(  # noqa: S603 - our own interpreter and code
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),  # Windows would open a console
        ) as process:
            _running.add(process)
            try:
                process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                _running.discard(process)
        answer = Path(folder) / _ANSWER
        if process.returncode == _NO_ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), folder)
        if not answer.exists():
            raise IsolationError(ending(process.returncode))
        returned, raised, told = pickle.loads(answer.read_bytes())  # noqa: S301 - our own process wrote it
    for message, category in told:
        warnings.warn(message, category, stacklevel=2)
    if raised is not None:
        raise raised
    return returned


@contextmanager
def ended_children() -> Iterator[None]:
    """End the processes that other threads wait for where this block is left by an error or an interrupt."""
    try:
        yield
    except BaseException:
        for process in list(_running):
            process.kill()
        raise


def serve(folder: str) -> None:
    """Make the call that is described in a folder, leave the answer there, and end this process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    function, arguments, options = pickle.loads((Path(folder) / _ASKED).read_bytes())  # noqa: S301 - see above
    returned, raised = None, None
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            returned = function(*arguments, **options)
        except Exception as error:  # noqa: BLE001 - it is raised again by the caller
            raised = error
    # Ours are worded by whoever shows them, who knows which options there are.
    told = [
        (str(one.message.args[0] if isinstance(one.message, GeoevalWarning) else one.message), one.category)
        for one in seen
    ]
    unfinished = Path(folder) / "unfinished"
    try:
        unfinished.write_bytes(pickle.dumps((returned, raised, told)))
    except OSError:
        os._exit(_NO_ROOM)
    unfinished.replace(Path(folder) / _ANSWER)
    os._exit(0)  # the interpreter would wait for the thread that listens


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _end_with_parent() -> None:
    """The standard input closes when the caller is gone."""
    sys.stdin.buffer.read()
    os._exit(1)
