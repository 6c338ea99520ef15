"""The folder of a benchmark: tables as CSV, Markdown and LaTeX, JSON, the errors of all places, and a page."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.benchmarking.aggregation import ENOUGH_PLACES, too_few
from geoeval.benchmarking.layers import write_error_layers
from geoeval.benchmarking.page import PlaceMap, render_page
from geoeval.files import keeps_inputs, new_directory
from geoeval.metrics.running import Progress
from geoeval.model.scores import ScoreValue
from geoeval.writers.latex import booktabs, latex_text
from geoeval.writers.tables import clean_text, write_csv

if TYPE_CHECKING:
    from geoeval.benchmarking.result import Benchmark


@keeps_inputs
def write_benchmark(
    found: "Benchmark", directory: str | Path, *, overwrite: bool, layer_format: str, maps: int,
    progress: Progress | None,
) -> Path:  # fmt: skip
    """Write it all; the folder appears when it is complete, and the same benchmark gives the same files."""
    tell = progress or (lambda _fraction, _message: None)
    with new_directory(directory, overwrite=overwrite) as made:
        tell(0.0, "writing the tables")
        write_csv(found.table, made / "places.csv")
        write_csv(found.summary(), made / "scores.csv")
        (made / "scores.md").write_text(markdown_table(found), encoding="utf-8")
        (made / "scores.tex").write_text(latex_table(found), encoding="utf-8")
        text = json.dumps(found.as_dict(), indent=1, allow_nan=False, ensure_ascii=False)
        (made / "benchmark.json").write_text(text + "\n", encoding="utf-8")
        if len(found.methods) > 1:
            write_csv(comparison_rows(found), made / "comparison.csv", columns=_COMPARED)
        tell(0.2, "writing the error layers")
        write_error_layers(found, made, layer_format)
        shown = _write_maps(found, made, maps, lambda share, said: tell(0.4 + 0.5 * share, said))
        tell(0.9, "writing the page")
        page = render_page(found, shown, said=said_of(found), comparison=comparison_rows(found))
        (made / "page.html").write_text(page, encoding="utf-8")
        tell(1.0, "done")
    return Path(directory)


def _write_maps(found: "Benchmark", made: Path, maps: int, tell: Progress) -> list[PlaceMap]:
    """A report for each of the worst places of each method, and a small map for the page."""
    from xml.etree import ElementTree as ET

    from geoeval.report.page import write_report
    from geoeval.report.static_map import static_map

    worst = [one for method in found.methods for one in found.worst_places(method, maps)]
    shown = []
    for number, outcome in enumerate(worst):
        tell(number / len(worst), f"map of {outcome.place}")
        # Times differ from run to run, and the same benchmark gives the same files.
        result = replace(found.result_of(outcome.place, outcome.method), seconds={})
        file = f"maps/{number + 1:03}.html"
        write_report(result, made / file)
        picture, _ = static_map(result, scale_bar=True)
        drawn = None if picture is None else ET.tostring(picture, encoding="unicode", method="html")
        shown.append(PlaceMap(outcome, file, drawn))
    return shown


# ------------------------------------------------------------------ tables


def number(value: ScoreValue, digits: int = 4) -> str:
    """A score as text, nothing where it is undefined."""
    return "" if value is None else f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


def headline_rows(found: "Benchmark") -> list[tuple[str, dict[str, tuple[ScoreValue, Any]]]]:
    """For each method and rule that stands for something: the headline scores with their intervals."""
    rows = []
    for method in found.methods:
        for rule in found.scores[method]:
            scores, intervals = found.scores[method][rule], found.intervals[method][rule]
            cells = {name: (scores.get(name), intervals.get(name)) for name in found.ruler.headlines}
            rows.append((f"{method} ({rule})", cells))
    return rows


def markdown_table(found: "Benchmark") -> str:
    """The headline scores of every method by every rule, with intervals, and what was left out."""
    header = ["method", *found.ruler.headlines]
    lines = [f"| {' | '.join(map(_markdown, header))} |", f"| {' | '.join(['---'] + ['---:'] * (len(header) - 1))} |"]
    for label, cells in headline_rows(found):
        lines.append(f"| {' | '.join([_markdown(label), *(_with_interval(*cell) for cell in cells.values())])} |")
    lines += ["", *(_markdown(line) for line in said_of(found))]
    lines += [f"- {_markdown(line)}" for line in found.left_out]
    return "\n".join(lines) + "\n"


def latex_table(found: "Benchmark") -> str:
    """One row a method and rule, ready to be pasted into a table of a paper."""
    rows = [
        [latex_text(label), *(_latex_cell(*cell) for cell in cells.values())] for label, cells in headline_rows(found)
    ]
    return booktabs(["method", *map(latex_text, found.ruler.headlines)], rows)


def said_of(found: "Benchmark") -> list[str]:
    """What must be known to read the numbers: the ruler, the layout, the rules, and how many places count."""
    counts: dict[str, int] = {}
    for outcome in found.outcomes:
        counts[found.counted_as(outcome)] = counts.get(found.counted_as(outcome), 0) + 1
    ruler = f"protocol {found.ruler.protocol}" if found.ruler.protocol else f"metrics {', '.join(found.ruler.metrics)}"
    said = [
        f"{len(found.pairing.places)} places, {found.pairing.layout.about}; {ruler}, seed {found.ruler.seed}.",
        f"Without a prediction: {found.rules.missing}; empty truth: {found.rules.empty}; failed: {found.rules.failed}.",
        "Counted: " + ", ".join(f"{count} with {how}" if how != "left out" else f"{count} left out"
                                for how, count in sorted(counts.items())) + ".",
        f"Intervals: 95 %, places drawn {found.repetitions} times. mean: every place alike; pooled: counts added up.",
    ]  # fmt: skip
    few = {one.places for own in found.aggregates.values() for one in own if too_few(one)}
    if few:
        said.append(
            f"Intervals of {min(few)} places are about their worst and best: too few, {ENOUGH_PLACES} say more."
        )
    if found.pairing.elsewhere:
        said.append(f"{found.pairing.elsewhere} truths belong to other splits.")
    same = {len(found.common_places)} == {
        sum(found.counted_as(one) != "left out" for one in found.of_method(method)) for method in found.methods
    }
    if not same:
        said.append(
            f"The methods do not count the same places; {len(found.common_places)} count for all of them, and the test "
            "of differences and the ranks are of those alone."
        )
    return said


_COMPARED = ("first", "second", "score", "difference", "low", "high", "confidence", "places", "winner")


def comparison_rows(found: "Benchmark") -> list[dict[str, Any]]:
    """The paired tests as rows."""
    return [
        {"first": first, "second": second, "score": one.metric, "difference": one.difference, "low": one.interval[0],
         "high": one.interval[1], "confidence": one.confidence, "places": one.units,
         "winner": {"A": first, "B": second}.get(one.winner, "none")}
        for first, second, one in found.comparisons()
    ]  # fmt: skip


def plain_benchmark(found: "Benchmark") -> dict[str, Any]:
    """The benchmark as plain values."""
    ranking = found.ranking()
    return {
        "content": found.ruler.kind,
        "protocol": found.ruler.protocol,
        "metrics": list(found.ruler.metrics),
        "seed": found.ruler.seed,
        "layout": found.pairing.layout.name,
        "rules": {"missing": found.rules.missing, "empty": found.rules.empty, "failed": found.rules.failed},
        "rule": found.rule,
        "methods": [
            {"name": method, "scores": found.scores[method], "intervals": found.intervals[method],
             "places": {f"{one.metric} {one.rule}": one.places for one in found.aggregates[method]},
             "notes": {f"{one.metric} {one.rule}": one.note for one in found.aggregates[method] if one.note}}
            for method in found.methods
        ],
        "places": [
            {"name": one.place, "method": one.method, "status": one.status, "counted": found.counted_as(one),
             "note": one.note, "scores": one.scores, "counts": one.counts, "errors": one.errors, "crs": one.crs}
            for one in found.outcomes
        ],
        "left_out": found.left_out,
        "comparison": comparison_rows(found),
        "ranking": None if ranking is None else ranking.as_dict(),
    }  # fmt: skip


def _with_interval(value: ScoreValue, interval: Any) -> str:
    span = "" if interval is None else f" [{number(interval[0], 3)}, {number(interval[1], 3)}]"
    return f"{number(value)}{span}" if value is not None else "undefined"


def _latex_cell(value: ScoreValue, interval: Any) -> str:
    if value is None:
        return "--"
    span = "" if interval is None else rf" {{\small [{number(interval[0], 3)}, {number(interval[1], 3)}]}}"
    return f"{number(value)}{span}"


def _markdown(text: str) -> str:
    """Text that is no markup of a Markdown table."""
    plain = " ".join(clean_text(text).split())
    for sign in ("\\", "|", "`", "*", "_", "<", ">", "[", "]", "#"):
        plain = plain.replace(sign, f"\\{sign}")
    return plain
