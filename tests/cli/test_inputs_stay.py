"""No output is ever written over an input, whatever the flags and links; and each has the name of what it is."""

import inspect
import os
import shutil
from enum import StrEnum
from pathlib import Path

import pytest
import shapely
from typer.testing import CliRunner

import geoeval
from geoeval import ObjectMap, evaluate, read_network, write_network, write_objects
from geoeval.cli.guard import INPUTS, OUTPUTS
from geoeval.cli.main import app
from geoeval.exceptions import OutputError
from geoeval.files import SUFFIXES, check_directory, check_file, keeping, new_directory
from geoeval.writers.network_files import WRITERS
from tests.networks import network

STREET = [(500_000, 5_000_000), (500_300, 5_000_000), (500_600, 5_000_000)]
HOUSE = shapely.box(500_000, 5_000_000, 500_020, 5_000_010)
# Texts that are no files: names, lists, places, CRSs, addresses of schedulers.
WORDS = {
    "metrics", "protocol", "settings", "crs", "scheduler", "labels", "layer", "id_column", "confidence", "class_column",
    "network_type", "node", "width_column", "style_column", "limits", "links", "metric", "tolerance", "indicators",
    "lower", "accuracy", "judged_by", "layout", "errors", "counts", "magnitudes", "name", "ink",
}  # fmt: skip


@pytest.fixture
def there(tmp_path):
    """A folder with inputs of every kind, and copies to tell whether they are as they were."""
    folder = tmp_path / "in"
    (folder / "truth").mkdir(parents=True)
    (folder / "found").mkdir()
    crs = "EPSG:32610"
    town = network([STREET], crs=crs)
    for name in ("a.geojson", "a.gpkg", "a.shp", "b.gpkg", "truth/x.geojson", "found/x.geojson"):
        write_network(town, folder / name)
    write_objects(ObjectMap.from_polygons([HOUSE.buffer(500)], crs=crs), folder / "area.geojson")
    evaluate(town, town, metrics="ccq", plan=False).write_json(folder / "old.json")
    (folder / "scores.csv").write_text("name,p,q\na,1,2\nb,2,1\nc,3,3\n")
    (folder / "pairs.csv").write_text("reference,prediction\na.gpkg,b.gpkg\n")
    (folder / "hard.json").hardlink_to(folder / "a.geojson")
    (folder / "soft.json").symlink_to("a.geojson")
    (folder / "again").symlink_to("truth")
    shutil.copytree(folder, tmp_path / "copy", symlinks=True)
    return folder


def is_untouched(folder) -> bool:
    copy = folder.parent / "copy"
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    return names == {str(path.relative_to(copy)) for path in copy.rglob("*")} and all(
        (folder / name).read_bytes() == (copy / name).read_bytes() for name in names if (folder / name).is_file()
    )


