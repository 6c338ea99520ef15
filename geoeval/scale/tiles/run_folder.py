"""The folder of a run that can be continued: what is evaluated, and the parts that are done, each with its digest."""

import hashlib
import json
import os
import secrets
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geoeval.exceptions import GeoevalWarning, OutputError
from geoeval.files import new_file

_RUN = "run.json"
# Bytes of the digest that a kept part begins with.
_DIGEST = 32


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
        self._run = text.encode()
        run = path / _RUN
        with _reported(path):
            earlier = run.read_bytes().decode(errors="replace") if run.exists() else None
        if earlier is not None and not _is_run(earlier):
            _warn_of_damage(run)
            earlier = None
        if earlier is None:
            with new_file(run, overwrite=True) as unfinished:
                unfinished.write_text(text, encoding="utf-8")
        elif earlier != text:
            raise OutputError(
                f"{path}: holds a run with {_difference(earlier, facts)}; give the same inputs and options again, "
                "or another folder"
            )

    def get(self, name: str) -> bytes | None:
        """A part that is done; ``None`` where it is not, or is damaged, which is said."""
        path = self._file(name)
        if not path.exists():
            return None
        with _reported(self._parts.parent):
            kept = path.read_bytes()
        digest, data = kept[:_DIGEST], kept[_DIGEST:]
        if digest != self._digest(name, data):
            _warn_of_damage(path)
            return None
        return data

    def warn_of(self, name: str) -> None:
        """Say that a part is damaged, although its digest is right, and is made again."""
        _warn_of_damage(self._file(name))

    def put(self, name: str, data: bytes) -> None:
        """Keep a part; its file appears only when it is complete."""
        path = self._file(name)
        # Another run in the same folder may write the same part at the same time.
        unfinished = path.with_suffix(f".{secrets.token_hex(4)}.new")
        with _reported(self._parts.parent):
            with unfinished.open("wb") as stream:
                stream.write(self._digest(name, data) + data)
                stream.flush()
                os.fsync(stream.fileno())
            unfinished.replace(path)

    def _file(self, name: str) -> Path:
        return self._parts / f"{name}.part"

    def _digest(self, name: str, data: bytes) -> bytes:
        """Of a part, its name and its run: a part of another run is as good as damaged."""
        return hashlib.sha256(b"\0".join([self._run, name.encode(), data])).digest()


def subfolder(path: Path, name: str) -> Path:
    """A folder in the folder of a run, created if it does not exist; links, which lead out of it, are refused."""
    with _reported(path):
        (path / name).mkdir(parents=True, exist_ok=True)
        links = [entry.path for folder in (path, path / name) for entry in os.scandir(folder) if entry.is_symlink()]
    if links:
        raise OutputError(f"{min(links)} is a link out of the folder of the run; remove it, or give another folder")
    return path / name


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"{path}: cannot be used to keep a run ({error.strerror}); give another folder") from error


def _is_run(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _warn_of_damage(path: Path) -> None:
    warnings.warn(f"{path} is damaged and is made again", GeoevalWarning, stacklevel=3)


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _difference(earlier: str, facts: Mapping[str, Any]) -> str:
    """In what an earlier run differs, in words."""
    old = json.loads(earlier)
    new = json.loads(json.dumps(facts, default=str))
    names = [name for name in sorted({*old, *new}) if old.get(name) != new.get(name)]
    return f"another {' and another '.join(names)}"
