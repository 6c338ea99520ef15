"""``geoeval lines``: evaluate the lines of a vectorised drawing or scanned map against a reference."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report

if TYPE_CHECKING:
    from pyproj import CRS

    from geoeval.model.drawing import Drawing, PixelImage

_READ, _EVALUATED = 0.15, 0.85
_INPUT = "Input"


class Ink(StrEnum):
    """Which pixels of an image belong to lines."""

    auto = "auto"
    dark = "dark"
    bright = "bright"


@guarded
def lines(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="The lines taken as true: DXF, SVG, table or map layer.")
    ],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The lines to be scored.")],
    *,
    metrics: Annotated[
        str, typer.Option(help="all, or a list with commas; kong and hori-doermann must be named.")
    ] = "all",
    settings: options.Settings = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="T", help="How long the detection took: adds time per pixel and line."),
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The original image: its pixels are the true ones.", rich_help_panel=_INPUT),
    ] = None,
    ink: Annotated[
        Ink, typer.Option(help="Which pixels of the image are lines; auto: the rarer.", rich_help_panel=_INPUT)
    ] = Ink.auto,
    width: options.Width = None,
    width_column: options.WidthColumn = "width",
    style_column: options.StyleColumn = "style",
    crs: options.EvaluationCrs = "auto",
    reference_crs: options.ReferenceCrs = None,
    prediction_crs: options.PredictionCrs = None,
    reference_layer: options.ReferenceLayer = None,
    prediction_layer: options.PredictionLayer = None,
    pixel_size: options.PixelSize = None,
    output: options.OutputDirectory = None,
    layer_format: options.Format = options.LayerFormat.shp,
    grid: options.Grid = 500.0,
    json_file: options.JsonFile = None,
    report: options.Report = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Score the lines of a vectorised drawing or scanned map against a reference, and map what became of each."""
    from time import perf_counter

    from geoeval.cli.inputs import parse_settings
    from geoeval.cli.outputs import Outputs
    from geoeval.lines.evaluate import evaluate_lines
    from geoeval.lines.registry import REGISTRY
    from geoeval.readers.drawings import read_drawing, read_image

    parameters = parse_settings(settings)
    outputs = Outputs(output, layer_format.value, json_file, report=report, grid=grid, overwrite=overwrite)
    # Wrong options and outputs in the way are refused before the long work, not after it.
    REGISTRY.choose_metrics(metrics)
    REGISTRY.choose_parameters(REGISTRY.metrics.values(), parameters)
    outputs.check()

    with progress_report(progress) as show:
        start = perf_counter()
        show(0.0, "reading")
        pixels = None if image is None else read_image(image, ink=ink.value, pixel_size=pixel_size)
        common: dict[str, Any] = {
            "pixel_size": pixel_size, "width": width, "width_column": width_column, "style_column": style_column
        }  # fmt: skip
        true = read_drawing(reference, crs=reference_crs, layer=reference_layer, **common)
        predicted = read_drawing(prediction, crs=prediction_crs, layer=prediction_layer, **common)
        target = _target(crs, true, pixels)
        taken = perf_counter() - start
        result = evaluate_lines(
            true.to_crs(target), predicted.to_crs(target), image=pixels, parameters=parameters, seconds=seconds,
            metrics=metrics,
            progress=lambda fraction, message: show(_READ + fraction * (_EVALUATED - _READ), message),
        )  # fmt: skip
        result.seconds["read"] = round(taken, 6)
        as_json = progress is options.ProgressChoice.json
        result = outputs.finish(result, show, start=_EVALUATED, as_json=as_json)
    if not as_json:
        outputs.tell(result)


def _target(crs: str, reference: "Drawing", image: "PixelImage | None") -> "CRS":
    """The CRS to evaluate in: the one named, that of a georeferenced image, whose pixels stay, or the reference's."""
    from geoeval.crs import is_local, parse_crs

    if crs != "auto":
        return parse_crs(crs)
    return reference.crs if image is None or is_local(image.crs) else image.crs
