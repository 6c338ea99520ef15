"""Can a metric be trusted: how it answers to errors that are known, and how much it depends on its seed.

The experiments of Citraro, Koziński and Fua (ECCV 2020, section 4, Figures 4 and 5, and Table 32 of the supplement).
A metric is *sensitive* to a kind of error where its mean headline score falls by more than 3 standard deviations of
its own repetition without errors, and by at least 0.02, from none to the largest number of errors.

The paper gives neither numbers nor magnitudes of its errors, and the verdicts depend on them. Here numbers go up to one
error a kilometre of road, so that networks of any size are comparable. Nodes are moved by 30 m, twice the distance at
which most metrics still match. False links save at most 20 m of way: what the paper says of TLTS and APLS (section
2.2) is that they neglect false roads that do not alter shortest paths, and links that do are seen by both.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.engines import Task, open_engine
from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.registry import Metric
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.registry import choose_metrics, choose_parameters
from geoeval.synthetic.perturb import magnitudes_of, perturb
from geoeval.synthetic.roads import ERRORS

if TYPE_CHECKING:
    import pandas as pd

PAPER_ERRORS = tuple(name for name in ERRORS if name != "missing")
PER_KILOMETRE = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MAGNITUDES = {"displacement": 30.0, "saving": 20.0}
# Scores beside the headline: the paper takes paths of the reference only.
FURTHER = {"apls": ("reference_to_prediction",)}
LEAST_FALL, DEVIATIONS = 0.02, 3.0

Progress = Callable[[float, str], None]
Row = dict[str, Any]


@dataclass(frozen=True)
class Sensitivity:
    """Scores of perturbed networks.

    Attributes
    ----------
    runs
        One row an evaluation: ``network``, ``error``, ``count`` (wanted), ``made`` (there was room for), ``seed``, and
        the headline score of each metric; NaN where undefined. APLS one way is ``apls.reference_to_prediction``.
    metrics
        The columns that are scores.
    """

    runs: "pd.DataFrame"
    metrics: list[str]

    def curves(self) -> "pd.DataFrame":
        """Mean and standard deviation over networks and seeds: one row an error, count and metric."""
        long = self.runs.melt(["error", "count", "seed"], self.metrics, "metric", "score")
        grouped = long.groupby(["error", "count", "metric"], sort=False)["score"]
        return grouped.agg(mean="mean", sd=lambda values: values.std(ddof=0), n="count").reset_index()

    def verdicts(self) -> "pd.DataFrame":
        """One row an error and metric: the mean score without and with most errors, the fall, and the verdict.

        It is undefined where the score is, or where the network had no room for a single error.
        """
        import pandas as pd

        rows = []
        curves, made = self.curves(), self._most()["made"].to_dict()
        for (error, metric), curve in curves.groupby(["error", "metric"], sort=False):
            ordered = curve.sort_values("count")
            first, last = ordered.iloc[0], ordered.iloc[-1]
            fall = float(first["mean"] - last["mean"])
            known = bool(np.isfinite(fall)) and made[error] > 0
            sensitive = known and fall >= LEAST_FALL and fall > DEVIATIONS * float(first["sd"])
            rows.append(
                {
                    "error": error,
                    "metric": metric,
                    "without": first["mean"],
                    "with": last["mean"],
                    "errors": int(last["count"]),
                    "fall": fall,
                    "sd": first["sd"],
                    "verdict": "sensitive" if sensitive else "insensitive" if known else "undefined",
                }
            )
        return pd.DataFrame(rows)

    def table(self) -> "pd.DataFrame":
        """The verdicts as a table: one row a metric, one column a kind of error."""
        return self.verdicts().pivot_table(index="metric", columns="error", values="verdict", aggfunc="first").loc[
            self.metrics, list(dict.fromkeys(self.runs["error"]))
        ]  # fmt: skip

    def too_few(self) -> dict[str, float]:
        """The kinds of errors of which there was no room for as many as wanted: how many there were, on average."""
        most = self._most()
        return {str(error): float(row["made"]) for error, row in most.iterrows() if row["made"] < row["count"]}

    def _most(self) -> "pd.DataFrame":
        """Wanted and made, on average over the runs with most errors, by kind of error."""
        last = self.runs[self.runs["count"] == self.runs["count"].max()]
        return last.groupby("error", sort=False)[["count", "made"]].mean()

    def summary(self) -> "pd.DataFrame":
        """The table to be read: mean scores with most errors, ``flat`` where insensitive, ``?`` where undefined."""
        verdicts = self.verdicts()
        marks = {"sensitive": "", "insensitive": " flat", "undefined": " ?"}
        cells = [f"{row['with']:.3f}{marks[row['verdict']]}" for _, row in verdicts.iterrows()]
        wide = verdicts.assign(cell=cells).pivot_table(index="metric", columns="error", values="cell", aggfunc="first")
        return wide.loc[self.metrics, list(dict.fromkeys(self.runs["error"]))]


def sensitivity(
    networks: RoadNetwork | Sequence[RoadNetwork],
    *,
    errors: Iterable[str] = PAPER_ERRORS,
    counts: Iterable[int] | None = None,
    seeds: int = 5,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    magnitudes: Mapping[str, float] | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Sensitivity:
    """Evaluate networks against themselves with more and more errors of each kind.

    Parameters
    ----------
    networks
        Taken as true. An empty network scores 1 everywhere.
    errors
        Kinds of errors.
    counts
        Numbers of errors; 0 is always among them. By default up to one a kilometre of the shortest network's roads.
    seeds
        How often each is repeated, with other errors and another seed of the metrics.
    metrics, parameters
        As in ``evaluate_roads``.
    magnitudes
        In metres, for the kinds of errors that have them; where they are not given, ``MAGNITUDES``, then as in
        ``perturb``.
    workers
        Processes that work at the same time; the numbers do not depend on it.
    progress
        Called with a fraction from 0 to 1 and what is being done.
    """
    towns = [networks] if isinstance(networks, RoadNetwork) else list(networks)
    kinds = [error.replace("-", "_") for error in errors]
    chosen = choose_metrics(metrics)
    choose_parameters(chosen, parameters)
    steps = sorted({0, *(default_counts(towns) if counts is None else counts)})
    _check(towns, kinds, steps, seeds, dict(magnitudes or {}))
    sizes = MAGNITUDES | dict(magnitudes or {})
    jobs = [
        (which, kind, count, seed)
        for which in range(len(towns))
        for kind in kinds
        for count in steps
        for seed in range(seeds)
        # Without errors all kinds are the same.
        if count > 0 or kind == kinds[0]
    ]
    setting = (chosen, {name: dict(values) for name, values in (parameters or {}).items()}, sizes)
    rows = _run(towns, setting, jobs, workers, progress)
    whole = [{**row, "error": kind} for kind in kinds for row in rows if row["error"] == kind or row["count"] == 0]
    import pandas as pd

    return Sensitivity(pd.DataFrame(whole), [column for metric in chosen for column in _columns(metric)])


def default_counts(networks: Iterable[RoadNetwork]) -> list[int]:
    """Numbers of errors up to one a kilometre of the shortest network's roads, and at least 0 to 5."""
    shortest = min((network.length for network in networks), default=0.0) / 1000
    return [max(i, round(share * shortest)) for i, share in enumerate(PER_KILOMETRE)]


