"""Can a metric be trusted? How it responds to known errors, and how much it depends on its seed.

The experiments of Citraro, Koziński and Fua (ECCV 2020, section 4, Figures 4 and 5, and Table 32 of the supplement).
A metric is *sensitive* to a kind of error if its mean headline score falls, between no errors and the largest number
of errors, by at least 0.02 and by more than 3 standard deviations of its repetitions without errors.

The paper gives neither the numbers nor the magnitudes of its errors, and the verdicts depend on them. Here the number
goes up to one error per kilometre of road, so that networks of any size are comparable. Nodes are moved by 30 m, twice
the distance at which most metrics still match. False links shorten paths by at most 20 m: the paper says (section 2.2)
that TLTS and APLS neglect false roads that do not alter shortest paths; links that do alter them affect both.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Floats
from geoeval.engines import Task, open_engine
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.metrics.running import Progress
from geoeval.model.road_network import RoadNetwork
from geoeval.perturbation.perturb import magnitudes_of, perturb
from geoeval.perturbation.road_errors import ERRORS
from geoeval.pipeline.evaluate import prepare
from geoeval.roads.evaluate import evaluate_roads
from geoeval.roads.registry import choose_metrics, choose_parameters

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.scores import ScoreValue

PAPER_ERRORS = tuple(name for name in ERRORS if name != "missing")
PER_KILOMETRE = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MAGNITUDES = {"displacement": 30.0, "saving": 20.0}
# Scores besides the headline: the paper uses paths of the reference only.
FURTHER = {"apls": ("reference_to_prediction",)}
LEAST_FALL, DEVIATIONS = 0.02, 3.0

Row = dict[str, Any]


@dataclass(frozen=True)
class Sensitivity:
    """Scores of networks with known errors.

    Attributes
    ----------
    runs
        One row per evaluation: ``network``, ``error``, ``count`` (errors asked for), ``made`` (errors inserted),
        ``seed``, and the headline score of each metric, NaN if it is undefined. APLS in one direction is
        ``apls.reference_to_prediction``.
    metrics
        The columns that are scores.
    """

    runs: "pd.DataFrame"
    metrics: list[str]

    def curves(self) -> "pd.DataFrame":
        """Mean and standard deviation over networks and seeds, one row for each error, count and metric."""
        long = self.runs.melt(["error", "count", "seed"], self.metrics, "metric", "score")
        grouped = long.groupby(["error", "count", "metric"], sort=False)["score"]
        return grouped.agg(mean="mean", sd=lambda values: values.std(ddof=0), n="count").reset_index()

    def verdicts(self) -> "pd.DataFrame":
        """One row for each error and metric: mean score without and with the most errors, the fall, the verdict.

        The verdict is ``undefined`` if the score is, or if the network had no room for any error.
        """
        import pandas as pd

        rows = []
        curves, made = self.curves(), self._most()["made"].to_dict()
        for (error, metric), curve in curves.groupby(["error", "metric"], sort=False):
            ordered = curve.sort_values("count")
            first, last = ordered.iloc[0], ordered.iloc[-1]
            fall = float(first["mean"] - last["mean"])
            defined = bool(np.isfinite(fall)) and made[error] > 0
            sensitive = defined and fall >= LEAST_FALL and fall > DEVIATIONS * float(first["sd"])
            rows.append(
                {
                    "error": error,
                    "metric": metric,
                    "without": first["mean"],
                    "with": last["mean"],
                    "errors": int(last["count"]),
                    "fall": fall,
                    "sd": first["sd"],
                    "verdict": "sensitive" if sensitive else "insensitive" if defined else "undefined",
                }
            )
        return pd.DataFrame(rows)

    def table(self) -> "pd.DataFrame":
        """The verdicts as a table: one row per metric, one column per error."""
        return self.verdicts().pivot_table(index="metric", columns="error", values="verdict", aggfunc="first").loc[
            self.metrics, list(dict.fromkeys(self.runs["error"]))
        ]  # fmt: skip

    def too_few(self) -> dict[str, float]:
        """Errors that the networks had no room for, with the mean number that was inserted instead."""
        most = self._most()
        return {str(error): float(row["made"]) for error, row in most.iterrows() if row["made"] < row["count"]}

    def _most(self) -> "pd.DataFrame":
        """Mean of ``count`` and ``made`` over the runs with the most errors, by error."""
        last = self.runs[self.runs["count"] == self.runs["count"].max()]
        return last.groupby("error", sort=False)[["count", "made"]].mean()

    def summary(self) -> "pd.DataFrame":
        """Mean scores with the most errors as text, marked ``flat`` if insensitive and ``?`` if undefined."""
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
    """Evaluate networks against copies of themselves with more and more errors.

    Parameters
    ----------
    networks
        One network or several. An empty network always scores 1.
    errors
        Errors to insert, named as in ``geoeval.perturb``; by default the six of the paper.
    counts
        Numbers of errors; 0 is always added. By default up to one per kilometre of the shortest network.
    seeds
        Number of repetitions, each with different errors and another seed for the metrics.
    metrics, parameters
        As in ``evaluate_roads``.
    magnitudes
        Sizes of the errors in metres, for the errors that have them. The defaults are those in ``MAGNITUDES``, then
        those of ``perturb``.
    workers
        Number of processes; the result does not depend on it.
    progress
        Called with a fraction from 0 to 1 and a message.

    Raises
    ------
    ParameterError
        An error, magnitude, metric or parameter does not exist, or there is nothing to study.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.studies.sensitivity import sensitivity
    >>> street = RoadNetwork.from_lines([[(0, 0), (1000, 0)]], crs="EPSG:32610")
    >>> study = sensitivity(street, errors=["interruptions"], counts=[3], seeds=2, metrics="ccq,opt-j")
    >>> study.table()["interruptions"].to_dict()
    {'ccq': 'insensitive', 'opt-j': 'sensitive'}
    """
    towns = [networks] if isinstance(networks, RoadNetwork) else list(networks)
    wanted = [error.replace("-", "_") for error in errors]
    chosen = choose_metrics(metrics)
    choose_parameters(chosen, parameters)
    steps = sorted({0, *(default_counts(towns) if counts is None else counts)})
    _check(towns, wanted, steps, seeds, dict(magnitudes or {}))
    sizes = MAGNITUDES | dict(magnitudes or {})
    jobs = [
        (which, error, count, seed)
        for which in range(len(towns))
        for error in wanted
        for count in steps
        for seed in range(seeds)
        # A count of 0 gives the same network for every error.
        if count > 0 or error == wanted[0]
    ]
    setting = (chosen, {name: dict(values) for name, values in (parameters or {}).items()}, sizes)
    rows = _run(towns, setting, jobs, workers, progress)
    whole = [{**row, "error": error} for error in wanted for row in rows if row["error"] == error or row["count"] == 0]
    import pandas as pd

    return Sensitivity(pd.DataFrame(whole), [column for metric in chosen for column in _columns(metric)])


def default_counts(networks: Iterable[RoadNetwork]) -> list[int]:
    """Numbers of errors up to one per kilometre of the shortest network, and at least 0 to 5."""
    shortest = min((network.length for network in networks), default=0.0) / 1000
    return [max(i, round(share * shortest)) for i, share in enumerate(PER_KILOMETRE)]


def stability(
    reference: Any,
    prediction: Any,
    *,
    repetitions: int = 10,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    aoi: Any = None,
    crs: Any = "auto",
    progress: Progress | None = None,
    **reading: Any,
) -> "pd.DataFrame":
    """Repeat an evaluation with different seeds.

    Parameters
    ----------
    reference, prediction
        Road networks, in any form that ``geoeval.evaluate`` takes.
    repetitions
        Number of seeds: 0, 1, 2 and so on.
    metrics, parameters, aoi, crs, reading
        As in ``geoeval.evaluate``.
    progress
        Called with a fraction from 0 to 1 and a message.

    Returns
    -------
    table
        One row per metric: ``metric``, ``score`` (its headline score), ``n`` (repetitions in which the score is
        defined), and ``mean``, ``sd``, ``min`` and ``max`` of these. ``sd`` is the sample standard deviation, with
        ``n - 1`` in the denominator; it is 0 for metrics that do not sample.

    Raises
    ------
    ParameterError
        There are fewer than 2 repetitions, or a metric or parameter does not exist.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.studies.sensitivity import stability
    >>> reference = RoadNetwork.from_lines([[(0, 0), (1000, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (495, 0)], [(505, 0), (1000, 0)]], crs="EPSG:32610")
    >>> stability(reference, prediction, repetitions=3, metrics="opt-j")[["metric", "n", "sd"]].to_dict("records")
    [{'metric': 'opt-j', 'n': 3, 'sd': 0.0}]
    """
    import pandas as pd

    if repetitions < 2:
        raise ParameterError(f"{repetitions} repetitions do not show stability; give at least 2")
    chosen = choose_metrics(metrics)
    choose_parameters(chosen, parameters)
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "reading")
    pair = prepare(reference, prediction, aoi=aoi, crs=crs, **reading)
    values: dict[str, list[float]] = {metric.name: [] for metric in chosen}
    scores: dict[str, dict[str, ScoreValue]] = {}
    for seed in range(repetitions):
        tell(seed / repetitions, f"seed {seed}")
        # A metric that does not sample has the same scores for every seed.
        due = [metric.name for metric in chosen if seed == 0 or metric.accepts("rng")]
        if due:
            result = evaluate_roads(pair.reference, pair.prediction, metrics=due, parameters=parameters, seed=seed)
            scores |= result.scores
        for metric in chosen:
            value = scores[metric.name][metric.headline]
            if value is not None:
                values[metric.name].append(float(value))
    rows = []
    for metric in chosen:
        own = np.array(values[metric.name])
        row: Row = {"metric": metric.name, "score": metric.headline, "n": len(own)}
        some, several = len(own) > 0, len(own) > 1
        row["mean"] = float(own.mean()) if some else np.nan
        row["sd"] = _deviation(own) if several else np.nan
        row["min"], row["max"] = (float(own.min()), float(own.max())) if some else (np.nan, np.nan)
        rows.append(row)
    return pd.DataFrame(rows)


def _deviation(values: Floats) -> float:
    # The mean of equal values is rounded, and may differ from all of them.
    return 0.0 if np.ptp(values) == 0 else float(values.std(ddof=1))


def _check(
    towns: Sequence[RoadNetwork], errors: Sequence[str], steps: Sequence[int], seeds: int, sizes: Mapping[str, float]
) -> None:
    """Refuse wrong choices before the long work."""
    if not towns or not errors:
        raise ParameterError("nothing to study; give at least one network and one error")
    for error in errors:
        if error not in ERRORS:
            raise ParameterError(f"unknown error {error!r} of roads; choose among {', '.join(ERRORS)}")
    if steps[0] < 0 or len(steps) < 2:
        raise ParameterError("the numbers of errors must be positive; give at least one, for example 4,8,16")
    if seeds < 1:
        raise ParameterError(f"the number of seeds is {seeds}; give at least 1")
    magnitudes = sorted({name for error in errors for name in magnitudes_of(error)})
    for name in sizes:
        if name not in magnitudes:
            choice = f"choose among {', '.join(magnitudes)}" if magnitudes else "they take none"
            raise ParameterError(f"none of the errors has a magnitude {name!r}; {choice}")


_Setting = tuple[list[Metric], dict[str, dict[str, Any]], dict[str, float]]
_Job = tuple[int, str, int, int]


def _run(
    towns: list[RoadNetwork], setting: _Setting, jobs: list[_Job], workers: int, progress: Progress | None
) -> list[Row]:
    """Run all jobs; return their rows in the order of the jobs."""
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
    which, error, count, seed = job
    own: dict[str, Any] = {name: value for name, value in sizes.items() if name in magnitudes_of(error)}
    made = perturb(town, error, count, seed=seed, **own)
    result = evaluate_roads(
        made.reference, made.prediction, metrics=[metric.name for metric in metrics], parameters=parameters, seed=seed
    )
    scores = {
        column: result.scores[metric.name][score] for metric in metrics for column, score in _columns(metric).items()
    }
    row: Row = {"network": which + 1, "error": error, "count": count, "made": made.count, "seed": seed}
    return row | {name: np.nan if value is None else float(value) for name, value in scores.items()}


def _columns(metric: Metric) -> dict[str, str]:
    """The columns of a metric, each with the name of its score."""
    return {metric.name: metric.headline} | {f"{metric.name}.{score}": score for score in FURTHER.get(metric.name, ())}