ROADS = ["roads", "a.gpkg", "b.gpkg", "--metrics", "ccq", "--aoi", "all"]
CASES = [
    # Under its own name, another spelling, a link, a hard link; inputs of every option.
    [*ROADS, "--result", "a.gpkg"],
    [*ROADS, "--result", "./../in/b.gpkg"],
    ["roads", "a.geojson", "b.gpkg", "--json", "soft.json"],
    ["roads", "a.geojson", "b.gpkg", "--json", "hard.json"],
    ["roads", "a.geojson", "b.gpkg", "--maproulette", "a.geojson"],
    ["roads", "soft.json", "b.gpkg", "--maproulette", "a.geojson"],
    ["roads", "a.gpkg", "b.gpkg", "--aoi", "area.geojson", "--maproulette", "area.geojson"],
    ["roads", "a.gpkg", "b.gpkg", "--aoi", "old.json", "--json", "old.json"],
    [*ROADS, "--previous", "old.json", "--json", "old.json"],
    # Folders that hold an input.
    ["roads", "truth/x.geojson", "b.gpkg", "-o", "truth"],
    ["roads", "again/x.geojson", "b.gpkg", "-o", "truth"],
    ["roads", "truth/x.geojson", "b.gpkg", "-o", "again"],
    # Parts of a shapefile.
    ["convert", "a.shp", "a.shp"],
    ["convert", "a.dbf", "a.shp"],
    ["convert", "a.gpkg", "a.gpkg"],
    ["convert", "a.gpkg", "area.geojson", "--aoi", "area.geojson"],
    ["perturb", "a.gpkg", "--error", "missing", "--count", "1", "-o", "a.gpkg"],
    ["perturb", "a.gpkg", "--error", "missing", "--count", "1", "-o", "new.gpkg", "--features", "a.gpkg"],
    ["apply", "a.gpkg", "b.gpkg", "-o", "b.gpkg"],
    ["apply", "a.gpkg", "b.gpkg", "-o", "a.gpkg"],
    ["rank", "scores.csv", "-o", "scores.csv"],
    ["rank", "old.json", "--json", "old.json"],
    ["curve", "a.gpkg", "b.gpkg", "--aoi", "scores.csv", "-o", "scores.csv"],
    ["benchmark", "truth", "found", "-o", "truth"],
    ["benchmark", "truth/{name}.geojson", "found", "-o", "truth"],
    ["benchmark", "pairs.csv", "--metrics", "ccq", "-o", "out", "--json", "old.json", "--aoi", "old.json"],
    ["study", "detection", "a.gpkg", "--aoi", "scores.csv", "-o", "scores.csv"],
    ["study", "compare", "truth/x.geojson", "a.gpkg", "b.gpkg", "-o", "truth"],
    ["study", "rulers", "truth", "found", "found", "-o", "found"],
    ["study", "stability", "truth/x.geojson", "a.gpkg", "-o", "truth"],
    ["study", "correlation", "scores.csv", "-o", "."],
]


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_inputs_stay_whatever_the_flags(there, monkeypatch, words):
    monkeypatch.chdir(there)
    done = CliRunner().invoke(app, [*words, "--overwrite"], prog_name="geoeval")
    assert done.exit_code == 1
    (line,) = done.stderr.strip().splitlines()
    assert "of this run" in line
    assert is_untouched(there)


def test_files_of_a_list_of_pairs_stay(there, monkeypatch):
    monkeypatch.chdir(there)
    (there / "pairs.csv").write_text("reference,prediction\na.gpkg,b.gpkg\n")
    found = geoeval.benchmark("pairs.csv", metrics="ccq")
    with pytest.raises(OutputError, match=r"holds a\.gpkg, an input of this run"):
        found.write(there, overwrite=True)


def test_what_a_result_was_made_from_stays(there):
    result = evaluate(there / "a.geojson", there / "b.gpkg", metrics="ccq", aoi=there / "area.geojson")
    asked = [
        (result.write_run, "b.gpkg"), (result.write_json, "hard.json"), (result.write_json, "soft.json"),
        (lambda path, **more: geoeval.write_maproulette(result, path, **more), "a.geojson"),
        (lambda path, **more: geoeval.write_maproulette(result, path, **more), "area.geojson"),
        (result.write_layers, ""),
    ]  # fmt: skip
    for write, name in asked:
        with pytest.raises(OutputError, match="of this run"):
            write(there / name, overwrite=True)
    assert is_untouched(there)


def test_the_file_of_a_map_stays(there):
    for name in ("a.geojson", "a.shp", "a.gpkg"):
        with pytest.raises(OutputError, match="is an input of this run and is never replaced"):
            write_network(read_network(there / name), there / name, overwrite=True)
    assert is_untouched(there)
    # Another file of the same folder is written as ever, and again.
    town = read_network(there / "a.shp")
    for _ in range(2):
        write_network(town, there / "other.shp", overwrite=True)


