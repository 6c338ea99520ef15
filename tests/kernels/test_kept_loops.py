"""Compiled loops that are kept on disk are those of the sources as they are, whole, or made again."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core.caching import CompileResultCacheImpl

from geoeval._kernels import heap
from geoeval._kernels.compiling import kernel
from geoeval._kernels.kept_loops import KeptLoops

ROOT = Path(__file__).parents[2]
INNER = "from geoeval._kernels.compiling import inner\nSHIFT = {}\n@inner\ndef moved(x):\n    return {}\n"
OUTER = """
from geoeval._kernels.compiling import kernel
from parts import SHIFT, moved
@kernel
def both(x):
    return moved(x) + SHIFT
"""
ASK = """
import numba.core.event as event, loops
with event.install_recorder("numba:compile") as seen:
    found = [loops.both(x) for x in (1, 1.0)]
print(*found, len(seen.buffer) > 0)
"""


def run(folder, code, **more):
    env = {**os.environ, **more, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)


@pytest.fixture
def written(tmp_path):
    """Two modules; asking them says what both signatures give, and whether anything was compiled."""
    (tmp_path / "loops.py").write_text(OUTER)

    def ask(shift=10, value="x + 1"):
        inner = tmp_path / "parts.py"
        if not inner.exists() or inner.read_text() != INNER.format(shift, value):
            inner.write_text(INNER.format(shift, value))
        done = run(tmp_path, ASK)
        return done.stdout.split()

    ask.folder = tmp_path / "__pycache__"
    return ask


def kept(ask):
    return sorted(ask.folder.glob("loops.both*.nbc"))


def test_what_is_kept_is_used_and_a_change_of_another_module_is_noticed(written):
    assert written() == ["12", "12.0", "True"]
    before = kept(written)
    assert written() == ["12", "12.0", "False"]
    assert kept(written) == before
    assert len(before) == 2
    assert written(value="x + 5") == ["16", "16.0", "True"]
    assert written(shift=20, value="x + 5") == ["26", "26.0", "True"]
    # What earlier versions of the loop were is gone.
    assert len(kept(written)) == 2
    assert not set(before) & set(kept(written))
    assert not list(written.folder.glob("loops.both*.nbi"))


def test_what_is_damaged_is_made_again(written):
    written()
    whole = {path: path.read_bytes() for path in kept(written)}
    middle = len(next(iter(whole.values()))) // 2
    for damage in (
        lambda content: content[:middle],
        lambda content: content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
        lambda content: b"",
        lambda content: content[:16] + next(reversed(whole.values()))[16:] + b".",
    ):
        for path, content in whole.items():
            path.write_bytes(damage(content))
        assert written() == ["12", "12.0", "True"]
    assert written() == ["12", "12.0", "False"]


def test_files_of_another_numba_stay(written):
    written()
    one = kept(written)[0]
    base, _, made_of, key, suffix = one.name.rsplit(".", 4)
    other = one.with_name(f"{base}.00000000.{made_of}.{key}.{suffix}")
    other.write_bytes(b"not ours")
    assert written(value="x + 5") == ["16", "16.0", "True"]
    assert other.read_bytes() == b"not ours"


def test_every_loop_is_kept_so():
    loops = [value for value in vars(heap).values() if isinstance(value, numba.core.registry.CPUDispatcher)]
    assert loops
    assert all(isinstance(loop._cache._cache_file, KeptLoops) for loop in loops)


def test_without_a_place_to_keep_it_a_loop_is_compiled_each_time(monkeypatch):
    monkeypatch.setattr(CompileResultCacheImpl, "_locator_classes", [])

    @kernel
    def total(values):
        return values.sum()

    assert total(np.arange(4.0)) == 6.0


def test_loops_run_without_a_compiler(written):
    written()
    assert run(written.folder.parent, ASK, NUMBA_DISABLE_JIT="1").stdout.split() == ["12", "12.0", "False"]


def test_a_full_disk_does_not_end_the_work(monkeypatch, tmp_path):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(KeptLoops, "_open_for_write", full)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    @kernel
    def largest(values):
        return values.max()

    assert largest(np.arange(4.0)) == 3.0
    assert not list(Path(tmp_path).rglob("*.nbc"))


def test_all_can_be_forgotten(written):
    written()
    run(written.folder.parent, "import loops; loops.both._cache.flush()")
    assert kept(written) == []
    assert written() == ["12", "12.0", "True"]
