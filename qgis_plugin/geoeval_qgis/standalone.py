"""A Python of its own for machines that have none: through ``uv``, which the package index carries. No QGIS here."""

import os
from pathlib import Path

from . import environment, runner, troubles

VERSION = "3.12"


def make_environment(place, candidates, *, index=None, say, is_canceled=None):
    """Make an environment from an interpreter that is downloaded; raises EngineError.

    Parameters
    ----------
    place
        The environment to make.
    candidates
        Interpreters that are not fit for an environment; one of them must be able to run pip.
    """
    say(0.03, f"no fitting Python here; fetching Python {VERSION} for geoeval alone, about 30 MB")
    tools = place.parent / f"{place.name}-uv"
    source = ["--index-url", index] if index else []
    said = []
    for python in candidates:
        command = [*runner.isolated(python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input",
                   "--only-binary", ":all:", "--target", str(tools), *source, "uv"]  # fmt: skip
        try:
            code, said = runner.run(command, on_line=lambda _line: None, is_canceled=is_canceled)
        except runner.EngineError:
            continue
        if code == 0:
            break
    else:
        raise runner.EngineError(
            troubles.in_words("a Python for geoeval cannot be fetched", said or ["no pip was found"])
        )
    uv = next((path for path in (tools / "bin" / "uv", tools / "Scripts" / "uv.exe", tools / "bin" / "uv.exe")
               if path.exists()), None)  # fmt: skip
    if uv is None:
        raise runner.EngineError(
            "a Python for geoeval cannot be fetched: the package uv has no program for this system"
        )
    command = [str(uv), "venv", "--seed", "--python", VERSION, str(place)]
    code, said = runner.run(
        command, on_line=lambda _line: None, is_canceled=is_canceled, more_variables=_variables(index)
    )
    if code != 0:
        raise runner.EngineError(troubles.in_words(f"Python {VERSION} cannot be fetched", said, of=troubles.DOWNLOAD))
    return tools


def _variables(index):
    """What uv is told: where interpreters go, to leave nothing elsewhere, and to trust what this machine trusts.

    Networks that look into connections have certificates of their own, which the system knows and uv does not.
    """
    told = {"UV_PYTHON_INSTALL_DIR": str(interpreters_directory()), "UV_NO_CONFIG": "1", "UV_NO_CACHE": "1",
            "UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"}  # fmt: skip
    if index:
        told["UV_DEFAULT_INDEX"] = index
    if os.environ.get("PIP_CERT") and not os.environ.get("SSL_CERT_FILE"):
        told["SSL_CERT_FILE"] = os.environ["PIP_CERT"]
    return told


def interpreters_directory():
    """Where downloaded interpreters live: beside the environments, which need them."""
    return Path(os.fspath(environment.data_directory())) / "python"
