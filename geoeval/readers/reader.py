"""What a reader is. Each reader declares itself at the end of its module as ``READER``."""

import bz2
import gzip
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from geoeval.exceptions import UnreadableInputError

# How much of a file is looked at to recognise it, in bytes.
HEAD_SIZE = 4096
_UNPACKERS: dict[str, Callable[[Path, str], Any]] = {".gz": gzip.open, ".bz2": bz2.open}


@dataclass(frozen=True)
class InputFile:
    """A file or folder to be recognised."""

    path: Path

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return self.path.is_dir()

    @cached_property
    def suffix(self) -> str:
        """The suffix of a file, in lower case; empty for a folder."""
        return "" if self.is_folder else self.path.suffix.lower()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, unpacked where the file is packed; empty for a folder and a damaged file."""
        try:
            with _UNPACKERS.get(self.suffix, Path.open)(self.path, "rb") as stream:
                return stream.read(HEAD_SIZE)
        except PermissionError as error:
            raise UnreadableInputError(f"{self.path} cannot be opened; check its permissions") from error
        except (OSError, EOFError, zlib.error):
            return b""

    @property
    def is_json_object(self) -> bool:
        """Whether it begins as a JSON object does."""
        return self.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


Recognise = Callable[[InputFile], bool]


def never(_: InputFile) -> bool:
    """Recognise no file."""
    return False


def has_suffix(*suffixes: str) -> Recognise:
    """Recognise files with one of these suffixes, in any case."""
    return lambda file: file.suffix in suffixes


@dataclass(frozen=True)
class Reader:
    """A kind of file: how it is recognised, and how each content is read from it.

    Attributes
    ----------
    kind
        A short name for this kind of file.
    reads
        For each content (``"roads"``, ``"objects"``, ``"lines"``) the function that reads it. It takes the path and,
        as keywords, those options of :data:`geoeval.readers.options.INPUT_OPTIONS` that it uses, and returns a
        ``RoadNetwork``, an ``ObjectMap`` or a ``Drawing`` with its ``source`` set.
    refuses
        For each content that such a file does not hold, the reason and what to give instead: the rest of a message
        that starts with the path.
    by_content
        Whether the first bytes of a file, or what is in a folder, show that it is of this kind.
    by_name
        Whether its name suggests that it is of this kind; used where no reader recognises the content.
    scheme
        The prefix of sources that are not files, such as ``"osm:"``. The reader is given what follows it.
    """

    kind: str
    reads: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    refuses: Mapping[str, str] = field(default_factory=dict)
    by_content: Recognise = never
    by_name: Recognise = never
    scheme: str = ""

    def concerns(self, content: str) -> bool:
        """Whether the reader reads or refuses this content."""
        return content in self.reads or content in self.refuses
