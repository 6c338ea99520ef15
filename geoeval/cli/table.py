"""The scores as a table in the terminal."""

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from geoeval.cli.terminal import NAME, printable, say, say_table
from geoeval.metrics.registry import declarations_of
from geoeval.model.result import amount

if TYPE_CHECKING:
    from geoeval.model.result import Result
    from geoeval.model.scores import ScoreValue


def print_scores(result: "Result", *, to_stderr: bool = False) -> None:
    """Print what was compared, every score, and why a score is missing."""
    for role in ("reference", "prediction"):
        facts = getattr(result, role)
        say(f"{role:10}  {amount(facts)}  {facts['source']}", err=to_stderr)
    for one in result.diagnosis:
        mended = f": {one['option']}" if one["option"] else ""
        say(f"{one['level']}: {one['message']}{mended}", err=to_stderr)
    rows = []
    metrics = declarations_of(result.kind)
    for name, scores in result.scores.items():
        headline = metrics[name].headline
        others = "  ".join(f"{score} {_number(value)}" for score, value in scores.items() if score != headline)
        rows.append([name, headline, _number(scores[headline]), others])
    say_table(["metric", "score", "", "other scores"], rows, err=to_stderr, right=[2], bold=[2])
    if result.classes:
        _print_classes(result, to_stderr=to_stderr)
    for score, reason in result.notes.items():
        say(f"{score}: {reason}", err=to_stderr)
    for name, summary in (("errors", result.error_summary()), ("in the reference", result.reference_problems())):
        if summary:
            counted = ", ".join(f"{entry['count']:,} {kind}" for kind, entry in summary.items())
            say(f"{name}  {counted}", err=to_stderr)


def _print_classes(result: "Result", *, to_stderr: bool) -> None:
    """Print the headline of each metric for each class, and the means."""
    scores = result.class_table()
    table = []
    for name, rows in scores[scores["headline"]].groupby("class", sort=False):
        values = [None if isnan(value) else value for value in rows["value"]]
        named = zip(rows["metric"], rows["score"], values, strict=True)
        texts = "  ".join(f"{metric}.{score} {_number(value)}" for metric, score, value in named)
        table.append([printable(str(name), NAME), texts])
    say_table(["class", "scores"], table, err=to_stderr)


def print_changes(result: "Result", previous: Mapping[str, Any], *, to_stderr: bool = False) -> None:
    """Print what changed since an earlier run."""
    from geoeval.report.comparison import compare_runs

    found = compare_runs(result, previous)
    changed = [change for change in (*found.scores, *found.errors) if change.difference not in {"", "0", "+0.0000"}]
    say("since the earlier run:" + ("" if changed else " nothing changed"), err=to_stderr)
    width = max((len(change.name) for change in changed), default=0)
    for change in changed:
        verdict = f"  {change.verdict}" if change.verdict else ""
        say(f"  {change.name:{width}}  {change.before} -> {change.now}  {change.difference}{verdict}", err=to_stderr)
    if found.differs:
        say(f"compare with care: {'; '.join(found.differs)}", err=to_stderr)


def _number(value: "ScoreValue") -> str:
    if value is None:
        return "undefined"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"
