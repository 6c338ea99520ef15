"""geoeval: compare a predicted map with a reference, in true metres, and map every error.

Names are loaded when first used, so that ``import geoeval`` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from geoeval._version import __version__

if TYPE_CHECKING:
    from geoeval.exceptions import GeoevalError
    from geoeval.lines.evaluate import evaluate_lines
    from geoeval.model.drawing import Drawing
    from geoeval.model.network import RoadNetwork
    from geoeval.model.objects import ObjectMap
    from geoeval.model.result import Result
    from geoeval.objects.evaluate import evaluate_objects
    from geoeval.ranking.rank import Ranking, rank
    from geoeval.readers import read_network
    from geoeval.readers.drawings import read_drawing
    from geoeval.readers.objects import read_objects
    from geoeval.roads.evaluate import evaluate_roads
    from geoeval.scale.evaluate import evaluate_tiled
    from geoeval.scale.objects import evaluate_objects_tiled
    from geoeval.synthetic.perturb import perturb

__all__ = [
    "Drawing",
    "GeoevalError",
    "ObjectMap",
    "Ranking",
    "Result",
    "RoadNetwork",
    "__version__",
    "evaluate_lines",
    "evaluate_objects",
    "evaluate_objects_tiled",
    "evaluate_roads",
    "evaluate_tiled",
    "perturb",
    "rank",
    "read_drawing",
    "read_network",
    "read_objects",
]

_HOMES = {
    "Drawing": "geoeval.model.drawing",
    "GeoevalError": "geoeval.exceptions",
    "Ranking": "geoeval.ranking.rank",
    "Result": "geoeval.model.result",
    "ObjectMap": "geoeval.model.objects",
    "RoadNetwork": "geoeval.model.network",
    "evaluate_lines": "geoeval.lines.evaluate",
    "evaluate_objects": "geoeval.objects.evaluate",
    "evaluate_objects_tiled": "geoeval.scale.objects",
    "evaluate_roads": "geoeval.roads.evaluate",
    "evaluate_tiled": "geoeval.scale.evaluate",
    "perturb": "geoeval.synthetic.perturb",
    "rank": "geoeval.ranking.rank",
    "read_drawing": "geoeval.readers.drawings",
    "read_network": "geoeval.readers",
    "read_objects": "geoeval.readers.objects",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'geoeval' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
