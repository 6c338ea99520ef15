"""The result file of a run: one GeoPackage with errors, verdicts, scores and layers. No QGIS here.

Its tables are described in docs/review.md of geoeval. It is read and judged with SQLite alone, so that a list of
100,000 errors is there at once and a verdict is safe on the disk when the next error is shown.
"""

import contextlib
import json
import sqlite3
from pathlib import Path
from typing import NamedTuple

from .run_schema import refuse_what_acts, what_acts_in

FORMAT = "1"
# Seconds to wait while another program writes.
PATIENCE = 10.0
GEOMETRIES = {"POINT": "points", "LINESTRING": "lines", "POLYGON": "polygons"}
# Layers that are no errors, in their order in the legend, below the errors.
OTHERS = ("plan", "area", "grid", "prediction", "reference")


class RunFileError(Exception):
    """A file that is no result of a run; the message is for the user."""


class RunLayer(NamedTuple):
    """A layer of a result file: its table, the kind of error or what else it is, its geometry, number of features."""

    table: str
    role: str
    geometry: str
    count: int

    def uri(self, path):
        """What QGIS opens it with."""
        return f"{path}|layername={self.table}"


@contextlib.contextmanager
def opened(path, *, writing=False):
    """A connection that is closed at the end; writing is one transaction."""
    if not Path(path).is_file():
        raise RunFileError(f"{path} is not there any more")
    mode = "rw" if writing else "ro"
    try:
        connection = sqlite3.connect(
            f"{Path(path).resolve().as_uri()}?mode={mode}", uri=True, timeout=PATIENCE, isolation_level=None
        )
    except sqlite3.Error as error:
        raise RunFileError(f"{path} cannot be opened: {error}") from None
    try:
        acting = what_acts_in(connection)
        if acting:
            raise RunFileError(f"{path}: {acting}, which does what its author wrote; open the file as geoeval wrote it")
        refuse_what_acts(connection)
        if writing:
            connection.execute("BEGIN IMMEDIATE")
        yield connection
        if writing:
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        if "not a database" in str(error):
            raise RunFileError(f"{path} is not a result file of geoeval") from None
        raise RunFileError(f"{path} cannot be {'written' if writing else 'read'}: {error}") from None
    finally:
        connection.close()


def facts(path):
    """The rows of the table ``run`` by name; raises RunFileError for a file that is no result of a run."""
    with opened(path) as connection:
        try:
            found = dict(connection.execute("SELECT name, value FROM run"))
        except sqlite3.Error:
            raise RunFileError(f"{path} is not a result file of geoeval") from None
    if found.get("format") != FORMAT:
        raise RunFileError(f"{path} was written by another version of geoeval; evaluate again")
    return found


def record(path):
    """The JSON of the run, as ``geoeval roads --json`` writes it; raises RunFileError."""
    try:
        found = json.loads(facts(path)["record"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise RunFileError(f"{path} has no record of its run; evaluate again") from None
    if not _is_record(found):
        raise RunFileError(f"{path}: the record of its run is damaged; evaluate again")
    return found


def _is_record(found):
    """Whether what is shown of a record has the form in which it is written."""
    if not isinstance(found, dict) or found.get("kind") not in ("roads", "objects", "lines"):
        return False
    scores, area = found.get("scores"), found.get("area") or {}
    sides = [found.get(side) for side in ("reference", "prediction")]
    parts = [scores, area, found.get("seconds") or {}, *sides]
    if not all(isinstance(part, dict) for part in parts) or not all(isinstance(own, dict) for own in scores.values()):
        return False
    numbers = [side.get("length_m") for side in sides] + [value for own in scores.values() for value in own.values()]
    texts = [area.get(name) for name in ("words", "how")]
    return all(one is None or isinstance(one, (int, float)) for one in numbers) and all(
        one is None or isinstance(one, str) for one in texts
    )


def unit(path):
    """What lengths are in: m, or px or units of a drawing that has no place."""
    return facts(path).get("unit") or "m"


def columns(path, table):
    """The names of a table's columns; none where there is no such table."""
    with opened(path) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def layers(path):
    """The layers that have features, errors first."""
    with opened(path) as connection:
        kinds = dict(connection.execute("SELECT layer, kind FROM errors GROUP BY layer"))
        shapes = connection.execute("SELECT table_name, geometry_type_name FROM gpkg_geometry_columns").fetchall()
        found = []
        for table, shape in shapes:
            role = kinds.get(table) or (table if table in OTHERS else _kind_in(connection, table))
            count_of = f"SELECT count(*) FROM {quoted(table)}"  # noqa: S608  # nosec B608
            (count,) = connection.execute(count_of).fetchone()
            geometry = GEOMETRIES.get(shape.upper().replace("MULTI", ""), "lines")
            if count:
                found.append(RunLayer(table, role, geometry, count))
    return found


def _kind_in(connection, table):
    """The kind of what a layer shows that is not in the list of errors, such as what is matched."""
    first = None
    with contextlib.suppress(sqlite3.Error):
        kind_of = f"SELECT kind FROM {quoted(table)} LIMIT 1"  # noqa: S608  # nosec B608
        first = connection.execute(kind_of).fetchone()
    return first[0] if first else table


def quoted(name):
    """A name of a table as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'