def stability(
    reference: RoadNetwork,
    prediction: RoadNetwork,
    *,
    repetitions: int = 10,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    aoi: Any = None,
    progress: Progress | None = None,
) -> "pd.DataFrame":
    """The same evaluation with several seeds: mean, standard deviation, least and largest headline score by metric.

    The standard deviation is that of the repetitions (divided by their number less one). Metrics that do not sample
    have 0. Undefined scores are left out; ``n`` says how many are left.
    """
    import pandas as pd

    if repetitions < 2:
        raise ParameterError(f"{repetitions} repetitions tell nothing of stability; give at least 2")
    chosen = choose_metrics(metrics)
    values: dict[str, list[float]] = {metric.name: [] for metric in chosen}
    for seed in range(repetitions):
        if progress is not None:
            progress(seed / repetitions, f"seed {seed}")
        result = evaluate_roads(reference, prediction, metrics=list(values), parameters=parameters, seed=seed, aoi=aoi)
        for metric in chosen:
            value = result.scores[metric.name][metric.headline]
            if value is not None:
                values[metric.name].append(float(value))
    rows = []
    for metric in chosen:
        own = np.array(values[metric.name])
        row: Row = {"metric": metric.name, "score": metric.headline, "n": len(own)}
        some, several = len(own) > 0, len(own) > 1
        row["mean"] = float(own.mean()) if some else np.nan
        row["sd"] = float(own.std(ddof=1)) if several else np.nan
        row["min"], row["max"] = (float(own.min()), float(own.max())) if some else (np.nan, np.nan)
        rows.append(row)
    return pd.DataFrame(rows)


