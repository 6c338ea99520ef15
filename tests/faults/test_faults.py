"""Full disks, places without rights, links, two runs at once, low limits, clocks, locales and odd names.

Output is complete or absent, an error is one line, and the exit code is right. The long campaign is
``python -m tests.faults --full 100``.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from geoeval.files import PREFIX
from tests.faults.commands import METRICS, WRITING
from tests.faults.contents import digests
from tests.faults.full_disks import may_mount, small_disk

YEARS = 10 * 365 * 86400.0


def one_line(ended, *words):
    """The command failed with one line that has these words."""
    assert ended.code == 1, ended.said
    assert len(ended.errors) == 1, ended.said
    assert "unexpected" not in ended.said
    assert "Traceback" not in ended.said
    for word in words:
        assert word in ended.errors[0]


def left(folder):
    return sorted(path.name for path in folder.iterdir())


def roads(maps, *more):
    return ["roads", *maps.pair("town"), "--metrics", METRICS, "--progress", "none", *map(str, more)]


# One of each way to write; the campaign has them all.
SHARE = sorted(set(WRITING) - {
    "roads -o shp", "roads -o geojson", "roads --report", "roads --json", "roads --card", "roads --maproulette",
    "convert .geojson", "convert .json", "roads -o parquet", "study stability", "study detection", "study sensitivity",
})  # fmt: skip


@pytest.mark.parametrize("name", SHARE)
def test_no_room_for_a_file_is_one_line_and_leaves_nothing(run, maps, tmp_path, name):
    """A limit to the size of a file is an error at the write that goes beyond it, as on a full disk."""
    one_line(run(*WRITING[name].arguments(maps, tmp_path, 1), limits={"FSIZE": 500}))
    assert left(tmp_path) == []


def test_a_shapefile_that_loses_a_part_is_no_success(run, maps, tmp_path):
    if not may_mount(tmp_path):
        pytest.skip("needs the right to mount a small file system")
    seen = set()
    with small_disk(tmp_path / "may-mount") as disk:
        for files in range(3, 11):
            subprocess.run(["mount", "-o", f"remount,nr_inodes={files}", str(disk)], check=True)
            ended = run(*WRITING["convert .shp"].arguments(maps, disk, 1))
            seen.add(ended.code)
            if ended.code == 0:
                assert left(disk) == ["out.cpg", "out.dbf", "out.prj", "out.shp", "out.shx"]
                break
            one_line(ended)
            assert left(disk) == []
    assert seen == {0, 1}


@pytest.mark.parametrize("name", ["roads, all at once", "convert .shp", "perturb", "rank", "study correlation"])
def test_a_folder_without_rights_is_one_line(run, maps, tmp_path, name):
    tmp_path.chmod(0o555)
    one_line(run(*WRITING[name].arguments(maps, tmp_path, 1), ordinary=True), "no permission to write in")
    assert left(tmp_path) == []


def test_a_read_only_disk_is_one_line(run, maps, tmp_path):
    if not may_mount(tmp_path):
        pytest.skip("needs the right to mount a small file system")
    with small_disk(tmp_path / "may-mount") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        one_line(run(*WRITING["convert .gpkg"].arguments(maps, disk, 1)), "cannot be written")
        one_line(run(*roads(maps, "--tile-size", 400, "--resume", disk / "run")), "cannot be used to keep a run")


def test_a_working_folder_that_vanished(run, maps, tmp_path):
    (tmp_path / "gone").mkdir()
    one_line(run(*roads(maps, "-o", "out"), folder=str(tmp_path / "gone"), gone=True), "cannot be written")


def test_a_file_that_may_not_be_read(run, maps, tmp_path):
    for name in ("town", "houses", "lines"):
        secret = tmp_path / Path(maps.one(name)).name
        secret.write_bytes(Path(maps.one(name)).read_bytes())
        secret.chmod(0)
        kind = {"town": "roads", "houses": "objects", "lines": "lines"}[name]
        one_line(run(kind, maps.one(name), secret, ordinary=True), "cannot be opened; check its permissions")


def test_links_in_the_output_are_never_followed_out_of_it(run, maps, tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("mine")
    writing = WRITING["roads -o geojson"]
    assert run(*writing.arguments(maps, tmp_path, 1)).code == 0
    out = tmp_path / "out"
    # A file of ours that somebody has turned into a link, and a folder of theirs behind another.
    (out / "missing.geojson").unlink()
    (out / "missing.geojson").symlink_to(precious)
    assert run(*writing.arguments(maps, tmp_path, 2)).code == 0
    assert precious.read_text() == "mine"
    assert not (out / "missing.geojson").is_symlink()
    (out / "elsewhere").symlink_to(tmp_path)
    one_line(run(*writing.arguments(maps, tmp_path, 1)), "files that geoeval did not write (elsewhere)")
    assert precious.read_text() == "mine"


@pytest.mark.parametrize("link", ["tiles", "inputs", "inputs/reference.parquet", "run.json"])
def test_links_in_a_folder_to_resume_from_are_refused_or_replaced(run, maps, tmp_path, link):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    kept = tmp_path / "run" / link
    kept.parent.mkdir(parents=True)
    kept.symlink_to(outside / "precious" if "." in link else outside)
    graphs = [str(tmp_path / f"{side}.gpkg") for side in ("a", "b")]
    for number, graph in enumerate(graphs):
        assert run("convert", maps.one("town", number), graph).code == 0
    ended = run("roads", *graphs, "--metrics", "ccq", "--tile-size", 400, "--resume", tmp_path / "run", "--progress",
                "none")  # fmt: skip
    assert (outside / "precious").read_text() == "mine"
    assert left(outside) == ["precious"]
    if ended.code != 0:
        one_line(ended, "link")


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("name", ["convert .shp", "roads -o geojson"])
def test_two_runs_into_one_place_at_once(forge, run, maps, tmp_path, name, overwrite):
    writing = WRITING[name]
    whole = []
    for number in (1, 2):
        (tmp_path / str(number)).mkdir()
        assert run(*writing.arguments(maps, tmp_path / str(number), number)).code == 0
        whole.append(digests(tmp_path / str(number), writing.outputs))
    both = tmp_path / "both"
    both.mkdir()
    commands = [writing.arguments(maps, both, number) for number in (1, 2)]
    if not overwrite:
        commands = [[word for word in command if word != "--overwrite"] for command in commands]
    pids = [forge.start(*command) for command in commands]
    codes = [forge.finish(pid).code for pid in pids]
    assert sorted(codes) == ([0, 0] if overwrite else [0, 1])
    found = digests(both, writing.outputs)
    assert found in whole if overwrite else found == whole[codes.index(0)]
    assert not [name for name in left(both) if name.startswith(PREFIX)]


@pytest.mark.parametrize(("limits", "words"), [
    ({"NOFILE": 14}, "Too many open files"), ({"AS": 20 * 2**20}, " memory"),
])  # fmt: skip
def test_low_limits_are_one_line(run, maps, tmp_path, limits, words):
    one_line(run(*WRITING["convert .shp"].arguments(maps, tmp_path, 1), limits=limits), words)
    assert left(tmp_path) == []


def test_too_few_open_files_for_workers_is_said_before_they_start(run, maps):
    one_line(run(*roads(maps, "--tile-size", 400, "--workers", 2), limits={"NOFILE": 40}), "64 open files", "40")


def test_a_clock_set_back_changes_nothing(run, maps, tmp_path):
    found = []
    for number, clock in enumerate((0.0, -YEARS, YEARS)):
        out = tmp_path / f"{number}.json"
        ended = run(*roads(maps, "--tile-size", 400, "--resume", tmp_path / "run", "--json", out), clock=clock)
        assert ended.code == 0, ended.said
        found.append(digests(tmp_path, (out.name,)))
        for kept in (tmp_path / "run").rglob("*"):
            os.utime(kept, (time.time() - clock, time.time() - clock))
    assert found[0] == found[1] == found[2]


def test_a_decimal_comma_changes_nothing(run, maps, tmp_path):
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")],
                          capture_output=True, check=False)  # fmt: skip
    if not (tmp_path / "de_DE.UTF-8").is_dir():
        pytest.skip(f"this system cannot make a locale ({made.stderr[:80]!r})")
    names = {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}
    for name in ("roads, all at once", "lines, all at once", "convert .geojson"):
        found = []
        for place, conditions in (("plain", {}), ("comma", {"environment": names, "numbers": "de_DE.UTF-8"})):
            (tmp_path / name / place).mkdir(parents=True)
            ended = run(*WRITING[name].arguments(maps, tmp_path / name / place, 1), **conditions)
            assert ended.code == 0, ended.said
            found.append(digests(tmp_path / name / place, WRITING[name].outputs))
        assert found[0] == found[1], name


ODD = ["a\nb", "-dash", "x" * 248, "\udcff\udcfe", "a;b", ".hidden", "*"]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_odd_names_of_inputs_outputs_and_layers(run, maps, tmp_path, name):
    given = tmp_path / f"{name}.osm"
    given.write_text(Path(maps.one("town", 1)).read_text())
    out = tmp_path / "out"
    out.mkdir()
    ended = run("roads", maps.one("town"), given, "--metrics", "ccq", "-o", out / name, "--json", out / f"{name}.json",
                "--report", out / f"{name}.htm", "--progress", "none")  # fmt: skip
    assert ended.code == 0, ended.said
    assert left(out) == sorted([name, f"{name}.htm", f"{name}.json"])
    assert json.loads((out / f"{name}.json").read_text())["prediction"]["sha256"]
    ended = run("convert", given, out / f"{name}.gpkg")
    assert ended.code == 0, ended.said
    assert (out / f"{name}.gpkg").is_file()
    # What libraries cannot open is refused in one line; everything else is read.
    again = run("info", out / f"{name}.gpkg")
    if again.code != 0:
        one_line(again)
    one_line(run("roads", maps.one("town"), tmp_path / f"{name}.none"))


def test_a_home_that_cannot_be_written_is_no_obstacle(run, maps, tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    nowhere = {"HOME": str(home), "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "MPLCONFIGDIR": ""}
    for place, conditions in (("usual", {}), ("homeless", {"environment": nowhere, "ordinary": True})):
        (tmp_path / place).mkdir()
        ended = run(
            *roads(maps, "--tile-size", 400, "-o", tmp_path / place / "out", "--format", "geojson"), **conditions
        )
        assert ended.code == 0, ended.said
    assert "what was read is not kept for later runs" in ended.said
    assert digests(tmp_path / "usual", ("out",)) == digests(tmp_path / "homeless", ("out",))
