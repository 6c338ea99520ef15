"""What a kind of map content says of itself, so that what is the same for all kinds branches on none.

Each kind is a small class in ``content.py`` of its own package; :mod:`geoeval.content` has the table of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.metrics.registry import Registry
from geoeval.model.features import ErrorFeatures

if TYPE_CHECKING:
    from geoeval.model.plan import Plan
    from geoeval.model.result import Result
    from geoeval.offsets.estimate import Offset

# By metric and name.
Values = dict[str, dict[str, Any]]


@dataclass
class Prepared:
    """Two maps in one CRS, and what the metrics are called with.

    Attributes
    ----------
    reference, prediction
        The maps that are compared.
    metrics
        Those to be evaluated.
    values
        Every parameter of every metric.
    shared
        What several metrics need and take as an argument of that name.
    notes, seconds
        What is said of the preparation, and how long its steps took.
    """

    reference: Any
    prediction: Any
    metrics: Sequence[Metric]
    values: Values
    shared: Mapping[str, Any] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class Content(ABC):
    """What a kind of map is.

    Attributes
    ----------
    name
        What it is called: ``kind=`` of ``evaluate``, and the command.
    registry
        Its metrics.
    has_ground
        Whether maps lie on ground that is found, cut and aligned, with ``prevailing_offset``, ``moved`` and
        ``measure``; drawings do not.
    plans
        Whether there is a plan of what to fix first, where nobody says; ``None`` where there can be none.
    tile_size
        Metres of a tile where nobody gives another size; ``None`` where there are no tiles.
    metrics_run_apart
        Whether several workers take a metric each; else a metric shares its own work among them, if it can.
    """

    name: str
    registry: Registry
    has_ground: bool = True
    plans: bool | None = None
    tile_size: float | None = None
    metrics_run_apart: bool = True

    @abstractmethod
    def describe(self, one: Any) -> dict[str, Any]:
        """What a result says of a map: its source, its size, and a digest that identifies it."""

    def values_of(
        self, metrics: Sequence[Metric], parameters: Mapping[str, Mapping[str, Any]] | None, preset: str
    ) -> Values:
        """Every parameter of the metrics, or an error where one that was given makes no sense."""
        return self.registry.choose_parameters(metrics, parameters, preset)

    def prepare(
        self, reference: Any, prediction: Any, metrics: Sequence[Metric], values: Values, **own: Any
    ) -> Prepared:
        """Two maps in one CRS, ready for the metrics; ``own`` is what this content alone is asked for."""
        return Prepared(reference, prediction, metrics, values, **own)

    def prevailing_offset(self, reference: Any, prediction: Any) -> "Offset | None":
        """The offset of the prediction, of two maps in one CRS and cut to the evaluated area, where most of them is."""
        raise NotImplementedError

    def moved(self, one: Any, dx: float, dy: float) -> Any:
        """A map shifted by ``dx`` metres east and ``dy`` metres north."""
        raise NotImplementedError

    def measure(self, one: Any) -> float:
        """How much a map is: metres of road, square metres of objects."""
        raise NotImplementedError

    def input_errors(self, reference: Any, prediction: Any) -> list[ErrorFeatures]:  # noqa: ARG002 - most have none
        """What is wrong inside of each map, whatever the other has."""
        return []

    def decided(self, result: "Result") -> "Result":
        """The result with one error for each place, of its cause, where several metrics report the same one."""
        return result

    def why_no_plan(self, result: "Result") -> str:  # noqa: ARG002 - most results can have one
        """Why there is no plan of what to fix first, and what gives one; empty where there can be one."""
        return ""

    def edit_plan(self, result: "Result", effort: Any = None) -> "Plan":  # noqa: ARG002 - there is none
        """What to fix first; ``effort`` says how long each edit takes."""
        raise ParameterError(f"there is a plan of edits for roads and objects, not for {self.name}")

    def apply_plan(self, result: "Result", plan: Any = None, *, top: int | None = None) -> Any:  # noqa: ARG002 - there is none
        """The prediction with the edits of its plan carried out."""
        raise ParameterError(f"a plan is carried out on roads and objects, not on {self.name}")

    def evaluate(self, reference: Any, prediction: Any, **asked: Any) -> "Result":
        """The result of two maps that were brought together; ``asked`` as for ``evaluate_maps``."""
        from geoeval.metrics.running import evaluate_maps

        return evaluate_maps(self, reference, prediction, **asked)
