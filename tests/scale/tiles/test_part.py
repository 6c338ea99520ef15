"""Kept parts are data: one that somebody else wrote, with a digest that is right, is told from ours and made again."""

import zlib
from base64 import b64encode
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import shapely

from geoeval.benchmarking.outcome import SCORED, Outcome, check_outcome
from geoeval.exceptions import GeoevalWarning
from geoeval.model.features import ErrorFeatures
from geoeval.scale.tiles.part import DAMAGE, Part, check_part, packed, unpacked
from geoeval.scale.tiles.run_folder import RunFolder
from geoeval.scale.tiles.running import kept_parts
from geoeval.scale.tiles.tile_errors import error_table


def whole():
    errors = ErrorFeatures("ccq")
    errors.add("missing", [shapely.LineString([(0, 0), (9, 0)])], note="why")
    return Part(
        counts={"ccq": {(0, 1): {"ref_length": Fraction(1, 3)}}}, starts={"subg": np.arange(6).reshape(2, 3)},
        scores={"apls": {"apls": None}}, notes={"apls": {"apls": "why"}}, seconds={"ccq": 1.0},
        errors=error_table([errors]), rows={"ccq": np.array([[np.nan, np.inf]])}, bounds=(0.0, 0.0, 9.0, 1.0),
    )  # fmt: skip


def outcome():
    return Outcome("a", "m", SCORED, "", {"ccq": {"quality": 0.5}}, errors={"missing": {"count": 1.0}},
                   crs="EPSG:32632", extent=(0.0, 0.0, 9.0, 9.0), table=whole().errors)  # fmt: skip


PARTS = {
    "a fraction of a billion digits": {"counts": {"ccq": [[0, 1, {"ref_length": "1e999999999"}]]}},
    "a fraction of too many digits": {"counts": {"ccq": [[0, 1, {"ref_length": "9" * 5000}]]}},
    "a fraction of nothing": {"counts": {"ccq": [[0, 1, {"ref_length": "1/0"}]]}},
    "a count that is a number": {"counts": {"ccq": [[0, 1, {"ref_length": 5}]]}},
    "counts without tiles": {"counts": {"ccq": {"ref_length": "5"}}},
    "a tile of one number": {"counts": {"ccq": [[0, {"ref_length": "5"}]]}},
    "a tile of text": {"counts": {"ccq": [["a", "b", {"ref_length": "5"}]]}},
    "starts of very many rows": {"starts": {"subg": [1, b64encode(zlib.compress(bytes(8_000))).decode()]}},
    "starts of no columns": {"starts": {"subg": [0, b64encode(zlib.compress(bytes(8))).decode()]}},
    "starts that are text": {"starts": {"subg": [1, "x"]}},
    "scores that are text": {"scores": {"ccq": {"quality": "x"}}},
    "seconds that are text": {"seconds": {"ccq": "x"}},
    "notes that are numbers": {"notes": {"ccq": {"quality": 1}}},
    "bounds of three numbers": {"bounds": [1, 2, 3]},
    "rows that are text": {"rows": {"ccq": [["x"]]}},
}
OUTCOMES = {
    "scores that are text": {"scores": {"ccq": {"quality": "x"}}},
    "a status of nobody": {"status": "x"},
    "a crs of a file": {"crs": "+proj=longlat +nadgrids=/dev/zero"},
    "a crs of levels": {"crs": {"a": 1}},
    "an extent of text": {"extent": ["a", "b", "c", "d"]},
    "a field more": {"__class__": 1},
    "sizes of one": {"sizes": ["a"]},
}
DEEP = b"\x01\x07\x00\x00\x00\x01\x00\x00\x00" * 100_000
COLUMNS = {
    "geometries that are text": pa.array(["x"]),
    "geometries inside each other": pa.array([DEEP], pa.binary()),
    "no geometries": pa.array([None], pa.binary()),
}


def changed(data, facts):
    table, own = unpacked(data)
    return packed(table, own | facts)


def test_what_is_ours_is_taken():
    check_part(whole().to_bytes())
    check_part(Part().to_bytes())
    check_outcome(outcome().to_bytes())
    check_outcome(Outcome("a", "m", "failed", "why").to_bytes())


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_others_are_not(name, monkeypatch):
    monkeypatch.setattr("geoeval.scale.tiles.part._MOST_BYTES", 4_000)
    with pytest.raises(DAMAGE):
        check_part(changed(whole().to_bytes(), PARTS[name]))


@pytest.mark.parametrize("name", OUTCOMES)
def test_places_of_others_are_not(name):
    with pytest.raises(DAMAGE):
        check_outcome(changed(outcome().to_bytes(), OUTCOMES[name]))


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize(("check", "made"), [(check_part, whole), (check_outcome, outcome)])
def test_errors_of_others_are_not(name, check, made):
    table, facts = unpacked(made().to_bytes())
    other = table.set_column(table.column_names.index("geometry"), "geometry", COLUMNS[name])
    with pytest.raises(DAMAGE):
        check(packed(other, facts))


def test_a_part_of_somebody_is_made_again_although_its_digest_is_right(tmp_path):
    folder = RunFolder(tmp_path / "run", {"tile size": 1})
    folder.put("0_0", whole().to_bytes())
    folder.put("0_1", changed(whole().to_bytes(), PARTS["a fraction of a billion digits"]))
    with pytest.warns(GeoevalWarning, match="0_1.part is damaged and is made again") as warned:
        assert list(kept_parts(["0_0", "0_1", "0_2"], folder)) == ["0_0"]
    assert len(warned) == 1
