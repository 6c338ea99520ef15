"""``geoeval study rulers``: is one method better, or is it the ruler."""

from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.benchmark import EmptyRule, Frame, Rule, Split
from geoeval.cli.folder import Folder, check_folder, print_table
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say


@guarded
@takes(reading=inputs_of_pair("roads"))
def rulers(
    truth: Annotated[
        str, typer.Argument(metavar="TRUTH", help="File, folder, pattern with {name}, or SpaceNet table.")
    ],
    first: Annotated[str, typer.Argument(metavar="A", help="The same of one method.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The same of another.")],
    *,
    metrics: Annotated[str, typer.Option(help="Our own metrics among the rulers: all, or a list with commas.")] = "all",
    orders: Annotated[
        int, typer.Option(min=0, help="Drawn orders of protocols that depend on chance, each the mean of two.")
    ] = 3,
    seed: options.Seed = 0,
    layout: Annotated[str, typer.Option(metavar="auto|NAME", help="Data set, as for geoeval benchmark.")] = "auto",
    split: Annotated[Split, typer.Option(help="Part of a known data set.")] = Split.test,
    frame: Annotated[Frame, typer.Option(help="Pixels of predictions, as for geoeval benchmark.")] = Frame.file,
    missing: Annotated[Rule, typer.Option(help="Places without a prediction.")] = Rule.skip,
    empty: Annotated[EmptyRule, typer.Option(help="Places whose truth is empty.")] = EmptyRule.skip,
    failed: Annotated[Rule, typer.Option(help="Places that cannot be evaluated.")] = Rule.skip,
    output: Folder = None,
    workers: options.Workers = 1,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Score two predictions by every published ruler and by ours: under how many does A beat B."""
    from geoeval.benchmarking.rulers import ruler_noise, rulers_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    with progress_report(progress) as report:
        found = ruler_noise(
            truth, first, second, metrics=metrics, orders=orders, seed=seed, layout=layout, split=split.value,
            frame=frame.value, missing=missing.value, empty=empty.value, failed=failed.value, workers=workers,
            progress=report, **used("roads", reading),
        )  # fmt: skip
    both = "one place has both" if found.places == 1 else f"{found.places} places have both"
    said = f"A is {first}, B is {second}; {both}. {found.said()}"
    if output is not None:
        about = (
            f"{said} Every row is one ruler: a published protocol with its variant, order or rule of putting places "
            "together, or one of our metrics. A difference between methods that is smaller than the spread of the "
            "rulers says more of the ruler than of the method."
        )
        if found.left_out:
            about += f" Not used: {'; '.join(found.left_out)}."
        write_study(
            output, title="Rulers and methods", figure=rulers_figure(found), about=about, overwrite=overwrite,
            tables={"rulers": found.table, "families": found.families()}, shown=("families", "rulers"),
        )  # fmt: skip
    print_table(found.table, output)
    say(said)
    for line in found.left_out:
        say(f"not used: {line}")
