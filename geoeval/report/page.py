"""Put the report together: one HTML file with everything in it."""

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval._version import __version__
from geoeval.crs import crs_name, is_local
from geoeval.exceptions import MissingExtraError
from geoeval.model.result import Result, Score, amount, versions
from geoeval.registry import Metric, registry_of
from geoeval.writers.aside import new_file
from geoeval.writers.styles import BLUE, GREEN, VERMILLION

if TYPE_CHECKING:
    import geopandas as gpd

    from geoeval.report.figures import MapLayer
    from geoeval.roads.plan import Plan

_EDITS_SHOWN = 50


def write_report(
    result: Result,
    path: str | Path,
    *,
    grid: "gpd.GeoDataFrame | None" = None,
    plan: "Plan | None" = None,
    overwrite: bool = False,
) -> None:
    """Write the report of an evaluation as one HTML file that opens offline.

    Parameters
    ----------
    result
        What to report.
    path
        The file; must not exist.
    grid
        Local scores, as ``score_grid`` gives them: a layer of the map and a plot.
    plan
        What to fix first: its best rows.
    overwrite
        Replace an existing file.

    Raises
    ------
    MissingExtraError
        bokeh is not installed.
    OutputError
        The file exists or cannot be written.
    """
    with new_file(path, overwrite=overwrite) as file:
        file.write_text(render(result, grid=grid, plan=plan), encoding="utf-8")


