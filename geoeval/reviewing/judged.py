"""What verdicts say: scores as judged, the precision of each kind, what is left and how long that takes."""

from copy import deepcopy
from math import fsum, sqrt
from statistics import median
from typing import Any

from geoeval._version import __version__
from geoeval.exceptions import UnreadableInputError
from geoeval.metrics.registry import declarations_of
from geoeval.model.scores import ScoreValue
from geoeval.reviewing.kept_maps import has_networks
from geoeval.reviewing.run_database import RunDatabase
from geoeval.reviewing.verdicts import ERROR, JUDGED, REJECTED, WORDS

# The quantile of the normal distribution for an interval of 95 %.
Z95 = 1.959963984540054
# Verdicts that tell how long one takes: the last so many, and none beyond so many seconds (somebody went away).
_LAST, _AWAY = 50, 600.0
# Counts that cannot fall below another one, which is the part of them that is right.
_RIGHT_PART = {
    "ccq": {"ref_length": "ref_matched", "pred_length": "pred_matched"},
    "opt-j": {"pp": "tp", "ap": "tp"},
    "vector": {"ref_length": "ref_quality", "pred_length": "pred_quality"},
}


def judged(run: RunDatabase, *, scores: bool = True) -> dict[str, Any]:
    """All that the verdicts of a run say, in the shape of ``geoeval review --judged --json -``.

    O(verdicts): errors that nobody judged cost nothing. Only the scores as judged of roads take as long as their
    evaluation did, once for the same rejected errors; without ``scores``, ``as_judged`` is ``None``.
    """
    kinds = kind_counts(run)
    counted = {word: sum(entry[word] for entry in kinds.values()) for word in WORDS}
    listed = sum(entry["listed"] for entry in kinds.values())
    left = listed - sum(counted[word] for word in JUDGED)
    gone = run.rows("SELECT count(*) AS n FROM verdicts LEFT JOIN errors USING (error_id) WHERE errors.fid IS NULL")[0][
        "n"
    ]
    as_judged, notes = scores_as_judged(run, kinds) if scores else (None, {})
    each = seconds_per_verdict(run)
    return {
        "geoeval": __version__,
        "kind": run.kind,
        "listed": listed,
        "left": left,
        "gone": gone,
        "verdicts": counted,
        "as_given": run.record["scores"],
        "as_judged": as_judged,
        "notes": notes,
        "kinds": {kind: entry | _precision(entry) for kind, entry in kinds.items()},
        "seconds": {
            "per_verdict": each,
            "left": None if each is None else each * left,
            "scores": seconds_of_scores(run),
        },
    }


def kind_counts(run: RunDatabase) -> dict[str, dict[str, int]]:
    """By kind: how many errors are ``listed`` and ``judged``, and how many have each verdict."""
    counts = {kind: {"listed": listed, "judged": 0, **dict.fromkeys(WORDS, 0)} for kind, listed in run.listed.items()}
    given = run.rows(
        "SELECT errors.kind, verdict, count(*) AS n FROM verdicts JOIN errors USING (error_id) "
        "GROUP BY errors.kind, verdict"
    )
    for row in given:
        if row["verdict"] in WORDS:
            counts[str(row["kind"])][row["verdict"]] = int(row["n"])
    for entry in counts.values():
        entry["judged"] = sum(entry[word] for word in JUDGED)
    return counts


def scores_as_judged(
    run: RunDatabase, kinds: dict[str, dict[str, int]]
) -> tuple[dict[str, dict[str, ScoreValue]], dict[str, str]]:
    """Scores without the rejected errors, and by metric, or ``metric.score``, what has to be said of them.

    Without any rejected error they are the scores as given.
    """
    given: dict[str, dict[str, ScoreValue]] = run.record["scores"]
    rejected = {kind: sum(entry[word] for word in REJECTED) for kind, entry in kinds.items()}
    rejected = {kind: count for kind, count in rejected.items() if count}
    if not rejected:
        return given, {}
    if has_networks(run):
        return _without(run, rejected_ids(run))
    try:
        return _counted(run, rejected)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise UnreadableInputError(f"{run.path}: counts or shares of this run are damaged; evaluate again") from error


def _without(run: RunDatabase, rejected: frozenset[str]) -> tuple[dict[str, dict[str, ScoreValue]], dict[str, str]]:
    """As ``scores_without``; kept with the run until other errors are rejected."""
    from geoeval.reviewing.measured_again import scores_without

    if run.measured is None or run.measured[0] != rejected:
        run.measured = rejected, scores_without(run, rejected)
    return deepcopy(run.measured[1])


