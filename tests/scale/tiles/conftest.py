"""Tiles that are put together in parts would hide their borders: here each is a part of its own, unless a test asks."""

import pytest

from geoeval.scale.tiles import running


@pytest.fixture(autouse=True)
def each_tile_is_a_part(monkeypatch):
    monkeypatch.setattr(running, "PART_FEATURES", 0)
