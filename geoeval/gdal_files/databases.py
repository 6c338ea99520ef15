"""Databases as files (GeoPackage, SQLite): their author can write queries into them that run when they are read."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from geoeval.crs_definitions import named_file
from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.trust import HOW_TO_ALLOW, follows_links

# Parts of GeoPackage and SQLite that are tables of the same file.
_INNER_MODULES = ("rtree", "fts3", "fts4", "fts5", "rtree_i32")
# Tables that are asked for what the database holds, whichever layer is wanted.
_CATALOGUE = ("spatial_ref_sys", "geometry_columns", "views_geometry_columns", "virts_geometry_columns")
# Those that define the CRSs.
_DEFINITIONS = ("gpkg_spatial_ref_sys", "spatial_ref_sys")
_COMPUTED = (2, 3)  # what PRAGMA table_xinfo calls a column that is computed


def views_in(path: Path) -> dict[str, str]:
    """Layers of a database that are queries or come from elsewhere, by name; none where links are followed.

    Raises
    ------
    LinkedFileError
        The list of layers itself is a query.
    UnreadableInputError
        It is a database, but a damaged one.
    """
    if follows_links() or not path.is_file():
        return {}
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\x00":
            return {}
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            found = dict(_queries(database))
            _check_definitions(path, database, found)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # what cannot be looked through is not opened
        reason = " ".join(str(error).split())[:200]
        raise UnreadableInputError(f"{path} cannot be read ({reason}); check that the file is complete") from error
    for name, what in found.items():
        if name.lower().startswith("gpkg_") or name.lower() in _CATALOGUE:
            raise refuse_view(path, name, what)
    return found


def _check_definitions(path: Path, database: sqlite3.Connection, queries: dict[str, str]) -> None:
    """Raise ``LinkedFileError`` where a CRS of the database names a file in some folder."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in sorted(tables):
        if table.lower() in _DEFINITIONS and table not in queries:
            for row in database.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - one of ours
                for text in row:
                    named = named_file(text) if isinstance(text, str) else None
                    if named is not None:
                        msg = f"{path} names its CRS by a file ({named[:80]!r}), which leads elsewhere; {HOW_TO_ALLOW}"
                        raise LinkedFileError(msg)


def refuse_view(path: Path, name: str, what: str) -> LinkedFileError:
    """The error for a layer that is a query."""
    return LinkedFileError(f"{path}: layer {name[:80]!r} {what}, which runs what its author wrote; {HOW_TO_ALLOW}")


def _queries(database: sqlite3.Connection) -> Any:
    database.text_factory = lambda text: text.decode(errors="replace")
    for kind, name, sql in database.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        words = " ".join(str(sql or "").lower().split())
        if kind == "view":
            yield str(name), "is a query (a view)"
        elif words.startswith("create virtual table"):
            if not any(f"using {one}" in words for one in _INNER_MODULES):
                yield str(name), "is a virtual table"
        elif kind == "table" and " as" in words:
            columns = database.execute("SELECT hidden FROM pragma_table_xinfo(?)", (str(name),))
            if any(hidden in _COMPUTED for (hidden,) in columns):
                yield str(name), "has computed columns"
