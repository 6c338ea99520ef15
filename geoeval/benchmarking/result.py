"""What a benchmark gives: a table by place, the scores of all places together, and which method is better."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval._version import __version__
from geoeval.benchmarking.aggregation import MEAN, Aggregate, PlaceValues, aggregate, worst
from geoeval.benchmarking.evaluating import SCORE, ZERO, Ruler, Rules
from geoeval.benchmarking.outcome import MISSING, SCORED, Outcome
from geoeval.benchmarking.places import Pairing
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.metrics.running import Progress
from geoeval.model.scores import ScoreValue

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result
    from geoeval.ranking.rank import Ranking
    from geoeval.studies.comparison import Comparison

_OWN, _WORST, _LEFT_OUT = "own scores", "worst scores", "left out"


@dataclass(frozen=True, repr=False)
class Benchmark:
    """What a benchmark gives: a table by place, the scores of all places together, and which method is better.

    Attributes
    ----------
    pairing
        The places, the methods, the layout of the files, and predictions without a truth.
    ruler, rules
        What was scored by, and what was done with places without a score.
    outcomes
        Every place under every method.
    seed, repetitions
        Of the intervals.
    """

    pairing: Pairing
    ruler: Ruler
    rules: Rules
    outcomes: tuple[Outcome, ...]
    seed: int = 0
    repetitions: int = 1000

    def __repr__(self) -> str:
        said = "; ".join(
            f"{method} " + ", ".join(f"{name} {'undefined' if value is None else f'{value:.3f}'}"
                                      for name, value in self.headline_scores(method).items())
            for method in self.methods
        )  # fmt: skip
        return f"<Benchmark {self.ruler.kind}: {len(self.pairing.places)} places; {said}>"

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order given."""
        return self.pairing.methods

    @property
    def sources(self) -> list[Any]:
        """What was read, as far as it is known by name: the truths and predictions of all places."""
        sides = [side for one in self.pairing.places for side in (one.truth, *one.predictions.values())]
        return [side.given for side in sides if side is not None]

    @property
    def metrics(self) -> list[Metric]:
        """What was scored by: metrics, or one protocol."""
        return self.ruler.declared

    # ------------------------------------------------------------------ by place

    def of_method(self, method: str) -> list[Outcome]:
        """The outcomes of one method, in the order of the places."""
        return [outcome for outcome in self.outcomes if outcome.method == method]

    def counted_as(self, outcome: Outcome) -> str:
        """How a place counts: ``own scores``, ``worst scores`` or ``left out``."""
        rule = SCORE if outcome.status == SCORED else self.rules.of(outcome.status)
        return {SCORE: _OWN, ZERO: _WORST}.get(rule, _LEFT_OUT)

    def scores_of(self, outcome: Outcome, metric: Metric) -> Mapping[str, ScoreValue] | None:
        """The scores with which a place counts; ``None`` where it is left out."""
        how = self.counted_as(outcome)
        if how == _WORST:
            return {score.name: worst(score) for score in metric.scores if worst(score) is not None}
        return outcome.scores.get(metric.name) if how == _OWN else None

    @cached_property
    def table(self) -> "pd.DataFrame":
        """One row a place and method: what became of it, and the scores with which it counts (``metric.score``)."""
        import pandas as pd

        names = [f"{metric.name}.{score.name}" for metric in self.metrics for score in metric.scores]
        rows = []
        for outcome in self.outcomes:
            row: dict[str, Any] = {
                "method": outcome.method, "place": outcome.place, "status": outcome.status,
                "counted": self.counted_as(outcome), "note": outcome.note,
            }  # fmt: skip
            for metric in self.metrics:
                values = self.scores_of(outcome, metric) or {}
                row |= {f"{metric.name}.{name}": value for name, value in values.items()}
            row |= {"reference": outcome.sizes[0], "prediction": outcome.sizes[1], "errors": outcome.error_count}
            rows.append(row)
        columns = ["method", "place", "status", "counted", *names, "reference", "prediction", "errors", "note"]
        table = pd.DataFrame(rows, columns=columns)
        return table.astype(dict.fromkeys([*names, "errors"], float))

    @cached_property
    def left_out(self) -> list[str]:
        """One line for each place or file that no number comes from; empty where all is in."""
        lines = [
            f"{outcome.method}, {outcome.place}: {outcome.status}: {outcome.note}"
            for outcome in self.outcomes
            if self.counted_as(outcome) == _LEFT_OUT
        ]
        return [*lines, *(f"{method}, {name}: no truth of this name" for method, name in self.pairing.without_truth)]

    def result_of(self, place: str, method: str | None = None) -> "Result":
        """The whole result of one place, with its map: evaluated again, to the same numbers."""
        wanted = self.methods[0] if method is None else method
        one = next((one for one in self.pairing.places if one.name == place), None)
        if one is None or one.truth is None or wanted not in one.predictions:
            raise ParameterError(f"{place!r} has no truth and prediction of {wanted!r}; see table")
        return self.ruler.result(one.truth, one.predictions[wanted], self.pairing.layout, plan=True)[0]

    def worst_places(self, method: str, count: int) -> list[Outcome]:
        """The scored places of a method that rank lowest on average over the headline scores."""
        import pandas as pd

        scored = [one for one in self.of_method(method) if one.status == SCORED]
        ranks = [
            pd.Series([one.scores.get(metric.name, {}).get(metric.headline) for one in scored], dtype=float)
            .mul(-1.0 if _lower(metric) else 1.0).rank()
            for metric in self.metrics
        ]  # fmt: skip
        mean = pd.concat(ranks, axis=1).mean(axis=1) if scored else pd.Series(dtype=float)
        return [scored[i] for i in mean.sort_values(kind="stable").index[:count]]

    # ------------------------------------------------------------------ all places together

    @cached_property
    def aggregates(self) -> dict[str, list[Aggregate]]:
        """By method: the scores of all places together by every rule, published ones first."""
        return {
            method: [
                one
                for metric in self.metrics
                for one in aggregate(metric, self._values(method, metric), repetitions=self.repetitions, seed=self.seed)
            ]
            for method in self.methods
        }

    @property
    def rule(self) -> str:
        """The rule that stands for the benchmark: of the data set's scripts, else the protocol's first, or the mean."""
        published = list(getattr(self.metrics[0], "aggregates", {}))
        layout = self.pairing.layout.aggregate
        if layout is not None and layout in published:
            return layout
        return published[0] if published else MEAN

    @property
    def scores(self) -> dict[str, dict[str, dict[str, ScoreValue]]]:
        """By method, rule and ``metric.score``."""
        return self._by_rule("scores")

    @property
    def intervals(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The 95 % intervals over places, as ``scores``; ``None`` where there is none."""
        return self._by_rule("intervals")

    def headline_scores(self, method: str) -> dict[str, ScoreValue]:
        """The score that stands for each metric, by the rule that stands for the benchmark."""
        known = self.scores[method].get(self.rule, {})
        return {name: known.get(name) for name in self.ruler.headlines}

    def summary(self) -> "pd.DataFrame":
        """One row a method, rule and score: value, interval, and how many places count."""
        import pandas as pd

        rows = [
            {"method": method, "rule": one.rule, "metric": one.metric, "score": name, "value": value,
             "low": (one.intervals.get(name) or (None, None))[0], "high": (one.intervals.get(name) or (None, None))[1],
             "places": one.places}
            for method, found in self.aggregates.items() for one in found for name, value in one.scores.items()
        ]  # fmt: skip
        columns = ["method", "rule", "metric", "score", "value", "low", "high", "places"]
        return pd.DataFrame(rows, columns=columns).astype({"value": float, "low": float, "high": float})

    # ------------------------------------------------------------------ which method is better

    def comparisons(self) -> "list[tuple[str, str, Comparison]]":
        """Each pair of methods in each headline score over the places that both have: a paired bootstrap."""
        from geoeval.studies.comparison import paired

        found = []
        for i, first in enumerate(self.methods):
            for second in self.methods[i + 1 :]:
                for metric in self.metrics:
                    values = [self._headline_values(method, metric) for method in (first, second)]
                    both = [a - b for a, b in zip(*values, strict=True) if a is not None and b is not None]
                    if len(both) > 1:
                        sign = -1.0 if _lower(metric) else 1.0
                        name = f"{metric.name}.{metric.headline}"
                        one = paired([sign * value for value in both], metric=name, seed=self.seed)
                        found.append((first, second, one))
        return found

    def ranking(self) -> "Ranking | None":
        """The order of the methods by all headline scores at once; ``None`` for one method or without scores.

        Only places that count for all methods are looked at.
        """
        from geoeval.ranking.rank import rank

        if len(self.methods) < 2:
            return None
        table = {method: self._common_scores(method) for method in self.methods}
        defined = [name for name in self.ruler.headlines if all(row[name] is not None for row in table.values())]
        lower = [f"{metric.name}.{metric.headline}" for metric in self.metrics if _lower(metric)]
        if not defined:
            return None
        chosen = {method: {name: row[name] for name in defined} for method, row in table.items()}
        return rank(chosen, lower=[name for name in lower if name in defined], seed=self.seed)

    # ------------------------------------------------------------------ writing it

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain values, in the shape of ``benchmark.json``; without times, so that it can be compared."""
        from geoeval.benchmarking.writing import plain_benchmark

        return {"geoeval": __version__, "kind": "benchmark", **plain_benchmark(self)}

    def write(
        self, directory: str | Path, *, overwrite: bool = False, format: str = "gpkg",  # noqa: A002
        maps: int = 12, progress: Progress | None = None,
    ) -> Path:  # fmt: skip
        """Write tables, error layers and a page to a folder, which appears when it is complete.

        Parameters
        ----------
        directory
            The folder.
        overwrite
            Replace it, if it holds only what geoeval wrote.
        format
            Of the error layers: ``gpkg``, ``shp``, ``geojson`` or ``parquet``.
        maps
            How many of the worst places of each method get a map of their own.
        progress
            Called with a fraction and what is being done.
        """
        from geoeval.benchmarking.writing import write_benchmark

        return write_benchmark(self, directory, overwrite=overwrite, layer_format=format, maps=maps, progress=progress)

    def _values(self, method: str, metric: Metric) -> list[PlaceValues]:
        values = []
        for outcome in self.of_method(method):
            scores = self.scores_of(outcome, metric)
            has_counts = scores is not None and (
                outcome.status in (SCORED, MISSING) or self.counted_as(outcome) == _OWN
            )
            counts = outcome.counts.get(metric.name) if has_counts else None
            values.append(PlaceValues(scores, counts, outcome.parameters.get(metric.name, {})))
        return values

    @cached_property
    def common_places(self) -> set[str]:
        """The places that count for all methods."""
        counted = [
            {one.place for one in self.of_method(method) if self.counted_as(one) != _LEFT_OUT}
            for method in self.methods
        ]
        return set.intersection(*counted)

    def _common_scores(self, method: str) -> dict[str, ScoreValue]:
        """The headline scores over the places that count for all methods."""
        scores: dict[str, ScoreValue] = {}
        for metric in self.metrics:
            places = [
                values
                for values, one in zip(self._values(method, metric), self.of_method(method), strict=True)
                if one.place in self.common_places
            ]
            found = next(one for one in aggregate(metric, places, repetitions=0) if one.rule == self.rule)
            scores[f"{metric.name}.{metric.headline}"] = found.scores.get(metric.headline)
        return scores

    def _headline_values(self, method: str, metric: Metric) -> list[float | None]:
        scores = [self.scores_of(outcome, metric) or {} for outcome in self.of_method(method)]
        return [one.get(metric.headline) for one in scores]

    def _by_rule(self, what: str) -> dict[str, dict[str, dict[str, Any]]]:
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for method, aggregates in self.aggregates.items():
            rules = found.setdefault(method, {})
            for one in aggregates:
                own = {f"{one.metric}.{name}": value for name, value in getattr(one, what).items()}
                rules.setdefault(one.rule, {}).update(own)
        return found


def _lower(metric: Metric) -> bool:
    """Whether less of the headline score is better."""
    return next(score.better == "lower" for score in metric.scores if score.name == metric.headline)
