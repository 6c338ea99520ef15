"""``geoeval objects``: evaluate predicted objects such as buildings against a reference."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report

_READ, _EVALUATED = 0.15, 0.85


@guarded
def objects(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="The objects taken as true: polygons, OSM, or an image.")
    ],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The objects to be scored.")],
    *,
    metrics: Annotated[str, typer.Option(help="all, or a list with commas: bgm, hoover, max-overlap, iou.")] = "all",
    settings: options.Settings = None,
    aoi: options.Aoi = None,
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
    workers: options.Workers = 1,
    tile_size: options.TileSize = None,
    scheduler: options.Scheduler = None,
    resume: options.Resume = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Score predicted objects such as buildings against a reference, and map what became of each."""
    from time import perf_counter

    from geoeval.cli.inputs import parse_settings, read_object_input, read_pair
    from geoeval.cli.outputs import Outputs
    from geoeval.cli.tiles import Tiles
    from geoeval.objects.evaluate import evaluate_objects
    from geoeval.objects.registry import REGISTRY

    parameters = parse_settings(settings)
    outputs = Outputs(output, layer_format.value, json_file, report=report, grid=grid, overwrite=overwrite)
    # Wrong options and outputs in the way are refused before the long work, not after it.
    REGISTRY.choose_parameters(REGISTRY.choose_metrics(metrics), parameters)
    outputs.check()

    with progress_report(progress) as show:
        start = perf_counter()
        show(0.0, "reading")
        pair = read_pair(
            reference, prediction, read=read_object_input, crs=crs, aoi=aoi, reference_crs=reference_crs,
            prediction_crs=prediction_crs, reference_layer=reference_layer, prediction_layer=prediction_layer,
            pixel_size=pixel_size,
        )  # fmt: skip
        seconds = perf_counter() - start
        asked: dict[str, Any] = {
            "metrics": metrics, "parameters": parameters,
            "progress": lambda fraction, message: show(_READ + fraction * (_EVALUATED - _READ), message),
        }  # fmt: skip
        tiles = Tiles(tile_size, workers, scheduler, resume)
        if tiles.wanted:
            from geoeval.cli.tiled_objects import evaluate_pair_in_tiles

            result = evaluate_pair_in_tiles(pair, tiles, crs=crs, **asked)
        else:
            result = evaluate_objects(pair.reference, pair.prediction, aoi=pair.area, workers=workers, **asked)
        result.seconds["read"] = round(seconds, 6)
        result = replace(result, notes={"area": pair.said, **result.notes})
        as_json = progress is options.ProgressChoice.json
        result = outputs.finish(result, show, start=_EVALUATED, as_json=as_json)
    if not as_json:
        outputs.tell(result)
