"""Every road metric by name. A new metric is one module and one line here."""

from typing import Any

from geoeval.metrics.registry import Registry

_METRICS = {
    "ccq": "geoeval.roads.ccq.ccq",
    "tlts": "geoeval.roads.paths.tlts",
    "apls": "geoeval.roads.paths.apls",
    "junct": "geoeval.roads.junctions.junct",
    "subg": "geoeval.roads.surroundings.subg",
    "opt-p": "geoeval.roads.opt_p.opt_p",
    "opt-j": "geoeval.roads.junctions.opt_j",
    "opt-g": "geoeval.roads.surroundings.opt_g",
    "pixel": "geoeval.roads.context.pixel",
    "distance": "geoeval.roads.context.distance",
}

# For pixel graphs as published, in pixels: the supplement of Citraro et al. 2020, table 31.
_ROADTRACER_PX: dict[str, dict[str, Any]] = {
    "ccq": {"tolerance": 8.0},
    "tlts": {"max_distance": 25.0},
    "apls": {"max_distance": 25.0, "spacing": 83.0},
    "junct": {"max_distance": 110.0, "direction_distance": 110.0},
    "subg": {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0},
    "opt-p": {"max_distance": 25.0, "step": 25.0},
    "opt-j": {"max_distance": 25.0, "alpha": 100.0, "exist": 1.0},
    "opt-g": {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0},
}

REGISTRY = Registry(_METRICS, {"roadtracer-px": _ROADTRACER_PX})
METRICS = REGISTRY.metrics
choose_metrics = REGISTRY.choose_metrics
choose_parameters = REGISTRY.choose_parameters
