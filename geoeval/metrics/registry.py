"""Metrics by name, for every kind of map content: which there are, which a user wants, and their parameters."""

import inspect
import json
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from numbers import Real
from typing import Any, get_args

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.scores import Score

# Larger whole numbers are none that arrays hold.
_LARGEST_BITS = 63
# The room of the published protocols, which declare themselves as metrics do.
_PROTOCOLS = "protocols"


class Metrics(Mapping[str, Metric]):
    """The metrics of one kind of map content by name; a metric's module is loaded when it is first asked for."""

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = dict(modules)

    def __getitem__(self, name: str) -> Metric:
        metric: Metric = import_module(self._modules[name]).METRIC
        return metric

    def __contains__(self, name: object) -> bool:  # that of a mapping asks for the metric, which would load it
        return name in self._modules

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Registry:
    """The metrics of one kind of map content, and named sets of their parameters.

    Parameters
    ----------
    modules
        By the metric's name the module that declares it.
    presets
        By name: parameters by metric. ``default`` is always there.
    """

    # What messages call one of them.
    what = "metric"

    def __init__(
        self, modules: Mapping[str, str], presets: Mapping[str, dict[str, dict[str, Any]]] | None = None
    ) -> None:
        self.metrics = Metrics(modules)
        self.presets: dict[str, dict[str, dict[str, Any]]] = {"default": {}, **(presets or {})}

    @cached_property
    def scores(self) -> dict[str, Score]:
        """Every score by ``metric.score``; loads all metrics."""
        return {f"{name}.{score.name}": score for name, metric in self.metrics.items() for score in metric.scores}

    def choose_metrics(self, names: str | Iterable[str]) -> list[Metric]:
        """The metrics that a user names: ``"all"``, names with commas, or a sequence of names."""
        wanted = names.split(",") if isinstance(names, str) else list(names)
        chosen: set[str] = set()
        for name in (str(word).strip().lower().replace("_", "-") for word in wanted):
            if name == "all":
                chosen |= {metric.name for metric in self.metrics.values() if metric.in_all}
            elif name:
                chosen.add(_listed(name, self.metrics, self.what))
        if not chosen:
            raise ParameterError(f"no {self.what} was named; choose among {', '.join(self.metrics)} or all")
        return [self.metrics[name] for name in self.metrics if name in chosen]

    def choose_parameters(
        self, metrics: Iterable[Metric], given: Mapping[str, Mapping[str, Any]] | None, preset: str = "default"
    ) -> dict[str, dict[str, Any]]:
        """Every parameter of every metric: the default, then the preset, then what the user gives."""
        chosen = self.presets[_listed(preset, self.presets, "preset")]
        given = {name.lower().replace("_", "-"): dict(values) for name, values in (given or {}).items()}
        for name in given:
            _listed(name, self.metrics, self.what)
        parameters = {}
        for metric in metrics:
            values = metric.defaults | chosen.get(metric.name, {})
            for name, value in given.get(metric.name, {}).items():
                _listed(name, values, f"parameter of {metric.name}")
                usual = None if _takes_text(metric, name) and not isinstance(value, Real) else values[name]
                _check_form(f"{metric.name}.{name}", usual, value)
                values[name] = value
            parameters[metric.name] = values
        return parameters


def registry_of(content: str) -> Registry:
    """The registry of a kind of map content: ``roads``, ``objects`` or ``lines``."""
    _listed(content, CONTENTS, "kind of map")
    registry: Registry = import_module(f"geoeval.{content}.registry").REGISTRY
    return registry


def declarations_of(content: str) -> Mapping[str, Metric]:
    """Whatever may stand in a result of this content, by name: its metrics, and the published protocols."""
    protocols: Registry = import_module(f"geoeval.{_PROTOCOLS}.registry").REGISTRY
    return ChainMap(registry_of(content).metrics, protocols.metrics)  # type: ignore[arg-type]


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
    except (ValueError, RecursionError):
        return metric, parameter, value.strip()


def _takes_text(metric: Metric, name: str) -> bool:
    """Whether a parameter may be a word besides a number, such as ``all``; the metric knows which."""
    return str in get_args(inspect.signature(metric.function).parameters[name].annotation)


def _check_form(name: str, usual: Any, value: Any) -> None:
    """Raise ``ParameterError`` where a parameter is a number or a switch, and its value is none.

    What is a text by default may be something else too; the metric knows.
    """
    if isinstance(value, int) and value.bit_length() > _LARGEST_BITS:
        raise ParameterError(f"{name} is {str(value)[:40]!r}; give a smaller number")
    for form, words in ((bool, "true or false"), (Real, f"a number, such as {usual}")):
        if isinstance(usual, form):
            if not isinstance(value, form) or isinstance(value, bool) != isinstance(usual, bool):
                raise ParameterError(f"{name} is {str(value)[:40]!r}; give {words}")
            return


def _listed(name: str, names: Iterable[str], what: str) -> str:
    names = list(names)
    if name in names:
        return name
    near = get_close_matches(name, names, n=1)
    known = f"did you mean {near[0]}? There are" if near else "there are"
    raise ParameterError(f"unknown {what} {name!r}; {known} {', '.join(names) or 'none'}")
