"""Every code block of the documentation runs as it stands, on tiny files of the names that it uses."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import geoeval
from geoeval.cli.main import app
from tests.docs.workspace import fill

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "pages").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What needs another machine, a person, or is a test of its own.
ELSEWHERE = ("python3 -m venv", ".venv/bin/", "xdg-open", "pip install", "git clone", "tests/run", "docs/build",
             "qgis_plugin/package", "python -m tests.", "geoeval demo", "geoeval review", "apt install")  # fmt: skip


def blocks():
    """Page, language and code of each block; notebooks are run when the site is built."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if not text.startswith("---\njupytext"):
            found = BLOCK.findall(text)
            if found:
                yield pytest.param(found, id=page.relative_to(ROOT).as_posix())


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    fill(folder)
    return folder


@pytest.mark.parametrize("found", list(blocks()))
@pytest.mark.filterwarnings("ignore::geoeval.GeoevalWarning")
def test_blocks_run(found, files, tmp_path, monkeypatch):
    shutil.copytree(files, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    names = {"geoeval": geoeval}
    for language, code in found:
        if language == "python":
            exec(compile(code, "block", "exec"), names)
        else:
            for line in commands(code):
                run(line)


def commands(code):
    """The commands of a block, without comments, continued lines joined."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield words


def run(words):
    line = " ".join(words)
    if line.startswith(ELSEWHERE) or "--scheduler" in words:
        return
    assert words[0] == "geoeval", f"nobody says how to test: {line}"
    expanded = [one for word in words[1:] for one in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
    done = CliRunner().invoke(app, expanded)
    assert done.exit_code == 0, f"{line}\n{done.output}"
