"""``geoeval roads``: evaluate a predicted road network against a reference."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import Report, progress_report

if TYPE_CHECKING:
    from geoeval.cli.inputs import Pair
    from geoeval.model.network import RoadNetwork
    from geoeval.model.result import Result
    from geoeval.roads.alignment import Offset

_READ, _EVALUATED = 0.15, 0.85


@guarded
def roads(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="The network taken as true: a file, or osm: and a place or box.")
    ],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The network to be scored.")],
    *,
    metrics: Annotated[
        str, typer.Option(help="all, or a comma-separated list; pixel and distance must be named.")
    ] = "all",
    settings: options.Settings = None,
    preset: Annotated[options.Preset, typer.Option(help="Set of parameters to start from.")] = options.Preset.default,
    seed: options.Seed = 0,
    align: Annotated[
        bool, typer.Option("--align", help="Remove a constant offset between the layers before evaluating.")
    ] = False,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    reference_crs: options.ReferenceCrs = None,
    prediction_crs: options.PredictionCrs = None,
    reference_layer: options.ReferenceLayer = None,
    prediction_layer: options.PredictionLayer = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    node: options.Node = options.NodeChoice.ends,
    output: options.OutputDirectory = None,
    layer_format: options.Format = options.LayerFormat.shp,
    grid: options.Grid = 500.0,
    json_file: options.JsonFile = None,
    report: options.Report = None,
    maproulette: options.MapRoulette = None,
    josm: options.Josm = None,
    progress: options.Progress = options.ProgressChoice.auto,
    workers: options.Workers = 1,
    tile_size: options.TileSize = None,
    scheduler: options.Scheduler = None,
    resume: options.Resume = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Score a predicted road network against a reference, and map every error."""
    from time import perf_counter

    from geoeval.cli.inputs import parse_settings, read_pair
    from geoeval.cli.outputs import Outputs
    from geoeval.cli.tiles import Tiles
    from geoeval.roads.registry import choose_metrics, choose_parameters

    parameters = parse_settings(settings)
    outputs = Outputs(
        output, layer_format.value, json_file, maproulette, josm, report=report, grid=grid, overwrite=overwrite
    )
    # Wrong options and outputs in the way are refused before the long work, not after it.
    choose_parameters(choose_metrics(metrics), parameters, preset.value)
    outputs.check()

    with progress_report(progress) as show:
        start = perf_counter()
        show(0.0, "reading")
        common: dict[str, Any] = {"pixel_size": pixel_size, "network_type": network_type, "node": node}
        asked: dict[str, Any] = {"metrics": metrics, "parameters": parameters, "preset": preset.value, "seed": seed}
        tiles = Tiles(tile_size, workers, scheduler, resume)
        if tiles.wanted:
            from geoeval.cli.tiled import evaluate_files

            result = evaluate_files(
                reference, prediction, tiles=tiles, crs=crs, aoi=aoi, align=align, draw=report is not None,
                files={
                    "reference": {**common, "crs": reference_crs, "layer": reference_layer},
                    "prediction": {**common, "crs": prediction_crs, "layer": prediction_layer},
                },
                report=lambda fraction, message: show(fraction * _EVALUATED, message), **asked,
            )  # fmt: skip
        else:
            pair = read_pair(
                reference, prediction, crs=crs, aoi=aoi, reference_crs=reference_crs, prediction_crs=prediction_crs,
                reference_layer=reference_layer, prediction_layer=prediction_layer, **common,
            )  # fmt: skip
            seconds = perf_counter() - start
            result = evaluate_pair(
                pair, align=align, workers=workers, **asked,
                report=lambda fraction, message: show(_READ + fraction * (_EVALUATED - _READ), message),
            )  # fmt: skip
            result.seconds["read"] = round(seconds, 6)
        as_json = progress is options.ProgressChoice.json
        result = outputs.finish(result, show, start=_EVALUATED, as_json=as_json)
    if not as_json:
        outputs.tell(result)


def evaluate_pair(pair: "Pair[RoadNetwork]", *, align: bool, report: Report, **options: Any) -> "Result":
    """Evaluate two networks that were brought together; the area and the offset are said in the result's notes."""
    from geoeval.roads.alignment import estimate_offset, moved
    from geoeval.roads.evaluate import evaluate_roads

    # The places that the estimate samples must not be spread over a country around the evaluated town.
    near = pair.reference if pair.area is None else pair.reference.clip(pair.area)
    prediction = pair.prediction
    found = estimate_offset(near, prediction)
    if align and found is not None:
        prediction = moved(prediction, -found.dx, -found.dy)
    result = evaluate_roads(pair.reference, prediction, aoi=pair.area, progress=report, **options)
    notes, offset = offset_notes(found, align=align)
    return replace(result, notes={"area": pair.said, **notes, **result.notes}, offset=offset)


def offset_notes(found: "Offset | None", *, align: bool) -> tuple[dict[str, str], dict[str, Any] | None]:
    """The offset of the prediction in words and in numbers."""
    numbers = None if found is None else {"dx": found.dx, "dy": found.dy, "removed": align}
    return {"offset": _offset_note(found, align=align)}, numbers


def _offset_note(found: "Offset | None", *, align: bool) -> str:
    if found is None:
        return "no offset could be estimated: too little of the two networks lies close together"
    where = f"{abs(found.dx):.2f} m {'east' if found.dx >= 0 else 'west'}, "
    where += f"{abs(found.dy):.2f} m {'north' if found.dy >= 0 else 'south'}"
    if align:
        return f"the prediction lay {where} of the reference; removed"
    return f"the prediction lies {where} of the reference" + (
        "; --align removes such a shift" if found.distance > 1.0 else ""
    )
