"""What is kept of a result: all its scores, and digests of everything else that may not change unseen.

Numbers are rounded to nine digits first, coordinates to the micrometre, so that another processor gives the same.
"""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyproj
import shapely

DIGITS = 9
# What tells of the day, of the machine and of where files were, not of the maps.
PASSING = {"seconds", "versions", "geoeval", "run", "source", "sha256", "file_sha256"}


def kept(result: Any) -> dict[str, Any]:
    """The scores, and by part of the result a digest."""
    parts: dict[str, Any] = {name: value for name, value in result.plain().items() if name not in PASSING}
    parts |= {f"{layer} errors": frame_rows(frame) for layer, frame in result.map_errors().items()}
    parts |= {f"{layer} metrics' errors": frame_rows(frame) for layer, frame in result.errors.items()}
    parts |= {"cells": None if result.cells is None else frame_rows(result.cells), **run_file_rows(result)}
    record = result.plain()["run"]
    parts["call"] = {name: value for name, value in record["call"].items() if name not in {"reference", "prediction"}}
    return {"scores": rounded(parts.pop("scores")), "digests": {name: digest(value) for name, value in parts.items()}}


def environment() -> dict[str, str]:
    """The libraries that decide on the last digits of geometries."""
    return {"numpy": np.__version__, "GEOS": shapely.geos_version_string, "PROJ": pyproj.proj_version_str}


def digest(value: Any) -> str:
    text = json.dumps(rounded(value), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rounded(value: Any) -> Any:
    """Plain values with numbers rounded."""
    if isinstance(value, Mapping):
        return {str(key): rounded(one) for key, one in value.items() if key not in PASSING}
    if isinstance(value, list | tuple):
        return [rounded(one) for one in value]
    if isinstance(value, np.generic):
        return rounded(value.item())
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") + 0.0
    return value


def frame_rows(frame: Any) -> list[Any]:
    """The columns of a GeoDataFrame, and its rows in their order."""
    shapes = shapely.to_wkt(shapely.set_precision(frame.geometry.to_numpy(), 0), rounding_precision=6)
    columns = [name for name in frame.columns if name != frame.geometry.name]
    rows = [list(row) for row in frame[columns].itertuples(index=False)]
    return [columns, str(frame.crs), *([shape, *row] for shape, row in zip(shapes.tolist(), rows, strict=True))]


def run_file_rows(result: Any) -> dict[str, Any]:
    """The tables of the run file, by name; geometries and styles left out, which are compared as errors."""
    if result.kind == "lines" or not result.inputs:
        return {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.gpkg"
        result.write_run(path)
        with sqlite3.connect(path) as base:
            names = [name for (name,) in base.execute("SELECT table_name FROM gpkg_contents ORDER BY table_name")]
            found = {f"run file's {name}": _table_rows(base, name) for name in names}
        base.close()
    return found


def _table_rows(base: sqlite3.Connection, name: str) -> list[Any]:
    columns = [row[1] for row in base.execute(f'PRAGMA table_info("{name}")') if row[2] in {"TEXT", "REAL", "INTEGER"}]
    listed = ", ".join(f'"{column}"' for column in columns)
    rows = base.execute(f'SELECT {listed} FROM "{name}" ORDER BY ROWID').fetchall() if columns else []
    return [columns, *([_parsed(value) for value in row] for row in rows if row[0] not in PASSING)]


def _parsed(value: Any) -> Any:
    """A value, which may be an object written as JSON."""
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value
