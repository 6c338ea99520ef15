"""The locked versions: where they are used, and that the package carries them."""

import sys

import pytest


@pytest.mark.parametrize(("answer", "known"), [
    (("CPython", "3.12", "Linux", "x86_64"), True), (("CPython", "3.11", "Windows", "AMD64"), True),
    (("CPython", "3.10", "Linux", "x86_64"), False), (("PyPy", "3.11", "Linux", "x86_64"), False),
    (("CPython", "3.13", "Linux", "riscv64"), False),
])  # fmt: skip
def test_the_lock_is_for_platforms_that_it_knows(checkout, answer, known):
    assert checkout.locked._is_known(*answer) is known


def test_the_package_carries_the_lock_and_asks_the_interpreter(plugin):
    assert plugin.locked.FILE.read_text().count("--hash=sha256:") > 100
    version = ".".join(map(str, sys.version_info[:2]))
    assert plugin.locked.fits(sys.executable) is (version in plugin.locked.PYTHONS)
