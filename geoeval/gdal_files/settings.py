"""GDAL's options, for a while."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock

# Options and drivers are the whole process's: one thread at a time changes them, and puts them back.
_in_use = RLock()


@contextmanager
def gdal_settings(settings: Mapping[str, str]) -> Iterator[None]:
    """GDAL as pyogrio has it, with some options; other threads that want their own wait until they are put back."""
    import pyogrio

    with _in_use:
        before = {name: pyogrio.get_gdal_config_option(name) for name in settings}
        try:
            pyogrio.set_gdal_config_options(settings)
            yield
        finally:
            pyogrio.set_gdal_config_options(before)
