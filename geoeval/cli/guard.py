"""Errors become one line and an exit code; a traceback only with ``--debug``."""

import functools
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec

import typer

from geoeval.cli.progress import emit
from geoeval.exceptions import GeoevalError, GeoevalWarning

P = ParamSpec("P")

FAILED, INTERRUPTED = 1, 130
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: input that cannot be evaluated exits with 1, Ctrl-C with 130."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        # A polite end (the QGIS plugin's cancel) must run the clean-up of half-written output too.
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            with _warnings_in_one_line(kwargs):
                command(*args, **kwargs)
        except GeoevalError as error:
            if kwargs.get("debug"):
                raise
            _report(str(error), kwargs)
            raise typer.Exit(FAILED) from None
        except MemoryError:
            if kwargs.get("debug"):
                raise
            _report("not enough memory; evaluate a smaller area with --aoi", kwargs)
            raise typer.Exit(FAILED) from None
        except typer.Exit:
            raise
        except Exception as error:  # a defect of ours: one line for the user, the rest for the report
            if kwargs.get("debug"):
                raise
            _report(f"unexpected {type(error).__name__}: {error}; please report it with the output of --debug", kwargs)
            raise typer.Exit(FAILED) from None
        except KeyboardInterrupt:
            if kwargs.get("debug"):
                raise
            kept = kwargs.get("resume")
            what = "nothing was written" if kept is None else f"the same command goes on from the tiles in {kept}"
            typer.echo(f"geoeval: interrupted; {what}", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return wrapper


@contextmanager
def _warnings_in_one_line(options: dict[str, Any]) -> Iterator[None]:
    """Our own warnings as one line each, for people and for programs; those of libraries as they are."""
    show = warnings.showwarning

    def one_line(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, GeoevalWarning):
            show(message, category, *place, **more)
            return
        line = printable(str(message))
        if str(options.get("progress")) == "json":
            emit("warning", message=line)
        typer.echo(f"geoeval: warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", GeoevalWarning)
        warnings.showwarning = one_line
        yield


def printable(text: str) -> str:
    """Text from data in one line, without what a terminal would take for a command of its own."""
    return _CONTROLS.sub("\ufffd", " ".join(text.split()))


def _report(message: str, options: dict[str, Any]) -> None:
    line = printable(message)
    if str(options.get("progress")) == "json":
        emit("error", code=FAILED, message=line)
    sys.stdout.flush()
    typer.echo(f"geoeval: error: {line}", err=True)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
