"""``geoeval curve``: a score as a function of its tolerance."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report

if TYPE_CHECKING:
    from geoeval.roads.curve import Curve


@guarded
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
    reference_crs: options.ReferenceCrs = None,
    prediction_crs: options.PredictionCrs = None,
    reference_layer: options.ReferenceLayer = None,
    prediction_layer: options.PredictionLayer = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    node: options.Node = options.NodeChoice.ends,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Table to write.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png|svg|pdf", help="Picture to write (needs geoeval[plot]).")
    ] = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Compute a score at each tolerance of a range, and the area under the curve."""
    from geoeval.cli.inputs import parse_settings, read_pair
    from geoeval.roads.curve import parse_range, tolerance_curve
    from geoeval.writers.aside import check_file, new_file
    from geoeval.writers.tables import write_csv

    steps = parse_range(tolerance)
    parameters = parse_settings(settings)
    for file in (output, plot):
        if file is not None:
            check_file(file, overwrite=overwrite)
    with progress_report(progress) as report:
        report(0.0, "reading")
        pair = read_pair(
            reference, prediction, crs=crs, aoi=aoi, reference_crs=reference_crs, prediction_crs=prediction_crs,
            reference_layer=reference_layer, prediction_layer=prediction_layer, pixel_size=pixel_size,
            network_type=network_type, node=node,
        )  # fmt: skip
        result = tolerance_curve(
            pair.reference, pair.prediction, metric=metric, tolerances=steps, parameters=parameters, seed=seed,
            aoi=pair.area, progress=lambda fraction, message: report(0.1 + 0.9 * fraction, message),
        )  # fmt: skip
    if output is not None:
        write_csv(result.to_frame(), output, overwrite=overwrite)
    if plot is not None:
        with new_file(plot, overwrite=overwrite) as path:
            draw(result, path)
    for step, value in zip(result.tolerances.tolist(), result.values.tolist(), strict=True):
        typer.echo(f"{step:8g} m  {value:.4f}")
    area = "undefined" if result.area is None else f"{result.area:.4f}"
    typer.echo(f"mean {result.metric} {result.headline} over {steps[0]:g} to {steps[-1]:g} m: {area}")


def draw(curve: "Curve", path: Path) -> None:
    """The curve as a picture; the suffix says which kind."""
    from geoeval.exceptions import MissingExtraError, OutputError

    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError('a plot needs matplotlib; pip install "geoeval[plot]"') from error
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes: Any = figure.subplots()
    axes.plot(curve.tolerances, curve.values, color="#0072B2", marker="o", markersize=3)
    axes.set(xlabel="tolerance (m)", ylabel=f"{curve.metric} {curve.headline}", ylim=(0, 1.02))
    axes.grid(visible=True, alpha=0.3)
    if curve.area is not None:
        axes.set_title(f"mean {curve.area:.3f}", loc="right", fontsize="medium")
    try:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    except ValueError as error:
        raise OutputError(f"{path.name}: no picture of this kind can be written; use .png, .svg or .pdf") from error
