"""The folder of a run that can be continued: what is evaluated, and the tiles that are done."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoeval.exceptions import OutputError
from geoeval.scale.part import Part
from geoeval.writers.aside import new_file

_RUN = "run.json"


class RunFolder:
    """Finished parts of a run, by name, kept as files; those of another run are refused.

    Parameters
    ----------
    path
        Made if it is not there.
    facts
        All that the numbers depend on.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self._parts = subfolder(path, "tiles")
        text = json.dumps(facts, indent=2, sort_keys=True, default=str)
        run = path / _RUN
        with _told(path):
            known = run.read_text(encoding="utf-8") if run.exists() else None
        if known is None:
            with new_file(run) as aside:
                aside.write_text(text, encoding="utf-8")
        elif known != text:
            raise OutputError(
                f"{path}: holds a run with {_difference(known, facts)}; give the same inputs and options again, "
                "or another folder"
            )

    def get(self, name: str) -> bytes | None:
        """A part that is done."""
        path = self._file(name)
        if not path.exists():
            return None
        data = path.read_bytes()
        try:
            Part.from_bytes(data)
        except (OSError, ValueError, KeyError):  # damaged: it is made again
            return None
        return data

    def put(self, name: str, data: bytes) -> None:
        """Keep a part; it has its name only when it is complete."""
        path = self._file(name)
        aside = path.with_suffix(".new")
        with _told(self._parts.parent):
            with aside.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            aside.replace(path)

    def _file(self, name: str) -> Path:
        return self._parts / f"{name}.arrow"


def subfolder(path: Path, name: str) -> Path:
    """A folder in the folder of a run, made if it is not there."""
    with _told(path):
        (path / name).mkdir(parents=True, exist_ok=True)
    return path / name


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be used to keep a run ({error.strerror}); give another folder") from error


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _difference(known: str, facts: Mapping[str, Any]) -> str:
    """In what a kept run differs, in words."""
    try:
        old = json.loads(known)
    except ValueError:
        return "a damaged run.json"
    new = json.loads(json.dumps(facts, default=str))
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return f"another {' and another '.join(names)}"
