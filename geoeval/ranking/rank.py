"""One ranking of many algorithms from many scores, without weights.

Özdemir, Aksoy et al. 2010, section 4.3, after Patil and Taillie 2004: the items are ordered as far as one is better in
everything; then each item's cumulative rank frequency over all rankings that agree (``F_a(r)``: in how many it has
rank r or better) becomes its new indicators, again and again, until every two items are comparable or equal.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geoeval._version import __version__
from geoeval.exceptions import ParameterError
from geoeval.ranking.extensions import CONFIDENCE, SAMPLES, Frequencies, rank_frequencies
from geoeval.ranking.order import Order, covers, dominance, intervals, pareto, transitive

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Ranking:
    """Items with their ranks, and the partial order that the ranks come from.

    Attributes
    ----------
    names
        The items, in the order given; everything else follows this order.
    indicators
        Which scores were compared.
    better
        ``better[a, b]``: a is better than b in everything.
    ranks
        Competition ranks (1, 2, 2, 4), 1 is best. Items that the procedure cannot tell apart share a rank.
    frequencies
        How often each item has each rank over all rankings that agree with ``better``.
    order
        Item numbers, best first; items of the same rank by their accuracy, where that was given, else by name.
    rounds
        How often cumulative rank frequencies were taken.
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
        """Best and worst rank of each item in any ranking that agrees with the scores."""
        return [(int(best), int(worst)) for best, worst in intervals(self.better)]

    @property
    def covers(self) -> list[tuple[str, str]]:
        """Pairs ``(better, worse)`` with nothing between: the lines of the Hasse diagram."""
        return [(self.names[a], self.names[b]) for a, b in covers(self.better)]

    @property
    def pareto(self) -> list[str]:
        """The items that no other is better than."""
        return [self.names[item] for item in pareto(self.better)]

    @property
    def linear_extensions(self) -> int | None:
        """How many rankings agree with the scores; ``None`` where there are too many to count."""
        return self.frequencies.total if self.frequencies.exact else None

    def as_dict(self) -> dict[str, Any]:
        """The JSON shape that the command line writes; items best first."""
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
        """One row an item, best first: name, rank, best and worst rank, mean rank over all rankings that agree."""
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
    seed: int = 0,
) -> Ranking:
    """Rank items by several scores at once, without weights.

    Parameters
    ----------
    scores
        A mapping from item to its scores by name, a DataFrame with one row an item (names in the column ``name`` or
        in the index), or rows of numbers, one column an indicator. No items give an empty ranking.
    indicators
        Which scores to compare, larger is better; by default all.
    accuracy
        A score, or one value an item, that orders items of the same rank; the rank stays the same.
    lower
        Indicators of which smaller is better.
    samples, seed
        Where there are too many rankings to count (more than about 22 items that differ widely), so many are drawn,
        and ``Ranking.frequencies.error`` says how far off the shares may be; items that are closer than that tie.

    Raises
    ------
    ParameterError
        An indicator is not there, or an item has no value of it.

    Examples
    --------
    >>> rank({"A": {"p": 0.9, "r": 0.8}, "B": {"p": 0.7, "r": 0.9}, "C": {"p": 0.6, "r": 0.5}}).ranks
    [1, 1, 3]
    """
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
    """Frequencies of the order itself, and ranks after cumulative rank frequencies until nothing changes."""
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

    Drawn ones are compared with a band of twice their error, in which they do not differ. The better of two has the
    smaller mean rank, so that there is no circle.
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
    """Names of the items, and the values of each score."""
    import pandas as pd

    if isinstance(scores, Mapping):
        frame = pd.DataFrame([dict(row) for row in scores.values()], index=[str(name) for name in scores], dtype=object)
    elif isinstance(scores, pd.DataFrame):
        frame = scores.set_index("name") if "name" in scores.columns else scores
    else:
        rows: NDArray[Any] = np.asarray(scores, dtype=object)
        if rows.size and rows.ndim != 2:
            raise ParameterError("the scores are no table; give one row an item and one column an indicator")
        wide = rows.shape[1] if rows.ndim == 2 else 0
        labels = [str(i + 1) for i in range(wide)] if indicators is None else list(indicators)
        if rows.size and len(labels) != wide:
            raise ParameterError(f"{len(labels)} indicators are named for {wide} columns; name one a column")
        cells = rows if rows.size else np.empty((0, len(labels)), dtype=object)
        frame = pd.DataFrame(cells, index=range(1, 1 + len(cells)), columns=labels)
    names = [str(name) for name in frame.index]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ParameterError(f"the name {twice!r} is there twice; give each item a name of its own")
    return names, {str(name): frame[name].tolist() for name in frame.columns}


def _numbers(names: list[str], indicator: str, values: Sequence[Any]) -> NDArray[np.float64]:
    numbers = np.empty(len(names))
    for i, (name, value) in enumerate(zip(names, values, strict=True)):
        try:
            numbers[i] = float(value)
        except (TypeError, ValueError):
            numbers[i] = np.nan
        if np.isnan(numbers[i]):
            raise ParameterError(f"{name} has no number for {indicator}; drop the item or leave the indicator out")
    return numbers


def _tie_breaker(
    names: list[str], columns: Mapping[str, list[Any]], accuracy: str | Sequence[float] | None, turned: set[str]
) -> NDArray[np.float64]:
    if accuracy is None:
        return np.zeros(len(names))
    if not isinstance(accuracy, str):
        if len(accuracy) != len(names):
            raise ParameterError(f"{len(accuracy)} accuracies are given for {len(names)} items; give one an item")
        return _numbers(names, "accuracy", list(accuracy))
    if accuracy not in columns:
        raise ParameterError(f"there is no score {accuracy!r}; choose among {', '.join(columns) or 'none'}")
    return _numbers(names, accuracy, columns[accuracy]) * (-1.0 if accuracy in turned else 1.0)
