"""Hostile files open nothing but themselves, write nowhere else and call nobody (``python -m tests.fuzz --strace``)."""

from pathlib import Path

import pytest

from tests.fuzz import tracing
from tests.fuzz.hostile import HOSTILE, areas, crs_definitions, databases, links

PLACE, FOLDER = Path("/made/files/a/given"), Path("/made")


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('1 openat(AT_FDCWD, "/made/files/a/secret", O_RDONLY|O_CLOEXEC) = 3', "reads"),
        ('1 openat(AT_FDCWD, "/made/files/a/given/a.gfs", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3', "writes"),
        ('1 open("/home/somebody/.netrc", O_RDONLY) = 3', "reads"),
        ("1 connect(3, {sa_family=AF_INET, sin_port=htons(80)}, 16) = -1 EINPROGRESS", "calls"),
        ('1 unlink("/made/files/a/given/a.osm") = 0', "changes"),
        ('1 openat(AT_FDCWD, "/made/files/a/given/a.osm", O_RDONLY|O_CLOEXEC) = 3', ""),
        ('1 openat(AT_FDCWD, "/made/tmp/geoeval-x/a.gfs", O_RDWR|O_CREAT, 0666) = 3', ""),
        ('1 openat(AT_FDCWD, "/home/somebody/.netrc", O_RDONLY) = -1 ENOENT (No such file or directory)', ""),
    ],
)
def test_the_log_is_understood(line, word):
    said = tracing._complaint(line, FOLDER, PLACE) or ""
    assert said.startswith(word)
    assert bool(said) == bool(word)


@pytest.mark.skipif(not tracing.is_there(), reason="strace is not installed, or may not trace here")
def test_files_that_lead_elsewhere_open_nothing_else():
    """Those that name other files or addresses; the command takes all."""
    makers = {module.__name__ for module in (areas, crs_definitions, databases, links)}
    rows = [one for one in HOSTILE if one.make.__module__ in makers and "bomb" not in one.name]
    assert len(rows) > 200
    assert tracing.trace(rows) == []
