"""Everything of a run in one GeoPackage: error layers, list, plan, scores, both maps, and room for verdicts.

``docs/review.md`` describes the tables; QGIS, the review's page and Python read and write the same file. The same run
gives the same bytes.
"""

import json
import sqlite3
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.contents import SIDES
from geoeval.crs import crs_name
from geoeval.exceptions import GeoevalWarning, OutputError, UnreadableInputError
from geoeval.files import check_output, keeps_inputs, new_file
from geoeval.model.error_ids import with_ids
from geoeval.model.result import Result
from geoeval.reviewing.carrying import carried_verdicts
from geoeval.reviewing.error_list import error_list
from geoeval.reviewing.run_database import FORMAT, RunDatabase
from geoeval.reviewing.shares import shares_of
from geoeval.reviewing.verdicts import COLUMNS as VERDICT_COLUMNS
from geoeval.reviewing.verdicts import Verdict
from geoeval.writers.drafts import GEOMETRIES, Draft, area_draft, error_drafts, grid_draft, prepared
from geoeval.writers.gdal import FIXED_DATE, write_rows
from geoeval.writers.grids import CELL_SIZE, grid_to_write
from geoeval.writers.labels import labels_of
from geoeval.writers.layers import embed_styles, plan_table
from geoeval.writers.styles import input_style, plan_style

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd

# Of the two maps: colours that both are told apart by, and from the errors.
_INPUT_COLOURS = {"reference": "#4D4D4D", "prediction": "#0072B2"}
# What is kept of them: ids, what lines look like, and for roads the nodes at which lines join and where they were cut.
_KEPT = ("source_id", "ge_from", "ge_to", "ge_cut", "id", "width", "style")
_TITLES = {
    "area": "Evaluated area with all scores", "grid": "Local scores", "plan": "What to fix first, in order",
    "reference": "The reference as it was compared", "prediction": "The prediction as it was compared",
    "errors": "All errors, in the order of the review", "verdicts": "What was judged",
    "shares": "How much each error stands in the counts", "run": "Facts of the run",
}  # fmt: skip


@keeps_inputs
def write_run(
    result: Result,
    path: str | Path,
    *,
    grid: "gpd.GeoDataFrame | float | None" = CELL_SIZE,
    overwrite: bool = False,
) -> list[dict[str, Any]]:
    """Write everything of a run into one GeoPackage, which can be reviewed.

    Parameters
    ----------
    result
        What to write. Where it holds its two maps, they are written too. No errors give the standard layers, empty.
    path
        The file, ``.gpkg``.
    grid
        Size of the grid's cells in metres; or the cells themselves; ``None`` for no grid.
    overwrite
        Replace an existing file. Where it is an earlier run, its verdicts are carried over.

    Returns
    -------
    list of dict
        The layers with geometry: ``role``, ``layer``, ``geometry`` and ``count``.

    Raises
    ------
    OutputError
        The file exists, is not called ``.gpkg``, or cannot be written.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate, review
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate(reference, prediction, metrics="ccq,opt-j", aoi="all")
    >>> layers = result.write_run("run.gpkg", overwrite=True)
    >>> review("run.gpkg").errors["kind"].tolist()
    ['missing']
    """
    final = check_run_file(path, overwrite=overwrite)
    judged = _verdicts_in(final, result.kind)
    result = with_ids(result)
    cells = grid_to_write(result, grid)
    errors = list(error_drafts(result))
    listed = error_list(result, errors)
    maps = [_input_draft(result, side) for side in SIDES if side in result.inputs]
    drafts = [*errors, *_plan_draft(result), area_draft(result)]
    drafts += [*([] if cells is None else [grid_draft(cells, result)]), *maps]
    with new_file(final, overwrite=overwrite) as unfinished:
        lost = [line for draft in drafts for line in _write_layer(draft, unfinished)]
        embed_styles(unfinished, drafts)
        try:
            with closing(sqlite3.connect(unfinished)) as database, database:
                _write_tables(database, result, listed)
                _write_labels(database, drafts)
        except sqlite3.Error as error:
            raise OutputError(f"{final} cannot be written ({error}); check the space there") from error
        if judged:
            RunDatabase(unfinished).write(carried_verdicts(judged, listed, crs_name(result.crs)))
    for line in dict.fromkeys(lost):
        warnings.warn(f"{final.name}: {line}", GeoevalWarning, stacklevel=2)
    return [
        {"role": draft.role, "layer": draft.name, "geometry": draft.geometry, "count": len(draft.frame)}
        for draft in drafts
    ]


