"""Errors become one line and an exit code; a traceback only with ``--debug``."""

import errno
import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec

import typer

from geoeval.cli.progress import emit
from geoeval.cli.terminal import printable, say
from geoeval.exceptions import GeoevalError, GeoevalWarning
from geoeval.files import INPUT_WORDS, clear_temporaries, is_anything_written, keeping
from geoeval.signals import Terminated, end_politely
from geoeval.wording import CommandLine, Door, dialog_of, worded, worded_for

P = ParamSpec("P")

# How arguments and options end whose values may be files that are read; nothing is written over these.
INPUTS = (
    *INPUT_WORDS,
    "truth",
    "predictions",
    "network",
    "networks",
    "source",
    "file",
    "files",
    "first",
    "second",
    "result",
    "results",
    "run",
    "inputs",
    "search",
    "previous",
    "plan",
    "verdicts",
    "carry_from",
)
OUTPUTS = (
    "output",
    "json_file",
    "run_file",
    "save_verdicts",
    "target",
    "directory",
    "report",
    "card",
    "maproulette",
    "josm",
    "features",
    "plot",
    "export",
    "resume",
)
# A program that shows a dialog says here what that calls the options, see ``geoeval.wording.Dialog``.
DIALOG = "GEOEVAL_DIALOG"
FAILED, INTERRUPTED, TERMINATED = 1, 130, 143


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: input that cannot be evaluated exits with 1, Ctrl-C with 130, SIGTERM with 143."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        with worded_for(door_of(command)):
            # A polite end (the QGIS plugin's cancel) must run the clean-up of half-written output too.
            end_politely()
            try:
                given = [value for name, value in kwargs.items() if name.endswith(INPUTS) and name not in OUTPUTS]
                with keeping(given), _warnings_in_one_line(kwargs):
                    command(*args, **kwargs)
            except typer.Exit:
                raise
            except Exception as error:
                if kwargs.get("debug"):
                    raise
                _report(_words_for(error), kwargs)
                raise typer.Exit(FAILED) from None
            except KeyboardInterrupt as end:
                clear_temporaries()
                if kwargs.get("debug"):
                    raise
                kept = kwargs.get("resume")
                if kept is not None:
                    what = f"the same command goes on from what is kept in {kept}"
                else:
                    what = "what was written is complete" if is_anything_written() else "nothing was written"
                say(f"geoeval: interrupted; {what}", err=True)
                raise typer.Exit(TERMINATED if isinstance(end, Terminated) else INTERRUPTED) from None

    return wrapper


def door_of(command: Callable[..., None]) -> Door:
    """What messages call options: as the dialog does that called, or else the options of a command."""
    return dialog_of(os.environ.get(DIALOG, "")) or CommandLine(_options_of(command))


def _options_of(command: Callable[..., None]) -> set[str]:
    """The long names of a command's options."""
    found = set()
    for name, parameter in inspect.signature(command).parameters.items():
        for one in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(one, typer.models.OptionInfo):
                # Within Annotated, the first name stands where the default would.
                said = [text for text in (one.default, *(one.param_decls or ())) if isinstance(text, str)]
                found |= set(said or [f"--{name.replace('_', '-')}"])
    return {name.partition("/")[0].removeprefix("--") for name in found if name.startswith("--")}


@contextmanager
def _warnings_in_one_line(options: dict[str, Any]) -> Iterator[None]:
    """Our own warnings as one line each, for people and for programs; those of libraries as they are."""
    show = warnings.showwarning

    def one_line(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, GeoevalWarning):
            # What a library says may hold text from data.
            show(printable(str(message)), category, *place, **more)
            return
        line = printable(str(message))
        if str(options.get("progress")) == "json":
            emit("warning", message=line)
        say(f"geoeval: warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", GeoevalWarning)
        warnings.showwarning = one_line
        yield


def _words_for(error: Exception) -> str:
    """What is said of an error."""
    if isinstance(error, GeoevalError):
        return str(error)
    # A library that finds no room for itself is an ImportError.
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and "failed to map" in str(error)):
        return worded("not enough memory; evaluate a smaller area with {option:aoi}")
    if isinstance(error, OSError):
        return _refused(error)
    # A defect of ours: one line for the user, the rest for the report.
    return worded(f"unexpected {type(error).__name__}: {error}; please report it with the output of {{option:debug}}")


def _refused(error: OSError) -> str:
    """What the system refused, and what to do, where no part of geoeval knew better."""
    advice = {
        errno.EMFILE: "raise the number of open files (ulimit -n), or give fewer {option:workers}",
        errno.ENFILE: "the machine has no more open files; try again later",
        errno.ENOSPC: "free some space there, or set TMPDIR to another folder",
        errno.EDQUOT: "free some space there, or set TMPDIR to another folder",
        errno.ENOMEM: "evaluate a smaller area with {option:aoi}, or in tiles with {option:tile-size}",
    }
    where = f"{error.filename!r}: " if isinstance(error.filename, str) else ""
    what = error.strerror or str(error) or type(error).__name__
    return worded(f"{where}{what}; {advice.get(error.errno or 0, 'check that it is there and may be used')}")


def _report(message: str, options: dict[str, Any]) -> None:
    line = printable(message)
    if str(options.get("progress")) == "json":
        emit("error", code=FAILED, message=line)
    sys.stdout.flush()
    say(f"geoeval: error: {line}", err=True)
