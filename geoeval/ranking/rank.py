"""One ranking of many algorithms from many scores, without weights.

The method of Özdemir, Aksoy et al. 2010, section 4.3, after Patil and Taillie 2004. An item is better than another if
none of its scores is worse and at least one is better. This is a partial order. Then the cumulative rank frequencies of
each item over all rankings that agree with the order (``F_a(r)``: in how many of them it has rank r or better) become
its new scores. This is repeated until any two items are comparable or equal.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval._version import __version__
from geoeval.arrays import Floats
from geoeval.exceptions import ParameterError
from geoeval.ranking.linear_extensions import CONFIDENCE, SAMPLES, Frequencies, rank_frequencies
from geoeval.ranking.order import Order, covers, dominance, intervals, pareto, transitive
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Ranking:
    """Items with their ranks, and the partial order that the ranks come from.

    Attributes
    ----------
    names
        The items, in the order given. All other attributes follow this order.
    indicators
        The scores that were compared.
    better
        ``better[a, b]`` is true if a has no worse score than b and at least one better score.
    ranks
        Competition ranks (1, 2, 2, 4); 1 is best. Items that the method cannot tell apart share a rank.
    frequencies
        How often each item has each rank over all rankings that agree with ``better``.
    order
        Indices of the items, best first. Items of equal rank are sorted by accuracy if that was given, then by name.
    rounds
        How often cumulative rank frequencies were computed.
    """

    names: list[str]
    indicators: list[str]
    better: Order
    ranks: list[int]
    frequencies: Frequencies
    order: list[int]
    rounds: int

    @property
    def intervals(self) -> list[tuple[int, int]]:
        """Best and worst rank of each item over all rankings that agree with the scores."""
        return [(int(best), int(worst)) for best, worst in intervals(self.better)]

    @property
    def covers(self) -> list[tuple[str, str]]:
        """Pairs ``(better, worse)`` with no item in between: the lines of the Hasse diagram."""
        return [(self.names[a], self.names[b]) for a, b in covers(self.better)]

    @property
    def pareto(self) -> list[str]:
        """The items that no other is better than."""
        return [self.names[item] for item in pareto(self.better)]

    @property
    def linear_extensions(self) -> int | None:
        """Number of rankings that agree with the scores; ``None`` if there are too many to count."""
        return self.frequencies.total if self.frequencies.exact else None

    def as_dict(self) -> dict[str, Any]:
        """The ranking as ``geoeval rank --json`` writes it, best items first."""
        spans = self.intervals
        sampled = {} if self.frequencies.exact else {
            "drawn": self.frequencies.total, "error": self.frequencies.error, "confidence": CONFIDENCE,
        }  # fmt: skip
        return {
            "geoeval": __version__,
            "kind": "ranking",
            "indicators": self.indicators,
            "items": [
                {
                    "name": self.names[item],
                    "rank": self.ranks[item],
                    "interval": list(spans[item]),
                    "frequency": self.frequencies.counts[item],
                }
                for item in self.order
            ],
            "covers": [list(pair) for pair in self.covers],
            "pareto": self.pareto,
            "linear_extensions": self.linear_extensions,
            "exact": self.frequencies.exact,
            **sampled,
        }

    def to_frame(self) -> "pd.DataFrame":
        """One row per item, best first: name, rank, best, worst and mean rank over all rankings that agree."""
        import pandas as pd

        rows = []
        for item in self.order:
            best, worst = self.intervals[item]
            mean = sum((r + 1) * count for r, count in enumerate(self.frequencies.counts[item]))
            rows.append({"name": self.names[item], "rank": self.ranks[item], "best": best, "worst": worst,
                         "mean_rank": mean / self.frequencies.total})  # fmt: skip
        return pd.DataFrame(rows, columns=["name", "rank", "best", "worst", "mean_rank"])


def rank(
    scores: Any,
    *,
    indicators: Iterable[str] | None = None,
    accuracy: str | Sequence[float] | None = None,
    lower: Iterable[str] = (),
    samples: int = SAMPLES,
    seed: Seed = 0,
    rng: Seed | None = None,
) -> Ranking:
    """Rank items by several scores at once, without weights.

    Parameters
    ----------
    scores
        A mapping from each item to its scores by name, a DataFrame with one row per item (its name in the column
        ``name`` or in the index), or rows of numbers with one column per indicator. Without items the ranking is empty.
    indicators
        The scores to compare; larger is better. By default all.
    accuracy
        A score, or one value per item, that orders items of equal rank. It does not change their ranks.
    lower
        Indicators for which smaller is better.
    samples, seed, rng
        If there are too many rankings to count (more than about 22 items that differ widely), ``samples`` of them are
        drawn at random, by a whole number or a numpy ``Generator`` that gives one. ``Ranking.frequencies.error`` says
        how far off the shares may be, and items that are closer than that share a rank.

    Raises
    ------
    ParameterError
        An indicator does not exist, or an item has no number for it.

    Examples
    --------
    >>> from geoeval import rank
    >>> rank({"A": {"p": 0.9, "r": 0.8}, "B": {"p": 0.7, "r": 0.9}, "C": {"p": 0.6, "r": 0.5}}).ranks
    [1, 1, 3]
    """
    seed = whole_seed(seed, rng)
    names, columns = _table(scores, indicators)
    wanted = list(columns) if indicators is None else list(indicators)
    turned = set(lower)
    missing = [name for name in (*wanted, *sorted(turned)) if name not in columns]
    if missing:
        raise ParameterError(f"there is no indicator {missing[0]!r}; choose among {', '.join(columns) or 'none'}")
    if names and not wanted:
        raise ParameterError("no indicator is left to rank by; name at least one")
    values = np.zeros((len(names), len(wanted)))
    for i, name in enumerate(wanted):
        values[:, i] = _numbers(names, name, columns[name]) * (-1.0 if name in turned else 1.0)
    better = dominance(values)
    first, ranks, rounds = _linearise(better, samples, seed)
    second = _tie_breaker(names, columns, accuracy, turned)
    order = sorted(range(len(names)), key=lambda item: (ranks[item], -second[item], names[item]))
    return Ranking(names, wanted, better, ranks, first, order, rounds)


def _linearise(better: Order, samples: int, seed: int) -> tuple[Frequencies, list[int], int]:
    """Rank frequencies of the order, and the ranks after comparing cumulative frequencies until nothing changes."""
    first = now = rank_frequencies(better, samples=samples, seed=seed)
    rounds = 0
    while len(better):
        rounds += 1
        new = _compare(now) | better
        if (new == better).all():
            break
        better = new
        now = rank_frequencies(better, samples=samples, seed=seed)
    return first, [1 + int(above) for above in better.sum(axis=0)], rounds


def _compare(frequencies: Frequencies) -> Order:
    """The order by cumulative rank frequencies.

    Frequencies from samples count as equal within twice their error. The better of two items has the smaller mean rank,
    so that the order has no cycles.
    """
    table = frequencies.cumulative()
    band = 0 if frequencies.exact else 2 * frequencies.error * frequencies.total
    n = len(table)
    relation = np.zeros((n, n), dtype=bool)
    sums = table.sum(axis=1)
    for a in range(n):
        for b in range(n):
            if sums[a] > sums[b]:
                gap = table[a] - table[b]
                relation[a, b] = gap.min() >= -band and gap.max() > band
    return transitive(relation)


def _table(scores: Any, indicators: Iterable[str] | None) -> tuple[list[str], dict[str, list[Any]]]:
    """The names of the items, and the values of each score."""
    import pandas as pd

    if isinstance(scores, Mapping):
        frame = pd.DataFrame([dict(row) for row in scores.values()], index=[str(name) for name in scores], dtype=object)
    elif isinstance(scores, pd.DataFrame):
        frame = scores.set_index("name") if "name" in scores.columns else scores
    else:
        rows: NDArray[Any] = np.asarray(scores, dtype=object)
        if rows.size and rows.ndim != 2:
            raise ParameterError("the scores are not a table; give one row per item and one column per indicator")
        wide = rows.shape[1] if rows.ndim == 2 else 0
        labels = [str(i + 1) for i in range(wide)] if indicators is None else list(indicators)
        if rows.size and len(labels) != wide:
            raise ParameterError(f"{len(labels)} indicators are named for {wide} columns; name one per column")
        cells = rows if rows.size else np.empty((0, len(labels)), dtype=object)
        frame = pd.DataFrame(cells, index=range(1, 1 + len(cells)), columns=labels)
    names = [str(name) for name in frame.index]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ParameterError(f"the name {twice!r} occurs twice; give each item its own name")
    return names, {str(name): frame[name].tolist() for name in frame.columns}


def _numbers(names: list[str], indicator: str, values: Sequence[Any]) -> Floats:
    numbers = np.empty(len(names))
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        try:
            numbers[i] = float(value)
        except (TypeError, ValueError):
            numbers[i] = np.nan
        if np.isnan(numbers[i]):
            raise ParameterError(
                f"{name[:80]} has no number for {indicator[:80]}; drop the item or leave the indicator out"
            )
    return numbers


def _tie_breaker(
    names: list[str], columns: Mapping[str, list[Any]], accuracy: str | Sequence[float] | None, turned: set[str]
) -> Floats:
    if accuracy is None:
        return np.zeros(len(names))
    if not isinstance(accuracy, str):
        if len(accuracy) != len(names):
            raise ParameterError(f"{len(accuracy)} accuracies are given for {len(names)} items; give one per item")
        return _numbers(names, "accuracy", list(accuracy))
    if accuracy not in columns:
        raise ParameterError(f"there is no score {accuracy!r}; choose among {', '.join(columns) or 'none'}")
    return _numbers(names, accuracy, columns[accuracy]) * (-1.0 if accuracy in turned else 1.0)
