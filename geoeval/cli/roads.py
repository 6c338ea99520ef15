"""``geoeval roads``: evaluate a predicted road network against a reference."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import Report, emit, progress_report

if TYPE_CHECKING:
    from geoeval.model.network import RoadNetwork
    from geoeval.model.result import Result

_READ, _EVALUATED = 0.2, 0.9


@guarded
def roads(
    reference: Annotated[str, typer.Argument(help="The network taken as true: a file, or osm: and a place or box.")],
    prediction: Annotated[str, typer.Argument(help="The network to be scored.")],
    *,
    metrics: Annotated[
        str, typer.Option(help="all, or a comma-separated list; pixel and distance must be named.")
    ] = "all",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="METRIC.PARAMETER=VALUE", help="Change a parameter; may be repeated."),
    ] = None,
    preset: Annotated[options.Preset, typer.Option(help="Set of parameters to start from.")] = options.Preset.default,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sampled metrics.")] = 0,
    aoi: options.Aoi = None,
    crs: Annotated[
        str, typer.Option(metavar="auto|EPSG:n", help="CRS to evaluate in; auto is a metric one that fits the data.")
    ] = "auto",
    reference_crs: Annotated[
        str | None, typer.Option(metavar="EPSG:n", help="CRS of the reference, where the file does not say.")
    ] = None,
    prediction_crs: Annotated[
        str | None, typer.Option(metavar="EPSG:n", help="CRS of the prediction, where the file does not say.")
    ] = None,
    reference_layer: Annotated[
        str | None, typer.Option(help="Layer of the reference, where there are several.")
    ] = None,
    prediction_layer: Annotated[
        str | None, typer.Option(help="Layer or image of the prediction, where there are several.")
    ] = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    node: options.Node = options.NodeChoice.ends,
    output: options.OutputDirectory = None,
    layer_format: Annotated[
        options.LayerFormat, typer.Option("--format", help="Format of the error layers.")
    ] = options.LayerFormat.shp,
    json_file: options.JsonFile = None,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Score a predicted road network against a reference, and map every error."""
    from time import perf_counter

    from geoeval.cli.inputs import read_input
    from geoeval.roads.registry import choose_metrics, choose_parameters, parse_setting

    parameters: dict[str, dict[str, Any]] = {}
    for text in settings or []:
        metric, name, value = parse_setting(text)
        parameters.setdefault(metric, {})[name] = value
    # Wrong options and outputs in the way are refused before the long work, not after it.
    choose_parameters(choose_metrics(metrics), parameters, preset.value)
    check_outputs(output, json_file, overwrite=overwrite)

    with progress_report(progress) as report:
        start = perf_counter()
        report(0.0, "reading the reference")
        common: dict[str, Any] = {"pixel_size": pixel_size, "network_type": network_type, "node": node}
        true = read_input(reference, crs=reference_crs, layer=reference_layer, **common)
        report(_READ / 2, "reading the prediction")
        predicted = read_input(prediction, crs=prediction_crs, layer=prediction_layer, **common)
        true, predicted, area = bring_together(true, predicted, crs=crs, aoi=aoi)
        seconds = perf_counter() - start

        from geoeval.roads.evaluate import evaluate_roads

        result = evaluate_roads(
            true,
            predicted,
            metrics=metrics,
            parameters=parameters,
            preset=preset.value,
            seed=seed,
            aoi=area,
            progress=lambda fraction, message: report(_READ + fraction * (_EVALUATED - _READ), message),
        )
        result.seconds["read"] = round(seconds, 6)
        layers = write_outputs(result, output, layer_format.value, json_file, overwrite=overwrite, report=report)
        if progress is options.ProgressChoice.json:
            emit("result", scores=result.scores, layers=layers, json=json_file)
            return
    from geoeval.cli.table import print_scores

    print_scores(result, to_stderr=json_file == "-")
    if output is not None:
        typer.echo(f"error layers: {output}", err=json_file == "-")


def check_outputs(output: Path | None, json_file: str | None, *, overwrite: bool) -> None:
    """Refuse, before any work, to write over what is there."""
    from geoeval.writers.aside import check_directory, check_file

    if output is not None:
        check_directory(output, overwrite=overwrite)
    if json_file not in {None, "-"}:
        check_file(str(json_file), overwrite=overwrite)


def bring_together(
    reference: "RoadNetwork", prediction: "RoadNetwork", *, crs: str, aoi: str | None
) -> tuple["RoadNetwork", "RoadNetwork", Any]:
    """Both networks in one CRS, and the area to evaluate."""
    from geoeval.readers.area import read_area

    target = prediction.crs if crs == "auto" else crs
    if crs == "auto" and prediction.is_empty:
        target = reference.crs
    reference, prediction = reference.to_crs(target), prediction.to_crs(target)
    return reference, prediction, None if aoi is None else read_area(aoi, reference.crs)


def write_outputs(
    result: "Result", output: Path | None, layer_format: str, json_file: str | None, *, overwrite: bool, report: Report
) -> list[dict[str, Any]]:
    """Write what was asked for; what the written layers are, for the JSON protocol."""
    from dataclasses import asdict

    from geoeval.writers.aside import new_file
    from geoeval.writers.layers import write_layers

    layers = []
    if output is not None:
        report(_EVALUATED, "writing the error layers")
        layers = [asdict(layer) for layer in write_layers(result, output, format=layer_format, overwrite=overwrite)]
    if json_file == "-":
        typer.echo(result.to_json())
    elif json_file is not None:
        with new_file(json_file, overwrite=overwrite) as path:
            path.write_text(result.to_json() + "\n", encoding="utf-8")
    report(1.0, "done")
    return [{key: str(value) if isinstance(value, Path) else value for key, value in layer.items()} for layer in layers]
