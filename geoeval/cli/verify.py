"""``geoeval verify``: repeat a run from its record, and say what differs."""

from pathlib import Path
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import takes, trust_options, used
from geoeval.cli.guard import FAILED, guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say


@guarded
@takes(trust=trust_options())
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
    download: Annotated[
        bool, typer.Option("--download", help="Download places (osm:) again, where the run was of some.")
    ] = False,
    workers: options.Workers = 1,
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    trust: dict[str, Any],
) -> None:
    """Repeat the run of a result and compare: exit code 0 where all is the same, 1 where not."""
    from geoeval.pipeline.verify import verify as repeat

    with progress_report(progress) as report:
        found = repeat(
            result, inputs=inputs or (), search=search or (), workers=workers, progress=report, download=download,
            **used("roads", trust),
        )  # fmt: skip
    said = {
        "version": found.versions, "input changed": found.changed, "input missing": found.missing,
        "different": found.differences,
    }  # fmt: skip
    for what, lines in said.items():
        for line in lines:
            say(f"{what}: {line}")
    if found.same:
        say(f"the same: {found.compared} scores and counts, errors, area and parameters of {result}")
        return
    what = "cannot be repeated" if found.missing else f"is not the same, in {len(found.differences)} values"
    say(f"{result} {what}", err=True)
    raise typer.Exit(FAILED)
