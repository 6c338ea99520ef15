"""``geoeval verify``: repeat a run from its record, and say what differs."""

from pathlib import Path
from typing import Annotated

import typer

from geoeval.cli import options
from geoeval.cli.guard import FAILED, guarded
from geoeval.cli.progress import progress_report


@guarded
def verify(
    result: Annotated[Path, typer.Argument(metavar="RESULT.json", help="A result that --json wrote.")],
    *,
    search: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Look here for inputs, by their content; may be repeated."),
    ] = None,
    inputs: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="An input that is no longer where it was; may be repeated."),
    ] = None,
    workers: options.Workers = 1,
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Repeat the run of a result and compare: exit code 0 where all is the same, 1 where not."""
    from geoeval.pipeline.verify import verify as repeat

    with progress_report(progress) as report:
        found = repeat(result, inputs=inputs or (), search=search or (), workers=workers, progress=report)
    for line in found.versions:
        typer.echo(f"version: {line}")
    for line in found.changed:
        typer.echo(f"input changed: {line}")
    for line in found.missing:
        typer.echo(f"input missing: {line}")
    for line in found.differences:
        typer.echo(f"different: {line}")
    if found.same:
        typer.echo(f"the same: {found.compared} scores and counts, errors, area and parameters of {result}")
        return
    what = "cannot be repeated" if found.missing else f"is not the same, in {len(found.differences)} values"
    typer.echo(f"{result} {what}", err=True)
    raise typer.Exit(FAILED)
