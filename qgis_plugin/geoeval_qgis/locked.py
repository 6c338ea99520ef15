"""The versions of everything that the engine stands on, with the digests of their files. No QGIS here.

``locked.txt`` is made by ``python -m tests.supply lock``. With it every environment gets the same packages, and pip
refuses a file that somebody changed on the way. It holds for the platforms below; elsewhere pip chooses.
"""

from pathlib import Path

from . import runner

FILE = Path(__file__).with_name("locked.txt")
# For pip install, before the engine itself, which then needs no dependencies (--no-deps).
ARGUMENTS = ("--require-hashes", "--no-deps", "--requirement", str(FILE))
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {"Linux x86_64", "Linux aarch64", "Darwin arm64", "Darwin x86_64", "Windows AMD64"}
_ASK = (
    "import platform as p; print(p.python_implementation(), '.'.join(p.python_version_tuple()[:2]), "
    "p.system(), p.machine(), sep='|')"
)


def fits(python, is_canceled=None):
    """Whether the locked versions are for the platform of this interpreter."""
    lines = []
    code, _ = runner.run([*runner.isolated(python), "-c", _ASK], on_line=lines.append, is_canceled=is_canceled)
    facts = lines[-1].split("|") if code == 0 and lines else []
    return FILE.exists() and len(facts) == 4 and _is_known(*facts)


def _is_known(implementation, version, system, machine):
    return implementation == "CPython" and version in PYTHONS and f"{system} {machine}" in PLATFORMS
