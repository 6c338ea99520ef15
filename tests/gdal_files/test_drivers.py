"""Which drivers of GDAL are there while a file is opened."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pyogrio
import pytest

from geoeval.gdal_files.drivers import plain_gdal
from geoeval.gdal_files.settings import gdal_settings


def drivers():
    return set(pyogrio.list_drivers())


def test_a_block_inside_another_has_no_more_drivers():
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


def test_threads_have_the_drivers_that_they_asked_for_and_leave_them_as_they_were():
    """A block of one thread that ended after one that began later put back what that one had left out."""
    before, together = drivers(), Barrier(4)

    def asked(number):
        together.wait()
        for _ in range(20):
            with plain_gdal(also={"DXF"} if number % 2 else ()):
                seen = [drivers() for _ in range(3)]
            assert {"DXF" in one for one in seen} == {bool(number % 2)}
            assert not any("OGR_VRT" in one for one in seen)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(asked, range(4)))
    assert drivers() == before


def test_options_are_put_back_after_an_interrupt():
    def interrupted():
        with gdal_settings({"OGR_ARC_STEPSIZE": "7"}):
            assert pyogrio.get_gdal_config_option("OGR_ARC_STEPSIZE") == 7
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert pyogrio.get_gdal_config_option("OGR_ARC_STEPSIZE") is None