def render(result: Result, *, grid: "gpd.GeoDataFrame | None" = None, plan: "Plan | None" = None) -> str:
    """The page as text. All text that comes from data is escaped."""
    try:
        from bokeh.embed import json_item
        from bokeh.resources import Resources
    except ImportError as error:
        raise MissingExtraError('a report needs bokeh; pip install "geoeval[report]"') from error
    from geoeval.report.figures import draw_map

    metrics = registry_of(result.kind).metrics
    plot, layers = draw_map(result, grid)
    plots = [one for one in _plots(result, grid) if one is not None]
    items = {name: json_item(one) for name, one in [("map", plot), *((f"plot-{i}", p) for i, p in enumerate(plots))]}
    template = Template((files("geoeval.report") / "template.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(f"{Path(result.prediction['source']).name} against {Path(result.reference['source']).name}"),
        subtitle=_subtitle(result),
        tiles="".join(_tile(name, scores, metrics) for name, scores in result.scores.items()),
        layers="".join(_switch(layer) for layer in layers),
        can_have_tiles="" if not is_local(result.crs) else "hidden",
        scores="".join(_score_rows(name, scores, result) for name, scores in result.scores.items()),
        notes="".join(f"<li><b>{escape(name)}</b>: {escape(text)}</li>" for name, text in result.notes.items()),
        errors="".join(
            f"<tr><td>{escape(kind)}</td><td>{entry['count']:,}</td><td>{entry['length_m']:,.0f}</td></tr>"
            for kind, entry in result.error_summary().items()
        ),
        plots="".join(f'<figure id="plot-{i}"></figure>' for i in range(len(plots))),
        plan=_plan_section(plan),
        provenance=_provenance(result),
        version=__version__,
        bokeh=Resources(mode="inline", components=["bokeh"]).render_js(),
        items=_script_json(items),
    )


def _script_json(value: Any) -> str:
    """JSON that can stand inside a script element: no text in it can end the element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _number(value: Score) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, int) or (float(value).is_integer() and abs(value) >= 10):
        return f"{int(value):,}"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"


def _tile(name: str, scores: dict[str, Score], metrics: dict[str, Metric]) -> str:
    headline = metrics[name].headline if name in metrics else next(iter(scores))
    value = scores[headline]
    meter = "" if value is None or not 0 <= value <= 1 else f'<meter min="0" max="1" value="{value:.6f}"></meter>'
    return (
        f'<div class="tile"><span class="metric">{escape(name)}</span>'
        f'<span class="value">{_number(value)}</span><span class="score">{escape(headline)}</span>{meter}</div>'
    )


def _switch(layer: "MapLayer") -> str:
    checked = " checked" if layer.shown else ""
    return (
        f'<label title="{escape(layer.about)}"><input type="checkbox" data-layer="{escape(layer.name)}"{checked}>'
        f'<span class="swatch" style="background:{layer.colour}"></span>{escape(layer.label)}'
        f'<span class="count">{layer.count:,}</span></label>'
    )


def _score_rows(name: str, scores: dict[str, Score], result: Result) -> str:
    metric = registry_of(result.kind).metrics.get(name)
    headline = None if metric is None else metric.headline
    about = "" if metric is None else metric.about
    values = " ".join(
        f'<span class="pair{" headline" if score == headline else ""}">{escape(score)} <b>{_number(value)}</b></span>'
        for score, value in scores.items()
    )
    parameters = ", ".join(f"{key} = {_short(value)}" for key, value in result.parameters.get(name, {}).items())
    return (
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(about)}</td><td>{values}</td>'
        f'<td class="parameters">{escape(parameters)}</td></tr>'
    )


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}…"


def _subtitle(result: Result) -> str:
    parts = [f"{role}: {amount(getattr(result, role))}" for role in ("reference", "prediction")]
    parts.append(crs_name(result.crs))
    if result.scale_error is not None:
        parts.append(f"lengths within {100 * result.scale_error:.3f} % of the ground")
    return escape(" · ".join(parts))


def _plots(result: Result, grid: "gpd.GeoDataFrame | None") -> list[Any]:
    from geoeval.report.figures import histogram

    plots = []
    if grid is not None and len(grid):
        plots += [
            histogram(grid[score].to_numpy(dtype=np.float64), title=f"{score} by grid cell", label=score, colour=GREEN,
                      limits=(0.0, 1.0))
            for score in ("opt-j.f1", "ccq.quality", "max-overlap.f1", "iou.f1")
            if score in grid
        ]  # fmt: skip
    paths = result.details.get("tlts", {})
    if "reference_length" in paths and len(paths["reference_length"]):
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = np.asarray(paths["prediction_length"]) / np.asarray(paths["reference_length"])
        plots.append(histogram(ratio, title="Shortest paths: predicted length to true length", label="ratio",
                               colour=BLUE, limits=(0.5, 1.5)))  # fmt: skip
    shapes = result.details.get("max-overlap", {}).get("shapes", {})
    for name, label in (("iou", "IoU"), ("mallows", "Mallows score")):
        if name in shapes:
            plots.append(histogram(shapes[name], title=f"{label} of the matches", label=label, colour=BLUE,
                                   limits=(0.0, 1.0)))  # fmt: skip
    lines = result.map_errors()["lines"]
    for kind, colour in (("missing", BLUE), ("spurious", VERMILLION)):
        lengths = lines.loc[lines["kind"] == kind, "length_m"].to_numpy(dtype=np.float64)
        plots.append(histogram(lengths, title=f"Lengths of what is {kind}", label="metres", colour=colour))
    return plots


def _plan_section(plan: "Plan | None") -> str:
    if plan is None or len(plan.edits) == 0:
        return ""
    summary = plan.summary()
    hours = summary["effort_s"] / 3600
    shown: list[Any] = list(plan.edits.head(_EDITS_SHOWN).itertuples())
    rows = "".join(
        f"<tr><td>{row.rank}</td><td>{escape(row.action)}</td><td>{escape(row.kind)}</td><td>{row.gain:.5f}</td>"
        f"<td>{row.effort_s:.0f}</td><td>{'' if not np.isfinite(row.length_m) else f'{row.length_m:,.0f}'}</td>"
        f"<td>{escape(str(row.ref_id))}</td><td>{escape(str(row.pred_id))}</td><td>{escape(row.note)}</td></tr>"
        for row in shown
    )
    more = len(plan.edits) - _EDITS_SHOWN
    rest = f"<p>and {more:,} more, in plan.csv</p>" if more > 0 else ""
    return (
        '<section aria-labelledby="fix"><h2 id="fix">What to fix first</h2>'
        f"<p>{summary['edits']:,} edits of about {hours:,.1f} hours lie between this map and a perfect one. "
        f"The gain is in the mean of {escape(', '.join(summary['scores']) or 'no score')}, "
        "if that edit alone is made.</p>"
        '<div class="wide"><table><thead><tr><th>rank</th><th>edit</th><th>error</th><th>gain</th><th>seconds</th>'
        "<th>metres</th><th>reference id</th><th>prediction id</th><th>note</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>{rest}</section>"
    )


def _provenance(result: Result) -> str:
    facts: list[tuple[str, Any]] = [("geoeval", __version__), ("seed", result.seed), ("CRS", crs_name(result.crs))]
    for role in ("reference", "prediction"):
        given = getattr(result, role)
        problems = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in given.get("problems", {}).items())
        facts += [(role, given["source"]), (f"{role}, SHA-256", given.get("sha256", ""))]
        facts += [(f"{role}, found", problems)] if problems else []
    facts += [("versions", ", ".join(f"{name} {number}" for name, number in versions().items()))]
    facts += [("seconds", ", ".join(f"{name} {value:.2f}" for name, value in result.seconds.items()))]
    return "".join(f"<dt>{escape(str(name))}</dt><dd>{escape(str(value))}</dd>" for name, value in facts)