def rejected_ids(run: RunDatabase) -> frozenset[str]:
    """The errors of this run that were rejected."""
    marks = ", ".join("?" * len(REJECTED))
    rows = run.rows(
        f"SELECT error_id FROM verdicts JOIN errors USING (error_id) WHERE verdict IN ({marks})",  # noqa: S608 - marks only
        *REJECTED,
    )
    return frozenset(str(row["error_id"]) for row in rows)


def seconds_of_scores(run: RunDatabase) -> float:
    """How long the scores as judged take, from what the run's own took; 0 where counts give them."""
    if not has_networks(run):
        return 0.0
    took = run.record.get("seconds") or {}
    return float(sum(value for name, value in took.items() if name != "read" and isinstance(value, int | float)))


def _counted(run: RunDatabase, rejected: dict[str, int]) -> tuple[dict[str, dict[str, ScoreValue]], dict[str, str]]:
    """The scores from the counts, with the share of each rejected error taken out; ``rejected`` counts them by kind."""
    given: dict[str, dict[str, ScoreValue]] = run.record["scores"]
    metrics = declarations_of(run.kind)
    scores, notes = {}, dict(run.not_judged)
    amounts = _taken_out(run)
    for name, own in given.items():
        if name in run.not_judged or name not in metrics:
            scores[name] = dict.fromkeys(own)
            continue
        staying = {kind: why for kind, why in run.still_counted.get(name, {}).items() if kind in rejected}
        if staying:
            some = ", ".join(f"{rejected[kind]} {kind}" for kind in staying)
            notes[name] = f"still counted although rejected: {some}; it {next(iter(staying.values()))}"
        if name not in run.record["counts"] or metrics[name].scores_from_counts is None:
            scores[name] = own
            continue
        gone = amounts.get(name, {})
        now = {count: value - fsum(gone.get(count, ())) for count, value in run.record["counts"][name].items()}
        for count, right in _RIGHT_PART.get(name, {}).items():
            now[count] = max(now[count], now[right])
        # Without a share in this metric its scores stay as they are, to the last digit.
        found, why = metrics[name].scores_of(now, run.parameters.get(name, {})) if gone else (own, {})
        scores[name] = {
            score: None if f"{name}.{score}" in run.not_judged else found.get(score, value)
            for score, value in own.items()
        }
        notes |= {f"{name}.{score}": text for score, text in why.items() if scores[name].get(score) is None}
    return scores, {name: text for name, text in notes.items() if name.partition(".")[0] in given}


def _taken_out(run: RunDatabase) -> dict[str, dict[str, list[float]]]:
    """By metric and count: the amounts of the rejected errors that are in this run."""
    amounts: dict[str, dict[str, list[float]]] = {}
    marks = ", ".join("?" * len(REJECTED))
    rows = run.rows(
        'SELECT metric, "count", amount FROM shares WHERE error_id IN '  # noqa: S608 - marks only
        f"(SELECT error_id FROM verdicts WHERE verdict IN ({marks}))",
        *REJECTED,
    )
    for row in rows:
        amounts.setdefault(str(row["metric"]), {}).setdefault(str(row["count"]), []).append(float(row["amount"]))
    return amounts


def seconds_per_verdict(run: RunDatabase) -> float | None:
    """The median of the last verdicts that say how long they took; ``None`` without any."""
    rows = run.rows(
        "SELECT seconds FROM verdicts WHERE seconds > 0 AND seconds <= ? AND coalesce(carried, '') = '' "
        "ORDER BY judged_at DESC, fid DESC LIMIT ?",
        _AWAY,
        _LAST,
    )
    return median(float(row["seconds"]) for row in rows) if rows else None


def wilson(successes: int, trials: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's interval of a share; (0, 1) without trials."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    stretch = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / stretch
    half = z / stretch * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends the interval closes exactly, which rounding must not spoil.
    low = 0.0 if successes == 0 else max(centre - half, 0.0)
    return low, 1.0 if successes == trials else min(centre + half, 1.0)


def _precision(entry: dict[str, int]) -> dict[str, Any]:
    """The share of real errors among those that were judged, with its interval; nothing without any."""
    judged_ones = entry["judged"]
    if judged_ones == 0:
        return {"precision": None, "interval": None}
    return {"precision": entry[ERROR] / judged_ones, "interval": list(wilson(entry[ERROR], judged_ones))}
