"""Files that the site shows as they are: those of the repository's top, and the pages that lie in ``docs``."""

import re
from collections.abc import Iterator
from pathlib import Path

_DOCS = Path(__file__).parents[1]
_ROOT = _DOCS.parent
_FILES = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Path and content of each page and picture."""
    for path in sorted(_DOCS.glob("*.md")):
        yield path.name, path.read_text(encoding="utf-8").replace("../examples/images/", "images/")
    for path in sorted((_ROOT / "examples" / "images").glob("*.png")):
        yield f"images/{path.name}", path.read_bytes()
    plugin = _ROOT / "qgis_plugin"
    yield (
        "qgis.md",
        _without_links((plugin / "README.md").read_text(encoding="utf-8").replace("images/", "images/qgis-")),
    )
    for path in sorted((plugin / "images").glob("*.png")):
        yield f"images/qgis-{path.name}", path.read_bytes()
    names = "\n".join(name.lower() for name in _FILES)
    yield "project/index.md", f"# The project\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    for name in _FILES:
        yield f"project/{name.lower()}", _without_links((_ROOT / name).read_text(encoding="utf-8"))


def _without_links(text: str) -> str:
    """The text with links to files that the site does not have as code; pictures stay."""
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)]+)\)", r"`\2`", text)
