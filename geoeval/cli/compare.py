"""``geoeval study compare``: does one prediction beat another on the same ground."""

from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.folder import Folder, check_folder, print_table
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say


@guarded
@takes(reading=inputs_of_pair("roads"))
def compare(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The network taken as true.")],
    first: Annotated[str, typer.Argument(metavar="A", help="A predicted network.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another prediction of the same ground.")],
    *,
    metrics: Annotated[
        str, typer.Option(metavar="NAME,...", help="Of ccq, junct, subg, opt-j, opt-g, which count place by place.")
    ] = "ccq,junct,subg,opt-j,opt-g",
    block: Annotated[
        float,
        typer.Option(min=1.0, metavar="M", help="Side of the blocks; nearer errors may depend on each other."),
    ] = 500.0,
    repetitions: Annotated[int, typer.Option(min=100, help="How often blocks are drawn.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawings and of the sampled metrics.")] = 0,
    settings: options.Settings = None,
    output: Folder = None,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Compare two predictions of the same ground: does A beat B, by how much, and how sure is that."""
    import pandas as pd

    from geoeval.cli.settings import parse_settings
    from geoeval.studies.comparison import block_scores, check_by_place, compare_blocks, evaluate_both
    from geoeval.studies.study_figures import comparison_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    wanted, parameters = check_by_place(metrics), parse_settings(settings)
    with progress_report(progress) as report:
        a, b = evaluate_both(
            reference, first, second, metrics=wanted, parameters=parameters, seed=seed, aoi=aoi, crs=crs,
            progress=report, **used("roads", reading),
        )  # fmt: skip
    found = [compare_blocks(a, b, metric=one, block_size=block, repetitions=repetitions, seed=seed) for one in wanted]
    blocks = pd.concat([block_scores(a, b, metric=one, block_size=block) for one in wanted], ignore_index=True)
    table = pd.DataFrame(
        [
            {"metric": one.metric, "A": one.scores[0], "B": one.scores[1], "difference": one.difference,
             "low": one.interval[0], "high": one.interval[1], "confidence": one.confidence, "blocks": one.units,
             "winner": one.winner}
            for one in found
        ]
    )  # fmt: skip
    meaning = (
        f"confidence: share of {repetitions} drawings of the blocks of {block:g} m in which A is better (0.5: no one "
        "is); low to high: 95 % interval of the difference; winner: where that leaves out 0"
    )
    if output is not None:
        about = (
            f"A is {first}, B is {second}, both against {reference}. {meaning[0].upper() + meaning[1:]}. It says how "
            "much the outcome depends on which blocks of this ground were looked at; it says nothing of other towns, "
            "or of errors in the reference."
        )
        write_study(
            output, title="Does A beat B", figure=comparison_figure(found, blocks, block), about=about,
            tables={"comparison": table, "blocks": blocks}, shown=("comparison",), overwrite=overwrite,
        )  # fmt: skip
    print_table(table, output)
    say(meaning)
