"""Files are looked through as a parser would see them, and what is in them besides is let alone."""

import pytest

from geoeval.exceptions import LinkedFileError
from geoeval.gdal_files import scan
from geoeval.gdal_files.scan import check_definitions

LEADS = '"+proj=longlat +init=/etc/secret:666"'


@pytest.mark.parametrize(
    "text",
    [
        '{"file": "a/b", "model=": "x/y", "init": "/a"}', "see file=/a/b and model = c/d",
        '<a file="/a/b" model="c/d"/>',
        "definition=a/b, initial=/a", "http://a/b?init=/c&grids=/d&file=/e", "+proj=longlat +nadgrids=@null",
        "project file=/a",
        '"value": "a/b", "name": "file"', "+nadgrids=conus,@alaska +type=crs", "init\n\n=\n\n",
    ],
)  # fmt: skip
def test_other_words_are_no_definitions(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    check_definitions(tmp_path / "a.txt", tmp_path / "a.txt")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("before", [0, 1, 50, 97, 100, 103, 160])
def test_definitions_are_seen_wherever_they_stand(tmp_path, monkeypatch, encoding, before):
    """Also across the border between two pieces."""
    monkeypatch.setattr(scan, "_PIECE", 100)
    monkeypatch.setattr(scan, "_TWICE", 2000)
    (tmp_path / "a.txt").write_bytes(("x" * before + LEADS + "y" * 500).encode(encoding))
    with pytest.raises(LinkedFileError, match="names its CRS by a file"):
        check_definitions(tmp_path / "a.txt", tmp_path / "a.txt")


@pytest.mark.parametrize(
    "text",
    [
        LEADS.replace("init", "\\u0069n\\u0069t"), LEADS.replace("/", "\\/"), LEADS.replace("init", "i&#110;it"),
        LEADS.replace("init", "i&#x00006E;it"), LEADS.replace("=/", " " * 900 + "=" + " " * 900 + "/"),
        LEADS.replace("=/", " " * 100_000 + "=/"), LEADS.replace("/etc", "x" * 5000 + "/etc"),
        'EXTENSION["PROJ4_GRIDS", "/etc/secret"]', "parameterfile ( &quot;a&quot;, &quot;/etc/secret&quot;)",
        '{"value": "\\/etc\\/secret", "name": "Latitude and longitude difference file"}',
        "+proj=tinshift +file=/etc/secret", "+proj=defmodel" + " " * 70_000 + "+model=/etc/secret",
    ],
    ids=range(12),
)  # fmt: skip
def test_other_spellings_are_seen(tmp_path, text):
    (tmp_path / "a.gml").write_text(text)
    with pytest.raises(LinkedFileError):
        check_definitions(tmp_path / "a.gml", tmp_path / "a.gml")


@pytest.mark.parametrize("part", ["a.prj", "a.PRJ", "a.gfs", "a.csv.xml", "a.aux.xml"])
def test_parts_beside_a_file_are_looked_at(tmp_path, part):
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / part).write_text(LEADS)
    with pytest.raises(LinkedFileError, match=f"has '{part}' beside it"):
        check_definitions(tmp_path / "a.csv", tmp_path / "a.csv")
