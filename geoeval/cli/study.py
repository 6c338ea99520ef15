"""``geoeval study``: which metric can be trusted, and which method is better."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.compare import compare
from geoeval.cli.folder import Folder, check_folder, print_table
from geoeval.cli.groups import inputs_of_one, inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.rulers import rulers
from geoeval.cli.terminal import say

study = typer.Typer(
    no_args_is_help=True, help="Which metric can be trusted, and which method is better.",
    context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip

Metrics = Annotated[str, typer.Option(help="all, or a comma-separated list.")]
Results = Annotated[
    list[Path], typer.Argument(metavar="RESULT.json...|SCORES.csv", help="Results that --json wrote, or one table.")
]

study.command()(compare)
study.command()(rulers)


@study.command()
@guarded
@takes(reading=inputs_of_one("roads"))
def sensitivity(
    networks: Annotated[list[str], typer.Argument(metavar="NETWORK...", help="Road networks, taken as true.")],
    *,
    errors: Annotated[
        str, typer.Option(metavar="KIND,...", help="Kinds of errors, as geoeval perturb has them; six is the paper's.")
    ] = "six",
    counts: Annotated[
        str, typer.Option(metavar="auto|N,...", help="Numbers of errors; auto goes up to one a kilometre of road.")
    ] = "auto",
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions of each.")] = 5,
    metrics: Metrics = "all",
    magnitudes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="MAGNITUDE=METRES",
            help="Change a magnitude, as gap=30; may be repeated. Here displacement is 30 and saving 20 by default.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Processes at the same time; 0 is one a core.")] = 0,
    output: Folder = None,
    aoi: options.Aoi = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Put more and more known errors into networks, and see which metric falls and which is blind."""
    from geoeval.perturbation.perturb import parse_magnitudes
    from geoeval.readers.given import read_within
    from geoeval.studies.sensitivity import PAPER_ERRORS
    from geoeval.studies.sensitivity import sensitivity as run
    from geoeval.studies.study_figures import sensitivity_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    steps, sizes = None if counts == "auto" else _whole_numbers(counts), parse_magnitudes(magnitudes or [])
    with progress_report(progress) as report:
        report(0.0, "reading")
        towns = [read_within("roads", one, aoi, **used("roads", reading)) for one in networks]
        found = run(
            towns, errors=PAPER_ERRORS if errors == "six" else [word.strip() for word in errors.split(",")],
            counts=steps, seeds=seeds, metrics=metrics, magnitudes=sizes, workers=workers or os.cpu_count() or 1,
            progress=report,
        )  # fmt: skip
    summary = found.summary().reset_index()
    most, length = found.runs["count"].max(), sum(town.length for town in towns) / 1000
    said = f"{most} errors of a kind in {length / len(towns):.1f} km of roads, mean of {seeds} seeds"
    if output is not None:
        about = (
            f"Scores of {len(towns)} networks against themselves with known errors, up to {said} and band of one "
            "standard deviation. A red frame, and flat in the table: insensitive, the mean falls by less than 0.02 or "
            "by at most 3 standard deviations. The verdicts hold for these numbers and magnitudes of errors."
        )
        write_study(
            output, title="Sensitivity of metrics", figure=sensitivity_figure(found), about=about, overwrite=overwrite,
            tables={"summary": summary, "verdicts": found.verdicts(), "table": found.table().reset_index(),
                    "curves": found.curves(), "runs": found.runs},
            shown=("summary", "verdicts"),
        )  # fmt: skip
    print_table(summary, output)
    say(f"{said}; flat: the mean falls by less than 0.02, or by at most 3 standard deviations")
    for error, made in found.too_few().items():
        say(f"there was room for {made:g} of {most} {error} on average; --set MAGNITUDE=METRES may make more")


