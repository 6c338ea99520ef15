"""``geoeval benchmark``: many places, one or several methods, one table."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import FAILED, guarded
from geoeval.cli.progress import emit, progress_report
from geoeval.cli.terminal import NAME, Cell, printable, say, say_json, say_table

if TYPE_CHECKING:
    from geoeval.benchmarking.result import Benchmark

# Share of the progress after which all places are evaluated.
_EVALUATED = 0.9
# So many places are listed in the terminal; of more only those that are left out.
_LISTED = 30
_PLACES = "Places"
_MAPS = 12
# Columns of a table that goes to a file or another program.
_WIDE = 240


class Rule(StrEnum):
    """What is done with a place without a score."""

    skip = "skip"
    zero = "zero"
    fail = "fail"


class EmptyRule(StrEnum):
    """What is done with a place whose truth is empty."""

    skip = "skip"
    zero = "zero"
    score = "score"
    fail = "fail"


class Split(StrEnum):
    """Parts of a data set."""

    test = "test"
    validation = "validation"
    train = "train"
    all = "all"


class Frame(StrEnum):
    """How pixels of predictions lie."""

    file = "file"
    image = "image"


@guarded
@takes(reading=inputs_of_pair("roads", "objects", "lines"))
def benchmark(
    truth: Annotated[
        str,
        typer.Argument(
            metavar="TRUTH",
            help="Folder, pattern such as 'gt/{name}_gt.p', SpaceNet table; or a CSV of pairs, without PREDICTIONS.",
        ),
    ],
    predictions: Annotated[
        list[str] | None,
        typer.Argument(metavar="PREDICTIONS...", help="The same for each method; places are paired by name."),
    ] = None,
    *,
    kind: Annotated[options.KindChoice, typer.Option(help="What the maps hold.")] = options.KindChoice.roads,
    metrics: Annotated[str, typer.Option(help="all, or a comma-separated list.")] = "all",
    protocol: options.ProtocolName = None,
    repeats: options.Repeats = None,
    settings: options.Settings = None,
    preset: Annotated[options.Preset, typer.Option(help="Set of parameters to start from.")] = options.Preset.default,
    seed: options.Seed = 0,
    align: options.Align = False,
    layout: Annotated[
        str,
        typer.Option(
            metavar="auto|NAME", rich_help_panel=_PLACES,
            help="Data set whose files these are: city-scale, city-scale-refined, global-scale, global-scale-out, "
            "global-scale-deh4r, spacenet, spacenet-rngdet, spacenet-deh4r, spacenet-csv, plain.",
        ),
    ] = "auto",
    split: Annotated[Split, typer.Option(help="Part of a known data set.", rich_help_panel=_PLACES)] = Split.test,
    frame: Annotated[
        Frame,
        typer.Option(
            rich_help_panel=_PLACES,
            help="Pixels of predictions: as in the truth's files, or of the image, whose rows go down.",
        ),
    ] = Frame.file,
    missing: Annotated[
        Rule, typer.Option(help="Places without a prediction: leave out, worst scores, end.", rich_help_panel=_PLACES)
    ] = Rule.skip,
    empty: Annotated[
        EmptyRule,
        typer.Option(help="Places whose truth is empty: also score, as the metrics do.", rich_help_panel=_PLACES),
    ] = EmptyRule.skip,
    failed: Annotated[
        Rule, typer.Option(help="Places that cannot be evaluated, or have no truth.", rich_help_panel=_PLACES)
    ] = Rule.skip,
    repetitions: Annotated[
        int, typer.Option(min=0, help="How often places are drawn for the intervals; 0 for none.")
    ] = 1000,
    aoi: Annotated[
        str,
        typer.Option(
            metavar="all|reference|prediction|overlap|FILE|box", rich_help_panel=options.INPUT_PANEL,
            help="Area of each place; all: nothing is cut, the tile is the area.",
        ),
    ] = "all",
    crs: options.EvaluationCrs = "auto",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", rich_help_panel="Output",
            help="Folder for tables (CSV, Markdown, LaTeX), JSON, error layers and page.",
        ),
    ] = None,
    layer_format: options.Format = options.LayerFormat.gpkg,
    maps: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Worst places of each method with a map of their own.", rich_help_panel="Output"
        ),
    ] = _MAPS,
    json_file: options.JsonFile = None,
    overwrite: options.Overwrite = False,
    workers: options.Workers = 1,
    scheduler: options.Scheduler = None,
    resume: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep finished places here, and go on from them.", rich_help_panel="Run"),
    ] = None,
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:  # fmt: skip
    """Score the predictions of one or several methods for many places: one table, one page.

    Exit code 1, after everything was written, where a place or file was left out.
    """
    from geoeval.benchmarking.benchmark import benchmark as run
    from geoeval.cli.protocols import with_repeats
    from geoeval.cli.settings import parse_settings
    from geoeval.exceptions import ParameterError

    _check_outputs(output, json_file, overwrite=overwrite)
    if output is None and (layer_format is not options.LayerFormat.gpkg or maps != _MAPS):
        raise ParameterError("--format and --maps are for the folder of results; give -o DIR, or leave them out")
    parameters = with_repeats(kind.value, protocol, parse_settings(settings), repeats)
    as_json = progress is options.ProgressChoice.json
    with progress_report(progress) as show:
        found = run(
            truth, predictions or None, kind=kind.value, metrics=metrics, protocol=protocol, parameters=parameters,
            preset=preset.value, layout=layout, split=split.value, frame=frame.value, missing=missing.value,
            empty=empty.value, failed=failed.value, seed=seed, repetitions=repetitions, aoi=aoi, crs=crs, align=align,
            workers=workers, scheduler=scheduler, resume=resume,
            progress=lambda share, said: show(_EVALUATED * share, said), **used(kind.value, reading),
        )  # fmt: skip
        if output is not None:
            found.write(
                output, overwrite=overwrite, format=layer_format.value, maps=maps,
                progress=lambda share, said: show(_EVALUATED + (1 - _EVALUATED) * share, said),
            )  # fmt: skip
        _write_json(found, json_file, overwrite=overwrite)
        show(1.0, "done")
        if as_json:
            folder = None if output is None else str(output)
            emit("result", scores=found.scores, left_out=found.left_out, output=folder, json=json_file)
    if not as_json:
        _print(found, output, to_stderr=json_file == "-")
    if found.left_out:
        raise typer.Exit(FAILED)


def _check_outputs(output: Path | None, json_file: str | None, *, overwrite: bool) -> None:
    """Refuse, before any work, to write over what is there or to draw without the means."""
    from geoeval.files import check_directory, check_output
    from geoeval.report.templating import check_extra
    from geoeval.writers.pictures import check_matplotlib

    if output is not None:
        check_directory(output, overwrite=overwrite)
        check_extra()
        check_matplotlib()
    if json_file not in {None, "-"}:
        check_output(str(json_file), "results", overwrite=overwrite)


def _write_json(found: "Benchmark", json_file: str | None, *, overwrite: bool) -> None:
    import json

    from geoeval.files import keeping, new_file

    if json_file is None:
        return
    text = json.dumps(found.as_dict(), indent=1, allow_nan=False, ensure_ascii=False)
    if json_file == "-":
        say_json(text)
        return
    with keeping(found.sources), new_file(json_file, overwrite=overwrite) as unfinished:
        unfinished.write_text(text + "\n", encoding="utf-8")


def _print(found: "Benchmark", output: Path | None, *, to_stderr: bool) -> None:
    """The scores of all places together, the places that need a word, and where everything is."""
    from geoeval.benchmarking.writing import comparison_rows, number, said_of

    for line in said_of(found):
        say(line, err=to_stderr)
    _print_scores(found, to_stderr=to_stderr)
    if len(found.outcomes) <= _LISTED:
        _print_places(found, to_stderr=to_stderr)
    for row in comparison_rows(found):
        say(
            f"{row['first']} against {row['second']}, {row['score']}: {row['difference']:+.4f} "
            f"({row['low']:+.4f} to {row['high']:+.4f}), confidence {row['confidence']:.3f}, {row['places']} places",
            err=to_stderr,
        )
    ranking = found.ranking()
    if ranking is not None:
        order = ", ".join(f"{ranking.ranks[item]} {ranking.names[item]}" for item in ranking.order)
        say(f"rank by all headline scores: {order}", err=to_stderr)
    for line in found.left_out:
        say(f"left out: {line}", err=to_stderr, colour="yellow")
    worst = [one for method in found.methods for one in found.worst_places(method, 3)]
    if worst and len(found.outcomes) > _LISTED:
        heads = [f"{one.method}, {one.place}: " + " ".join(
            f"{metric.name} {number(one.scores[metric.name].get(metric.headline), 3)}" for metric in found.metrics
        ) for one in worst]  # fmt: skip
        say("worst places", err=to_stderr)
        for line in heads:
            say(f"  {line}", err=to_stderr)
    if output is not None:
        say(f"page (open in a browser): {output / 'page.html'}", err=to_stderr)


def _print_scores(found: "Benchmark", *, to_stderr: bool) -> None:
    from geoeval.benchmarking.writing import number

    heads = found.ruler.headlines
    rows: list[list[Cell]] = []
    for method in found.methods:
        for rule, scores in found.scores[method].items():
            row: list[Cell] = [printable(method, NAME), rule]
            for name in heads:
                span = found.intervals[method][rule].get(name)
                between = [] if span is None else [f"{number(span[0], 3)}..{number(span[1], 3)}"]
                row.append([number(scores.get(name)), *between])
            rows.append(row)
    right = range(2, 2 + len(heads))
    say_table(["method", "rule", *_heads(heads)], rows, err=to_stderr, right=right, width=_WIDE)


def _print_places(found: "Benchmark", *, to_stderr: bool) -> None:
    from geoeval.benchmarking.writing import number

    several = len(found.methods) > 1
    names, heads = ["place", "method"][: 1 + several], found.ruler.headlines
    rows = []
    for outcome in found.outcomes:
        values = [(found.scores_of(outcome, metric) or {}).get(metric.headline) for metric in found.metrics]
        status = outcome.status + (f": {outcome.note}" if outcome.note else "")
        own = [printable(name, NAME) for name in (outcome.place, outcome.method)[: len(names)]]
        rows.append([*own, *(number(value) for value in values), status])
    right = range(len(names), len(names) + len(heads))
    say_table([*names, *_heads(heads), "status"], rows, err=to_stderr, right=right, width=_WIDE)


def _heads(names: Sequence[str]) -> list[Cell]:
    """Names of scores, the metric above the score."""
    return [name.split(".") for name in names]
