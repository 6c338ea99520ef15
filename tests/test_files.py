"""Output is complete or absent, and nothing of somebody else's is taken away."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from geoeval.exceptions import OutputError
from geoeval.files import (
    FILE_LIST,
    PREFIX,
    check_directory,
    check_file,
    foreign_files,
    new_directory,
    new_file,
    together,
)
from geoeval.user_folders import user_cache


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def make(folder, *files, overwrite=False, text="x"):
    with new_directory(folder, overwrite=overwrite) as inside:
        for name in files:
            (inside / name).parent.mkdir(exist_ok=True)
            (inside / name).write_text(text)


def half_written(path, error):
    path.write_text("half")
    raise error


def test_a_file_appears_only_at_the_end(tmp_path):
    with new_file(tmp_path / "deep" / "a.txt") as path:
        assert path.name == "a.txt"
        path.write_text("hello")
        assert not (tmp_path / "deep" / "a.txt").exists()
    assert (tmp_path / "deep" / "a.txt").read_text() == "hello"
    assert names(tmp_path / "deep") == ["a.txt"]


def test_an_existing_file_is_refused_or_replaced(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with (
        pytest.raises(OutputError, match=r"a\.txt exists already; give overwrite=True, or give another file"),
        new_file(target),
    ):
        pass
    with new_file(target, overwrite=True) as path:
        path.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    target = tmp_path / "a.txt"

    def write():
        with new_file(target) as path:
            path.write_text("mine")
            target.write_text("somebody else's")

    with pytest.raises(OutputError):
        write()
    assert target.read_text() == "somebody else's"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_file(tmp_path, error):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(error), new_file(target, overwrite=True) as path:
        half_written(path, error)
    assert target.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_full_disk_is_one_line(tmp_path):
    line = r"a\.txt cannot be written: No space left.*somewhere else"
    with pytest.raises(OutputError, match=line), new_file(tmp_path / "a.txt") as path:
        half_written(path, OSError(28, os.strerror(28)))
    assert names(tmp_path) == []


def test_parts_go_with_their_file_and_old_parts_go_away(tmp_path):
    for old in ("r.shp", "r.dbf", "r.qix", "r.qml", "other.dbf"):
        (tmp_path / old).write_text("old")
    with new_file(tmp_path / "r.shp", overwrite=True) as path:
        path.write_text("new")
        path.with_suffix(".dbf").write_text("new")
    assert names(tmp_path) == ["other.dbf", "r.dbf", "r.qml", "r.shp"]
    assert (tmp_path / "r.dbf").read_text() == "new"
    assert (tmp_path / "other.dbf").read_text() == "old"


def test_an_orphan_part_is_not_mixed_in(tmp_path):
    (tmp_path / "r.dbf").write_text("old")
    with pytest.raises(OutputError, match=r"r\.dbf exists"):
        check_file(tmp_path / "r.shp")
    (tmp_path / "r.gpkg-wal").write_text("old")
    with pytest.raises(OutputError, match=r"r\.gpkg-wal exists"):
        check_file(tmp_path / "r.gpkg")
    with new_file(tmp_path / "r.gpkg", overwrite=True) as path:
        path.write_text("new")
    assert names(tmp_path) == ["r.dbf", "r.gpkg"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    with new_file(tmp_path / "link.txt", overwrite=True) as path:
        path.write_text("new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 300, "file.txt/below.txt"])
def test_impossible_names_are_refused(tmp_path, name):
    (tmp_path / "file.txt").write_text("")
    target = name and str(tmp_path / name)
    if name == "":
        target = str(tmp_path)  # a directory is no file
    with pytest.raises(OutputError):
        check_file(target, overwrite=True)


def test_devices_are_refused():
    with pytest.raises(OutputError, match="not a regular file"):
        check_file("/dev/null", overwrite=True)


def test_a_directory_gets_its_name_in_one_step(tmp_path):
    out = tmp_path / "deep" / "out"
    with new_directory(out) as inside:
        (inside / "a.txt").write_text("x")
        assert not out.exists()
    assert names(out) == [FILE_LIST, "a.txt"]
    assert names(tmp_path / "deep") == ["out"]
    # Like any directory that the user makes, not private like one from tempfile.
    (tmp_path / "usual").mkdir()
    assert out.stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_existing_directory_is_refused_or_replaced_whole(tmp_path):
    out = tmp_path / "out"
    make(out, "a.txt", "b.txt", "sub/c.txt")
    with pytest.raises(OutputError, match="out exists already; give overwrite=True, or give another directory"):
        make(out, "a.txt")
    make(out, "a.txt", overwrite=True, text="new")
    assert names(out) == [FILE_LIST, "a.txt"]
    assert (out / "a.txt").read_text() == "new"
    assert names(tmp_path) == ["out"]


def test_an_empty_directory_of_the_user_is_refused_too(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError):
        make(tmp_path / "out", "a.txt")
    make(tmp_path / "out", "a.txt", overwrite=True)


def test_files_of_others_are_never_taken_away(tmp_path):
    out = tmp_path / "out"
    make(out, "missing.shp")
    for name in ("thesis.doc", "missing.doc", "other.qml"):
        (out / name).write_text("mine")
        with pytest.raises(OutputError, match=rf"did not write \({name}\); move them or give another directory"):
            make(out, "missing.shp", overwrite=True)
        assert (out / name).read_text() == "mine"
        (out / name).unlink()
    (out / "link").symlink_to(tmp_path)
    assert foreign_files(out) == ["link"]
    (out / "link").unlink()
    (out / "sub").mkdir()
    (out / "sub" / "missing.shp").write_text("mine")
    assert foreign_files(out) == ["sub/missing.shp"]
    with pytest.raises(OutputError):
        check_directory(out, overwrite=True)


def test_a_directory_that_is_not_ours_is_never_taken_away(tmp_path):
    (tmp_path / "out").mkdir()
    for number in range(5):
        (tmp_path / "out" / f"{number}.shp").write_text("mine")
    with pytest.raises(OutputError, match=r"0\.shp, 1\.shp, 2\.shp and 2 more"):
        make(tmp_path / "out", "a.txt", overwrite=True)


def test_what_programs_put_beside_our_files_does_not_block(tmp_path):
    out = tmp_path / "out"
    make(out, "missing.shp", "errors.gpkg")
    for name in ("missing.qix", "missing.qmd", "missing.shp.xml", "errors.gpkg-wal", ".DS_Store", "Thumbs.db"):
        (out / name).write_text("")
    (out / f"{PREFIX}killed").mkdir()
    (out / f"{PREFIX}killed" / "half.csv").write_text("")
    make(out, "a.txt", overwrite=True)
    assert names(out) == [FILE_LIST, "a.txt"]


def test_a_file_written_later_into_our_directory_is_ours(tmp_path):
    out = tmp_path / "out"
    make(out, "a.txt")
    with new_file(out / "scores.json") as path:
        path.write_text("{}")
    assert foreign_files(out) == []
    make(out, "a.txt", overwrite=True)
    assert names(out) == [FILE_LIST, "a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_leaves_the_old_directory(tmp_path, error):
    make(tmp_path / "out", "a.txt", text="old")
    with pytest.raises(error), new_directory(tmp_path / "out", overwrite=True) as inside:
        half_written(inside / "a.txt", error)
    assert (tmp_path / "out" / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_a_failed_swap_puts_the_old_directory_back(tmp_path, monkeypatch):
    make(tmp_path / "out", "a.txt", text="old")
    with pytest.raises(OutputError), new_directory(tmp_path / "out", overwrite=True) as inside:
        monkeypatch.setattr(type(inside), "rename", failing_once(type(inside).rename, inside))
    assert (tmp_path / "out" / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_a_failure_among_several_outputs_leaves_all_the_old_ones(tmp_path, monkeypatch):
    theirs = tmp_path / "out-journal"
    theirs.write_text("mine")

    def write(text):
        with together():
            make(tmp_path / "out", "a.txt", text=text, overwrite=True)
            for name in ("b.txt", "c.txt"):
                with new_file(tmp_path / name, overwrite=True) as path:
                    path.write_text(text)

    def found():
        return [path.read_text() for path in (tmp_path / "out" / "a.txt", tmp_path / "b.txt", tmp_path / "c.txt")]

    write("old")
    replace = Path.replace
    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", lambda self, to: fail() if self.name == "c.txt" else replace(self, to))
        with pytest.raises(OutputError, match=r"c\.txt cannot be written: Input/output"):
            write("new")
    assert found() == ["old"] * 3
    assert names(tmp_path) == ["b.txt", "c.txt", "out", "out-journal"]
    write("new")
    assert found() == ["new"] * 3
    assert names(tmp_path) == ["b.txt", "c.txt", "out", "out-journal"]
    assert theirs.read_text() == "mine"


@pytest.mark.parametrize("old", ["old", ""])
def test_a_failure_between_the_parts_of_a_file_leaves_the_old_ones(tmp_path, monkeypatch, old):
    shape = tmp_path / "a.shp"
    parts = [shape, shape.with_suffix(".dbf")]
    for part in parts if old else ():
        part.write_text(old)
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, to: fail() if self.name == "a.shp" else replace(self, to))
    with pytest.raises(OutputError, match="Input/output"), new_file(shape, overwrite=True) as path:
        write_shape(path)
    monkeypatch.undo()
    assert [part.read_text() for part in parts if part.exists()] == [old] * (2 * bool(old))
    assert names(tmp_path) == (["a.dbf", "a.shp"] if old else [])


def test_a_failure_leaves_a_file_that_had_no_parts_before(tmp_path, monkeypatch):
    shape = tmp_path / "a.shp"
    shape.write_text("old")
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, to: fail() if self.name == "a.shp" else replace(self, to))
    with pytest.raises(OutputError, match="Input/output"), new_file(shape, overwrite=True) as path:
        write_shape(path, ".dbf", ".qml")
    monkeypatch.undo()
    assert shape.read_text() == "old"
    assert names(tmp_path) == ["a.shp"]


def test_two_outputs_of_one_name_are_refused(tmp_path):
    def write():
        with together():
            for _ in range(2):
                with new_file(tmp_path / "a.txt", overwrite=True) as path:
                    path.write_text("new")

    with pytest.raises(OutputError, match="is the name of two outputs"):
        write()
    assert names(tmp_path) == []


def write_shape(path, *suffixes):
    for part in (path, *(path.with_suffix(one) for one in suffixes or (".dbf",))):
        part.write_text("new")


def fail():
    raise OSError(5, os.strerror(5))


def test_a_file_goes_into_a_directory_that_is_written_with_it(tmp_path):
    out = tmp_path / "out"
    for text in ("old", "new"):
        with together():
            make(out, "a.txt", text=text, overwrite=text == "new")
            with new_file(out / "report.html", overwrite=text == "new") as path:
                path.write_text(text)
            assert not out.exists() or (out / "report.html").read_text() == "old"
        assert [(out / name).read_text() for name in ("a.txt", "report.html")] == [text, text]
        assert names(tmp_path) == ["out"]
    assert foreign_files(out) == []


def failing_once(rename, source):
    def renamed(self, target):
        if self == source:
            raise OSError(5, os.strerror(5))
        return rename(self, target)

    return renamed


def test_a_place_without_rights_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(OutputError, match="no permission to write in"):
        check_directory(tmp_path / "deep" / "out")


def test_the_cache_is_where_the_user_wants_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path / "geoeval"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert user_cache().is_absolute()
    assert "geoeval" in user_cache().parts
    assert not user_cache().is_relative_to(tmp_path)


SCRIPT = """
    import os, signal, sys
    from contextlib import nullcontext
    from geoeval.files import new_directory, new_file, together

    moment, target, at_once = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "together"
    seen = 0

    def kill_at_the_moment(event, arguments):
        global seen
        if event == "open" or event.startswith(("os.", "shutil.")):
            seen += 1
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill_at_the_moment)
    with together() if at_once else nullcontext():
        with new_directory(target, overwrite=True) as inside:
            for name in ("a.txt", "b.txt"):
                (inside / name).write_text("new")
        with new_file(target + ".shp", overwrite=True) as path:
            path.write_text("new")
            path.with_suffix(".dbf").write_text("new")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
