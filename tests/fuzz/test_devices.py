"""Pipes, devices, sockets and folders in place of files are refused in one line, and nothing waits for them."""

import os
import socket
import subprocess
import sys

import pytest

from geoeval import evaluate
from geoeval.exceptions import GeoevalError
from tests.fuzz.own_inputs import OWN
from tests.fuzz.reading import REFUSED, try_file

KINDS = {"roads": ".osm", "objects": ".tif", "lines": ".svg", "image": ".png", "area": ".geojson", "scores": ".csv"}


def pipe(path):
    os.mkfifo(path)


def device(path):
    path.symlink_to("/dev/zero")


def unix_socket(path):
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


def link_to_itself(path):
    path.symlink_to(path)


def folder(path):
    path.mkdir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("make", [pipe, device, unix_socket, link_to_itself, folder])
def test_what_is_no_file_is_refused(tmp_path, make):
    for content, suffix in {**KINDS, "previous": ".json", "plan": ".csv", "protocol": ".p"}.items():
        path = tmp_path / f"{content}{suffix}"
        make(path)
        outcome, line = try_file(content, path)
        assert outcome == REFUSED, (content, line)
        assert path.name in line


def test_a_link_to_a_file_is_followed(tmp_path):
    """The user gave it."""
    (tmp_path / "a.csv").write_text("name,f1\nA,1\nB,0.5\n")
    (tmp_path / "b.csv").symlink_to("a.csv")
    assert try_file("scores", tmp_path / "b.csv")[0] == "read"
    assert "scores" in OWN


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_commands_do_not_wait_for_a_pipe(tmp_path):
    pipe(tmp_path / "p.geojson")
    pipe(tmp_path / "p.json")
    given = str(tmp_path / "p.geojson")
    for command in (["info", given], ["rank", str(tmp_path / "p.json")]):
        done = subprocess.run(
            [sys.executable, "-m", "geoeval", *command], capture_output=True, text=True, check=False, timeout=60
        )
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert "is a pipe or a device" in done.stderr
    with pytest.raises(GeoevalError, match="is a pipe or a device"):
        evaluate(given, given)
