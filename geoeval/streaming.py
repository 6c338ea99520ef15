"""Road scores inside a training or a data pipeline: pair after pair, in several processes, put together exactly.

``RoadScores`` keeps one row of counts and scores a pair. Rows are put together whatever their order, and sums are
rounded once, so that shards in any order give the same result to the last bit.

    scores = RoadScores(metrics="ccq,opt-j", pixel_size=1.0)
    for prediction, reference in pairs:
        scores.update(prediction, reference)      # masks, dictionaries of neighbours, arrays, graphs, networks
    scores.compute()                              # {"ccq.quality": 0.87, "opt-j.f1": 0.91, ...}

With torch and torchmetrics installed, ``geoeval.streaming.RoadScoresMetric(...)`` is the same as a torchmetrics metric.
"""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.area import EVERYTHING
from geoeval.benchmarking.aggregation import MEAN, POOLED, Aggregate, PlaceValues, aggregate
from geoeval.benchmarking.evaluating import Ruler
from geoeval.benchmarking.layouts import PLAIN
from geoeval.benchmarking.places import Source
from geoeval.exceptions import MissingExtraError, ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.scores import ScoreValue
from geoeval.protocols.registry import REGISTRY as PROTOCOLS
from geoeval.roads.registry import REGISTRY as ROADS
from geoeval.seeds import Seed, whole_seed
from geoeval.stored_json import parse_json

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RoadScores:
    """Scores of many pairs of road maps, given one after the other.

    Parameters
    ----------
    metrics, protocol, parameters, preset, seed, rng
        As for :func:`geoeval.evaluate`.
    rule
        How pairs are put together: ``"pooled"`` adds up counts, ``"mean"`` gives every pair the same weight, or the
        name of a rule of the protocol. By default ``"pooled"``, and the first rule of a protocol.
    reading
        Options of the readers; ``pixel_size`` for masks, dictionaries and arrays in pixels.

    Examples
    --------
    >>> from geoeval.streaming import RoadScores
    >>> street = {(0, 0): [(0, 100)], (0, 100): [(0, 0)]}
    >>> half = {(0, 0): [(0, 45)], (0, 45): [(0, 0)]}
    >>> scores = RoadScores(metrics="ccq", pixel_size=1.0)
    >>> scores.update(street, street)
    >>> scores.update(half, street)
    >>> round(scores.compute()["ccq.completeness"], 6)
    0.75
    """

    def __init__(
        self, metrics: str | Iterable[str] = "all", protocol: str | None = None, *,
        parameters: Mapping[str, Mapping[str, Any]] | None = None, preset: str = "default", seed: Seed = 0,
        rng: Seed | None = None, rule: str | None = None, **reading: Any,
    ) -> None:  # fmt: skip
        self.ruler = Ruler.checked(
            PLAIN, metrics=metrics, protocol=protocol, parameters=parameters, preset=preset, seed=seed, rng=rng,
            aoi=EVERYTHING, reading=reading,
        )  # fmt: skip
        published = [name for metric in self.ruler.declared for name in getattr(metric, "aggregates", {})]
        allowed = [*dict.fromkeys(published), MEAN, POOLED]
        self.rule = rule or (allowed[0] if protocol is not None else POOLED)
        if self.rule not in allowed:
            raise ParameterError(f"unknown rule {rule!r}; there are {', '.join(allowed)}")
        registry = PROTOCOLS if protocol is not None else ROADS
        self._parameters = registry.choose_parameters(self.ruler.declared, self.ruler.evaluation.parameters, preset)
        self._rows: list[str] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<RoadScores {', '.join(self.ruler.metrics)}: {len(self)} pairs>"

    def update(self, prediction: Any, reference: Any) -> None:
        """Add a pair, or as many pairs as two lists or two stacks of masks hold.

        Parameters
        ----------
        prediction, reference
            A mask (an array of rows and columns; fractions are road from 0.5 on), a dictionary
            ``{(row, column): [(row, column), ...]}``, a pair of arrays (nodes, edges), a networkx graph, a
            ``RoadNetwork``, or whatever else :func:`geoeval.evaluate` takes. Tensors are taken as arrays.

        Raises
        ------
        GeoevalError
            A map cannot be read, or two masks differ in size; nothing is added then.
        """
        predictions, references = _items(prediction), _items(reference)
        if len(predictions) != len(references):
            counts = f"{len(predictions)} predictions for {len(references)} references"
            raise ParameterError(f"{counts}; give as many of both")
        self._rows += [self._row(*pair) for pair in zip(predictions, references, strict=True)]

    def compute(self) -> dict[str, ScoreValue]:
        """Every score of all pairs together, by ``metric.score``; ``None`` where undefined. Order does not matter."""
        return {
            f"{one.metric}.{name}": value
            for one in self.aggregates(repetitions=0)
            if one.rule == self.rule
            for name, value in one.scores.items()
        }

    def aggregates(self, *, repetitions: int = 1000, seed: Seed = 0, rng: Seed | None = None) -> list[Aggregate]:
        """The scores by every rule, with 95 % intervals over pairs."""
        seed = whole_seed(seed, rng)
        return [
            one
            for metric in self.ruler.declared
            for one in aggregate(metric, self._values(metric.name), repetitions=repetitions, seed=seed)
        ]

    def merge(self, other: "RoadScores") -> "RoadScores":
        """Add all pairs of another one, which must have the same metrics and parameters; gives itself."""
        if not isinstance(other, RoadScores) or self.ruler != other.ruler:
            raise ParameterError("these scores have other metrics or parameters; merge only what was made alike")
        self.add_bytes(other.to_bytes())
        return self

    def reset(self) -> None:
        """Forget all pairs."""
        self._rows = []

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the headline scores with their intervals with matplotlib; gives the axes."""
        from geoeval.writers.pictures import new_figure

        axes: Any = new_figure(1.0 + 0.8 * len(self.ruler.metrics), 3.2).subplots() if ax is None else ax
        found = {one.metric: one for one in self.aggregates() if one.rule == self.rule}
        for place, metric in enumerate(self.ruler.declared):
            one = found.get(metric.name)
            value = None if one is None else one.scores.get(metric.headline)
            if one is None or value is None:
                continue
            low, high = one.intervals.get(metric.headline) or (value, value)
            axes.bar(place, value, color="#0072B2", width=0.7)
            axes.plot((place, place), (low, high), color="black", linewidth=1.5)
            axes.text(place, max(value, high) + 0.02, f"{value:.3f}", ha="center", va="bottom", fontsize=8)
        names = [f"{metric.name}\n{metric.headline}" for metric in self.ruler.declared]
        axes.set_xticks(range(len(names)), names, fontsize=8)
        axes.set(ylabel=f"score ({self.rule}, {len(self)} pairs)", ylim=(0, 1.1) if _all_shares(self.ruler) else None)
        return axes

    # ------------------------------------------------------------------ rows

    def to_bytes(self) -> bytes:
        """All pairs as text, one line each, to be sent or kept."""
        return "".join(f"{row}\n" for row in self._rows).encode()

    def add_bytes(self, data: bytes) -> None:
        """Add pairs that ``to_bytes`` gave, of the same metrics; others are refused, and nothing is added then."""
        try:
            rows = data.decode().splitlines()
            fits = all(self._is_row(parse_json(row)) for row in rows)
        except ValueError:
            fits = False
        if not fits:
            raise ParameterError("these are no rows of scores of the same metrics; add only what to_bytes gave")
        self._rows += rows

    def _row(self, prediction: Any, reference: Any) -> str:
        """Scores and counts of one pair as JSON, which keeps every number to the last bit."""
        result, _ = self.ruler.result(Source(reference), Source(prediction), PLAIN)
        plain = result.plain()
        return json.dumps({name: [plain["scores"][name], plain["counts"][name]] for name in self.ruler.metrics})

    def _is_row(self, row: Any) -> bool:
        """Whether a value is what ``_row`` writes: by metric its scores and its counts."""
        return (
            isinstance(row, dict)
            and set(self.ruler.metrics) <= row.keys()
            and all(isinstance(own, list) and len(own) == 2 and _are_numbers(own) for own in row.values())
            and all(self._is_scored(metric, row[metric.name][1]) for metric in self.ruler.declared)
        )

    def _is_scored(self, metric: Metric, counts: dict[str, Any]) -> bool:
        """Whether a metric has scores from these counts."""
        if metric.scores_from_counts is None or not counts:
            return True
        try:
            metric.scores_of(counts, self._parameters.get(metric.name, {}))
        except (ArithmeticError, KeyError, TypeError, ValueError):
            return False
        return True

    def _values(self, metric: str) -> list[PlaceValues]:
        """What each pair adds for a metric, in an order that does not depend on that in which they came."""
        rows = [json.loads(row)[metric] for row in sorted(self._rows)]
        return [PlaceValues(scores, counts or None, self._parameters.get(metric, {})) for scores, counts in rows]


def _are_numbers(parts: list[Any]) -> bool:
    """Whether these are scores and counts, numbers by name; a score may be undefined, a count is always known."""
    scores, counts = parts
    return all(isinstance(part, dict) for part in parts) and all(
        isinstance(value, int | float)
        for value in (*(one for one in scores.values() if one is not None), *counts.values())
    )


def _items(given: Any) -> list[Any]:
    """The maps in what was given: one, those of a list, or those of a stack of masks."""
    if hasattr(given, "detach"):  # a tensor
        given = given.detach().cpu().numpy()
    if isinstance(given, list):
        return [item for one in given for item in _items(one)]
    if isinstance(given, np.ndarray):
        if given.ndim == 4 and given.shape[1] == 1:
            given = given[:, 0]
        if given.ndim == 3:
            return [_mask(one) for one in given]
        return [_mask(given)]
    if isinstance(given, tuple):
        return [tuple(one.detach().cpu().numpy() if hasattr(one, "detach") else one for one in given)]
    return [given]


def _mask(values: Any) -> Any:
    """Fractions as road and not road; anything else as it is."""
    return values >= 0.5 if values.dtype.kind == "f" else values


def _all_shares(ruler: Ruler) -> bool:
    return all(score.range == (0.0, 1.0) for metric in ruler.declared for score in metric.scores
               if score.name == metric.headline)  # fmt: skip


def __getattr__(name: str) -> Any:
    """``RoadScoresMetric``, made when it is first asked for: torch is not needed for anything else."""
    if name != "RoadScoresMetric":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = _torch_metric()
    globals()[name] = made
    return made


def _torch_metric() -> type:
    """A torchmetrics metric whose state is one line of text a pair, as bytes, gathered from all processes."""
    try:
        import torch
        from torchmetrics import Metric
    except ImportError as error:
        msg = "a torchmetrics metric needs torch and torchmetrics; pip install torchmetrics"
        raise MissingExtraError(msg) from error

    class RoadScoresMetric(Metric):  # type: ignore[misc, valid-type, unused-ignore]
        """``RoadScores`` as a torchmetrics metric: the same arguments, scores as tensors, NaN where undefined."""

        full_state_update = False
        higher_is_better = True

        def __init__(self, metrics: Any = "all", protocol: str | None = None, **options: Any) -> None:
            own = {name: options.pop(name) for name in _TORCH_OPTIONS if name in options}
            super().__init__(**own)
            self.scores = RoadScores(metrics, protocol, **options)
            self.add_state("rows", default=[], dist_reduce_fx="cat")

        def update(self, preds: Any, target: Any) -> None:
            """Add pairs, as :meth:`RoadScores.update` does."""
            self.scores.reset()
            self.scores.update(preds, target)
            self.rows.append(torch.tensor(list(self.scores.to_bytes()), dtype=torch.uint8))

        def compute(self) -> Any:
            """The scores of all pairs of all processes."""
            rows = self.rows if isinstance(self.rows, list) else [self.rows]
            self.scores.reset()
            for one in rows:
                self.scores.add_bytes(bytes(one.detach().cpu().tolist()))
            values = self.scores.compute()
            return {
                name: torch.tensor(float("nan") if value is None else float(value), dtype=torch.float64)
                for name, value in values.items()
            }

    RoadScoresMetric.__module__, RoadScoresMetric.__qualname__ = __name__, "RoadScoresMetric"
    return RoadScoresMetric


_TORCH_OPTIONS = ("compute_on_cpu", "dist_sync_on_step", "process_group", "dist_sync_fn", "distributed_available_fn",
                  "sync_on_compute", "compute_with_cache")  # fmt: skip
