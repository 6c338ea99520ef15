"""The folder of a run that can be continued: what is evaluated, and the parts that are done."""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoeval.exceptions import OutputError
from geoeval.files import new_file
from geoeval.scale.tiles.part import Part

_RUN = "run.json"


class RunFolder:
    """The finished parts of a run, by name, kept as files; a folder of another run is refused.

    Parameters
    ----------
    path
        Created if it does not exist.
    facts
        Everything that the numbers depend on.

    Raises
    ------
    OutputError
        The folder holds another run, or cannot be used.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any]) -> None:
        self._parts = subfolder(path, "tiles")
        text = json.dumps(facts, indent=2, sort_keys=True, default=str)
        run = path / _RUN
        with _reported(path):
            earlier = run.read_text(encoding="utf-8") if run.exists() else None
        if earlier is None:
            with new_file(run) as unfinished:
                unfinished.write_text(text, encoding="utf-8")
        elif earlier != text:
            raise OutputError(
                f"{path}: holds a run with {_difference(earlier, facts)}; give the same inputs and options again, "
                "or another folder"
            )

    def get(self, name: str) -> bytes | None:
        """A part that is done; ``None`` where it is not, or damaged."""
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
        """Keep a part; its file appears only when it is complete."""
        path = self._file(name)
        unfinished = path.with_suffix(".new")
        with _reported(self._parts.parent):
            with unfinished.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(path)

    def _file(self, name: str) -> Path:
        return self._parts / f"{name}.arrow"


def subfolder(path: Path, name: str) -> Path:
    """A folder in the folder of a run, created if it does not exist."""
    with _reported(path):
        (path / name).mkdir(parents=True, exist_ok=True)
    return path / name


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be used to keep a run ({error.strerror}); give another folder") from error


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _difference(earlier: str, facts: Mapping[str, Any]) -> str:
    """In what an earlier run differs, in words."""
    try:
        old = json.loads(earlier)
    except ValueError:
        return "a damaged run.json"
    new = json.loads(json.dumps(facts, default=str))
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return f"another {' and another '.join(names)}"
