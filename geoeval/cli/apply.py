"""``geoeval apply``: carry out the edits of the plan on the prediction."""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say, say_table

if TYPE_CHECKING:
    from geoeval.model.result import Result

# Shares of the progress after which the prediction is evaluated, and mended.
_EVALUATED, _MENDED = 0.5, 0.55


class MendedKind(StrEnum):
    """Kinds of maps that have a plan."""

    roads = "roads"
    objects = "objects"


@guarded
@takes(reading=inputs_of_pair("roads", "objects"))
def apply(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The map taken as true.")],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The map to be mended.")],
    *,
    kind: Annotated[
        MendedKind, typer.Option(help="What both maps show.")
    ] = MendedKind.roads,
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FILE",
            help="The mended map: .shp, .gpkg, .geojson, .fgb or .parquet; of roads also .graph, .graphml or .json.",
        ),
    ],
    top: Annotated[int | None, typer.Option(min=0, metavar="K", help="Only the first K edits; by default all.")] = None,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="PLAN.csv", help="A plan that was written; rows that were deleted are left out."),
    ] = None,
    metrics: Annotated[
        str, typer.Option(help="As for geoeval roads and objects; the plan is of the errors that these metrics find.")
    ] = "all",
    settings: options.Settings = None,
    preset: Annotated[options.Preset, typer.Option(help="Set of parameters to start from.")] = options.Preset.default,
    seed: options.Seed = 0,
    align: Annotated[
        bool, typer.Option("--align", help="Remove a constant offset between the layers first.")
    ] = False,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:  # fmt: skip
    """Mend a predicted map of roads or objects by the edits of its plan; say what was stated and what is found."""
    from geoeval.cli.settings import parse_settings
    from geoeval.pipeline.evaluate import evaluate
    from geoeval.writers.network_files import check_network_file, write_network
    from geoeval.writers.object_files import check_objects_file, write_objects

    of_roads = kind is MendedKind.roads
    (check_network_file if of_roads else check_objects_file)(output, overwrite=overwrite)
    parameters = parse_settings(settings)
    with progress_report(progress) as report:
        before = evaluate(
            reference, prediction, kind=kind.value, plan=True, metrics=metrics, parameters=parameters,
            preset=preset.value, seed=seed, align=align, aoi=aoi, crs=crs,
            progress=lambda part, said: report(_EVALUATED * part, said), **used(kind.value, reading),
        )  # fmt: skip
        mended = before.apply(plan, top=top)
        report(_MENDED, "evaluating what came out")
        after = evaluate(
            before.inputs["reference"], mended, kind=kind.value, metrics=list(before.scores),
            parameters=before.parameters, seed=seed, aoi="all", plan=False,
            progress=lambda part, said: report(_MENDED + (1 - _MENDED) * part, said),
        )  # fmt: skip
        write: Any = write_network if of_roads else write_objects
        write(mended, output, overwrite=overwrite)
    _tell(before, after, plan, top)
    say(f"mended {'network' if of_roads else 'objects'}: {output}")


def _tell(before: "Result", after: "Result", plan: Path | None, top: int | None) -> None:
    """Print how many edits were made, the gain that they state and the gain that is found, and all scores."""
    from geoeval.model.plan import chosen_edits
    from geoeval.model.result import amount

    edits = chosen_edits(before.plan, plan, top)
    scores = before.table()
    heads = scores[scores["headline"]]
    rows = []
    for name, score in zip(heads["metric"].astype(str), heads["score"].astype(str), strict=True):
        values = [one.scores[name][score] for one in (before, after)]
        rows.append([name, score, *("undefined" if value is None else f"{value:.4f}" for value in values)])
    say_table(["metric", "score", "before", "after"], rows)
    made = ", ".join(f"{count} {str(kind).replace('_', ' ')}" for kind, count in edits["kind"].value_counts().items())
    say(f"{len(edits):,} of {len(before.plan.edits):,} edits" + (f": {made}" if made else ""))
    found = _mean(after, before.plan.scores) - _mean(before, before.plan.scores)
    if before.plan.scores and plan is None:
        names = " and ".join(before.plan.scores)
        say(f"gain in the mean of {names}: {edits['gain'].sum():.4f} stated, {found:.4f} found")
    if before.area is not None:
        say(f"only the evaluated ground is written: {amount(before.prediction)} of the prediction lie in it")


def _mean(result: "Result", names: Iterable[str]) -> float:
    """The mean of some scores; what is undefined, because nothing is left to compare, counts as 1."""
    values = [result.scores[metric][score] for metric, score in (name.split(".") for name in names)]
    return sum(1.0 if value is None else value for value in values) / max(len(values), 1)
