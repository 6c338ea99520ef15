"""Packages that only some files need, and one line where they are missing."""

from importlib import import_module
from typing import Any

from geoeval.exceptions import MissingExtraError


def import_extra(package: str) -> Any:
    """A package of the raster extra."""
    try:
        return import_module(package)
    except ImportError as error:
        msg = f'images need {package.split(".", maxsplit=1)[0]}, which is not installed; pip install "geoeval[raster]"'
        raise MissingExtraError(msg) from error
