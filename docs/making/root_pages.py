"""Files of the repository's top that the site shows as they are."""

import re
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_FILES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page; what links to files that the site does not have becomes code."""
    names = "\n".join(name.lower() for name in _FILES)
    yield "project/index.md", f"# The project\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    for name in _FILES:
        text = (_ROOT / name).read_text(encoding="utf-8")
        yield f"project/{name.lower()}", re.sub(r"\[([^\]]+)\]\((?!https?:|#)([^)]+)\)", r"`\2`", text)
