"""``geoeval review``: judge the errors of a run one by one, on a page of this machine."""

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import TERMINATED, guarded
from geoeval.cli.terminal import say, say_json, say_table
from geoeval.signals import Terminated

if TYPE_CHECKING:
    from geoeval.reviewing.review import Review


@guarded
def review(
    run: Annotated[Path, typer.Argument(metavar="RUN.gpkg", help="A run that --result wrote, or a folder with one.")],
    *,
    verdicts: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Take over the verdicts of this file first.")
    ] = None,
    carry_from: Annotated[
        Path | None, typer.Option(metavar="OLD.gpkg", help="Take over the verdicts of an earlier run first.")
    ] = None,
    judged: Annotated[
        bool, typer.Option("--judged", help="Print scores as judged and the precision of each kind; no page.")
    ] = False,
    json_file: Annotated[
        str | None, typer.Option("--json", metavar="FILE|-", help="Write what --judged prints as JSON; no page.")
    ] = None,
    export: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Write what was confirmed: .geojson (MapRoulette), .osm (JOSM), .shp, .gpkg or .csv; "
            "may be repeated; no page.",
        ),
    ] = None,
    save_verdicts: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write all verdicts to a file; no page.")
    ] = None,
    scores: Annotated[
        bool, typer.Option("--scores/--no-scores", help="Measure the scores as judged; of roads that takes as long as "
                           "the evaluation did."),
    ] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the page; 0 is any that is free.")] = 0,
    judged_by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who judges; by default the name of the user.")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    overwrite: options.Overwrite = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:  # fmt: skip
    """Judge the errors of a run one by one on a local page, by keyboard; see scores as judged."""
    from geoeval.exceptions import ParameterError
    from geoeval.files import check_output
    from geoeval.reviewing.export import check_export
    from geoeval.reviewing.review import review as open_review

    for file in export or []:
        check_export(file, overwrite=overwrite)
    json_path = None if json_file in {None, "-"} else Path(str(json_file))
    for one, what in ((save_verdicts, "tables"), (json_path, "results")):
        if one is not None:
            check_output(one, what, overwrite=overwrite)
    is_page = not (judged or export or save_verdicts or json_file)
    if not is_page and (port or judged_by is not None):
        raise ParameterError("--port and --judged-by are for the page; leave them out")
    if not scores and not (judged or json_file):
        raise ParameterError("--no-scores is for --judged and --json; give one of them, or leave it out")
    opened = open_review(run)
    quiet = json_file == "-"
    if carry_from is not None:
        _tell_carried(opened.carry_from(carry_from), carry_from, quiet=quiet)
    if verdicts is not None:
        _tell_carried(opened.read_verdicts(verdicts), verdicts, quiet=quiet)
    for file in export or []:
        count = opened.export(file, overwrite=overwrite)
        say(f"{count:,} confirmed {'error' if count == 1 else 'errors'}: {file}", err=quiet)
    if save_verdicts is not None:
        say(f"verdicts: {opened.write_verdicts(save_verdicts, overwrite=overwrite)}", err=quiet)
    if json_file is not None:
        opened.run.refuse_to_replace(json_file)
        _write_json(opened.judged(scores=scores), json_file, overwrite=overwrite)
    if judged:
        _print_judged(opened, scores=scores, to_stderr=quiet)
    if is_page:
        _serve(opened, port=port, judged_by=judged_by, browser=browser)


def _serve(opened: "Review", *, port: int, judged_by: str | None, browser: bool) -> None:
    """Show the page until Ctrl-C, which is the way to end it; another program ends it by SIGTERM."""
    from geoeval.reviewing.page_server import PageServer

    with PageServer(opened, port=port, judged_by=judged_by) as server:
        say(f"review (open in a browser; Ctrl-C ends it): {server.url}")
        # In a thread of its own, because a browser in the terminal keeps this one.
        serving = server.start()
        try:
            if browser:
                webbrowser.open(server.url)
            while serving.is_alive():
                serving.join(0.5)
        except KeyboardInterrupt as end:
            server.shutdown()
            left = opened.judged(scores=False)["left"]
            say()
            say(f"the verdicts are in {opened.run.path}; {left:,} errors are left")
            if isinstance(end, Terminated):
                raise typer.Exit(TERMINATED) from None


def _tell_carried(found: dict[str, int], source: Path, *, quiet: bool) -> None:
    say(
        f"{source}: {found['id'] + found['place']:,} verdicts taken over ({found['id']:,} by id, {found['place']:,} by "
        f"place), {found['gone']:,} of errors that this run does not have",
        err=quiet,
    )


def _write_json(facts: dict[str, Any], file: str, *, overwrite: bool) -> None:
    from geoeval.files import new_file

    text = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    if file == "-":
        say_json(text)
        return
    with new_file(file, overwrite=overwrite) as unfinished:
        unfinished.write_text(text + "\n", encoding="utf-8")


def _print_judged(opened: "Review", *, scores: bool, to_stderr: bool) -> None:
    """Print headline scores as given and as judged, and how many errors of each kind are real."""
    from geoeval.metrics.registry import declarations_of
    from geoeval.model.error_kinds import error_kind

    facts = opened.judged(scores=scores)
    as_judged = facts["as_judged"] or {}
    metrics = declarations_of(facts["kind"])
    both = []
    for name, given in facts["as_given"].items():
        if name in metrics:
            head = metrics[name].headline
            both.append([name, head, _short(given.get(head)), _short(as_judged.get(name, {}).get(head))])
    say_table(["metric", "score", "as given", "as judged"], both, err=to_stderr)
    kinds = []
    for kind, own in facts["kinds"].items():
        interval = own["interval"]
        share = "" if interval is None else f"{own['precision']:.2f} ({interval[0]:.2f} to {interval[1]:.2f})"
        kinds.append([
            error_kind(kind).label, f"{own['judged']:,} of {own['listed']:,}", f"{own['error']:,}",
            f"{own['not-an-error']:,}", f"{own['reference-is-wrong']:,}", share,
        ])  # fmt: skip
    columns = ["kind", "judged", "error", "not an error", "reference wrong", "precision (95 %)"]
    say_table(columns, kinds, err=to_stderr)
    for reason in dict.fromkeys(facts["notes"].values()):
        names = ", ".join(name for name, why in facts["notes"].items() if why == reason)
        say(f"{names}: {reason}", err=to_stderr)
    per = facts["seconds"]["per_verdict"]
    pace = "" if per is None else f", {per:.1f} s a verdict, about {facts['seconds']['left'] / 60:.0f} min"
    say(f"{facts['left']:,} of {facts['listed']:,} left{pace}", err=to_stderr)


def _short(value: Any) -> str:
    return "-" if value is None else f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
