"""A run is repeated from its record: the same inputs wherever they are now, and what differs is said."""

import json
import os
import shutil
import socket

import geopandas as gpd
import numpy as np
import pytest
import shapely
from typer.testing import CliRunner

from geoeval import evaluate, verify
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError, TooLargeError, UnreadableInputError
from tests.faults.commands import Maps
from tests.networks import TEE, network


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    made = Maps.make(tmp_path_factory.mktemp("verify") / "maps", size=5)
    box = shapely.box(8.5995, 49.3995, 8.6065, 49.4045)
    gpd.GeoSeries([box], crs="EPSG:4326").to_file(made.folder / "area.geojson")
    return made


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments), "--progress", "none"])


def written(tmp_path, *arguments):
    out = tmp_path / "result.json"
    done = run(*arguments, "--json", out, "--overwrite")
    assert done.exit_code == 0, done.output
    return out


KINDS = {
    "roads": ("roads", "town", "--metrics", "ccq,opt-j,subg", "--seed", "7", "--set", "ccq.tolerance=9"),
    "roads, an area": ("roads", "town", "--metrics", "ccq", "--aoi", "AREA"),
    "roads, aligned": ("roads", "town", "--metrics", "ccq,junct", "--align"),
    "roads in tiles": ("roads", "town", "--metrics", "ccq,subg", "--tile-size", "300", "--align"),
    "objects": ("objects", "houses", "--aoi", "8.6,49.4,8.6012,49.401"),
    "objects by class": ("objects", "houses", "--metrics", "iou", "--class", "use"),
    "objects in tiles": ("objects", "houses", "--tile-size", "100", "--metrics", "iou"),
    "lines": ("lines", "lines", "--seconds", "2", "--width", "3"),
}


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_run_is_repeated(maps, tmp_path, name):
    kind, pair, *options = KINDS[name]
    options = [maps.folder / "area.geojson" if word == "AREA" else word for word in options]
    out = written(tmp_path, kind, *maps.pair(pair), *options)
    done = run("verify", out)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("the same: ")
    # Whatever comes out differently is said, value by value.
    result = json.loads(out.read_text())
    metric = next(iter(result["scores"]))
    score = next(iter(result["scores"][metric]))
    result["scores"][metric][score] = 0.123
    for own in result["classes"].values():
        own[metric][score] = 0.123
    out.write_text(json.dumps(result))
    done = run("verify", out)
    assert done.exit_code == 1
    assert f"different: scores.{metric}.{score}: 0.123 then, " in done.output
    for one in result["classes"]:
        assert f"different: classes.{one}.{metric}.{score}: 0.123 then, " in done.output
    assert bool(result["classes"]) == (name == "objects by class")


def test_the_plan_is_made_recorded_and_compared(maps, tmp_path):
    """The command line and Python give one record, with a plan for objects too, and a plan that differs is said."""
    for kind, name in (("roads", "town"), ("objects", "houses")):
        pair = maps.pair(name)
        metrics = {"roads": "ccq", "objects": "iou"}[kind]
        out = written(tmp_path, kind, *pair, "--metrics", metrics)
        said = json.loads(out.read_text())
        result = evaluate(*pair, kind=kind, metrics=metrics, keep_inputs=False)
        assert said["plan"] == result.plain()["plan"]
        assert said["run"]["call"]["plan"] is result.run["call"]["plan"] is True
        without = evaluate(*pair, kind=kind, metrics=metrics, plan=False)
        assert without.plan is None
        assert without.run["call"]["plan"] is False
        without.write_json(tmp_path / f"{kind}.json")
        assert verify(tmp_path / f"{kind}.json").same
        assert verify(out).same
        said["plan"]["gain"] += 0.25
        out.write_text(json.dumps(said))
        assert [line.split(":")[0] for line in verify(out).differences] == ["plan.gain"]
        said["plan"] = None
        out.write_text(json.dumps(said))
        assert verify(out).differences[0].startswith("plan: nothing then")
        del said["run"]["call"]["plan"]  # as earlier versions wrote it
        out.write_text(json.dumps(said))
        assert verify(out).same


def test_a_protocol_is_repeated(tmp_path):
    from PIL import Image

    for number, name in enumerate(("a.png", "b.png")):
        pixels = np.zeros((60, 60), dtype=np.uint8)
        pixels[28:32, 5 : 55 - 10 * number] = 255
        Image.fromarray(pixels).save(tmp_path / name)
    out = written(tmp_path, "roads", tmp_path / "a.png", tmp_path / "b.png", "--protocol", "cldice")
    assert verify(out).same
    assert json.loads(out.read_text())["run"]["call"]["protocol"] == "cldice"


