"""Records of strangers: results that ask for more than to be repeated, or that are damaged, and other kept files."""

import hashlib
import json

from tests.fuzz.hostile.row import HOSTILE, Hostile

_REFUSED = "a record says what was evaluated, never how and where, so nothing of it was run"
_DAMAGED = "of the recorded run is damaged"
_FORM = "has another form than in a result of geoeval"
_ZERO = {"path": "/dev/zero", "bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
_DEEP = json.loads('{"a":' * 15 + "1" + "}" * 15)

# What is changed in the call of a record, and words of the refusal; none where it may be read.
CALLS = {
    "a scheduler": ({"scheduler": "tcp://127.0.0.1:9"}, _REFUSED),
    "a scheduler at an address": ({"scheduler": "ADDRESS", "tile_size": 100.0}, _REFUSED),
    "a folder to resume from": ({"resume": "FOLDER"}, _REFUSED),
    "workers": ({"workers": 100_000}, _REFUSED),
    "a function for progress": ({"progress": "print"}, _REFUSED),
    "an option of one side": ({"prediction_scheduler": "tcp://127.0.0.1:9"}, _REFUSED),
    "an option without a name": ({"": 1}, _REFUSED),
    "an option with a long name": ({"x" * 100_000: 1}, _REFUSED),
    "commands to the terminal": ({"\x1b]0;x\x07": 1}, _REFUSED),
    "links and limits of its own": ({"links": "follow", "limits": "none", "untrusted": False}, ""),
    "a place": ({"reference": "osm:Heidelberg"}, ""),
    "an area that is a file": ({"aoi": "/etc/passwd"}, "the aoi of the recorded run has no digest"),
    "an area that is a device": ({"aoi": "/dev/zero"}, "the aoi of the recorded run has no digest"),
    "an area at an address": ({"aoi": "ADDRESS"}, "the aoi of the recorded run has no digest"),
    "an image that is a file": ({"image": "/etc/passwd"}, "the image of the recorded run has no digest"),
    "a georeference at an address": ({"georeference": "/vsicurl/ADDRESS"}, "georeference of the recorded run has no"),
    "an area that is no polygon": ({"aoi": {"wkt": "POINT (1 2)"}}, "area of the recorded run is no polygon"),
    "an area that is broken": ({"aoi": {"wkt": "POLYGON ((0 0"}}, "area of the recorded run is no polygon"),
    "an area of a text": ({"aoi": {"wkt": "é" * 100_000}}, "area of the recorded run is no polygon"),
    "an area inside itself": (
        {"aoi": {"wkt": "GEOMETRYCOLLECTION(" * 50_000}},
        "area of the recorded run is no polygon",
    ),
    "an area beyond all numbers": ({"aoi": {"wkt": "POLYGON ((0 0, 1e999 0, 1 1, 0 0))"}}, "no polygon"),
    "an area of far corners": ({"aoi": {"wkt": "POLYGON ((0 0, 1e300 0, 1e300 1e300, 0 0))", "crs": "EPSG:32632"}}, ""),
    "an area with a crs of a file": (
        {"aoi": {"wkt": "POLYGON ((0 0, 1 0, 1 1, 0 0))", "crs": "+proj=longlat +nadgrids=/dev/zero"}},
        "names a file",
    ),
    "an area with more than a crs": ({"aoi": {"wkt": "POLYGON ((0 0, 1 0, 1 1, 0 0))", "path": "/dev/zero"}}, _DAMAGED),
    "an area of three numbers": ({"aoi": [1, 2, 3]}, _DAMAGED),
    "an area of levels": ({"aoi": [[[[1]]]]}, _DAMAGED),
    "a crs that is a mapping": ({"crs": {"$schema": "x", "file": "/dev/zero"}}, _DAMAGED),
    "a crs of a file": ({"crs": "+proj=utm +zone=32 +nadgrids=/dev/zero +type=crs"}, "names a file"),
    "a crs of one side of a file": ({"reference_crs": "+proj=longlat +nadgrids=/dev/zero +type=crs"}, "names a file"),
    "a crs that is local": ({"crs": "local metres"}, ""),
    "a crs of one side": ({"prediction_crs": 4326, "crs": "EPSG:32632"}, ""),
    "a crs of nobody": ({"crs": "EPSG:0"}, "unknown coordinate reference system|unknown"),
    "a crs of a very large number": ({"crs": 10**300}, ""),
    "a kind of scripts": ({"kind": "scripts"}, _DAMAGED),
    "metrics that are numbers": ({"metrics": [1, 2]}, _DAMAGED),
    "metrics of nobody": ({"metrics": "ccq,../../x"}, "unknown metric"),
    "very many metrics": ({"metrics": ["ccq"] * 5000}, _DAMAGED),
    "a protocol of a path": ({"protocol": "../../../tmp/x"}, "unknown protocol"),
    "parameters that are a list": ({"parameters": [["ccq", 1]]}, _DAMAGED),
    "parameters of levels": ({"parameters": _DEEP}, _DAMAGED),
    "parameters of another metric": ({"parameters": {"ccq": {"scheduler": "tcp://127.0.0.1:9"}}}, "unknown parameter"),
    "a tolerance that is text": ({"parameters": {"ccq": {"tolerance": "x"}}}, "give a number"),
    "a tolerance below all": ({"parameters": {"ccq": {"tolerance": -1}}}, "tolerance"),
    "a preset of nobody": ({"preset": "x"}, "unknown preset"),
    "a seed that is text": ({"seed": "1"}, _DAMAGED),
    "a seed below all": ({"seed": -1}, _DAMAGED),
    "a seed that is true": ({"seed": True}, _DAMAGED),
    "tiles of no size": ({"tile_size": 0}, "the tile size is 0; give 1 metre or more"),
    "tiles that are text": ({"tile_size": "100"}, _DAMAGED),
    "tiles beyond count": ({"tile_size": 1e-9}, "the tile size is 1e-09; give 1 metre or more"),
    "a switch that is text": ({"align": "yes"}, _DAMAGED),
    "a plan that is a file": ({"plan": "/dev/zero"}, _DAMAGED),
    "pixels that are text": ({"pixel_size": "1"}, _DAMAGED),
    "pixels of no size": ({"pixel_size": 0.0}, "pixel_size"),
    "a layer that is a mapping": ({"reference_layer": {}}, _DAMAGED),
    "a name with a zero": ({"id_column": "a\0b"}, _DAMAGED),
    "an input of another kind": ({"reference": ["a"]}, _DAMAGED),
    "no input": ({"reference": None}, "came from memory"),
}
# What is said of the files of a record.
FILES = {
    "no files": (None, "the files of the recorded run are damaged"),
    "files that are a list": ([], "the files of the recorded run are damaged"),
    "a digest that is none": ({"reference": {"path": "a", "bytes": 1, "sha256": "x" * 64}}, "are damaged"),
    "a size below all": ({"reference": {"path": "a", "bytes": -1, "sha256": "0" * 64}}, "are damaged"),
    "a path that is a number": ({"reference": {"path": 5, "bytes": 1, "sha256": "0" * 64}}, "are damaged"),
    "a path with a zero": ({"reference": {"path": "a\0b", "bytes": 1, "sha256": "0" * 64}}, "are damaged"),
    "files of other names": ({"resume": _ZERO}, "are damaged"),
    "a device": ({"reference": _ZERO}, "has no digest"),
    "devices": ({"reference": _ZERO, "prediction": {**_ZERO, "path": "/dev/stdin"}}, "/dev/zero is not there"),
    "all files": ({"reference": {**_ZERO, "path": "/"}, "prediction": _ZERO}, "is not there"),
    "an address": ({"reference": {**_ZERO, "path": "ADDRESS"}, "prediction": _ZERO}, "is not there"),
    "an address of GDAL": ({"reference": {**_ZERO, "path": "/vsicurl/ADDRESS"}, "prediction": _ZERO}, "is not there"),
    "a share of another machine": ({"reference": {**_ZERO, "path": "//host/x/y"}, "prediction": _ZERO}, "is not there"),
    "a pattern of all files": (
        {"reference": {**_ZERO, "path": "/{name}/{name}/{name}/{name}/{name}"}, "prediction": _ZERO},
        "is not there",
    ),
    "a pattern of devices": ({"reference": {**_ZERO, "path": "/proc/{name}/mem"}, "prediction": _ZERO}, "is not there"),
}
# What a result says besides its record.
PARTS = {
    "scores that are text": ({"scores": {"ccq": {"quality": "1"}}}, _FORM),
    "scores that are lists": ({"scores": {"ccq": [1]}}, _FORM),
    "scores of levels": ({"scores": {"ccq": _DEEP}}, _FORM),
    "counts that are text": ({"counts": {"ccq": {"x": "1"}}}, _FORM),
    "classes that are scores": ({"classes": {"a": {"ccq": 1}}}, _FORM),
    "notes that are lists": ({"notes": {"a": [1]}}, _FORM),
    "versions that are numbers": ({"versions": {"numpy": 2}}, _FORM),
    "an offset that is a number": ({"offset": 1}, _FORM),
    "an area without an extent": ({"area": {"wkt": "POLYGON EMPTY", "km2": 0}}, ""),
    "an area without a polygon": ({"area": {"wkt": "POINT (1 2)", "km2": 0}}, "is no polygon"),
    "an area of text": ({"area": "x"}, _FORM),
    "an area that is large in words": ({"area": {"wkt": "POLYGON ((0 0, 1 0, 1 1, 0 0))", "km2": "x"}}, _FORM),
    "a crs of levels": ({"crs": _DEEP}, _FORM),
    "a record that is a list": ({"run": [1]}, _FORM),
    "a record without a call": ({"run": {"files": {}}}, "holds no record of its run"),
    "a record of levels": ({"run": {"call": _DEEP, "files": _DEEP}}, _REFUSED),
    "a kind of nobody": ({"kind": 5}, _FORM),
    "a version that is a mapping": ({"geoeval": {}}, _FORM),
}  # fmt: skip
# What is no JSON, or JSON that no record is: how the text is changed.
TEXTS = {
    "not a number": (lambda text: text.replace('"seed": 0', '"seed": NaN'), "a number that is not finite"),
    "a number beyond all": (lambda text: text.replace('"seed": 0', '"seed": 1e999'), "a number that is not finite"),
    "a number of many digits": (
        lambda text: text.replace('"seed": 0', f'"seed": {"9" * 4000}'),
        "a number that is too",
    ),
    "a number of too many digits": (lambda text: text.replace('"seed": 0', f'"seed": {"9" * 10_000}'), "not JSON"),
    "brackets": (lambda text: text.replace('"seed": 0', f'"seed": {"[" * 500}{"]" * 500}'), "inside each other"),
    "many brackets": (lambda text: text.replace('"seed": 0', '"seed": ' + "[" * 300_000), "not JSON"),
    "half a character": (
        lambda text: text.replace('"kind": "roads"', '"kind": "\\ud83d"', 1),
        "text that is not Unicode",
    ),
    "its end missing": (lambda text: text[:-20], "not JSON"),
    "nothing": (lambda _: "", "not JSON"),
    "another end": (lambda text: text + text, "not JSON"),
    "a list": (lambda text: f"[{text}]", "holds no result"),
}


def _sound():
    from tests.fuzz.own_inputs import small_record

    return json.loads(small_record())


def _said(value, path, address):
    """The value with a real address and folder in it."""
    text = json.dumps(value).replace("ADDRESS", address).replace("FOLDER", str(path.parent / "made"))
    return json.loads(text)


def _with_call(changes):
    def make(path, address):
        result = _sound()
        result["run"]["call"].update(_said(changes, path, address))
        if str(result["run"]["call"]["reference"]).startswith("osm:"):
            del result["run"]["files"]["reference"]
        path.write_text(json.dumps(result))

    return make


def _with_files(files):
    def make(path, address):
        result = _sound()
        result["run"]["files"] = _said(files, path, address)
        path.write_text(json.dumps(result))

    return make


def _with_parts(parts):
    def make(path, _):
        path.write_text(json.dumps({**_sound(), **parts}))

    return make


def _with_text(change):
    def make(path, _):
        path.write_text(change(json.dumps(_sound())))

    return make


for _table, _how in ((CALLS, _with_call), (FILES, _with_files), (PARTS, _with_parts), (TEXTS, _with_text)):
    for _name, (_change, _says) in _table.items():
        _label = f"record_with_{_name.replace(' ', '_')}"
        HOSTILE.append(Hostile(_label, "record", _how(_change), _says, "result.json"))
