"""Metrics by name, for every kind of map content: which there are, which a user wants, and their parameters."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.model.result import MetricResult

# What the machinery passes besides the parameters that a user may set.
_MACHINERY = {"rng", "progress", "overlaps", "work", "known"}


@dataclass(frozen=True)
class Metric:
    """Where a metric lives, which of its scores stands for it, and what it says in one sentence."""

    name: str
    headline: str
    about: str
    in_all: bool = True
    package: str = "geoeval.roads"

    @property
    def module(self) -> Any:
        """The module with the metric and its ``scores_from_counts``; loaded now."""
        return import_module(f"{self.package}.{self.name.replace('-', '_')}")

    @property
    def function(self) -> Callable[..., MetricResult]:
        """The metric itself."""
        return getattr(self.module, self.name.replace("-", "_"))

    @property
    def defaults(self) -> dict[str, Any]:
        """Its parameters with their default values."""
        return {
            name: parameter.default
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in _MACHINERY
        }

    def halo(self, values: Mapping[str, Any]) -> float | None:
        """Metres of ground around a place that its counts depend on; ``None`` where they may depend on everything.

        A module that can be evaluated in tiles says so with a function ``halo`` of its parameters.
        """
        own = getattr(self.module, "halo", None)
        return None if own is None else own(values)

    def accepts(self, argument: str) -> bool:
        """Whether the function takes this piece of machinery."""
        return argument in inspect.signature(self.function).parameters


@dataclass(frozen=True)
class Registry:
    """The metrics of one kind of map content, and named sets of their parameters."""

    metrics: dict[str, Metric]
    presets: dict[str, dict[str, dict[str, Any]]] = field(default_factory=lambda: {"default": {}})

    def choose_metrics(self, names: str | Iterable[str]) -> list[Metric]:
        """The metrics that a user names: ``"all"``, names with commas, or a sequence of names."""
        wanted = names.split(",") if isinstance(names, str) else list(names)
        chosen: dict[str, Metric] = {}
        for name in (str(word).strip().lower().replace("_", "-") for word in wanted):
            if name == "all":
                chosen |= {metric.name: metric for metric in self.metrics.values() if metric.in_all}
            elif name:
                chosen[name] = self.metrics[_known(name, self.metrics, "metric")]
        if not chosen:
            raise ParameterError(f"no metric was named; choose among {', '.join(self.metrics)} or all")
        return [metric for metric in self.metrics.values() if metric.name in chosen]

    def choose_parameters(
        self, metrics: Iterable[Metric], given: Mapping[str, Mapping[str, Any]] | None, preset: str = "default"
    ) -> dict[str, dict[str, Any]]:
        """Every parameter of every metric: the default, then the preset, then what the user gives."""
        chosen = self.presets[_known(preset, self.presets, "preset")]
        given = {name.lower().replace("_", "-"): dict(values) for name, values in (given or {}).items()}
        for name in given:
            _known(name, self.metrics, "metric")
        parameters = {}
        for metric in metrics:
            values = metric.defaults | chosen.get(metric.name, {})
            for name, value in given.get(metric.name, {}).items():
                values[_known(name, values, f"parameter of {metric.name}")] = value
            parameters[metric.name] = values
        return parameters


def registry_of(kind: str) -> Registry:
    """The registry of a kind of map content: ``roads`` or ``objects``."""
    return import_module(f"geoeval.{kind}.registry").REGISTRY


def parse_setting(text: str) -> tuple[str, str, Any]:
    """Metric, parameter and value of ``METRIC.PARAMETER=VALUE``; the value is JSON or plain text."""
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