def test_a_part_that_another_file_reads_stays(tmp_path):
    """A picture that lies where ``map.prj`` says, and a shapefile that would have a part of that name."""
    for name in ("map.png", "map.prj", "map.pgw"):
        (tmp_path / name).write_text("mine")
    with keeping([tmp_path / "map.png"]):
        with pytest.raises(OutputError, match=r"map\.shp \(its part map\.prj\) is an input"):
            check_file(tmp_path / "map.shp", overwrite=True)
        assert check_file(tmp_path / "other.shp", overwrite=True)
    assert check_file(tmp_path / "map.shp", overwrite=True)


def test_a_folder_with_an_input_stays_and_others_are_replaced(tmp_path):
    for name in ("one", "two"):
        with new_directory(tmp_path / name) as made:
            (made / "x.txt").write_text("mine")
    with keeping({"given": [tmp_path / "one" / "x.txt", None, 7, "osm:Paris", "a\0b", "x" * 9_000]}):
        with pytest.raises(OutputError, match=r"holds x\.txt, an input of this run"):
            check_directory(tmp_path / "one", overwrite=True)
        assert check_directory(tmp_path / "two", overwrite=True)


def commands():
    yield from app.registered_commands
    for group in app.registered_groups:
        yield from group.typer_instance.registered_commands


def test_every_option_with_text_is_known_as_input_output_or_word():
    """A new option is looked at: nothing that is read may be forgotten."""
    for command in commands():
        for name, parameter in inspect.signature(command.callback).parameters.items():
            kind = str(parameter.annotation)
            is_choice = any(isinstance(one, type) and issubclass(one, StrEnum) for one in _types(parameter.annotation))
            if is_choice or not ("str" in kind or "Path" in kind):
                continue
            own = name.removeprefix("input_").removeprefix("reference_").removeprefix("prediction_")
            known = [name in OUTPUTS, name.endswith(INPUTS) and name not in OUTPUTS, own in WORDS]
            assert sum(known) == 1, (command.callback.__name__, name, known)


def _types(annotation):
    inner = [one for part in getattr(annotation, "__args__", ()) for one in _types(part)]
    return [annotation, *inner]


@pytest.mark.parametrize(
    "words",
    [
        *([*ROADS, f"--{option}", name] for option, name in (
            ("report", "x.pdf"), ("josm", "j.txt"), ("josm", "j.osm.gz"), ("maproulette", "t.csv"), ("card", "c.html"),
            ("result", "r.sqlite"), ("json", "s.txt"), ("json", "scores"), ("report", "page"))),
        ["curve", "a.gpkg", "b.gpkg", "-o", "c.png"], ["curve", "a.gpkg", "b.gpkg", "--plot", "c.csv"],
        ["rank", "scores.csv", "-o", "r.json"], ["rank", "scores.csv", "--json", "r.csv"],
        ["study", "detection", "a.gpkg", "-o", "d.html"], ["convert", "a.gpkg", "b.pdf"],
        ["apply", "a.gpkg", "b.gpkg", "-o", "c.csv"], ["benchmark", "truth", "found", "--json", "b.csv"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_wrong_name_is_refused_before_the_work(there, monkeypatch, words):
    monkeypatch.chdir(there)
    for name in ("a.gpkg", "b.gpkg", "truth/x.geojson"):
        Path(name).write_bytes(b"no map at all")
    done = CliRunner().invoke(app, words, prog_name="geoeval")
    assert done.exit_code == 1
    (line,) = done.stderr.strip().splitlines()
    assert "give a name that ends in " in line


def test_one_table_of_names():
    assert tuple(WRITERS) == SUFFIXES["roads"]
    town = network([STREET])
    result = evaluate(town, town, metrics="ccq", plan=False)
    for write, name in ((result.write_report, "r.pdf"), (result.write_card, "c.txt"), (result.write_run, "r.shp"),
                        (result.write_json, "s.html")):  # fmt: skip
        with pytest.raises(OutputError, match="are not written as"):
            write(name)
        assert not os.path.lexists(name)
