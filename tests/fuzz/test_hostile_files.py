"""Hostile files are refused in one line; none of them reads another file or reaches the network."""

import os
import re
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from geoeval.exceptions import GeoevalError, LinkedFileError, TooLargeError
from geoeval.readers import read_drawing, read_map, read_network
from tests.fuzz.hostile import HOSTILE
from tests.fuzz.hostile.databases import geopackage
from tests.fuzz.reading import DEFECT, REFUSED, try_file


@contextmanager
def listener():
    """An address on this machine, and the list of those who came."""
    came = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                came.append(connection.recv(200))
                connection.close()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/file", came
        server.shutdown(socket.SHUT_RDWR)
    thread.join(timeout=5)


def named(name):
    return next(one for one in HOSTILE if one.name == name)


@pytest.mark.parametrize("one", HOSTILE, ids=lambda one: one.name)
def test_hostile_files_are_refused_in_one_line(tmp_path, one):
    with listener() as (address, came):
        path = one.write(tmp_path / "given", address)
        before = sorted(path.parent.iterdir())
        outcome, line = try_file(one.content, path)
    assert came == []
    assert sorted(path.parent.iterdir()) == before
    assert outcome != DEFECT, line
    if one.says:
        assert outcome == REFUSED, "it was read"
        assert re.search(one.says, line), line


def test_the_interpreter_outlives_a_pbf_that_is_not_utf8(tmp_path):
    """The writer that failed must not be destroyed, not even at the end of the program."""
    one = named("pbf_with_text_that_is_not_utf8")
    done = subprocess.run(
        [sys.executable, "-m", "geoeval", "info", str(one.write(tmp_path))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "invalid Unicode" in done.stderr


def test_links_are_followed_if_asked_for_but_never_to_the_network(tmp_path):
    local = named("ogr_vrt").write(tmp_path / "given").rename(tmp_path / "given" / "layer.xml")
    assert len(read_network(local, links="follow").segments) == 2
    view = tmp_path / "view.gpkg"
    geopackage(view, "SELECT fid, geom FROM real")
    assert len(read_network(view, links="follow").segments) == 1
    with pytest.raises(LinkedFileError):
        read_network(view)
    with listener() as (address, came):
        for one in map(named, ("ogr_vrt_with_sql_and_another_name", "raster_vrt")):
            with pytest.raises(GeoevalError):
                read_map(one.content, one.write(tmp_path / one.name, address), links="follow", pixel_size=1.0)
    assert came == []


def test_limits_can_be_raised_and_lowered(tmp_path):
    deep = named("dxf_chain_of_150_blocks").write(tmp_path)
    assert len(read_drawing(deep, limits="depth=150").ids) == 1
    assert len(read_drawing(deep, limits={"depth": 1e9}).ids) == 1
    with pytest.raises(TooLargeError, match=r"the limit of depth is 20; .* give limits=\"depth=150\""):
        read_drawing(deep, limits="copies=500,depth=20")
    assert len(read_drawing(deep, limits="none").ids) == 1
    with pytest.raises(TooLargeError, match="depth is 100"):  # a limit is for one reading
        read_drawing(deep)


def test_drivers_that_lead_elsewhere_are_back_after_reading(tmp_path):
    import pyogrio

    before = set(pyogrio.list_drivers())
    with pytest.raises(LinkedFileError):
        read_network(named("ogr_vrt").write(tmp_path / "given"))
    (tmp_path / "a.geojson").write_text('{"type": "FeatureCollection", "features": []}')
    assert read_network(tmp_path / "a.geojson").is_empty
    assert set(pyogrio.list_drivers()) == before
    assert "OGR_VRT" in before
    assert pyogrio.get_gdal_config_option("GDAL_HTTP_PROXY") is None
    assert os.environ.get("GDAL_SKIP") is None
