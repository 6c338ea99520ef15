"""``geoeval curve``: a score as a function of its tolerance."""

from pathlib import Path
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say


@guarded
@takes(reading=inputs_of_pair("roads"))
def curve(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The network taken as true.")],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The network to be scored.")],
    *,
    metric: Annotated[str, typer.Option(help="One metric.")] = "opt-j",
    tolerance: Annotated[str, typer.Option(metavar="FIRST:LAST[:STEP]", help="Tolerances in metres.")] = "1:30",
    settings: options.Settings = None,
    seed: options.Seed = 0,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Table to write.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png|svg|pdf", help="Picture to write (needs geoeval[plot]).")
    ] = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Compute a score at each tolerance of a range, and the area under the curve."""
    from geoeval.cli.settings import parse_settings
    from geoeval.files import check_output, together
    from geoeval.studies.curve import parse_range, tolerance_curve
    from geoeval.studies.study_figures import curve_figure
    from geoeval.writers.pictures import save_figure
    from geoeval.writers.tables import write_csv

    steps = parse_range(tolerance)
    parameters = parse_settings(settings)
    for file, what in ((output, "tables"), (plot, "pictures")):
        if file is not None:
            check_output(file, what, overwrite=overwrite)
    with progress_report(progress) as report:
        result = tolerance_curve(
            reference, prediction, metric=metric, tolerances=steps, parameters=parameters, seed=seed, aoi=aoi, crs=crs,
            progress=report, **used("roads", reading),
        )  # fmt: skip
    with together():
        if output is not None:
            write_csv(result.to_frame(), output, overwrite=overwrite)
        if plot is not None:
            save_figure(curve_figure(result), plot, overwrite=overwrite)
    for step, value in zip(result.tolerances.tolist(), result.values.tolist(), strict=True):
        say(f"{step:8g} m  {value:.4f}")
    area = "undefined" if result.area is None else f"{result.area:.4f}"
    say(f"mean {result.metric} {result.headline} over {steps[0]:g} to {steps[-1]:g} m: {area}")
