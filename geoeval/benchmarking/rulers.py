"""Ruler noise: how much of a difference between two methods is the method, and how much the script that scores it.

Two predictions are scored by every published protocol that can read them, with its variants, with drawn orders where
the published program depends on chance, by every rule of putting places together, and by our own metrics. A method that
is better under some rulers only is not better.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.benchmarking.benchmark import benchmark, named_methods
from geoeval.benchmarking.result import Benchmark
from geoeval.exceptions import GeoevalError, ParameterError
from geoeval.metrics.running import Progress
from geoeval.protocols.registry import PROTOCOLS
from geoeval.roads.registry import choose_metrics
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# What papers really vary in a protocol: by its name, a parameter and its values besides the default.
VARIANTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "sat2graph-topo": {"variant": ("small", "openserge", "readme", "wildroad")},
    "sat2graph-apls": {"table": ("15", "10")},
    "betti": {"convention": ("window=65", "closed-border")},
}
# Values that are published for tiles below this side, in pixels; on others nobody uses them.
_SMALL, _SMALL_SIDE = frozenset({"small", "15", "10"}), 1111.0
# A protocol that depends on chance is repeated: each time the mean of so few drawn orders.
_ORDERS_EACH = 2
# Scores that agree to so much are a tie.
_TIE = 1e-9
OURS = "geoeval"


@dataclass(frozen=True)
class Setting:
    """One ruler: a protocol or our metrics, what is set differently in words, and whether it is for small tiles."""

    family: str
    words: str
    options: Mapping[str, Any]
    small: bool = False


@dataclass(frozen=True)
class RulerNoise:
    """Two predictions under many rulers.

    Attributes
    ----------
    table
        One row a ruler, rule and score: ``family``, ``setting``, ``rule``, ``score``, ``A``, ``B``, ``difference``
        (positive where A is better) and ``better``.
    left_out
        Rulers that could not be used, one line a reason.
    names
        Of the two methods.
    places
        How many places were compared.
    """

    table: "pd.DataFrame"
    left_out: tuple[str, ...]
    names: tuple[str, str]
    places: int

    @property
    def wins(self) -> dict[str, int]:
        """Under how many rulers A is better, B is better, and neither is."""
        counts = self.table["better"].value_counts()
        return {name: int(counts.get(name, 0)) for name in ("A", "B", "tie")}

    def families(self) -> "pd.DataFrame":
        """For each family: how far its rulers spread for one method, and how far the methods are apart under one ruler.

        ``spread_A`` and ``spread_B`` are the largest less the smallest score; ``difference`` is the median of the
        differences, ``low`` and ``high`` their range.
        """
        import pandas as pd

        rows = []
        for family, own in self.table.groupby(["family", "score"], sort=False):
            rows.append({
                "family": family[0], "score": family[1], "rulers": len(own),
                **{f"{side}_{name}": getattr(own[side], name)() for side in "AB" for name in ("min", "max")},
                "spread_A": own["A"].max() - own["A"].min(), "spread_B": own["B"].max() - own["B"].min(),
                "difference": own["difference"].median(), "low": own["difference"].min(),
                "high": own["difference"].max(),
                **{f"{name}_better": int((own["better"] == name).sum()) for name in "AB"},
            })  # fmt: skip
        return pd.DataFrame(rows)

    def said(self) -> str:
        """The outcome in a sentence or two."""
        a, b = self.names
        wins = self.wins
        text = f"{a} is better than {b} under {wins['A']} of {len(self.table)} rulers, worse under {wins['B']}"
        text += f", the same under {wins['tie']}." if wins["tie"] else "."
        shares = self.families()
        varied = shares[(shares["rulers"] > 1) & (shares["A_max"] <= 1.0) & (shares["B_max"] <= 1.0)]
        if len(varied):
            spread = varied[["spread_A", "spread_B"]].max(axis=1).to_numpy()
            row = varied.to_dict("records")[int(np.argmax(spread))]
            text += (
                f" Widest family: the rulers of {row['family']} give one method {row['score']} that differ by "
                f"{spread.max():.4f}; the two methods differ by {row['low']:+.4f} to {row['high']:+.4f}."
            )
        return text


def ruler_noise(
    truth: Any, first: Any, second: Any, *, metrics: str = "all", orders: int = 3, seed: Seed = 0,
    rng: Seed | None = None, progress: Progress | None = None, **options: Any,
) -> RulerNoise:  # fmt: skip
    """Score two predictions by all rulers.

    Parameters
    ----------
    truth, first, second
        Files, folders, patterns, tables or mappings, as for :func:`geoeval.benchmark`.
    metrics
        Our own metrics among the rulers.
    orders
        How many drawn orders of a protocol that depends on chance, each the mean of two.
    seed, rng
        Of our sampled metrics; orders are drawn with the seeds that follow it.
    progress
        Called with a fraction and what is being done.
    options
        Other options of :func:`geoeval.benchmark`: layout, split, missing, workers, reading options.

    Raises
    ------
    ParameterError
        No ruler can score both.
    """
    import pandas as pd

    if orders < 0:
        raise ParameterError(f"orders is {orders}; give a whole number from 0 on")
    tell = progress or (lambda _fraction, _message: None)
    settings = list(all_settings(metrics, orders, whole_seed(seed, rng)))
    rows: list[dict[str, Any]] = []
    left_out: dict[str, list[str]] = {}
    places, side = 0, 0.0
    for number, setting in enumerate(settings):
        label = f"{setting.family} {setting.words}".strip()
        tell(number / len(settings), label)
        if setting.small and side >= _SMALL_SIDE:
            why = f"published for tiles below {_SMALL_SIDE:.0f} px, these have {side:.0f}"
            left_out.setdefault(why, []).append(label)
            continue
        try:
            found = benchmark(
                truth, {"A": first, "B": second}, repetitions=0, **{"seed": seed, **options, **setting.options}
            )
        except GeoevalError as error:
            left_out.setdefault(str(error), []).append(label)
            continue
        new = list(_rows(found, setting))
        if not new:
            why = next((one.note for one in found.outcomes if one.note), "no score is defined")
            left_out.setdefault(why, []).append(label)
        rows += new
        places = max(places, len(found.common_places))
        boxes = [one.extent for one in found.outcomes if one.extent is not None]
        side = max([side, *(max(box[2] - box[0], box[3] - box[1]) for box in boxes)])
    # One line a reason: without a pixel size, all our metrics have the same.
    reasons = tuple(f"{', '.join(labels)}: {why}" for why, labels in left_out.items())
    if not rows:
        raise ParameterError(f"no ruler can score these maps; the first says: {reasons[0]}")
    tell(1.0, "done")
    columns = ["family", "setting", "rule", "score", "A", "B", "difference", "better"]
    return RulerNoise(pd.DataFrame(rows, columns=columns), reasons, _names(first, second), places)


def all_settings(metrics: str, orders: int, seed: int) -> Iterator[Setting]:
    """Every ruler: each protocol that is registered, its variants and orders, then our metrics."""
    for name, protocol in PROTOCOLS.items():
        yield Setting(name, "", {"protocol": name})
        for parameter, values in VARIANTS.get(name, {}).items():
            for value in values:
                given = {"protocol": name, "parameters": {name: {parameter: value}}}
                yield Setting(name, str(value), given, small=value in _SMALL)
        if "repeats" in protocol.defaults:
            repeated = {"protocol": name, "parameters": {name: {"repeats": _ORDERS_EACH}}}
            for number in range(1, orders + 1):
                yield Setting(name, f"order {number}", {**repeated, "seed": seed + number})
    for metric in choose_metrics(metrics):
        yield Setting(OURS, metric.name, {"metrics": metric.name})


def _rows(found: Benchmark, setting: Setting) -> Iterator[dict[str, Any]]:
    """A row for each rule under which both methods have a score; rules that agree in one place are told once."""
    metric = found.metrics[0]
    name = f"{metric.name}.{metric.headline}"
    sign = -1.0 if next(one.better == "lower" for one in metric.scores if one.name == metric.headline) else 1.0
    single = len(found.pairing.places) == 1
    rules = list(found.scores["A"])
    for rule in rules[:1] if single else rules:
        a, b = (found.scores[method].get(rule, {}).get(name) for method in found.methods)
        if a is not None and b is not None:
            difference = sign * (a - b)
            better = "tie" if abs(difference) <= _TIE else "A" if difference > 0 else "B"
            score = metric.headline if setting.family != OURS else f"{metric.name} {metric.headline}"
            words = "" if setting.family == OURS else setting.words
            yield {"family": setting.family, "setting": words, "rule": "" if single else rule, "score": score,
                   "A": float(a), "B": float(b), "difference": difference, "better": better}  # fmt: skip


def _names(first: Any, second: Any) -> tuple[str, str]:
    try:
        names = list(named_methods([first, second]))
    except ParameterError:
        names = []
    return (names[0], names[1]) if len(names) == 2 else ("A", "B")


def rulers_figure(noise: RulerNoise) -> "Figure":
    """Both methods under every ruler, and beside it the difference: how far rulers spread, and how far methods do."""
    from geoeval.writers.pictures import new_figure

    blue, vermillion, grey = "#0072B2", "#D55E00", "#777777"
    table = noise.table[(noise.table[["A", "B"]] <= 1.0).all(axis=1)].reset_index(drop=True)
    figure = new_figure(10.0, 0.24 * max(len(table), 4) + 1.9)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
    rows = np.arange(len(table))
    named = zip(*(table[name].astype(str) for name in ("family", "score", "setting", "rule")), strict=True)
    labels = [" ".join(part for part in parts if part) for parts in named]
    left.hlines(rows, table[["A", "B"]].min(axis=1), table[["A", "B"]].max(axis=1), color="#bac0c6", linewidth=2)
    for side, colour, name in (("A", blue, noise.names[0]), ("B", vermillion, noise.names[1])):
        left.plot(table[side], rows, "o", color=colour, markersize=5, label=name)
    for _, own in table.groupby(["family", "score"], sort=False):
        if len(own) > 1:
            top, bottom = own.index[0] - 0.5, own.index[-1] + 0.5
            for side, colour in (("A", blue), ("B", vermillion)):
                left.fill_betweenx(
                    [top, bottom], own[side].min(), own[side].max(), color=colour, alpha=0.10, linewidth=0
                )
    colours = [{"A": blue, "B": vermillion}.get(better, grey) for better in table["better"]]
    right.barh(rows, table["difference"], color=colours, height=0.7)
    right.axvline(0, color="black", linewidth=0.8)
    for cut in np.flatnonzero(table["family"].to_numpy()[1:] != table["family"].to_numpy()[:-1]):
        for axes in (left, right):
            axes.axhline(cut + 0.5, color="#d9dde2", linewidth=0.8)
    left.set_yticks(rows, labels, fontsize=7, parse_math=False)
    left.set(ylim=(len(table) - 0.5, -0.5))
    left.set_xlabel("score; bands: how far the rulers of a family spread for one method", fontsize=8)
    right.set_xlabel("difference, to the right where the first is better", fontsize=8)
    for axes in (left, right):
        axes.tick_params(axis="x", labelsize=7)
        axes.grid(visible=True, axis="x", alpha=0.3)
    wins = noise.wins
    a, b = noise.names
    title = f"{a} is better under {wins['A']} of {len(noise.table)} rulers, {b} under {wins['B']}"
    figure.suptitle(title, fontsize=10, parse_math=False)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    return figure
