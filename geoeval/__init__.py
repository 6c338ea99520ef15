"""geoeval: compare a predicted map with a reference, in true metres, and map every error.

Names are loaded when first used, so that ``import geoeval`` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from geoeval._version import __version__

if TYPE_CHECKING:
    from geoeval.benchmarking.benchmark import benchmark
    from geoeval.benchmarking.result import Benchmark
    from geoeval.exceptions import GeoevalError, GeoevalWarning
    from geoeval.lines.evaluate import evaluate_lines
    from geoeval.model.drawing import Drawing
    from geoeval.model.object_map import ObjectMap
    from geoeval.model.result import Result
    from geoeval.model.road_network import RoadNetwork
    from geoeval.objects.evaluate import evaluate_objects
    from geoeval.perturbation.perturb import perturb
    from geoeval.pipeline.evaluate import evaluate
    from geoeval.pipeline.planning import edit_plan
    from geoeval.pipeline.verify import verify
    from geoeval.ranking.rank import Ranking, rank
    from geoeval.readers import read_drawing, read_image, read_network, read_objects
    from geoeval.report.card import write_card
    from geoeval.report.page import write_report
    from geoeval.reviewing.review import Review, review
    from geoeval.reviewing.run_file import write_run
    from geoeval.roads.evaluate import evaluate_roads
    from geoeval.scale.tiles.tiled_objects import evaluate_objects_tiled
    from geoeval.scale.tiles.tiled_roads import evaluate_tiled
    from geoeval.writers.drawing_files import write_drawing
    from geoeval.writers.handoff import write_josm, write_maproulette
    from geoeval.writers.layers import write_layers
    from geoeval.writers.network_files import write_network
    from geoeval.writers.object_files import write_objects

_HOMES = {
    "Benchmark": "geoeval.benchmarking.result",
    "Drawing": "geoeval.model.drawing",
    "GeoevalError": "geoeval.exceptions",
    "GeoevalWarning": "geoeval.exceptions",
    "ObjectMap": "geoeval.model.object_map",
    "Ranking": "geoeval.ranking.rank",
    "Result": "geoeval.model.result",
    "Review": "geoeval.reviewing.review",
    "RoadNetwork": "geoeval.model.road_network",
    "benchmark": "geoeval.benchmarking.benchmark",
    "edit_plan": "geoeval.pipeline.planning",
    "evaluate": "geoeval.pipeline.evaluate",
    "evaluate_lines": "geoeval.lines.evaluate",
    "evaluate_objects": "geoeval.objects.evaluate",
    "evaluate_objects_tiled": "geoeval.scale.tiles.tiled_objects",
    "evaluate_roads": "geoeval.roads.evaluate",
    "evaluate_tiled": "geoeval.scale.tiles.tiled_roads",
    "perturb": "geoeval.perturbation.perturb",
    "rank": "geoeval.ranking.rank",
    "read_drawing": "geoeval.readers",
    "read_image": "geoeval.readers",
    "read_network": "geoeval.readers",
    "read_objects": "geoeval.readers",
    "review": "geoeval.reviewing.review",
    "verify": "geoeval.pipeline.verify",
    "write_card": "geoeval.report.card",
    "write_drawing": "geoeval.writers.drawing_files",
    "write_josm": "geoeval.writers.handoff",
    "write_layers": "geoeval.writers.layers",
    "write_maproulette": "geoeval.writers.handoff",
    "write_network": "geoeval.writers.network_files",
    "write_objects": "geoeval.writers.object_files",
    "write_report": "geoeval.report.page",
    "write_run": "geoeval.reviewing.run_file",
}

__all__ = [
    "Benchmark",
    "Drawing",
    "GeoevalError",
    "GeoevalWarning",
    "ObjectMap",
    "Ranking",
    "Result",
    "Review",
    "RoadNetwork",
    "__version__",
    "benchmark",
    "edit_plan",
    "evaluate",
    "evaluate_lines",
    "evaluate_objects",
    "evaluate_objects_tiled",
    "evaluate_roads",
    "evaluate_tiled",
    "perturb",
    "rank",
    "read_drawing",
    "read_image",
    "read_network",
    "read_objects",
    "review",
    "verify",
    "write_card",
    "write_drawing",
    "write_josm",
    "write_layers",
    "write_maproulette",
    "write_network",
    "write_objects",
    "write_report",
    "write_run",
]


def __getattr__(name: str) -> Any:
    if name == "streaming":
        return import_module("geoeval.streaming")
    if name not in _HOMES:
        raise AttributeError(f"module 'geoeval' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
