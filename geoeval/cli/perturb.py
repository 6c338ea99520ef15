"""``geoeval perturb``: a network made worse on purpose, with every error known."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded


class ErrorChoice(StrEnum):
    """Kinds of errors."""

    interruptions = "interruptions"
    overconnections = "overconnections"
    perturbations = "perturbations"
    doubled = "doubled"
    doubled_reference = "doubled-reference"
    far_false_positives = "far-false-positives"
    missing = "missing"


@guarded
def perturb(
    network: Annotated[str, typer.Argument(metavar="NETWORK", help="A road network of any readable kind.")],
    *,
    error: Annotated[ErrorChoice, typer.Option(help="What kind of error to put in.")],
    count: Annotated[int, typer.Option(min=0, help="How many errors.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The changed network: .shp, .gpkg, .geojson, ...")
    ],
    features: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write each error as a feature: .shp, .gpkg, .geojson, .fgb or .parquet."),
    ] = None,
    magnitudes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="MAGNITUDE=METRES", help="Change a magnitude, as gap=30; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other errors.")] = 0,
    crs: options.TargetCrs = "auto",
    input_crs: options.InputCrs = None,
    layer: options.Layer = None,
    pixel_size: options.PixelSize = None,
    network_type: options.NetworkType = "drive",
    aoi: options.Aoi = None,
    node: options.Node = options.NodeChoice.ends,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Put errors of one kind into a road network; with --features also write what was done, and where."""
    from geoeval.cli.inputs import read_input
    from geoeval.synthetic.features import check_features, write_features
    from geoeval.synthetic.perturb import parse_magnitudes
    from geoeval.synthetic.perturb import perturb as put_errors
    from geoeval.synthetic.roads import REFERENCE_ERRORS
    from geoeval.writers.aside import check_file
    from geoeval.writers.network import write_network

    metres = parse_magnitudes(magnitudes or [])
    check_file(output, overwrite=overwrite)
    if features is not None:
        check_features(features, overwrite=overwrite)
    given = read_input(
        network, crs=input_crs, layer=layer, pixel_size=pixel_size, network_type=network_type, aoi=aoi, node=node
    )
    target = None if crs == "auto" else crs
    made = put_errors(given, error.value, count, seed=seed, **metres)
    in_reference = error.value.replace("-", "_") in REFERENCE_ERRORS
    changed = made.reference if in_reference else made.prediction
    write_network(changed, output, crs=target, overwrite=overwrite)
    if features is not None:
        write_features(made.errors["lines"], features, crs=target, overwrite=overwrite)
    fewer = f" ({count:,} wanted: no room for more)" if made.count < count else ""
    role = "reference, and NETWORK as the prediction" if in_reference else "prediction, and NETWORK as the reference"
    typer.echo(f"{output}: {made.count:,} {error.value}{fewer}; evaluate it as the {role}")