def test_a_copy_has_the_name_and_the_source_that_its_user_gives_it(maps, tmp_path):
    out, page, card = tmp_path / "scores.json", tmp_path / "report.html", tmp_path / "card.svg"
    called = ["--reference-name", "streets <of> the town", "--reference-source", "postgres://maps streets"]
    called += ["--prediction-name", "found"]
    done = run(
        "roads", *maps.pair("town"), *called, "--metrics", "ccq", "--json", out, "--report", page, "--card", card
    )
    assert done.exit_code == 0, done.output
    said = json.loads(out.read_text())
    assert (said["reference"]["name"], said["reference"]["source"]) == (called[1], called[3])
    assert (said["prediction"]["name"], said["prediction"]["source"]) == ("found", str(maps.one("town", 1)))
    assert "found against streets &lt;of&gt; the town" in page.read_text()
    assert verify(out).same


def test_inputs_are_known_by_their_content(maps, tmp_path):
    here = Maps.make(tmp_path / "here", size=4)
    out = written(tmp_path, "roads", *here.pair("town"), "--metrics", "ccq")
    said = json.loads(out.read_text())
    for side in ("reference", "prediction"):
        assert said[side]["file_sha256"] == said["run"]["files"][side]["sha256"]
    moved = tmp_path / "attic" / "deep" / "renamed.osm"
    moved.parent.mkdir(parents=True)
    shutil.move(here.one("town", 1), moved)
    done = run("verify", out)
    assert done.exit_code == 1
    assert "input missing: prediction: " in done.output
    assert "cannot be repeated" in done.output
    assert verify(out, search=[tmp_path / "attic"]).same
    assert verify(out, inputs=[moved]).same
    # Another map under the old name: what changed is said, and what it changed.
    shutil.copy(maps.one("town", 2), here.one("town", 1))
    done = run("verify", out)
    assert done.exit_code == 1
    assert "input changed: prediction: " in done.output
    assert "different: scores.ccq." in done.output
    assert verify(out, search=[tmp_path / "attic"]).same


def test_the_digest_of_a_streamed_file_is_that_of_the_file(maps, tmp_path):
    tiled = json.loads(
        written(tmp_path, "roads", *maps.pair("town"), "--metrics", "ccq", "--tile-size", 400).read_text()
    )
    assert tiled["prediction"]["sha256"] == tiled["run"]["files"]["prediction"]["sha256"]


def test_all_parts_of_a_shapefile_count(maps, tmp_path):
    for number in (0, 1):
        assert run_plain("convert", maps.one("town", number), tmp_path / f"{number}.shp").exit_code == 0
    out = written(tmp_path, "roads", tmp_path / "0.shp", tmp_path / "1.shp", "--metrics", "ccq")
    assert verify(out).same
    table = (tmp_path / "1.dbf").read_bytes()
    (tmp_path / "1.dbf").write_bytes(table[:-2] + b"  ")
    assert verify(out).changed or table[-2:] == b"  "


