"""What a metric is. Each metric declares itself at the end of its module as ``METRIC``."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from geoeval.arrays import Floats
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import Score, ScoreValue

Scored = tuple[dict[str, ScoreValue], dict[str, str]]

# What the machinery passes besides the parameters that a user may set.
_MACHINERY = {"rng", "progress", "overlaps", "work", "loaded_box", "workers"}


@dataclass(frozen=True)
class Metric:
    """A metric and all that the rest of the house needs to know of it.

    Attributes
    ----------
    function
        The metric itself, ``metric(reference, prediction, *, parameters...)``; its name is the metric's.
    headline
        The score that stands for the metric.
    about
        What the metric says, in one sentence.
    scores
        Every score that it gives, in the order in which it gives them.
    counting
        How it looks at the map: ``places`` counts place by place, so that counts of tiles add up; ``starts`` starts at
        places and looks around each of them; ``whole`` needs whole networks.
    start_sides
        The networks on which it starts.
    halo
        The metres around a place that its counts depend on, a function of its parameters; ``None`` as the answer
        means that with these parameters it needs whole networks.
    scores_from_counts
        Scores and notes from counts, which may be sums over several areas.
    counts_to_pool
        Counts of one area, from its scores and counts, that can be added to those of other areas, where its counts
        alone would let errors of different areas cancel.
    scores_from_starts
        Scores and counts from rows of counts, one a start.
    scores_from_rows
        Scores and notes from counts and rows that are put together, not added up.
    counts_by_cell
        Counts in square cells, from a result and the cells, where this is finer than its counts place by place.
    in_all
        Whether it is among ``all``; others must be named.
    """

    function: Callable[..., MetricResult]
    headline: str
    about: str
    scores: tuple[Score, ...]
    counting: Literal["places", "starts", "whole"] = "whole"
    start_sides: tuple[str, ...] = ()
    halo: Callable[[Mapping[str, Any]], float | None] | None = None
    scores_from_counts: Callable[..., Scored] | None = None
    counts_to_pool: Callable[[Mapping[str, ScoreValue], Mapping[str, float]], dict[str, float]] | None = None
    scores_from_starts: Callable[..., tuple[dict[str, ScoreValue], dict[str, float]]] | None = None
    scores_from_rows: Callable[..., Scored] | None = None
    counts_by_cell: Callable[..., dict[str, Floats]] | None = None
    in_all: bool = True

    @property
    def name(self) -> str:
        """As users write it: ``opt-j``."""
        return self.function.__name__.replace("_", "-")

    @property
    def defaults(self) -> dict[str, Any]:
        """Its parameters with their default values."""
        return {
            name: parameter.default
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY and name not in _MACHINERY
        }

    @property
    def by_place(self) -> bool:
        """Whether it has counts place by place, for grids and for comparisons block by block."""
        return self.counting != "whole"

    def reach(self, values: Mapping[str, Any]) -> float | None:
        """Metres of ground around a place that its counts depend on; ``None`` where it needs whole networks."""
        return None if self.halo is None else self.halo(values)

    def scores_of(self, counts: Mapping[str, float], values: Mapping[str, Any]) -> Scored:
        """Scores and notes from counts, with those parameters that its rule needs."""
        assert self.scores_from_counts is not None
        needed = inspect.signature(self.scores_from_counts).parameters
        return self.scores_from_counts(counts, **{name: value for name, value in values.items() if name in needed})

    def scores_together(self, counts: Mapping[str, float], rows: Sequence[Floats], values: Mapping[str, Any]) -> Scored:
        """Scores and notes of several parts, from the sums of their counts and the rows of each, if it has rows."""
        if rows and self.scores_from_rows is not None:
            return self.scores_from_rows(counts, np.concatenate(rows), **values)
        return self.scores_of(counts, values)

    def accepts(self, argument: str) -> bool:
        """Whether the function takes this piece of machinery."""
        return argument in inspect.signature(self.function).parameters
