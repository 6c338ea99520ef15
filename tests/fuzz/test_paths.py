"""Local files whose names look like addresses, options or places inside of other files: they are read as files."""

import shutil
from pathlib import Path

import pytest

from tests.fuzz.reading import READ, try_file
from tests.fuzz.seeds import targets
from tests.fuzz.test_hostile_files import listener

# Folders and beginnings of names; the port of a listener takes the place of 0.
FOLDERS = ("http:/127.0.0.1:0", "https:/127.0.0.1:0", "ftp:/127.0.0.1:0", "s3:/bucket", "zip:/a", "file:/a", "vsicurl",
           "-", "a.zip", "~")  # fmt: skip
BEGINNINGS = ("-", "--", "@", "PG:dbname=", "GTIFF_DIR:1:", "WFS:http:", "zip:", "http:", "a?b=", "a#", "a ")
INPUTS = ("roads.osm", "roads.osm.gz", "roads.osm.pbf", "roads.geojson", "roads.gpkg", "roads.parquet", "roads.zip",
          "roads.tif", "lines.dxf", "lines.svg", "roads.graphml", "roads.csv", "coco.json", "area.geojson",
          "result.json", "scores.csv", "plan.csv")  # fmt: skip


@pytest.fixture(scope="module")
def known():
    return targets()


def read_relative(target, name):
    """Read an input by a relative path, and say who was called."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(target.data)
    return try_file(target.content, Path(name))


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_that_look_like_addresses_are_folders(known, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = {}
    with listener() as (address, came):
        port = address.split(":")[2].split("/")[0]
        for name in INPUTS:
            path = f"{folder.replace(':0', f':{port}')}/{known[name].file}"
            outcomes[name] = read_relative(known[name], path)
            shutil.rmtree(Path(path).parts[0])
    assert came == []
    assert outcomes == dict.fromkeys(INPUTS, (READ, ""))


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_names_that_look_like_options_or_addresses_are_names(known, beginning, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcomes = {}
    for name in INPUTS:
        path = beginning + known[name].file
        outcomes[name] = read_relative(known[name], path)
        Path(path).unlink()
    assert outcomes == dict.fromkeys(INPUTS, (READ, ""))


@pytest.mark.parametrize("name", ["roads.osm", "roads.osm.pbf", "buildings.osm"])
def test_a_file_named_as_the_standard_input_is_a_file(known, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_relative(known[name], "-") == (READ, "")


@pytest.mark.parametrize("name", ["roads.geojson", "area.geojson"])
def test_names_of_places_inside_of_archives_are_refused(known, name, tmp_path, monkeypatch):
    """GDAL would open the archive, which nobody looked at."""
    monkeypatch.chdir(tmp_path)
    outcome, line = read_relative(known[name], "a.zip!b.geojson")
    assert outcome == "refused"
    assert "has a name that GDAL cannot open" in line
