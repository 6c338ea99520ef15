"""The ``geoeval`` command."""

from collections.abc import Sequence
from typing import Annotated

import typer

from geoeval._version import __version__
from geoeval.cli.apply import apply
from geoeval.cli.benchmark import benchmark
from geoeval.cli.convert import convert
from geoeval.cli.curve import curve
from geoeval.cli.demo import demo
from geoeval.cli.evaluate import lines, objects, roads
from geoeval.cli.info import info
from geoeval.cli.perturb import perturb
from geoeval.cli.protocols import protocols
from geoeval.cli.rank import rank
from geoeval.cli.review import review
from geoeval.cli.study import study
from geoeval.cli.terminal import ended_without_reader, say, tame_libraries
from geoeval.cli.verify import verify
from geoeval.signals import lose_no_interrupt

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Compare a predicted map with a reference: scores in true metres, and a map of every error.",
)
for command in (
    roads, objects, lines, benchmark, review, apply, curve, rank, perturb, convert, verify, protocols, info, demo,
):  # fmt: skip
    app.command()(command)
app.add_typer(study, name="study")


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"geoeval {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the installed command, with the arguments that it was given, or with others."""
    lose_no_interrupt()
    tame_libraries()
    with ended_without_reader():
        app(arguments, prog_name="geoeval")