def run_plain(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_what_cannot_be_repeated_is_one_line(tmp_path):
    made = evaluate(network(TEE), network(TEE), metrics="ccq")
    made.write_json(tmp_path / "memory.json")
    with pytest.raises(ParameterError, match="the reference and prediction of this run came from memory"):
        verify(tmp_path / "memory.json")
    (tmp_path / "old.json").write_text('{"kind": "roads", "scores": {}}')
    done = run("verify", tmp_path / "old.json")
    assert done.exit_code == 1
    assert "holds no record of its run" in done.output
    (tmp_path / "no.json").write_text("[")
    assert run("verify", tmp_path / "no.json").exit_code == 1
    done = run("verify", tmp_path / "memory.json", "--search", tmp_path / "none")
    assert done.exit_code == 1


def test_an_area_from_memory_is_kept(maps, tmp_path):
    area = gpd.read_file(maps.folder / "area.geojson")
    for aoi in (area, area.geometry.iloc[0], (8.5995, 49.3995, 8.6065, 49.4045)):
        made = evaluate(*maps.pair("town"), metrics="ccq", aoi=aoi)
        made.write_json(tmp_path / "area.json", overwrite=True)
        assert verify(tmp_path / "area.json").same


# ------------------------------------------------------------------ records of strangers


@pytest.fixture
def recorded(maps, tmp_path):
    """A sound result; and what is said of it with something else in its record."""
    made = written(tmp_path, "roads", *maps.pair("town"), "--metrics", "ccq")
    sound = json.loads(made.read_text())

    def said(call=(), files=(), **options):
        result = json.loads(json.dumps(sound))
        result["run"]["call"].update(call)
        result["run"]["files"].update(files)
        (tmp_path / "stranger.json").write_text(json.dumps(result))
        return verify(tmp_path / "stranger.json", **options)

    said.sound = sound
    return said


@pytest.mark.parametrize(
    "name", ["scheduler", "resume", "workers", "progress", "image_of_nothing", "__class__", "debug"]
)
def test_a_record_says_nothing_of_how_and_where(recorded, tmp_path, name):
    """A scheduler would be connected to and its answers unpickled; a folder to resume from would be written."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        place = {"scheduler": f"tcp://127.0.0.1:{server.getsockname()[1]}", "workers": 2}
        with pytest.raises(
            UnreadableInputError, match=f"asks for '{name}'; a record says what was evaluated"
        ) as raised:
            recorded({name: place.get(name, str(tmp_path / "made"))})
        with pytest.raises(TimeoutError):
            server.accept()
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "made").exists()


def test_trust_is_that_of_the_caller(recorded, maps, tmp_path, monkeypatch):
    """Earlier versions wrote it down; what a record says of it changes nothing."""
    asked = {"links": "follow", "limits": "none", "untrusted": True, "prediction_links": "follow"}
    assert recorded(asked).same
    given = {}
    monkeypatch.setattr("geoeval.pipeline.verify.evaluate", lambda *_, **options: given.update(options) or nothing())
    trust = {"links": "refuse", "limits": "vertices=1000000", "untrusted": True}
    recorded(asked, **trust)
    assert {name: given.get(name) for name in (*trust, "prediction_links")} == {**trust, "prediction_links": None}
    given.clear()
    run("verify", tmp_path / "stranger.json", "--untrusted", "--links", "follow", "--limits", "pixels=5000")
    assert {name: given[name] for name in trust} == {"links": "follow", "limits": "pixels=5000", "untrusted": True}
    with pytest.raises(TooLargeError, match='give limits="columns='):
        recorded(limits="columns=1")
    made = evaluate(*maps.pair("town"), metrics="ccq", limits="none", untrusted=True)
    assert not {"limits", "links", "untrusted"} & made.run["call"].keys()


def test_a_place_is_downloaded_only_where_the_caller_says_so(recorded, monkeypatch):
    sound = recorded.sound["run"]["files"]
    place = {"reference": "osm:8.6,49.4,8.61,49.41"}
    recorded.sound["run"]["files"] = {"prediction": sound["prediction"]}
    with pytest.raises(
        ParameterError, match=r"osm:8.6,49.4,8.61,49.41 would be downloaded; to do so, give download=True"
    ):
        recorded(place)
    asked = []
    monkeypatch.setattr("geoeval.pipeline.verify.evaluate", lambda *given, **_: asked.append(given) or nothing())
    recorded(place, download=True)
    assert asked[0][0] == place["reference"]


def nothing():
    empty = network([])
    return evaluate(empty, empty, metrics="ccq")


@pytest.mark.parametrize(
    "path",
    ["/dev/zero", "/dev/stdin", "/proc/self/environ", "/vsicurl/http://127.0.0.1:9/x.osm", "http://127.0.0.1:9/x.osm",
     "//server/share/x.osm", r"\\server\share\x.osm", "/", "/{name}/{name}/{name}/x.osm", "/proc/{name}/maps", "PIPE",
     "../dev/../../../../../../../../../dev/zero"],
)  # fmt: skip
def test_what_is_no_file_is_not_followed(recorded, tmp_path, path):
    os.mkfifo(tmp_path / "pipe")
    path = str(tmp_path / "pipe") if path == "PIPE" else path
    for size in (0, 1):
        about = {"path": path, "bytes": size, "sha256": "0" * 64}
        found = recorded({"reference": path}, {"reference": about})
        assert len(found.missing) == 1
        assert found.missing[0].startswith(f"reference: {path} is not there")


def test_an_input_without_a_digest_is_not_read(recorded, maps):
    sound = recorded.sound["run"]["files"]
    recorded.sound["run"]["files"] = {"prediction": sound["prediction"]}
    with pytest.raises(UnreadableInputError, match="the reference of the recorded run has no digest"):
        recorded()
    recorded.sound["run"]["files"] = sound
    for name in ("aoi", "image", "georeference"):
        with pytest.raises(UnreadableInputError, match=f"the {name} of the recorded run has no digest"):
            recorded({name: str(maps.folder / "area.geojson")})
    assert recorded({"aoi": "overlap"}).differences


def test_a_local_file_is_given_by_its_absolute_path(maps, tmp_path, monkeypatch):
    """Libraries take some names for addresses."""
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("http:", "GPKG:")):
        (tmp_path / name).mkdir()
        shutil.copy(maps.one("town", number), tmp_path / name / "x.osm")
    out = written(tmp_path, "roads", tmp_path / "http:" / "x.osm", tmp_path / "GPKG:" / "x.osm", "--metrics", "ccq")
    result = json.loads(out.read_text())
    for side, name in (("reference", "http:/x.osm"), ("prediction", "GPKG:/x.osm")):
        result["run"]["call"][side] = result["run"]["files"][side]["path"] = name
    out.write_text(json.dumps(result))
    asked = []
    monkeypatch.setattr("geoeval.pipeline.verify.evaluate", lambda *given, **_: asked.append(given) or nothing())
    verify(out)
    assert asked == [(str(tmp_path / "http:" / "x.osm"), str(tmp_path / "GPKG:" / "x.osm"))]


def test_what_differs_is_printed_without_commands_to_the_terminal(recorded, tmp_path):
    recorded.sound["scores"]["ccq"]["\x1b[31m" + "x" * 5000] = 0.5
    recorded()
    done = run("verify", tmp_path / "stranger.json")
    assert "\x1b" not in done.output
    assert max(map(len, done.output.splitlines())) < 300
