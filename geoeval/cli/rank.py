"""``geoeval rank``: one ranking from many scores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.terminal import NAME, printable, say, say_json

if TYPE_CHECKING:
    from geoeval.ranking.rank import Ranking


@guarded
def rank(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT.json...|SCORES.csv",
            help="Results that --json wrote, one an item; or a table with a column name and one column an indicator.",
        ),
    ],
    *,
    indicators: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Scores to rank by: metric.score, or columns. Default: every metric's headline."
        ),
    ] = None,
    lower: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An indicator of which smaller is better; repeatable.")
    ] = None,
    accuracy: Annotated[
        str | None, typer.Option(metavar="NAME", help="The score that orders items of the same rank.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed where rankings must be drawn, beyond about 22 items.")] = 0,
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE.csv", help="Table to write.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png|svg|pdf", help="Hasse diagram to write (needs geoeval[plot]).")
    ] = None,
    mixed: options.Mixed = False,
    limits: options.Limits = None,
    json_file: options.JsonFile = None,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """Rank algorithms by several scores at once: who is better in everything, and one order without weights."""
    import json

    from geoeval.files import check_output, new_file, together
    from geoeval.trust import trusting
    from geoeval.writers.pictures import save_figure
    from geoeval.writers.tables import write_csv

    json_path = None if json_file in {None, "-"} else Path(str(json_file))
    for file, what in ((output, "tables"), (plot, "pictures"), (json_path, "results")):
        if file is not None:
            check_output(file, what, overwrite=overwrite)
    with trusting(limits=limits):
        ranking = _ranked(files, indicators, lower or [], accuracy, seed, mixed=mixed)
    text = json.dumps(ranking.as_dict(), indent=2, ensure_ascii=False)
    with together():
        if output is not None:
            write_csv(ranking.to_frame(), output, overwrite=overwrite)
        if plot is not None:
            from geoeval.ranking.diagram import hasse_diagram

            save_figure(hasse_diagram(ranking), plot, overwrite=overwrite)
        if json_path is not None:
            with new_file(json_path, overwrite=overwrite) as path:
                path.write_text(text + "\n", encoding="utf-8")
    if json_file == "-":
        say_json(text)
    _say(ranking, to_stderr=json_file == "-")


def _ranked(
    files: list[Path], indicators: str | None, lower: list[str], accuracy: str | None, seed: int, *, mixed: bool
) -> "Ranking":
    from geoeval.ranking.rank import rank as rank_scores
    from geoeval.ranking.score_tables import read_scores

    scores = read_scores(files, mixed=mixed)
    wanted = scores.headlines if indicators is None else [name.strip() for name in indicators.split(",")]
    known_lower = [name for name in scores.lower if name in wanted or name == accuracy]
    return rank_scores(scores.table, indicators=wanted, lower=[*known_lower, *lower], accuracy=accuracy, seed=seed)


def _say(ranking: "Ranking", *, to_stderr: bool) -> None:
    names = [printable(name, NAME) for name in ranking.names]
    width = max(map(len, names), default=4)
    spans = ranking.intervals
    say(f"rank  {'name':{width}}  possible", err=to_stderr)
    for item in ranking.order:
        low, high = spans[item]
        say(f"{ranking.ranks[item]:4}  {names[item]:{width}}  {low} to {high}", err=to_stderr)
    first = f"by {', '.join(ranking.indicators)}; no other is better in everything than: {', '.join(ranking.pareto)}"
    say(first, err=to_stderr)
    if ranking.frequencies.exact:
        say(f"{ranking.frequencies.total:,} rankings agree with the scores", err=to_stderr)
    else:
        say(
            f"from {ranking.frequencies.total:,} drawn rankings; shares within {ranking.frequencies.error:.3f}",
            err=to_stderr,
        )
