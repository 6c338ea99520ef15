"""``citraro``: the OPT metrics with the parameters that were published with them, in pixels.

OPT-P, OPT-J and OPT-G of Citraro, Koziński and Fua (ECCV 2020), table 31 of the supplement. These are our own metrics
(``geoeval.roads``), which are exact where the authors' code samples or matches greedily; so numbers differ from theirs
by what those shortcuts cost.
"""

from typing import Any

from geoeval.metrics.running import run_metrics
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, share
from geoeval.protocols.protocol import Protocol
from geoeval.roads.registry import choose_metrics, choose_parameters

_METRICS = ("opt-p", "opt-j", "opt-g")
_SCORES = ("f1", "precision", "recall")


def citraro(
    reference: RoadNetwork, prediction: RoadNetwork, *, max_distance: float = 25.0, radius: float = 300.0, seed: int = 0
) -> MetricResult:
    """OPT-P, OPT-J and OPT-G of two networks whose unit is a pixel.

    Parameters
    ----------
    reference, prediction
        Networks; read pixel graphs with ``pixel_size=1``.
    max_distance
        How far apart places may be that match, in pixels.
    radius
        How far around a place OPT-G looks, in pixels.
    seed
        Of what is sampled.

    Returns
    -------
    MetricResult
        f1, precision and recall of each, such as ``opt_j_f1``; undefined ones as the metrics have them.
    """
    chosen = choose_metrics(_METRICS)
    given: dict[str, dict[str, Any]] = {name: {"max_distance": max_distance} for name in _METRICS}
    given["opt-g"]["radius"] = radius
    values = choose_parameters(chosen, given, "roadtracer-px")
    found, _ = run_metrics(chosen, reference, prediction, values, seed=seed)
    scores: dict[str, ScoreValue] = {}
    notes = {}
    for name, one in found.items():
        for score in _SCORES:
            own = f"{name.replace('-', '_')}_{score}"
            scores[own] = one.scores[score]
            if score in one.notes:
                notes[own] = one.notes[score]
    errors = found["opt-j"].errors
    return MetricResult(scores, errors=errors, notes=notes, details={"parameters": values})


PROTOCOL = Protocol(
    citraro, "opt_j_f1", "OPT-P, OPT-J and OPT-G with the parameters published with them, in pixels.",
    scores=tuple(
        share(f"{name.replace('-', '_')}_{score}", f"{score} of {name.upper()}.")
        for name in _METRICS for score in _SCORES
    ),
    version="1", takes="networks",
    origin="Citraro, Koziński, Fua: Towards Reliable Evaluation of Algorithms for Road Network Reconstruction (2020).",
    blind_to="what happens in metres: all thresholds are pixels of the image",
    prefer=_METRICS,
)  # fmt: skip
