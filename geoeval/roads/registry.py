"""Every road metric by name. A new metric is one module and one line here."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.model.result import MetricResult

# What the machinery passes besides the parameters that a user may set.
_MACHINERY = {"rng", "progress"}


@dataclass(frozen=True)
class Metric:
    """Where a metric lives, which of its scores stands for it, and what it says in one sentence."""

    name: str
    headline: str
    about: str
    in_all: bool = True

    @property
    def function(self) -> Callable[..., MetricResult]:
        """The metric itself; its module is loaded now."""
        name = self.name.replace("-", "_")
        return getattr(import_module(f"geoeval.roads.{name}"), name)

    @property
    def defaults(self) -> dict[str, Any]:
        """Its parameters with their default values."""
        return {
            name: parameter.default
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in _MACHINERY
        }

    def accepts(self, argument: str) -> bool:
        """Whether the function takes this piece of machinery."""
        return argument in inspect.signature(self.function).parameters


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


def choose_metrics(names: str | Iterable[str]) -> list[Metric]:
    """The metrics that a user names: ``"all"``, ``"opt-j,apls"`` or a sequence of names."""
    wanted = names.split(",") if isinstance(names, str) else list(names)
    chosen: dict[str, Metric] = {}
    for name in (str(word).strip().lower().replace("_", "-") for word in wanted):
        if name == "all":
            chosen |= {metric.name: metric for metric in METRICS.values() if metric.in_all}
        elif name:
            chosen[name] = METRICS[_known(name, METRICS, "metric")]
    if not chosen:
        raise ParameterError(f"no metric was named; choose among {', '.join(METRICS)} or all")
    return [metric for metric in METRICS.values() if metric.name in chosen]


def choose_parameters(
    metrics: Iterable[Metric], given: Mapping[str, Mapping[str, Any]] | None, preset: str
) -> dict[str, dict[str, Any]]:
    """Every parameter of every metric: the default, then the preset, then what the user gives."""
    chosen = PRESETS[_known(preset, PRESETS, "preset")]
    given = {name.lower().replace("_", "-"): dict(values) for name, values in (given or {}).items()}
    for name in given:
        _known(name, METRICS, "metric")
    parameters = {}
    for metric in metrics:
        values = metric.defaults | chosen.get(metric.name, {})
        for name, value in given.get(metric.name, {}).items():
            values[_known(name, values, f"parameter of {metric.name}")] = value
        parameters[metric.name] = values
    return parameters


def parse_setting(text: str) -> tuple[str, str, Any]:
    """Metric, parameter and value of ``METRIC.PARAMETER=VALUE``; the value is JSON or plain text."""
    import json

    path, equals, value = text.partition("=")
    metric, dot, parameter = path.strip().partition(".")
    if not (equals and dot and parameter):
        raise ParameterError(
            f"cannot read the setting {text!r}; write it as METRIC.PARAMETER=VALUE, for example opt-j.max_distance=10"
        )
    try:
        return metric, parameter, json.loads(value)
    except json.JSONDecodeError:
        return metric, parameter, value.strip()


def _known(name: str, names: Iterable[str], what: str) -> str:
    names = list(names)
    if name in names:
        return name
    near = get_close_matches(name, names, n=1)
    guess = f"did you mean {near[0]}? " if near else ""
    raise ParameterError(f"unknown {what} {name!r}; {guess}There are {', '.join(names) or 'none'}")