@pytest.mark.parametrize("how", ["one after the other", "together"])
def test_killed_at_any_file_operation(tmp_path, how):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(SCRIPT))
    states = set()
    for moment in range(1, 200):
        folder = tmp_path / str(moment)
        folder.mkdir()
        out, shape = folder / "out", folder / "out.shp"
        make(out, "a.txt", "b.txt", text="old")
        for suffix in (".shp", ".dbf"):
            shape.with_suffix(suffix).write_text("old")
        status = subprocess.run([sys.executable, script, str(moment), out, how], check=False).returncode
        directory = tuple((out / name).read_text() for name in ("a.txt", "b.txt")) if out.exists() else ()
        assert directory in {("old", "old"), ("new", "new"), ()}
        file = (shape.read_text(), shape.with_suffix(".dbf").read_text()) if shape.exists() else ()
        assert file in {("old", "old"), ("new", "new"), ()}
        if how == "together":
            assert len({*directory, *file}) <= 1, "outputs of two runs"
        states.add((directory, file))
        assert all(name.startswith((PREFIX, "out")) for name in names(folder))
        if status == 0:
            break
        assert status == -signal.SIGKILL
        make(out, "a.txt", overwrite=True)  # the leavings block nobody
    else:
        pytest.fail("the run never came to its end")
    assert {directory for directory, _ in states} == {("old", "old"), ("new", "new"), ()}
    assert {file for _, file in states} == {("old", "old"), ("new", "new"), ()}
