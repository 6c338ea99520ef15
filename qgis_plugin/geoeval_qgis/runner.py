"""Runs the engine as a process of its own and listens to it. No QGIS here, so that it is tested without.

The engine writes one JSON object a line on its standard output: ``hello``, ``progress``, ``warning``, ``result`` and
``error``. It ends when its standard input closes, so that it never outlives QGIS.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time

PROTOCOL = 1
# From the wish to cancel until the worker is ended by force; altogether it is gone within two seconds.
PATIENCE = 1.0
# QGIS' own interpreter and libraries, and whatever else would change what the engine loads.
DROPPED = ("VIRTUAL_ENV", "PROJ_LIB", "PROJ_DATA", "GDAL_DATA", "GDAL_DRIVER_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD",
           "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH")  # fmt: skip
DROPPED_FAMILIES = ("PYTHON", "CONDA_", "DYLD_")
STDERR_LINES = 200
# How the engine begins the one line that says what is wrong.
ERROR_LINE = "geoeval: error: "


class EngineError(Exception):
    """The engine said what is wrong, or ended without a result; the message is for the user."""


class CanceledError(Exception):
    """The user canceled."""


def child_environment(base=None):
    """The environment variables that the engine gets."""
    base = os.environ if base is None else base
    kept = {
        name: value for name, value in base.items() if name not in DROPPED and not name.startswith(DROPPED_FAMILIES)
    }
    return {**kept, "PYTHONUTF8": "1", "GEOEVAL_END_WITH_STDIN": "1"}


def isolated(python):
    """How an interpreter is started: blind to the user's and QGIS' settings, in UTF-8, saying things at once."""
    return [str(python), "-I", "-u", "-X", "utf8"]


def no_window():
    """Arguments of Popen that keep Windows from opening a console."""
    return {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}


def run_engine(command, arguments, *, on_event=None, is_canceled=None):
    """Run the engine, and give its ``result``.

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
        [*command, *map(str, arguments), "--progress", "json"], on_line=hear, is_canceled=is_canceled
    )
    if "error" in seen:
        hint = seen["error"].get("hint")
        raise EngineError(seen["error"]["message"] + (f"; {hint}" if hint else ""))
    if code != 0 or "result" not in seen:
        raise EngineError(how_it_ended(code, last_words))
    return seen["result"]


def run(command, *, on_line, is_canceled=None, working_directory=None):
    """Run any program; its output is heard line by line. Gives its exit code and its last words on standard error."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=child_environment(),
            cwd=working_directory,
            start_new_session=os.name != "nt",
            **no_window(),
        )
    except OSError as error:
        message = f"{command[0]} cannot be started ({error.strerror}); {HOW_TO_SET_UP}"
        raise EngineError(message) from error
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


HOW_TO_SET_UP = 'run "Set up the geoeval environment" in the Processing toolbox (group geoeval)'


def _follow(process, lines, listener, on_line, is_canceled):
    """Hand over lines until the program has ended and all is heard."""
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
    """End the program and all it started: politely, so that it tidies up, then by force."""
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
    """The event on a line, or None where something else was printed."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def how_it_ended(code, last_words):
    """One message for a worker that ended without a word of its own."""
    said = [line.strip() for line in last_words if line.strip()]
    told = [line.partition(ERROR_LINE)[2] for line in said if line.startswith(ERROR_LINE)]
    if told:
        return told[-1]
    if any("No module named geoeval" in line for line in said):
        return f"this interpreter has no geoeval; {HOW_TO_SET_UP}"
    if code is not None and code < 0:
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        how = f"was ended by {name}"
        advice = " (often too little memory: evaluate a smaller area)" if name == "SIGKILL" else ""
    else:
        how, advice = f"ended with code {code} and no result", ""
    tail = f"; it last said: {said[-1]}" if said else ""
    return f"the geoeval worker {how}{advice}{tail}. QGIS itself is fine, and nothing was written."
