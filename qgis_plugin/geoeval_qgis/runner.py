"""Runs the engine as a separate process and listens to it. No QGIS here, so it can be tested without.

The engine writes one JSON object per line to its standard output: ``hello``, ``progress``, ``warning``, ``result`` and
``error``. It ends when its standard input closes, so that it never outlives QGIS.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess  # nosec B404
import threading
import time

PROTOCOL = 1
# Seconds from cancelling until the worker is killed; it is gone within two seconds in all.
PATIENCE = 1.0
# Variables that point to QGIS's interpreter and libraries, or would change what the engine loads.
DROPPED = ("VIRTUAL_ENV", "PROJ_LIB", "PROJ_DATA", "GDAL_DATA", "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD",
           "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH")  # fmt: skip
DROPPED_FAMILIES = ("PYTHON", "CONDA_", "DYLD_")
STDERR_LINES = 200
# Prefix of the line in which the engine says what is wrong.
ERROR_LINE = "geoeval: error: "
HOW_TO_SET_UP = 'run "Set up the geoeval environment" in the Processing toolbox (group geoeval)'


class EngineError(Exception):
    """The engine reported an error or ended without a result; the message is for the user."""


class StartError(EngineError):
    """A program cannot be started; ``reason`` is the system's error message."""

    def __init__(self, program, reason):
        super().__init__(f"{program} cannot be started ({reason}); {HOW_TO_SET_UP}")
        self.reason = reason


class CanceledError(Exception):
    """The user canceled."""


def child_environment(base=None):
    """The environment variables that the engine gets."""
    base = os.environ if base is None else base
    kept = {
        name: value for name, value in base.items() if name not in DROPPED and not name.startswith(DROPPED_FAMILIES)
    }
    # No message names an option of the command line; algorithms say what else to call them, see ``words``.
    return {**kept, "PYTHONUTF8": "1", "GEOEVAL_END_WITH_STDIN": "1", "GEOEVAL_DIALOG": "{}"}


def isolated(python):
    """The command that starts an interpreter isolated from user and QGIS settings, in UTF-8, unbuffered."""
    return [str(python), "-I", "-u", "-X", "utf8"]


def no_window():
    """Arguments of Popen that keep Windows from opening a console."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}


def run_engine(command, arguments, *, on_event=None, is_canceled=None, more_variables=None):
    """Run the engine and return its ``result``.

    Parameters
    ----------
    command
        How the engine is started, for example ``[*isolated(python), "-m", "geoeval"]``.
    arguments
        What follows; ``--progress json`` is added.
    on_event
        Called with every ``progress`` and ``warning``.
    is_canceled
        Asked ten times a second.
    more_variables
        Environment variables besides.

    Raises
    ------
    EngineError
        It cannot be started, says that the input is wrong, or dies.
    CanceledError
        The user canceled; the engine is gone.
    """
    seen = {}

    def hear(line):
        event = _parse(line)
        if event is None:
            return
        kind = event.get("type")
        if kind == "hello" and event.get("protocol") != PROTOCOL:
            seen["error"] = {
                "message": f"the engine speaks protocol {event.get('protocol')}, this plugin {PROTOCOL}",
                "hint": 'run "Set up the geoeval environment" again, so that both have the same version',
            }
        elif kind in {"result", "error"}:
            seen.setdefault(kind, event)
        elif on_event is not None and kind in {"progress", "warning"}:
            on_event(event)

    code, last_words = run(
        [*command, *map(str, arguments), "--progress", "json"], on_line=hear, is_canceled=is_canceled,
        more_variables=more_variables,
    )  # fmt: skip
    if "error" in seen:
        hint = seen["error"].get("hint")
        raise EngineError(seen["error"]["message"] + (f"; {hint}" if hint else ""))
    if code != 0 or "result" not in seen:
        raise EngineError(how_it_ended(code, last_words))
    return seen["result"]


def run(command, *, on_line, is_canceled=None, working_directory=None, more_variables=None):
    """Run any program, passing on its output line by line; return its exit code and last lines of standard error."""
    try:
        process = subprocess.Popen(  # nosec B603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**child_environment(), **(more_variables or {})},
            cwd=working_directory,
            start_new_session=os.name != "nt",
            **no_window(),
        )
    except OSError as error:
        raise StartError(command[0], error.strerror) from error
    lines, words = queue.Queue(), []
    listeners = [
        threading.Thread(target=_listen, args=(process.stdout, lines.put), daemon=True),
        threading.Thread(target=_listen, args=(process.stderr, words.append), daemon=True),
    ]
    for listener in listeners:
        listener.start()
    try:
        _follow(process, lines, listeners[0], on_line, is_canceled)
    finally:
        _end(process)
        for listener in listeners:
            listener.join(timeout=1)
        for stream in (process.stdin, process.stdout, process.stderr):
            _close(stream)
    return process.returncode, words[-STDERR_LINES:]


def _follow(process, lines, listener, on_line, is_canceled):
    """Pass on lines until the program has ended and all its output is read."""
    while True:
        if is_canceled is not None and is_canceled():
            raise CanceledError
        try:
            on_line(lines.get(timeout=0.1))
        except queue.Empty:
            if process.poll() is not None and not listener.is_alive() and lines.empty():
                return


def _listen(stream, put):
    for line in iter(stream.readline, b""):
        put(line.decode("utf-8", "replace").rstrip("\r\n"))


def _end(process):
    """End the program and all it started: politely, so that it can clean up, then by force."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        _close(process.stdin)
        limit = time.monotonic() + PATIENCE
        while process.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
    if process.poll() is None:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    process.wait()


def _signal(process, number):
    with contextlib.suppress(OSError, ValueError):
        if os.name != "nt":
            os.killpg(process.pid, number)
        elif process.stdin.closed:
            # The polite way on Windows is the end of the standard input; once that is closed, by force.
            process.kill()


def _close(stream):
    with contextlib.suppress(OSError):
        stream.close()


def _parse(line):
    """The event on a line, or None if the line is something else."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def how_it_ended(code, last_words):
    """One message for a worker that ended without reporting a result or an error."""
    said = [line.strip() for line in last_words if line.strip()]
    told = [line.partition(ERROR_LINE)[2] for line in said if line.startswith(ERROR_LINE)]
    if told:
        return told[-1]
    if any("No module named geoeval" in line for line in said):
        return f"this interpreter has no geoeval; {HOW_TO_SET_UP}"
    advice = " (often too little memory: evaluate a smaller area)" if ending(code).endswith("SIGKILL") else ""
    tail = f"; it last said: {said[-1]}" if said else ""
    how = f"the geoeval worker {ending(code)} and gave no result{advice}{tail}"
    return f"{how}. QGIS itself is fine, and nothing was written."


def ending(code):
    """How a program ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
