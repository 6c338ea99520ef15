"""The tables of a run's file: what a review reads, and the verdicts that it writes.

Each change is one transaction of SQLite, so several programs can work on one file: the last verdict on an error stays.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.exceptions import LinkedFileError, OutputError, UnreadableInputError
from geoeval.metrics.registry import registry_of
from geoeval.model.result_form import wrong_part
from geoeval.reviewing.run_schema import TABLES, refuse_what_acts, what_acts_in
from geoeval.reviewing.verdicts import COLUMNS, Verdict
from geoeval.stored_json import parse_json
from geoeval.trust import no_such_file

if TYPE_CHECKING:
    import pandas as pd

FORMAT = 1
# Seconds to wait for another program that writes.
_PATIENCE = 10.0
# What SQLite says of a damaged file may quote it.
_UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
# By table the columns that a review needs.
_WANTED = {
    "errors": {"fid", "number", "error_id", "layer", "row", "kind", "metric", "ref_id", "pred_id", "note", "length_m",
               "dist_m", "severity", "confidence", "gain", "class", "x", "y", "xmin", "ymin", "xmax", "ymax"},
    "verdicts": {"fid", *COLUMNS},
    "shares": {"error_id", "metric", "count", "amount"},
    "run": {"name", "value"},
}  # fmt: skip
_HINT = "give a run that geoeval wrote (RUN.gpkg)"


class RunDatabase:
    """A run's file.

    Parameters
    ----------
    path
        The GeoPackage.

    Raises
    ------
    UnreadableInputError
        It is missing, or no file of a run.
    LinkedFileError
        It holds triggers, views or the like, which would act when it is read or judged.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise UnreadableInputError(f"{self.path} is a folder; {_HINT}")
        if not self.path.is_file():
            raise no_such_file(self.path, _HINT, what="does not exist")
        with self._reading() as database:
            there = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            lacking = [name for name in TABLES if name not in there]
            if lacking:
                raise UnreadableInputError(f"{self.path} has no table {lacking[0]!r}, so it is no run; {_HINT}")
            acting = what_acts_in(database)
            if acting:
                what = "which does what its author wrote when an error is judged"
                raise LinkedFileError(f"{self.path}: {acting}, {what}; {_HINT}, as it was written")
            for table, wanted in _WANTED.items():
                columns = {row[0] for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
                lacking = sorted(wanted - columns)
                if lacking:
                    raise UnreadableInputError(f"{self.path}: {table!r} has no column {lacking[0]!r}; {_HINT}")
            facts = {str(name): str(value) for name, value in database.execute("SELECT name, value FROM run")}
        if facts.get("format") != str(FORMAT):
            raise UnreadableInputError(
                f"{self.path} is a run of format {facts.get('format', '')[:20]!r}, and this geoeval knows {FORMAT}; "
                "update geoeval or evaluate again"
            )
        # The errors that were left out when the scores as judged were last measured, and what came out.
        self.measured: tuple[frozenset[str], Any] | None = None
        self.kind, self.crs, self.unit = (facts.get(name, "") for name in ("kind", "crs", "unit"))
        self.record: dict[str, Any] = self._json(facts, "record")
        self.not_judged: dict[str, str] = self._json(facts, "not_judged")
        self.still_counted: dict[str, dict[str, str]] = self._json(facts, "still_counted")
        texts = [self.not_judged, *self.still_counted.values()]
        if not all(isinstance(one, dict) and all(isinstance(why, str) for why in one.values()) for one in texts):
            raise UnreadableInputError(f"{self.path}: what is not judged in this run is damaged; {_HINT}")
        wrong = wrong_part(self.record, needed=("scores", "counts", "parameters"))
        if wrong:
            raise UnreadableInputError(f"{self.path}: {wrong!r} in the record of the run is damaged; {_HINT}")

    def errors(self) -> "pd.DataFrame":
        """The list of errors, in the order of the review."""
        import pandas as pd

        with self._reading() as database:
            return pd.read_sql_query("SELECT * FROM errors ORDER BY number", database).drop(columns="fid")

    def error(self, error_id: str) -> dict[str, Any] | None:
        """The row of one error; ``None`` where there is none of this id."""
        rows = self.rows("SELECT * FROM errors WHERE error_id = ?", error_id)
        return rows[0] if rows else None

    def verdicts(self) -> dict[str, Verdict]:
        """All verdicts by id, in the order in which they were given first."""
        names = ", ".join(COLUMNS)
        rows = self.rows(f"SELECT {names} FROM verdicts ORDER BY fid")  # noqa: S608 - names are ours
        return {str(row["error_id"]): _verdict(row) for row in rows}

    def verdict(self, error_id: str) -> Verdict | None:
        """The verdict on one error."""
        names = ", ".join(COLUMNS)
        rows = self.rows(f"SELECT {names} FROM verdicts WHERE error_id = ?", error_id)  # noqa: S608 - names are ours
        return _verdict(rows[0]) if rows else None

    def write(self, verdicts: Iterable[Verdict]) -> None:
        """Keep verdicts, each in place of an earlier one on the same error."""
        names = ", ".join(COLUMNS)
        marks = ", ".join("?" * len(COLUMNS))
        changed = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "error_id")
        with self._writing() as database:
            database.executemany(
                f"INSERT INTO verdicts ({names}) VALUES ({marks}) "  # noqa: S608 - names are ours
                f"ON CONFLICT (error_id) DO UPDATE SET {changed}",
                [one.as_row() for one in verdicts],
            )

    def take_back(self, error_id: str) -> None:
        """Remove the verdict on an error."""
        with self._writing() as database:
            database.execute("DELETE FROM verdicts WHERE error_id = ?", (error_id,))

    def refuse_to_replace(self, path: str | Path) -> None:
        """Raise ``OutputError`` where something else would be written over the run, with its verdicts."""
        if Path(path).exists() and self.path.samefile(path):
            raise OutputError(f"{path} is the run itself, which keeps the verdicts; give another file")

    def rows(self, query: str, *values: Any) -> list[dict[str, Any]]:
        """The rows that a query gives, by column."""
        with self._reading() as database:
            cursor = database.execute(query, values)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns; none where there is no such table."""
        return [str(row["name"]) for row in self.rows("SELECT name FROM pragma_table_info(?)", table)]

    @cached_property
    def listed(self) -> dict[str, int]:
        """How many errors of each kind are listed; the list never changes."""
        rows = self.rows("SELECT kind, count(*) AS n FROM errors GROUP BY kind ORDER BY kind")
        return {str(row["kind"]): int(row["n"]) for row in rows}

    @cached_property
    def parameters(self) -> dict[str, dict[str, Any]]:
        """By metric the parameters of the run; a ``ParameterError`` where a metric has no such parameter or value."""
        registry = registry_of(self.kind)
        given: dict[str, dict[str, Any]] = self.record["parameters"]
        own = {name: values for name, values in given.items() if name in registry.metrics}
        return given | registry.choose_parameters([registry.metrics[name] for name in own], own)

    # ------------------------------------------------------------------ inside

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        refuse_what_acts(database)
        return database

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect()) as database:
                yield database
        except _UNREADABLE as error:
            raise UnreadableInputError(f"{self.path} cannot be read as a run ({error}); {_HINT}") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it or nothing, and nobody else's in between."""
        try:
            with closing(self._connect()) as database:
                database.execute("BEGIN IMMEDIATE")
                try:
                    yield database
                except BaseException:
                    database.execute("ROLLBACK")
                    raise
                database.execute("COMMIT")
        except _UNREADABLE as error:
            raise OutputError(
                f"{self.path}: the verdict cannot be kept ({error}); close other programs that write to it, and check "
                "permissions and free space"
            ) from error

    def _json(self, facts: dict[str, str], name: str) -> dict[str, Any]:
        try:
            value = parse_json(facts.get(name, "{}"))
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise UnreadableInputError(f"{self.path}: {name!r} of the run is damaged; {_HINT}")
        return value


def _verdict(row: dict[str, Any]) -> Verdict:
    """A row as others may have written it: no text where there is none, numbers only where they are numbers."""
    values: dict[str, Any] = {}
    for name, kind in COLUMNS.items():
        value = row[name]
        if kind == "TEXT":
            values[name] = "" if value is None else str(value)
        else:
            values[name] = float(value) if isinstance(value, int | float) else None
    return Verdict(**values)
