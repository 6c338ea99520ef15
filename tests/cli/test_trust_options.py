"""``--limits``, ``--links`` and ``--untrusted`` hold for every command that reads files, and for the area too."""

import json

import pytest
import shapely
from typer.testing import CliRunner

from geoeval.cli.main import app
from tests.fuzz.hostile import HOSTILE

COMMANDS = {
    "info": ["info", "FILE"],
    "convert": ["convert", "FILE", "out.gpkg"],
    "perturb": ["perturb", "FILE", "--error", "missing", "--count", "1", "-o", "out.gpkg"],
    "roads": ["roads", "FILE", "FILE", "--metrics", "ccq"],
    "apply": ["apply", "FILE", "FILE", "-o", "out.gpkg"],
    "curve": ["curve", "FILE", "FILE", "--tolerance", "1:3"],
    "sensitivity": ["study", "sensitivity", "FILE"],
    "detection": ["study", "detection", "FILE"],
    "stability": ["study", "stability", "FILE", "FILE"],
    "compare": ["study", "compare", "FILE", "FILE", "FILE"],
}


@pytest.fixture
def roads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [shapely.LineString([(8.6, 49.4), (8.61, 49.41)]), shapely.LineString([(8.6, 49.4), (8.62, 49.4)])]
    (tmp_path / "roads.json").write_text(json.dumps(shapely.geometry.mapping(shapely.MultiLineString(lines))))
    (tmp_path / "area.json").write_text(json.dumps(shapely.geometry.mapping(shapely.box(8.5, 49.3, 8.7, 49.5))))
    return tmp_path


def run(name, *more, file="roads.json"):
    return CliRunner().invoke(app, [file if word == "FILE" else word for word in COMMANDS[name]] + list(more))


@pytest.mark.parametrize("name", COMMANDS)
def test_limits_and_links_hold_for_files_and_areas(roads, name):
    view = next(one for one in HOSTILE if one.name == "geopackage_whose_list_of_layers_is_endless").write(
        roads / "hostile"
    )
    for given in (run(name, file=str(view)), run(name, "--aoi", str(view))):
        assert given.exit_code == 1
        assert "--links follow" in given.stderr
        assert given.stderr.count("\n") == 1
    few = run(name, "--limits", "vertices=1")
    assert "--limits vertices=" in few.stderr


@pytest.mark.parametrize("name", ["info", "curve"])
def test_untrusted_reads_the_area_apart_too(roads, name, monkeypatch):
    """What is read apart is what would be read here; the child gets the file and the area."""
    from geoeval.readers import registry

    seen = []

    def apart(read, source, *arguments, **options):
        seen.append(str(source))
        return read(*arguments, **options)

    monkeypatch.setattr(registry, "read_apart", apart)
    done = run(name, "--untrusted", "--aoi", "area.json")
    assert done.exit_code == 0, done.stderr
    assert {"roads.json", "area.json"} <= set(seen)


def test_rank_has_limits(roads):
    table = "name,f1\n" + "".join(f"n{k},{k}\n" for k in range(5))
    (roads / "scores.csv").write_text(table)
    assert CliRunner().invoke(app, ["rank", "scores.csv"]).exit_code == 0
    few = CliRunner().invoke(app, ["rank", "scores.csv", "--limits", "items=4"])
    assert (few.exit_code, few.stderr.count("\n")) == (1, 1)
    assert "--limits items=5" in few.stderr
