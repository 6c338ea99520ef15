"""What a protocol is. Each protocol declares itself at the end of its module as ``PROTOCOL``."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.scores import ScoreValue

# Scores of places by name, None for a place without a prediction; gives the scores of the whole data set.
Aggregate = Callable[[Sequence[Mapping[str, ScoreValue] | None]], dict[str, ScoreValue]]
Takes = Literal["graphs", "lines", "networks", "masks", "instances"]


@dataclass(frozen=True, kw_only=True)
class Protocol(Metric):
    """A published way to score roads or objects, reproduced: a metric with all that a reader must know to trust it.

    Attributes
    ----------
    version
        Of the reproduction: it changes when a number does.
    takes
        What its function is given: ``graphs`` (a ``FileGraph`` each, in the order and units of the file), ``lines`` (a
        ``LineGraph`` each, in metres), ``networks`` (a ``RoadNetwork`` each, in metres), ``masks`` (pixels) or
        ``instances`` (a ``CocoSet`` each, objects of several images in pixels).
    origin
        Where it comes from: the paper or program, in one sentence.
    blind_to
        What its number does not show.
    prefer
        The metrics of ours that say more.
    constants
        The published values of parameters whose default is ``None``.
    aggregates
        How the published scripts put places together, by the name of the layout.
    """

    version: str
    takes: Takes
    origin: str
    blind_to: str
    prefer: tuple[str, ...]
    constants: Mapping[str, Any] = field(default_factory=dict)
    aggregates: Mapping[str, Aggregate] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """What it scores: ``roads`` or ``objects``."""
        return "objects" if self.takes == "instances" else "roads"

    def check_numbers(self, values: Mapping[str, Any]) -> None:
        """Refuse what is no number where the published value is one, and a fraction where that is a whole number."""
        for name, published in {**self.defaults, **self.constants}.items():
            value = values.get(name, published)
            if isinstance(published, bool) or not isinstance(published, int | float):
                continue
            if value is None and self.defaults[name] is None:
                continue
            whole = isinstance(published, int)
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not number or (whole and value != int(value)):
                kind = "a whole number" if whole else "a number"
                raise ParameterError(f"{self.name}.{name} is {value!r}; give {kind}, such as {published}")

    def facts(self) -> dict[str, Any]:
        """All of it as plain values, for lists and files."""
        return {
            "name": self.name, "version": self.version, "about": self.about, "takes": self.takes,
            "scores": [score.name for score in self.scores], "parameters": {**self.defaults, **self.constants},
            "origin": self.origin, "blind_to": self.blind_to, "prefer": list(self.prefer),
        }  # fmt: skip
