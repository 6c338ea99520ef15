"""Errors become one line and an exit code; a traceback only with ``--debug``."""

import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec

import typer

from geoeval.cli.progress import emit
from geoeval.exceptions import GeoevalError, GeoevalWarning
from geoeval.files import clear_temporaries, is_anything_written
from geoeval.signals import Terminated, end_politely

P = ParamSpec("P")

FAILED, INTERRUPTED, TERMINATED = 1, 130, 143


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: input that cannot be evaluated exits with 1, Ctrl-C with 130, SIGTERM with 143."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> None:
        # A polite end (the QGIS plugin's cancel) must run the clean-up of half-written output too.
        end_politely()
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
        except KeyboardInterrupt as end:
            clear_temporaries()
            if kwargs.get("debug"):
                raise
            kept = kwargs.get("resume")
            if kept is not None:
                what = f"the same command goes on from the tiles in {kept}"
            else:
                what = "what was written is complete" if is_anything_written() else "nothing was written"
            typer.echo(f"geoeval: interrupted; {what}", err=True)
            raise typer.Exit(TERMINATED if isinstance(end, Terminated) else INTERRUPTED) from None

    return wrapper


@contextmanager
def _warnings_in_one_line(options: dict[str, Any]) -> Iterator[None]:
    """Our own warnings as one line each, for people and for programs; those of libraries as they are."""
    show = warnings.showwarning

    def one_line(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
        if not issubclass(category, GeoevalWarning):
            show(message, category, *place, **more)
            return
        line = " ".join(str(message).split())
        if str(options.get("progress")) == "json":
            emit("warning", message=line)
        typer.echo(f"geoeval: warning: {line}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", GeoevalWarning)
        warnings.showwarning = one_line
        yield


def _report(message: str, options: dict[str, Any]) -> None:
    line = " ".join(message.split())
    if str(options.get("progress")) == "json":
        emit("error", code=FAILED, message=line)
    sys.stdout.flush()
    typer.echo(f"geoeval: error: {line}", err=True)
