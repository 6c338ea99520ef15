"""Every road metric by name. A new metric is one module and one line here."""

from typing import Any

from geoeval.registry import Metric, Registry

METRICS = {
    metric.name: metric
    for metric in (
        Metric("ccq", "quality", "Share of the road length within a tolerance of the other network."),
        Metric("tlts", "correct", "Share of shortest paths whose length the prediction keeps within 5 %."),
        Metric("apls", "apls", "How well the lengths of shortest paths agree, in both directions."),
        Metric("junct", "f1", "Do junctions match, and the directions of their roads."),
        Metric("subg", "f1", "Do the surroundings reached by travelling from a place agree."),
        Metric("opt-p", "f1", "Can whole paths be followed in the other network, each road used once."),
        Metric("opt-j", "f1", "Do junctions and ends match, with their numbers of arms."),
        Metric("opt-g", "f1", "Do surroundings reached by travelling agree, each place used once."),
        Metric("pixel", "iou", "Precision and recall of the rasterised networks.", in_all=False),
        Metric("distance", "chamfer", "Chamfer and Hausdorff distance in metres.", in_all=False),
    )
}

# The metric whose features stand for a kind of error on the map: the first of these that was evaluated.
LEADING = {
    "missing": ("ccq", "opt-p", "opt-g", "subg", "apls", "opt-j"),
    "spurious": ("ccq", "opt-p", "opt-g", "subg", "apls", "opt-j"),
    "break": ("opt-p", "opt-j"),
    "false_link": ("opt-p", "opt-j"),
    "doubled": ("opt-p",),
    "merged": ("opt-p",),
    "junction": ("opt-j", "junct"),
    "culprit": ("tlts", "apls"),
}

# The supplement of Citraro et al. 2020, Table 31, in coordinate units: for pixel graphs as published.
PRESETS: dict[str, dict[str, dict[str, Any]]] = {
    "default": {},
    "roadtracer-px": {
        "ccq": {"tolerance": 8.0},
        "tlts": {"max_distance": 25.0},
        "apls": {"max_distance": 25.0, "spacing": 83.0},
        "junct": {"max_distance": 110.0, "direction_distance": 110.0},
        "subg": {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0},
        "opt-p": {"max_distance": 25.0, "step": 25.0},
        "opt-j": {"max_distance": 25.0, "alpha": 100.0, "exist": 1.0},
        "opt-g": {"max_distance": 25.0, "radius": 300.0, "spacing": 10.0},
    },
}

REGISTRY = Registry(METRICS, PRESETS)
choose_metrics = REGISTRY.choose_metrics
choose_parameters = REGISTRY.choose_parameters
