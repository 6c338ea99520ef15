"""The report: one HTML file with map, scores, errors, plots and what to fix first."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np

from geoeval._version import __version__
from geoeval.crs import is_local
from geoeval.files import check_output, keeps_inputs, new_file
from geoeval.model.error_kinds import BLACK, BLUE, GREEN, error_kind
from geoeval.model.result import Result, amount, name_of, versions
from geoeval.report.comparison import compare_runs
from geoeval.report.histograms import Histogram, histogram
from geoeval.report.map_content import ROLES, error_groups, in_order
from geoeval.report.score_texts import LENGTHS, class_texts, measured_in, metric_texts
from geoeval.report.static_map import static_map
from geoeval.report.templating import check_extra, render_template
from geoeval.writers.grids import CELL_SIZE, grid_to_write, local_scores
from geoeval.writers.osm_links import with_osm_links

if TYPE_CHECKING:
    import geopandas as gpd

    from geoeval.model.plan import Plan

_EDITS_SHOWN = 50


@keeps_inputs
def write_report(
    result: Result,
    path: str | Path,
    *,
    grid: "gpd.GeoDataFrame | float | None" = CELL_SIZE,
    plan: "Plan | None" = None,
    previous: Result | Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> None:
    """Write the report of an evaluation as one HTML file that opens offline.

    Parameters
    ----------
    result
        What to report.
    path
        The file.
    grid
        Local scores as a layer of the map and as plots: size of the cells in metres, the cells as ``score_grid`` gives
        them, or ``None`` for no grid.
    plan
        What to fix first; by default the plan of the result, if it has one.
    previous
        An earlier run to compare with: a result, or what its JSON holds.
    overwrite
        Replace an existing file.

    Raises
    ------
    MissingExtraError
        bokeh or Jinja2 is not installed.
    OutputError
        The file exists or cannot be written.
    ParameterError
        The grid is too fine for the extent, or the earlier run is of another content.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_report
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> write_report(result, "report.html", overwrite=True)
    """
    file = check_output(path, "reports", overwrite=overwrite)
    page = render(result, grid=grid, plan=plan, previous=previous)
    with new_file(file, overwrite=overwrite) as unfinished:
        unfinished.write_text(page, encoding="utf-8")


def render(
    result: Result,
    *,
    grid: "gpd.GeoDataFrame | float | None" = CELL_SIZE,
    plan: "Plan | None" = None,
    previous: Result | Mapping[str, Any] | None = None,
) -> str:
    """The report as text."""
    check_extra()
    from geoeval.report.map_figures import draw_map

    cells = grid_to_write(result, grid)
    drawn = draw_map(result, cells)
    picture, _ = static_map(result, scale_bar=True)
    summary, problems = result.error_summary(), result.reference_problems()
    names = [name_of(getattr(result, role), role) for role in reversed(ROLES)]
    return render_template(
        "report.html",
        figure=drawn.figure,
        chart=drawn.data,
        layers=drawn.layers,
        picture=None if picture is None else ET.tostring(picture, encoding="unicode", method="html"),
        title=" against ".join(names),
        subtitle=_subtitle(result),
        lengths=LENGTHS[result.unit],
        metrics=metric_texts(result),
        classes=class_texts(result),
        on_earth=not is_local(result.crs),
        diagnosis=result.diagnosis,
        notes=result.notes,
        comparison=None if previous is None else compare_runs(result, previous),
        errors=[_error(kind, summary[kind]) for kind in in_order(summary)],
        problems=[_error(kind, problems[kind]) for kind in in_order(problems)],
        has_confidence=any("confidence" in layer.data.get("numbers", {}) for layer in drawn.layers),
        plots=_plots(result, cells),
        plan=_plan(result.plan if plan is None else plan, result),
        provenance=_provenance(result),
        version=__version__,
    )


def _subtitle(result: Result) -> list[str]:
    parts = [f"{role}: {amount(getattr(result, role))}" for role in ROLES]
    parts.append(measured_in(result))
    if result.scale_error is not None:
        parts.append(f"lengths within {100 * result.scale_error:.3f} % of ground lengths")
    return parts


def _error(name: str, entry: Mapping[str, float]) -> dict[str, Any]:
    kind = error_kind(name)
    return {
        "kind": name,
        "label": kind.label,
        "plural": kind.plural,
        "about": kind.about,
        "colour": kind.colour,
        "black": kind.colour == BLACK,
        "count": int(entry["count"]),
        "metres": entry["length_m"],
    }


def _plots(result: Result, grid: "gpd.GeoDataFrame | None") -> list[Histogram]:
    plots: list[Histogram | None] = []
    if grid is not None and len(grid):
        plots += [
            histogram(grid[score].to_numpy(dtype=np.float64), title=f"{score} by grid cell", label=score, colour=GREEN,
                      limits=(0.0, 1.0))
            for score in local_scores(grid, result.kind)
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
    lines = {kind.name: rows for kind, geometry, rows in error_groups(result) if geometry == "lines"}
    for kind in (error_kind(name) for name in ("missing", "spurious", "missed", "false_alarm") if name in lines):
        lengths = lines[kind.name]["length_m"].to_numpy(dtype=np.float64)
        plots.append(
            histogram(lengths, title=f"Lengths: {kind.label.lower()}", label=LENGTHS[result.unit], colour=kind.colour)
        )
    return [plot for plot in plots if plot is not None]


def _plan(plan: "Plan | None", result: Result) -> dict[str, Any] | None:
    if plan is None or len(plan.edits) == 0:
        return None
    summary = plan.summary()
    first: list[Any] = list(with_osm_links(plan.edits.head(_EDITS_SHOWN), result).itertuples())
    edits = [
        {
            "rank": row.rank,
            "action": row.action,
            "error": error_kind(row.kind).label.lower(),
            "gain": row.gain,
            "seconds": row.effort_s,
            "metres": row.length_m if np.isfinite(row.length_m) else None,
            "ref_id": row.ref_id,
            "pred_id": row.pred_id,
            "note": row.note,
            "links": _links(row),
        }
        for row in first
    ]
    return {
        "count": summary["edits"],
        "hours": summary["effort_s"] / 3600,
        "scores": summary["scores"],
        "edits": edits,
        "more": max(len(plan.edits) - _EDITS_SHOWN, 0),
    }


def _links(row: Any) -> list[tuple[str, str]]:
    """Texts and addresses of the pages of OpenStreetMap for an edit; none where it has no place on Earth."""
    if not getattr(row, "osm_place", ""):
        return []
    links = [(f"{row.lat:.5f}, {row.lon:.5f}", row.osm_place), ("edit", row.osm_edit)]
    return [*links, (row.osm_object.split("org/")[1].replace("/", " "), row.osm_object)] if row.osm_object else links


def _provenance(result: Result) -> list[tuple[str, Any]]:
    facts: list[tuple[str, Any]] = [("geoeval", __version__), ("seed", result.seed), ("CRS", measured_in(result))]
    for role in ROLES:
        given = getattr(result, role)
        problems = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in given.get("problems", {}).items())
        facts += [(role, given.get("source", "")), (f"{role}, SHA-256", given.get("sha256", ""))]
        facts += [(f"{role}, problems", problems)] if problems else []
    facts += [("versions", ", ".join(f"{name} {number}" for name, number in versions().items()))]
    return facts
