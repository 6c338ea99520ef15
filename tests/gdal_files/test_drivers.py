"""Which drivers of GDAL are there while a file is opened."""

import pyogrio

from geoeval.gdal_files.drivers import plain_gdal


def drivers():
    return set(pyogrio.list_drivers())


def test_a_block_inside_another_has_no_more_drivers():
    """A reader that hands out its rows one by one keeps its block open while others are read."""
    before = drivers()
    with plain_gdal():
        outer = drivers()
        with plain_gdal():
            assert drivers() == outer
        with plain_gdal(also={"DXF"}):
            assert drivers() == outer | {"DXF"}
        assert drivers() == outer
    assert "DXF" in before - outer
    assert drivers() == before
