"""Files of runs whose author wrote more into them than rows: what acts when an error is judged."""

import json
import sqlite3
from contextlib import closing

from tests.fuzz.hostile.row import HOSTILE, Hostile

_BIG = "hex(zeroblob(400000000))"
_VERDICTS = (
    "CREATE TABLE verdicts (fid INTEGER PRIMARY KEY, error_id TEXT NOT NULL UNIQUE, verdict TEXT{verdict}, "
    "remark TEXT, judged_at TEXT, judged_by TEXT, seconds REAL, kind TEXT, ref_id TEXT, pred_id TEXT, length_m REAL, "
    "x REAL, y REAL, crs TEXT, carried TEXT{more})"
)
_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


_WRITTEN = '{"kind": "roads", "scores": {"ccq": {"f1": %s}}, "counts": {}, "parameters": {}}'


def _verdicts(verdict="", more=""):
    """Another table of verdicts in place of ours."""
    return "DROP TABLE verdicts; " + _VERDICTS.format(verdict=verdict, more=more)


_REJECT = "UPDATE verdicts SET verdict = 'not-an-error'; "


def _parameters(**values):
    return {"parameters": {"ccq": values}}


# What acts, by what it is: SQL that is run on a sound file.
ACTING = {
    "a trigger that deletes verdicts": "CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END",
    "a trigger that turns verdicts round": (
        "CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN UPDATE verdicts SET verdict = 'not-an-error'; END"
    ),
    "a trigger in upper case that empties the list": (
        "CREATE TRIGGER T BEFORE INSERT ON VERDICTS BEGIN DELETE FROM ERRORS; END"
    ),
    "a trigger on taking back": "CREATE TRIGGER t AFTER DELETE ON verdicts BEGIN DELETE FROM shares; END",
    "a trigger that changes the record": (
        "CREATE TRIGGER t AFTER UPDATE ON verdicts BEGIN UPDATE run SET value = '{}' WHERE name = 'record'; END"
    ),
    "a trigger that looks like an index": (
        'CREATE TRIGGER "rtree_verdicts_geom_insert" AFTER INSERT ON verdicts BEGIN '
        'DELETE FROM "rtree_verdicts_geom"; END'
    ),
    "a trigger of an index on another table": (
        'CREATE TRIGGER "rtree_prediction_geom_insert2" AFTER INSERT ON prediction BEGIN '
        'INSERT OR REPLACE INTO "rtree_prediction_geom" VALUES (1, 0, 0, 0, 0); DELETE FROM verdicts; END'
    ),
    "a trigger behind a comment": (
        "CREATE TRIGGER t AFTER INSERT ON prediction BEGIN DELETE /* gpkg_ogr_contents */ FROM verdicts; END"
    ),
    "a trigger with a name in brackets": (
        "CREATE TRIGGER [BEGIN] AFTER INSERT ON [prediction] BEGIN DELETE FROM [verdicts]; END"
    ),
    "a trigger that calls a function": "CREATE TRIGGER t AFTER INSERT ON prediction WHEN load_extension('x') BEGIN "
    "UPDATE gpkg_ogr_contents SET feature_count = 0; END",
    "a trigger that calls a function in quotes": "CREATE TRIGGER t AFTER INSERT ON prediction BEGIN "
    "UPDATE gpkg_ogr_contents SET feature_count = \"ogr_geocode\"('x'); END",
    "a trigger that never ends": f"CREATE TRIGGER t AFTER INSERT ON prediction WHEN 1 IN ({_ENDLESS}) BEGIN "
    "UPDATE gpkg_ogr_contents SET feature_count = 0; END",
    "a trigger on a view": f"CREATE VIEW v AS {_ENDLESS}; CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN SELECT 1; END",
    "a view beside the tables": "CREATE VIEW mine AS SELECT * FROM errors",
    "a view in place of a layer": f"DROP TABLE area; CREATE VIEW area AS {_ENDLESS}",
    "a virtual table": "CREATE VIRTUAL TABLE mine USING fts5(rtree)",
    "a list of errors that is an index": "DROP TABLE shares; CREATE VIRTUAL TABLE shares USING rtree(id, a, b)",
    "a computed column": f"ALTER TABLE errors ADD COLUMN mine TEXT GENERATED ALWAYS AS ({_BIG}) VIRTUAL",
    "a computed column of a map": f"ALTER TABLE prediction ADD COLUMN mine TEXT AS ({_BIG})",
    "a check that takes all memory": _verdicts(more=f", CHECK (length({_BIG}) > 0)"),
    "a check behind a text": _verdicts(verdict=""" DEFAULT '"' CHECK (length('x') > 0)""", more=""", "x'" TEXT"""),
    "a default that computes": _verdicts(verdict=f" DEFAULT ({_BIG})"),
    "a verdict that replaces all others": _verdicts(verdict=" UNIQUE ON CONFLICT REPLACE"),
    "ids that are the same in any case": _verdicts(more=", UNIQUE (remark COLLATE NOCASE)"),
    "an index over an expression": f"CREATE INDEX mine ON verdicts ({_BIG})",
    "an index of some rows": "CREATE INDEX mine ON verdicts (remark) WHERE length(remark) > 5",
}

# The head of a GeoPackage's geometry, and collections of one collection each.
_DEEP = "47500001e6100000" + "010700000001000000" * 100_000

