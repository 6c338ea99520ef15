"""The page of file formats: every reader, and every option of reading."""

import inspect
import sys
from collections.abc import Iterator

from geoeval.contents import CONTENTS
from geoeval.readers.options import INPUT_OPTIONS
from geoeval.readers.reader import Reader
from geoeval.readers.registry import readers
from making.texts import code, markdown, table

_PAGE = "formats.md"
_HEAD = """# File formats

A file is recognised by its content first and by its name second. `geoeval info FILE` says what it is, what was read and
what was left out. `geoeval convert IN OUT` writes roads in another format.
"""

_OPTIONS = """## Options of reading

On the command line and, with underscores, in Python. Those of one side begin with `--reference-` or `--prediction-`.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of the page."""
    rows = [[reader.kind, *("yes" if content in reader.reads else "" for content in CONTENTS), _about(reader)]
            for reader in readers() if reader.reads]  # fmt: skip
    options = [
        [code("--" + option.name.replace("_", "-")), code(option.metavar or "") if option.metavar else "",
         option.help.format(side="input"), ", ".join(option.contents),
         "" if option.default in (None, False) else code(option.default)]
        for option in INPUT_OPTIONS.values()
    ]  # fmt: skip
    parts = (_HEAD, table(["kind of file", *CONTENTS, ""], rows), _OPTIONS,
             table(["option", "value", "meaning", "for", "default"], options))  # fmt: skip
    yield _PAGE, "\n".join(parts)


def _about(reader: Reader) -> str:
    """The first paragraph of the module that reads it."""
    module = sys.modules[next(iter(reader.reads.values())).__module__]
    return markdown((inspect.getdoc(module) or "").split("\n\n")[0])
