"""What the file of a run may hold besides rows: nothing that acts when it is read or judged.

A GeoPackage is a database whose author can write triggers, views, computed columns, checks, and indexes over
expressions, which SQLite runs when a verdict is kept. GeoPackage has triggers of its own, on the tables of layers: they
keep spatial indexes and numbers of features. A run has no others. The QGIS plugin has a copy of this module.
"""

import re
import sqlite3
from typing import Any

# The tables that geoeval makes itself, and in which a review reads and writes.
TABLES = ("errors", "verdicts", "shares", "run")
# What SQL consists of: texts and comments, which say nothing; names in quotes; words; signs.
_TOKENS = re.compile(
    r"""(?:'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\s+)+|("(?:[^"]|"")*"|\[[^\]]*\]|`(?:[^`]|``)*`)|(\w+)|(.)""", re.DOTALL
)
# Words with which a table or an index does more than keep what it is given.
_ACTING = {"as", "check", "collate", "conflict", "where"}
# What may stand before a bracket in a trigger that keeps an index or a number.
_BEFORE_BRACKET = {"st_minx", "st_maxx", "st_miny", "st_maxy", "st_isempty", "lower", "raise", "values", "in", "and",
                   "not", "when", "where"}  # fmt: skip
_NUMBERS_OF_FEATURES = "gpkg_ogr_contents"


def what_acts_in(database: sqlite3.Connection) -> str:
    """What in the file of a run acts, in a few words; an empty text where nothing does. O(length of the schema)."""
    for row in database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall():
        kind, name, table, sql = map(str, row)
        tokens = _tokens(sql)
        own = table.lower() in TABLES
        what = ""
        if kind == "view":
            what = "a view"
        elif kind == "trigger":
            what = "" if _keeps_index(tokens, table) and not own else "a trigger"
        elif "virtual" in tokens[:2]:
            what = "" if ("using", "rtree") in _pairs(tokens) and not own else "a virtual table"
        elif "as" in tokens:
            what = "a table with computed columns"
        elif own and (_ACTING & set(tokens) or _has_expression(tokens, kind)):
            what = f"{'an' if kind == 'index' else 'a'} {kind} that computes"
        if what:
            return f"{name[:80]!r} is {what}"
    return ""


def refuse_what_acts(database: sqlite3.Connection) -> None:
    """From now on no trigger and no view does anything, whatever the schema is: SQLite refuses the statement."""
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA foreign_keys = OFF")
    database.set_authorizer(_authorize)


def _authorize(_action: int, _first: Any, _second: Any, _database: Any, by: Any) -> int:
    return sqlite3.SQLITE_OK if by is None else sqlite3.SQLITE_DENY


def _tokens(sql: str) -> list[str]:
    """Words in lower case, names in quotes as they are, and signs."""
    found = (match for match in _TOKENS.finditer(sql) if match.lastindex)
    return [match[0] if match[1] else match[0].lower() for match in found]


def _pairs(tokens: list[str]) -> set[tuple[str, str]]:
    return {(word, tokens[number + 1]) for number, word in enumerate(tokens[:-1])}


def _is_name(token: str) -> bool:
    return token[0] in '"[`' or token[0].isalnum() or token[0] == "_"


def _has_expression(tokens: list[str], kind: str) -> bool:
    """Whether an index is over more than columns, or a value that is not given is computed."""
    if kind == "index":
        return tokens.count("(") > 1
    return ("default", "(") in _pairs(tokens)


def _keeps_index(tokens: list[str], table: str) -> bool:
    """Whether a trigger keeps the spatial index of its table, or the number of its features, and does nothing else."""
    if "begin" not in tokens:
        return False
    start = tokens.index("begin")
    for number, word in enumerate(tokens[:-1]):
        after = tokens[number + 1]
        if after == "(" and _is_name(word) and word not in _BEFORE_BRACKET:
            return False
        if word == "select" and after != "raise":
            return False
        target = number > start and (word in {"into", "update"} or (word == "from" and tokens[number - 1] == "delete"))
        if target and after.strip('"').lower() != _NUMBERS_OF_FEATURES and not _is_index(after, table):
            return False
    return True


def _is_index(name: str, table: str) -> bool:
    return name.strip('"').lower().startswith(f"rtree_{table.replace(chr(34), chr(34) * 2)}_".lower())
