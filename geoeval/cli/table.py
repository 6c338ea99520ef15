"""The scores as a table in the terminal."""

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from geoeval.cli.guard import printable
from geoeval.metrics.registry import declarations_of
from geoeval.model.result import amount

if TYPE_CHECKING:
    from geoeval.model.result import Result
    from geoeval.model.scores import ScoreValue


def print_scores(result: "Result", *, to_stderr: bool = False) -> None:
    """Print what was compared, every score, and why a score is missing."""
    from rich.console import Console
    from rich.table import Table

    console = Console(stderr=to_stderr, highlight=False)
    for role in ("reference", "prediction"):
        facts = getattr(result, role)
        console.print(f"{role:10}  {amount(facts)}  {facts['source']}", markup=False)
    for one in result.diagnosis:
        mended = f": {one['option']}" if one["option"] else ""
        console.print(f"{one['level']}: {one['message']}{mended}", markup=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("metric", "score", "", "other scores"):
        table.add_column(column, justify="right" if column == "" else "left")
    metrics = declarations_of(result.kind)
    for name, scores in result.scores.items():
        headline = metrics[name].headline
        others = "  ".join(f"{score} {_number(value)}" for score, value in scores.items() if score != headline)
        table.add_row(name, headline, f"[bold]{_number(scores[headline])}[/]", others)
    console.print(table)
    if result.classes:
        _print_classes(result, console)
    for score, reason in result.notes.items():
        console.print(f"{score}: {reason}", markup=False)
    for name, summary in (("errors", result.error_summary()), ("in the reference", result.reference_problems())):
        if summary:
            counted = ", ".join(f"{entry['count']:,} {kind}" for kind, entry in summary.items())
            console.print(f"{name}  {counted}", markup=False)


def _print_classes(result: "Result", console: Any) -> None:
    """Print the headline of each metric for each class, and the means."""
    from rich.markup import escape
    from rich.table import Table

    scores = result.class_table()
    table = Table("class", "scores", box=None, pad_edge=False, header_style="bold")
    for name, rows in scores[scores["headline"]].groupby("class", sort=False):
        values = [None if isnan(value) else value for value in rows["value"]]
        named = zip(rows["metric"], rows["score"], values, strict=True)
        texts = "  ".join(f"{metric}.{score} {_number(value)}" for metric, score, value in named)
        table.add_row(escape(printable(str(name))), texts)
    console.print(table)


def print_changes(result: "Result", previous: Mapping[str, Any], *, to_stderr: bool = False) -> None:
    """Print what changed since an earlier run."""
    import typer

    from geoeval.report.comparison import compare_runs

    found = compare_runs(result, previous)
    changed = [change for change in (*found.scores, *found.errors) if change.difference not in {"", "0", "+0.0000"}]
    typer.echo("since the earlier run:" + ("" if changed else " nothing changed"), err=to_stderr)
    width = max((len(change.name) for change in changed), default=0)
    for change in changed:
        verdict = f"  {change.verdict}" if change.verdict else ""
        typer.echo(
            f"  {change.name:{width}}  {change.before} -> {change.now}  {change.difference}{verdict}", err=to_stderr
        )
    if found.differs:
        typer.echo(printable(f"compare with care: {'; '.join(found.differs)}"), err=to_stderr)


def _number(value: "ScoreValue") -> str:
    if value is None:
        return "undefined"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"
