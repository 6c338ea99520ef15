"""``geoeval perturb``: a map made worse on purpose, with every error known."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.groups import inputs_of_one, takes, used
from geoeval.cli.guard import guarded
from geoeval.cli.terminal import say

if TYPE_CHECKING:
    from collections.abc import Callable


class ErrorChoice(StrEnum):
    """Kinds of errors: of roads, of objects, of lines; some are of several."""

    interruptions = "interruptions"
    overconnections = "overconnections"
    perturbations = "perturbations"
    doubled = "doubled"
    doubled_reference = "doubled-reference"
    far_false_positives = "far-false-positives"
    missing = "missing"
    missed = "missed"
    false_alarm = "false-alarm"
    split_ = "split"  # str has a method of the plain name
    merged = "merged"
    shifted = "shifted"
    grown = "grown"
    fragmented = "fragmented"
    consolidated = "consolidated"
    wrong_width = "wrong-width"


@guarded
@takes(reading=inputs_of_one("roads", "objects", "lines"))
def perturb(
    network: Annotated[str, typer.Argument(metavar="MAP", help="Roads, objects or drawn lines, of any readable kind.")],
    *,
    error: Annotated[ErrorChoice, typer.Option(help="What kind of error to put in.")],
    count: Annotated[int, typer.Option(min=0, help="How many errors.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The changed map: .shp, .gpkg, .geojson, ...")
    ],
    kind: Annotated[
        options.KindChoice | None,
        typer.Option(help="What MAP holds, where the error does not tell: missed and shifted are of objects or lines."),
    ] = None,
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
    aoi: options.Aoi = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
    reading: dict[str, Any],
) -> None:
    """Put errors of one kind into a map of roads, objects or lines; with --features also write what was done."""
    from geoeval.files import together
    from geoeval.perturbation.perturb import REFERENCE_ERRORS, kind_with, parse_magnitudes
    from geoeval.perturbation.perturb import perturb as put_errors
    from geoeval.readers.given import read_within
    from geoeval.writers.feature_files import check_frame_file, write_frame

    content = kind_with(error.value, kind=kind)
    sizes: dict[str, Any] = {**parse_magnitudes(magnitudes or [])}
    check, write = _writer(content)
    check(output, overwrite=overwrite)
    if features is not None:
        check_frame_file(features, overwrite=overwrite)
    given = read_within(content, network, aoi, **used(content, reading))
    target = None if crs == "auto" else crs
    made = put_errors(given, error.value, count, seed=seed, **sizes)
    in_reference = error.value.replace("-", "_") in REFERENCE_ERRORS
    with together():
        write(made.reference if in_reference else made.prediction, output, crs=target, overwrite=overwrite)
        if features is not None:
            shape, geometry = ("polygons", "Polygon") if content == "objects" else ("lines", "LineString")
            write_frame(made.errors[shape], features, geometry=geometry, crs=target, overwrite=overwrite)
    fewer = f" ({count:,} wanted: no room for more)" if made.count < count else ""
    role = "reference, and MAP as the prediction" if in_reference else "prediction, and MAP as the reference"
    say(f"{output}: {made.count:,} {error.value}{fewer}; evaluate it as the {role}")


def _writer(kind: str) -> "tuple[Callable[..., Any], Callable[..., Any]]":
    """How a place to write to is checked, and how the map is written."""
    if kind == "objects":
        from geoeval.writers.object_files import check_objects_file, write_objects

        return check_objects_file, write_objects
    if kind == "lines":
        from geoeval.writers.drawing_files import check_drawing_file, write_drawing

        return check_drawing_file, write_drawing
    from geoeval.writers.network_files import check_network_file, write_network

    return check_network_file, write_network
