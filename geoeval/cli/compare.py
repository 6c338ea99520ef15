"""``geoeval study compare``: does one prediction beat another on the same ground."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.folder import Folder, check_folder, print_table
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from geoeval.evaluation import Progress
    from geoeval.model.network import RoadNetwork


@guarded
def compare(
    reference: Annotated[str, typer.Argument(metavar="REFERENCE", help="The network taken as true.")],
    first: Annotated[str, typer.Argument(metavar="A", help="A predicted network.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another prediction of the same ground.")],
    *,
    metrics: Annotated[
        str, typer.Option(metavar="NAME,...", help="Of ccq, junct, subg, opt-j, opt-g, which count place by place.")
    ] = "ccq,junct,subg,opt-j,opt-g",
    block: Annotated[
        float,
        typer.Option(min=1.0, metavar="M", help="Side of the blocks; nearer errors may depend on each other."),
    ] = 500.0,
    repetitions: Annotated[int, typer.Option(min=100, help="How often blocks are drawn.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawings and of the sampled metrics.")] = 0,
    settings: options.Settings = None,
    output: Folder = None,
    aoi: options.Aoi = None,
    crs: options.EvaluationCrs = "auto",
    reference_crs: options.ReferenceCrs = None,
    prediction_crs: options.PredictionCrs = None,
    reference_layer: options.ReferenceLayer = None,
    prediction_layer: options.PredictionLayer = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    node: options.Node = options.NodeChoice.ends,
    progress: options.Progress = options.ProgressChoice.auto,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Compare two predictions of the same ground: does A beat B, by how much, and how sure is that."""
    import pandas as pd

    from geoeval.cli.inputs import parse_settings
    from geoeval.roads.evaluate import evaluate_roads
    from geoeval.synthetic.comparison import block_scores, compare_blocks
    from geoeval.synthetic.figures import comparison_figure
    from geoeval.synthetic.output import write_study

    check_folder(output, overwrite=overwrite)
    wanted, parameters = _by_place(metrics), parse_settings(settings)
    with progress_report(progress) as report:
        report(0.0, "reading")
        true, one, two, area = _read(
            reference, first, second, crs=crs, aoi=aoi, true={"crs": reference_crs, "layer": reference_layer},
            predicted={"crs": prediction_crs, "layer": prediction_layer},
            common={"pixel_size": pixel_size, "network_type": network_type, "node": node},
        )  # fmt: skip
        a, b = (
            evaluate_roads(
                true, prediction, metrics=wanted, parameters=parameters, seed=seed, aoi=area,
                progress=_part(report, i),
            )
            for i, prediction in enumerate((one, two))
        )  # fmt: skip
    found = [compare_blocks(a, b, metric=one, block_size=block, repetitions=repetitions, seed=seed) for one in wanted]
    blocks = pd.concat([block_scores(a, b, metric=one, block_size=block) for one in wanted], ignore_index=True)
    table = pd.DataFrame(
        [
            {"metric": one.metric, "A": one.scores[0], "B": one.scores[1], "difference": one.difference,
             "low": one.interval[0], "high": one.interval[1], "confidence": one.confidence, "blocks": one.units,
             "winner": one.winner}
            for one in found
        ]
    )  # fmt: skip
    meaning = (
        f"confidence: share of {repetitions} drawings of the blocks of {block:g} m in which A is better (0.5: no one "
        "is); low to high: 95 % interval of the difference; winner: where that leaves out 0"
    )
    if output is not None:
        about = (
            f"A is {first}, B is {second}, both against {reference}. {meaning[0].upper() + meaning[1:]}. It says how "
            "much the outcome depends on which blocks of this ground were looked at; it says nothing of other towns, "
            "or of errors in the reference."
        )
        write_study(
            output, title="Does A beat B", figure=comparison_figure(found, blocks, block), about=about,
            tables={"comparison": table, "blocks": blocks}, shown=("comparison",), overwrite=overwrite,
        )  # fmt: skip
    print_table(table, output)
    typer.echo(meaning)


def _part(report: "Progress", order: int) -> "Progress":
    return lambda share, text: report((order + share) / 2, f"{'AB'[order]}: {text}")


def _by_place(text: str) -> list[str]:
    """The metrics, or an error where one does not count place by place."""
    from geoeval.exceptions import ParameterError
    from geoeval.roads.registry import choose_metrics
    from geoeval.synthetic.comparison import BY_PLACE

    names = [metric.name for metric in choose_metrics(text)] if text != "all" else list(BY_PLACE)
    for name in names:
        if name not in BY_PLACE:
            raise ParameterError(f"{name} does not count place by place; choose among {', '.join(BY_PLACE)}")
    return names


def _read(
    reference: str, first: str, second: str, *, crs: str, aoi: str | None, true: dict[str, Any],
    predicted: dict[str, Any], common: dict[str, Any],
) -> "tuple[RoadNetwork, RoadNetwork, RoadNetwork, BaseGeometry | None]":  # fmt: skip
    """The three networks in one CRS, and the ground: as given, or what either prediction covers, or all of it."""
    import shapely

    from geoeval.cli.inputs import read_input, read_pair
    from geoeval.roads.area import evaluated_area

    two = read_input(second, **predicted, **common)
    pair = read_pair(
        reference, first, crs=crs, aoi="all" if aoi is None else aoi, reference_crs=true["crs"],
        reference_layer=true["layer"], prediction_crs=predicted["crs"], prediction_layer=predicted["layer"], **common,
    )  # fmt: skip
    target, area = pair.prediction.crs, pair.area
    if aoi is None:
        own = [evaluated_area(pair.reference, pair.prediction), evaluated_area(pair.reference, two.to_crs(target))]
        area = shapely.union_all([one for one in own if one is not None]) if None not in own else None
    return pair.reference, pair.prediction, two.to_crs(target), area