def check_run_file(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of a run's file that can be written, or an ``OutputError``; ask before the work."""
    return check_output(path, "runs", overwrite=overwrite)


def _verdicts_in(path: Path, kind: str) -> list[Verdict]:
    """The verdicts of a run of this kind that is about to be replaced; none where there is no such run."""
    try:
        earlier = RunDatabase(path)
    except UnreadableInputError:
        return []
    return list(earlier.verdicts().values()) if earlier.kind == kind else []


def _plan_draft(result: Result) -> list[Draft]:
    """The edits as points in their order, where there is a plan; the rest has no place."""
    import geopandas as gpd

    table = plan_table(result).get("plan")
    if table is None:
        return []
    xy = table[["x", "y"]].to_numpy(dtype=np.float64)
    known = np.isfinite(xy).all(axis=1)
    places = np.full(len(table), None, dtype=object)
    places[known] = shapely.points(xy[known])
    frame, _ = prepared(gpd.GeoDataFrame(table.drop(columns=["x", "y"]), geometry=places, crs=result.crs), result)
    return [Draft("plan", "plan", "points", frame, plan_style(aliases=labels_of(frame.columns)))]


def _input_draft(result: Result, side: str) -> Draft:
    frame = result.inputs[side].to_geodataframe()
    geometry = "polygons" if result.kind == "objects" else "lines"
    kept = frame[[name for name in _KEPT if name in frame] + [frame.geometry.name]]
    if "source_id" in kept:
        kept = kept.assign(source_id=[str(value) for value in kept["source_id"]])
    rows, _ = prepared(kept, result)
    return Draft(side, side, geometry, rows, input_style(_INPUT_COLOURS[side], geometry))


def _write_layer(draft: Draft, path: Path) -> tuple[str, ...]:
    title = _TITLES.get(draft.role, draft.name)
    return write_rows(
        draft.frame, path, "gpkg", geometry=GEOMETRIES[draft.geometry], layer=draft.name,
        layer_options={"DESCRIPTION": title},
    )  # fmt: skip


def _write_tables(database: sqlite3.Connection, result: Result, listed: "pd.DataFrame") -> None:
    """The tables without geometry."""
    shares = shares_of(result)
    types = {str(name): {"f": "REAL", "i": "INTEGER"}.get(listed[name].dtype.kind, "TEXT") for name in listed}
    plain = listed.astype(object).where(listed.notna(), None)
    _table(database, "errors", types, plain.itertuples(index=False, name=None), unique="error_id")
    _table(database, "verdicts", VERDICT_COLUMNS, (), unique="error_id")
    columns = {"error_id": "TEXT", "metric": "TEXT", "count": "TEXT", "amount": "REAL"}
    _table(database, "shares", columns, shares.rows)
    facts = {
        "format": str(FORMAT),
        "kind": result.kind,
        "crs": crs_name(result.crs),
        "unit": result.unit,
        "record": result.to_json(),
        "not_judged": json.dumps(shares.not_judged, ensure_ascii=False),
        "still_counted": json.dumps(shares.still_counted, ensure_ascii=False),
    }
    _table(database, "run", {"name": "TEXT", "value": "TEXT"}, facts.items(), unique="name")
    database.execute("CREATE INDEX shares_of_error ON shares (error_id)")


def _table(
    database: sqlite3.Connection, name: str, columns: Mapping[str, str], rows: Iterable[Sequence[Any]],
    *, unique: str | None = None,
) -> None:  # fmt: skip
    """One table without geometry that other programs see too."""
    fields = ", ".join(
        f'"{column}" {kind}{" NOT NULL UNIQUE" if column == unique else ""}' for column, kind in columns.items()
    )
    database.execute(f'CREATE TABLE "{name}" (fid INTEGER PRIMARY KEY AUTOINCREMENT, {fields})')
    names, marks = ", ".join(f'"{column}"' for column in columns), ", ".join("?" * len(columns))
    database.executemany(f'INSERT INTO "{name}" ({names}) VALUES ({marks})', rows)  # noqa: S608 - names are ours
    database.execute(
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, last_change, srs_id) "
        "VALUES (?, 'attributes', ?, ?, ?, 0)",
        (name, name, _TITLES[name], f"{FIXED_DATE}T00:00:00.000Z"),
    )


def _write_labels(database: sqlite3.Connection, drafts: Sequence[Draft]) -> None:
    """Readable names of all columns, as the schema extension of GeoPackage keeps them."""
    database.execute(
        "CREATE TABLE gpkg_data_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, "
        "description TEXT, mime_type TEXT, constraint_name TEXT, PRIMARY KEY (table_name, column_name), "
        "UNIQUE (table_name, name))"
    )
    for table in ("gpkg_data_columns", "gpkg_data_column_constraints"):
        database.execute(
            "INSERT INTO gpkg_extensions (table_name, column_name, extension_name, definition, scope) VALUES "
            "(?, NULL, 'gpkg_schema', 'http://www.geopackage.org/spec120/#extension_schema', 'read-write')",
            (table,),
        )
    database.execute(
        "CREATE TABLE gpkg_data_column_constraints (constraint_name TEXT NOT NULL, constraint_type TEXT NOT NULL, "
        "value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC, max_is_inclusive BOOLEAN, description TEXT, "
        "UNIQUE (constraint_name, constraint_type, value))"
    )
    columns = {draft.name: list(draft.frame.columns.drop(draft.frame.geometry.name)) for draft in drafts}
    columns["verdicts"] = list(VERDICT_COLUMNS)
    columns["errors"] = [row[1] for row in database.execute("PRAGMA table_info(errors)")]
    rows = [(table, name, label, label) for table, names in columns.items() for name, label in labels_of(names).items()]
    database.executemany(
        "INSERT INTO gpkg_data_columns (table_name, column_name, name, title) VALUES (?, ?, ?, ?)",
        rows,
    )
