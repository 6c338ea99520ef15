"""``geoeval roads``, ``geoeval objects`` and ``geoeval lines``: evaluate a prediction against a reference."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_pair, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.contents import SIDES

if TYPE_CHECKING:
    from geoeval.model.result import Result

# Share of the progress after which the result is there and is written.
_EVALUATED = 0.85


class Ink(StrEnum):
    """Which pixels of an image belong to lines."""

    auto = "auto"
    dark = "dark"
    bright = "bright"


@guarded
@takes(reading=inputs_of_pair("roads"), outputs=options.OUTPUTS, tiles=options.TILES, names=options.NAMES)
def roads(
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="The network taken as true: a file, or osm: and a place or box.")
    ],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The network to be scored.")],
    *,
    metrics: Annotated[
        str, typer.Option(help="all, or a comma-separated list; pixel and distance must be named.")
    ] = "all",
    protocol: options.ProtocolName = None,
    repeats: options.Repeats = None,
    settings: options.Settings = None,
    preset: Annotated[options.Preset, typer.Option(help="Set of parameters to start from.")] = options.Preset.default,
    seed: options.Seed = 0,
    align: options.Align = False,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    whole_networks: options.WholeNetworks = options.WholeNetworksChoice.together,
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
    outputs: dict[str, Any],
    tiles: dict[str, Any],
    names: dict[str, Any],
) -> None:
    """Score a predicted road network against a reference, and map every error."""
    _evaluate(
        "roads", reference, prediction, reading, outputs, names, settings, progress, metrics=metrics,
        preset=preset.value, seed=seed, align=align, aoi=aoi, crs=crs, whole_networks=whole_networks.value,
        protocol=protocol, repeats=repeats, tiles=tiles,
    )  # fmt: skip


@guarded
@takes(reading=inputs_of_pair("objects"), outputs=options.OUTPUTS, tiles=options.TILES, names=options.NAMES)
def objects(
    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="The objects taken as true: polygons, OSM, COCO, an image, or tiles as one map: 'labels/{name}.tif'.",
        ),
    ],
    prediction: Annotated[str, typer.Argument(metavar="PREDICTION", help="The objects to be scored.")],
    *,
    metrics: Annotated[
        str,
        typer.Option(
            help="all (bgm, hoover, max-overlap, iou), or a list with commas; ap, boundary-ap, polis, c-iou, vertex, "
            "angle, right-angles, hausdorff, chamfer and amounts must be named."
        ),
    ] = "all",
    protocol: options.ProtocolName = None,
    settings: options.Settings = None,
    align: options.Align = False,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
    outputs: dict[str, Any],
    tiles: dict[str, Any],
    names: dict[str, Any],
) -> None:
    """Score predicted objects such as buildings against a reference, and map what became of each."""
    _evaluate(
        "objects", reference, prediction, reading, outputs, names, settings, progress, metrics=metrics, align=align,
        aoi=aoi, crs=crs, protocol=protocol, tiles=tiles,
    )  # fmt: skip


@guarded
@takes(reading=inputs_of_pair("lines"), outputs=options.OUTPUTS, names=options.NAMES)
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
        typer.Option(
            metavar="FILE", help="The original image: its pixels are the true ones.",
            rich_help_panel=options.INPUT_PANEL,
        ),
    ] = None,
    ink: Annotated[
        Ink,
        typer.Option(
            help="Which pixels of the image are lines; auto: the rarer.", rich_help_panel=options.INPUT_PANEL
        ),
    ] = Ink.auto,
    crs: options.EvaluationCrs = "auto",
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
    outputs: dict[str, Any],
    names: dict[str, Any],
) -> None:  # fmt: skip
    """Score the lines of a vectorised drawing or scanned map against a reference, and map what became of each."""
    _evaluate(
        "lines", reference, prediction, reading, outputs, names, settings, progress, metrics=metrics, crs=crs,
        image=image, ink=ink.value, seconds=seconds,
    )  # fmt: skip


def _evaluate(
    kind: str, reference: str, prediction: str, reading: dict[str, Any], wanted: dict[str, Any],
    names: dict[str, Any], settings: list[str] | None, progress: options.ProgressChoice,
    repeats: int | None = None, tiles: dict[str, Any] | None = None, **asked: Any,
) -> None:  # fmt: skip
    """Evaluate two inputs, and write and say what was found."""
    from geoeval.cli.outputs import Outputs
    from geoeval.cli.protocols import with_repeats
    from geoeval.cli.settings import parse_settings
    from geoeval.pipeline.evaluate import run_evaluation
    from geoeval.pipeline.evaluation import Evaluation, Execution

    outputs = Outputs(**wanted)
    how = dict(tiles or {})
    tile_size = how.pop("tile_size", None)
    execution = Execution(**how)
    # Wrong options and outputs in the way are refused before the long work, not after it.
    evaluation = Evaluation.checked(
        kind=kind, parameters=with_repeats(kind, asked.get("protocol"), parse_settings(settings), repeats),
        tile_size=tile_size, keep_inputs=outputs.draws,
        plan=None if kind != "objects" or outputs.shows_plan else False, reading=used(kind, reading),
        execution=execution, **asked,
    )  # fmt: skip
    outputs.check(kind)
    with progress_report(progress) as show:
        watched = replace(execution, progress=lambda share, said: show(_EVALUATED * share, said))
        result = run_evaluation(evaluation, reference, prediction, watched)
        result = _called(result, names)
        as_json = progress is options.ProgressChoice.json
        outputs.finish(result, show, start=_EVALUATED, as_json=as_json)
    if not as_json:
        outputs.tell(result)


def _called(result: "Result", names: Mapping[str, str | None]) -> "Result":
    """The result whose inputs are called what their user calls them."""
    from geoeval.model.result import readable

    true, predicted = (
        {what: readable(value) for what in ("name", "source") if (value := names[f"{side}_{what}"]) is not None}
        for side in SIDES
    )
    return replace(result, reference={**result.reference, **true}, prediction={**result.prediction, **predicted})