def _check(
    towns: Sequence[RoadNetwork], kinds: Sequence[str], steps: Sequence[int], seeds: int, sizes: Mapping[str, float]
) -> None:
    """Refuse wrong choices before the long work."""
    if not towns or not kinds:
        raise ParameterError("nothing to study; give at least one network and one kind of error")
    for kind in kinds:
        if kind not in ERRORS:
            raise ParameterError(f"unknown error {kind!r}; choose among {', '.join(ERRORS)}")
    if steps[0] < 0 or len(steps) < 2:
        raise ParameterError("the numbers of errors must be positive; give some, for example 4,8,16")
    if seeds < 1:
        raise ParameterError(f"the number of seeds is {seeds}; give at least 1")
    known = {name for kind in kinds for name in magnitudes_of(kind)}
    for name in sizes:
        if name not in known:
            raise ParameterError(f"no kind of error has a magnitude {name!r}; there are {', '.join(sorted(known))}")


_Setting = tuple[list[Metric], dict[str, dict[str, Any]], dict[str, float]]
_Job = tuple[int, str, int, int]


def _run(
    towns: list[RoadNetwork], setting: _Setting, jobs: list[_Job], workers: int, progress: Progress | None
) -> list[Row]:
    """The rows of all jobs, in their order."""
    rows: list[Row] = [{} for _ in jobs]
    tasks: list[Task] = [(_evaluate, (towns[job[0]], setting, job)) for job in jobs]
    with open_engine(max(workers, 1), prepare=__name__) as engine:
        for done, (number, row) in enumerate(engine.run(tasks), start=1):
            rows[number] = row
            if progress is not None:
                progress(done / len(jobs), f"{row['count']} {row['error']}")
    return rows


def _evaluate(town: RoadNetwork, setting: _Setting, job: _Job) -> Row:
    metrics, parameters, sizes = setting
    which, kind, count, seed = job
    own = {name: value for name, value in sizes.items() if name in magnitudes_of(kind)}
    made = perturb(town, kind, count, seed=seed, **own)
    result = evaluate_roads(
        made.reference, made.prediction, metrics=[metric.name for metric in metrics], parameters=parameters, seed=seed
    )
    scores = {
        column: result.scores[metric.name][score] for metric in metrics for column, score in _columns(metric).items()
    }
    row: Row = {"network": which + 1, "error": kind, "count": count, "made": made.count, "seed": seed}
    return row | {name: np.nan if value is None else float(value) for name, value in scores.items()}


def _columns(metric: Metric) -> dict[str, str]:
    """The columns of a metric, each with its score."""
    return {metric.name: metric.headline} | {f"{metric.name}.{score}": score for score in FURTHER.get(metric.name, ())}