# What is refused, or read as if it were not there: SQL, and words of the refusal; none where it may be read.
ODD = {
    "no list of errors": ("DROP TABLE errors", "no table 'errors'"),
    "verdicts that are a view": (
        "DROP TABLE verdicts; CREATE VIEW verdicts AS SELECT * FROM errors",
        "no table 'verdicts'",
    ),
    "facts that are a query without an end": (f"DROP TABLE run; CREATE VIEW run AS {_ENDLESS}", "no table 'run'"),
    "numbers that are texts": ("UPDATE errors SET number = 'x', length_m = 'y', x = 'z', xmin = 'inf', fid = fid", ""),
    "numbers that are none": (
        "UPDATE errors SET x = 9e999, y = -9e999, xmax = NULL, gain = 'nan', length_m = 1e308",
        "",
    ),
    "blobs for texts": ("UPDATE errors SET kind = x'ff00', label = x'00', note = zeroblob(1000000)", ""),
    "ids that are numbers": ("UPDATE errors SET error_id = 5, layer = 7, row = 'x'", ""),
    "verdicts of other words": (
        "UPDATE verdicts SET verdict = x'00', seconds = 'x', judged_at = 5, remark = 9e999",
        "",
    ),
    "shares that are none": (_REJECT + "UPDATE shares SET amount = 'x', metric = NULL", ""),
    "layers that are not there": ("UPDATE errors SET layer = 'sqlite_master'", ""),
    "layers with names of their own": ("UPDATE errors SET layer = 'a\"; DROP TABLE verdicts; --'", ""),
    "geometries that are none": (
        "UPDATE prediction SET geom = x'475000'; UPDATE reference SET geom = zeroblob(40)",
        "",
    ),
    "geometries inside each other": (_REJECT + f"UPDATE prediction SET geom = x'{_DEEP}'", "was changed"),
    "nodes that are texts": (_REJECT + "UPDATE prediction SET ge_from = 'x'", "was changed"),
    "nodes beyond all numbers": (_REJECT + "UPDATE prediction SET ge_from = 9e99, ge_cut = -1", ""),
    "no columns of verdicts": (
        "DROP TABLE verdicts; CREATE TABLE verdicts (fid INTEGER PRIMARY KEY)",
        "'verdicts' has no column 'carried'",
    ),
    "no places": ("ALTER TABLE errors DROP COLUMN y", "'errors' has no column 'y'"),
    "ids that may be there twice": (
        "DROP TABLE verdicts; " + _VERDICTS.replace(" NOT NULL UNIQUE", "").format(verdict="", more=""),
        "cannot be kept",
    ),
    "a row that is the last one": ("UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = 'verdicts'", ""),
}

# Facts of the run, and words of the refusal.
FACTS = {
    "a kind that is not there": ({"kind": "scripts"}, "scripts|unknown"),
    "a crs that names a file": ({"crs": "+proj=utm +zone=32 +nadgrids=/dev/zero +type=crs"}, "names a file"),
    "a crs that is none": ({"crs": "x" * 100_000}, "unknown coordinate reference system"),
    "another format": ({"format": "1" * 10_000}, "format"),
    "reasons that are numbers": ({"not_judged": '{"ccq": 1}'}, "is damaged"),
    "reasons that are lists": ({"still_counted": '{"ccq": ["x"]}'}, "is damaged"),
    "a record of brackets": ({"record": "[" * 200_000}, "is damaged"),
    "a record of levels": ({"record": '{"scores": ' + '{"a":' * 900 + "1" + "}" * 901}, "is damaged"),
    "a record of not a number": ({"record": _WRITTEN % "NaN"}, "is damaged"),
    "a record of texts": ({"record": _WRITTEN % '"x"'}, "is damaged"),
    "parameters of another metric": ({"record": _parameters(tolerance="x", scheduler="tcp://127.0.0.1:9")}, ""),
    "parameters beyond all numbers": ({"record": _parameters(tolerance=1e300)}, ""),
    "a seed below all": ({"record": {"seed": -5}}, ""),
    "scores of metrics of nobody": (
        {"record": {name: {"\x1b[31m": {"x": 1e300}} for name in ("scores", "counts")}},
        "",
    ),
}


def altered(path, script):
    """Run SQL on a file."""
    with closing(sqlite3.connect(path)) as database:
        for name in ("ST_IsEmpty", "ST_MinX", "ST_MaxX", "ST_MinY", "ST_MaxY"):  # for the triggers of the layers
            database.create_function(name, 1, lambda _: 0)
        database.executescript(script)


def _sound(path):
    from tests.fuzz.own_inputs import small_run

    path.write_bytes(small_run()[0])


def _with_sql(script):
    def make(path, _):
        _sound(path)
        altered(path, script)

    return make


def _with_facts(facts):
    def make(path, _):
        _sound(path)
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("UPDATE verdicts SET verdict = 'not-an-error'")
            for name, value in facts.items():
                if isinstance(value, dict):
                    (text,) = database.execute("SELECT value FROM run WHERE name = ?", (name,)).fetchone()
                    text = json.dumps(json.loads(text) | value)
                else:
                    text = value
                database.execute("UPDATE run SET value = ? WHERE name = ?", (text, name))

    return make


def _add(name, make, says):
    HOSTILE.append(Hostile(f"run_with_{name.replace(' ', '_')}", "run", make, says, "run.gpkg"))


for _name, _script in ACTING.items():
    _add(_name, _with_sql(_script), "which does what its author wrote.*give a run that geoeval wrote")
for _name, (_script, _says) in ODD.items():
    _add(_name, _with_sql(_script), _says)
for _name, (_facts, _says) in FACTS.items():
    _add(_name, _with_facts(_facts), _says)
