"""What was confirmed, for those who mend the map: MapRoulette tasks, a JOSM file, layers, a table."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import shapely
from pyproj import CRS

from geoeval.contents import SIDES
from geoeval.crs import from_name
from geoeval.exceptions import UnreadableInputError
from geoeval.files import SUFFIXES, check_output
from geoeval.gdal_files.drivers import plain_gdal
from geoeval.model.features import error_frames
from geoeval.model.result import Result
from geoeval.reviewing.run_database import RunDatabase
from geoeval.reviewing.verdicts import ERROR, Verdict
from geoeval.writers.drafts import GEOMETRIES
from geoeval.writers.feature_files import check_frame_file, write_frame
from geoeval.writers.handoff import instruction, write_josm, write_maproulette
from geoeval.writers.osm_links import with_osm_links
from geoeval.writers.tables import write_csv

if TYPE_CHECKING:
    import geopandas as gpd

# MapRoulette tasks, a file for JOSM, shapefiles, a GeoPackage, a table.
EXPORTS = SUFFIXES["confirmed errors"]
_ENDS = {"lines": "", "points": "_points", "polygons": "_polygons"}
_TEXTS = ("kind", "metric", "ref_id", "pred_id", "note", "error_id")
_TABLE = ("number", "error_id", "kind", "remark", "judged_by", "judged_at", "length_m", "dist_m", "severity", "gain",
          "ref_id", "pred_id", "note", "x", "y")  # fmt: skip
# What tells where an error is, and what is told of it.
_PLACED_BY = ("x", "y", "ref_id", "pred_id")
_ON_EARTH = ("lon", "lat", "osm_place", "osm_edit", "osm_object")


def check_export(path: str | Path, *, overwrite: bool = False) -> Path:
    """The path of an export that can be written, or an ``OutputError``; ask before the work."""
    return check_output(path, "confirmed errors", overwrite=overwrite)


def export_confirmed(
    run: RunDatabase, path: str | Path, *, verdict: str = ERROR, overwrite: bool = False
) -> tuple[int, list[Path]]:
    """Write the errors with a verdict, by default those that were confirmed; gives their number and the files.

    The suffix says what is written; see ``EXPORTS``. Layers hold one type of geometry: points and polygons beside lines
    go into files of their own (``confirmed_points.shp``).
    """
    final = check_export(path, overwrite=overwrite)
    run.refuse_to_replace(final)
    chosen = {name: one for name, one in run.verdicts().items() if one.verdict == verdict}
    suffix = final.suffix.lower()
    if suffix == ".csv":
        return _write_table(run, chosen, final, overwrite=overwrite), [final]
    result = _result(run, chosen)
    kinds = [str(kind) for kind in {kind for frame in result.map_errors().values() for kind in frame["kind"]}]
    if suffix == ".geojson":
        return write_maproulette(result, final, kinds=kinds, overwrite=overwrite), [final]
    if suffix == ".osm":
        return write_josm(result, final, kinds=kinds, overwrite=overwrite), [final]
    frames = {name: frame for name, frame in result.map_errors().items() if len(frame)}
    frames = frames or {"lines": result.map_errors()["lines"]}
    first = next(name for name in ("lines", "polygons", "points") if name in frames)
    files = {
        name: final if name == first else final.with_name(f"{final.stem}{_ENDS[name] or '_lines'}{final.suffix}")
        for name in frames
    }
    for file in files.values():
        check_frame_file(file, overwrite=overwrite)
    for name, frame in frames.items():
        write_frame(frame, files[name], geometry=GEOMETRIES[name], overwrite=overwrite)
    return sum(map(len, frames.values())), list(files.values())


def _write_table(run: RunDatabase, chosen: dict[str, Verdict], path: Path, *, overwrite: bool) -> int:
    import pandas as pd

    listed = run.errors()
    listed = listed[listed["error_id"].isin(chosen)]
    # A damaged list may lack columns, and have text where numbers belong.
    listed = listed.reindex(columns=list(dict.fromkeys((*listed, *_PLACED_BY))))
    places = {name: pd.to_numeric(listed[name], errors="coerce") for name in ("x", "y")}
    table = with_osm_links(listed.assign(**places), _empty_result(run))
    rows: list[Any] = table.to_dict("records")
    for row in rows:
        one = chosen[str(row["error_id"])]
        row |= {"remark": one.remark, "judged_by": one.judged_by, "judged_at": one.judged_at}
        row["instruction"] = instruction(str(row["kind"]))
    columns = [*_TABLE, *(_ON_EARTH if "lon" in table else ()), "instruction"]
    write_csv(rows, path, columns=columns, overwrite=overwrite)
    return len(rows)


def _empty_result(run: RunDatabase) -> Result:
    """A result without errors that says where the two maps of a run came from."""
    crs = from_name(run.crs)
    reference, prediction = (run.record.get(side) for side in SIDES)
    return Result(
        kind=run.kind, crs=crs, scale_error=None, seed=0, reference=reference if isinstance(reference, dict) else {},
        prediction=prediction if isinstance(prediction, dict) else {}, parameters={}, scores={}, counts={},
        errors=error_frames([], crs), notes={}, seconds={},
    )  # fmt: skip


def _result(run: RunDatabase, chosen: dict[str, Verdict]) -> Result:
    """A result that holds these errors alone, for those who write results."""
    import pandas as pd

    result = _empty_result(run)
    empty = result.errors
    parts: dict[str, list[gpd.GeoDataFrame]] = {name: [] for name in empty}
    listed = run.errors()
    listed = listed[listed["error_id"].isin(chosen)]
    for layer in listed["layer"].drop_duplicates():
        frame = _layer(run, str(layer), result.crs)
        frame = frame[frame["error_id"].isin(chosen)]
        frame = frame.assign(remark=[chosen[str(name)].remark for name in frame["error_id"]])
        for name, kept in _by_geometry(frame).items():
            parts[name].append(kept)
    decided = {name: pd.concat(frames, ignore_index=True) if frames else empty[name] for name, frames in parts.items()}
    return replace(result, decided=decided)


def _layer(run: RunDatabase, name: str, crs: CRS) -> "gpd.GeoDataFrame":
    """One layer of the run, in the columns of errors."""
    import geopandas as gpd
    import pyogrio

    try:
        with warnings.catch_warnings(), plain_gdal():
            warnings.simplefilter("ignore")
            frame = pyogrio.read_dataframe(Path(run.path).absolute(), layer=name)
    # Errors of pyogrio are RuntimeErrors; text that is no UTF-8 and values that are no numbers are ValueErrors.
    except (RuntimeError, ValueError, shapely.errors.ShapelyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise UnreadableInputError(
            f"{run.path}: the layer {name[:80]!r} cannot be read ({reason}); evaluate again"
        ) from error
    lacking = [column for column in _TEXTS if column not in frame.columns]
    if lacking:
        raise UnreadableInputError(f"{run.path}: the layer {name[:80]!r} has no column {lacking[0]!r}; evaluate again")
    if "geometry" not in frame.columns or (frame.geometry.isna() | frame.geometry.is_empty).any():
        raise UnreadableInputError(f"{run.path}: the layer {name[:80]!r} has errors without a place; evaluate again")
    texts: dict[str, Any] = {
        column: ["" if value is None else str(value) for value in frame[column]] for column in _TEXTS
    }
    if not all(texts["kind"]):
        raise UnreadableInputError(f"{run.path}: the layer {name[:80]!r} has errors without a kind; evaluate again")
    return gpd.GeoDataFrame(frame.assign(**texts).drop(columns="geometry"), geometry=frame.geometry.to_numpy(), crs=crs)


def _by_geometry(frame: "gpd.GeoDataFrame") -> "dict[str, gpd.GeoDataFrame]":
    types = frame.geometry.geom_type
    found = {name: frame[types.str.endswith(end)] for name, end in GEOMETRIES.items()}
    return {name: rows for name, rows in found.items() if len(rows)}