@study.command()
@guarded
@takes(reading=inputs_of_one("roads", "objects", "lines"))
def detection(
    network: Annotated[str, typer.Argument(metavar="MAP", help="Roads, objects or drawn lines, taken as true.")],
    *,
    kind: Annotated[options.KindChoice, typer.Option(help="What MAP holds.")] = options.KindChoice.roads,
    errors: Annotated[str, typer.Option(metavar="all|KIND,...", help="Kinds of errors.")] = "all",
    count: Annotated[int, typer.Option(min=1, help="Errors at once.")] = 20,
    seeds: Annotated[int, typer.Option(min=1, help="Repetitions of each.")] = 1,
    within: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="M", help="How near a reported error must be: 15, or a line's width."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Table to write.")] = None,
    aoi: options.Aoi = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Put known errors into a map, and see which of them the error layers show."""
    from geoeval.files import check_output
    from geoeval.readers.given import read_within
    from geoeval.studies.detection import detection as run
    from geoeval.writers.tables import write_csv

    if output is not None:
        check_output(output, "tables", overwrite=overwrite)
    with progress_report(progress) as report:
        report(0.0, "reading")
        town = read_within(kind.value, network, aoi, **used(kind.value, reading))
        kinds = None if errors == "all" else [word.strip() for word in errors.split(",")]
        table = run(town, errors=kinds, count=count, seeds=seeds, within=within, progress=report)
    if output is not None:
        write_csv(table, output, overwrite=overwrite)
    print_table(table, None)


@study.command()
@guarded
@takes(reading=inputs_of_pair("roads"))
def stability(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The network taken as true.")],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The network to be scored.")],
    *,
    repetitions: Annotated[int, typer.Option(min=2, help="How many seeds.")] = 10,
    metrics: Metrics = "all",
    settings: options.Settings = None,
    output: Folder = None,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Repeat an evaluation with several seeds: mean and standard deviation of every metric."""
    from geoeval.cli.settings import parse_settings
    from geoeval.studies.sensitivity import stability as run
    from geoeval.studies.study_figures import stability_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    parameters = parse_settings(settings)
    with progress_report(progress) as report:
        table = run(
            reference, prediction, repetitions=repetitions, metrics=metrics, parameters=parameters, aoi=aoi, crs=crs,
            progress=report, **used("roads", reading),
        )  # fmt: skip
    if output is not None:
        write_study(
            output, title="Stability of metrics", figure=stability_figure(table), tables={"stability": table},
            about=f"{repetitions} evaluations of {prediction} against {reference} that differ in their seed only.",
            shown=("stability",), overwrite=overwrite,
        )  # fmt: skip
    print_table(table, output)


@study.command()
@guarded
def correlation(
    results: Results,
    *,
    indicators: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Scores to look at. Default: every metric's headline.")
    ] = None,
    mixed: options.Mixed = False,
    output: Folder = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Correlate the metrics over many results, and tell which three agree best."""
    from geoeval.exceptions import ParameterError
    from geoeval.ranking.score_tables import read_scores
    from geoeval.studies.agreement import correlation as correlate
    from geoeval.studies.agreement import triplets
    from geoeval.studies.study_figures import correlation_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    scores = read_scores(results, mixed=mixed)
    wanted = scores.headlines if indicators is None else [name.strip() for name in indicators.split(",")]
    unknown = [name for name in wanted if name not in scores.table.columns]
    if unknown or not wanted:
        there = ", ".join(map(str, scores.table.columns))
        raise ParameterError(f"there is no score {(unknown or ['at all'])[0]!r}; choose among {there}")
    if len(scores.table) < 3:
        raise ParameterError(f"{len(scores.table)} results tell nothing of correlation; give at least 3")
    matrix = correlate(scores.table[wanted])
    three = triplets(matrix)
    table = matrix.reset_index(names="score")
    if output is not None:
        write_study(
            output, title="Correlation of metrics", figure=correlation_figure(matrix),
            tables={"correlation": table, "triplets": three}, shown=("correlation", "triplets"), overwrite=overwrite,
            about=f"Pearson's correlation over {len(scores.table)} results. The consistency of three metrics is the "
            "mean of their three correlations.",
        )  # fmt: skip
    print_table(table, None)
    print_table(three, output)


@study.command()
@guarded
def pairwise(
    first: Annotated[Path, typer.Argument(metavar="FOLDER_A", help="Results of one method, a JSON file a place.")],
    second: Annotated[Path, typer.Argument(metavar="FOLDER_B", help="Results of the other, with the same names.")],
    *,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    mixed: options.Mixed = False,
    output: Folder = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Compare two methods place by place: does the first beat the second, and with what confidence."""
    import pandas as pd

    from geoeval.studies.comparison import paired
    from geoeval.studies.pairwise import score_differences
    from geoeval.studies.study_figures import pairwise_figure
    from geoeval.studies.study_folder import write_study

    check_folder(output, overwrite=overwrite)
    differences = score_differences(first, second, mixed=mixed)
    rows = []
    for metric in differences.columns[1:]:
        found = paired(differences[metric], metric=metric, seed=seed)
        rows.append({"metric": metric, "difference": found.difference, "low": found.interval[0],
                     "high": found.interval[1], "confidence": found.confidence, "places": found.units})  # fmt: skip
    table = pd.DataFrame(rows)
    if output is not None:
        write_study(
            output, title=f"{first.name} against {second.name}", overwrite=overwrite,
            figure=pairwise_figure(differences, first.name, second.name), shown=("summary", "differences"),
            tables={"summary": table, "differences": differences},
            about=f"Scores of {first.name} less scores of {second.name}. Confidence: share of the bootstrap's drawings "
            f"of places in which {first.name} is better; low and high: 95 % interval of the mean.",
        )  # fmt: skip
    print_table(table, output)


def _whole_numbers(text: str) -> list[int]:
    from geoeval.exceptions import ParameterError

    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise ParameterError(f"cannot read the numbers {text!r}; write them as 0,4,8") from None
