"""Every code block of the documentation runs as it stands, on tiny files of the names that it uses."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

import geoeval
from geoeval.cli.main import app
from geoeval.metrics.registry import registry_of
from tests.docs.workspace import fill, names_of, put_files_of

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "docs/packaging/*.md", "docs/pages/**/*.md", "examples/**/*.md",
                    "qgis_plugin/*.md")
    for page in ROOT.glob(pattern)
)  # fmt: skip
# Notebooks' cells are run when the site is built, with everything that is in them.
BLOCK = re.compile(r"^```(python|sh|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Its Python blocks are pieces of files, which ``test_the_example_metric`` puts where it says.
OF_FILES = "CONTRIBUTING.md"
# Commands that are not run here, by their first words, with the reason.
ELSEWHERE = {
    "git clone": "there is no address to clone from offline",
    "python3 -m venv": "installs from the network, as the recipe of a release does",
    ".venv/bin/geoeval demo": "tests/cli/test_cli.py runs the demo",
    "xdg-open": "opens a browser for a person",
    "tests/run": "would run this test within itself",
    ".venv-test/bin/pre-commit": "changes the clone",
    "docs/build": "tests/docs/test_site.py builds the site",
    "python -m tests.benchmarks": "measures for minutes",
    "python examples/conformance/run.py": "tests/protocols/test_conformance.py runs it; the other is a reader's own",
}
CLUSTER = "needs a Dask cluster; tests/scale starts one"
NOT_RUN = 17


def blocks():
    """Page, and language and code of its blocks."""
    for page in PAGES:
        found = BLOCK.findall(page.read_text(encoding="utf-8"))
        if found:
            yield page.relative_to(ROOT).as_posix(), found


def commands(code):
    """The commands of a block, without comments, continued lines joined."""
    for line in code.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield words


def reason_not_to_run(words):
    """Why a command is not run here; ``None`` for all others."""
    line = " ".join(words)
    if "--scheduler" in words:
        return CLUSTER
    return next((reason for first, reason in ELSEWHERE.items() if line.startswith(first)), None)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    fill(folder)
    return folder


@pytest.mark.parametrize(("page", "found"), [pytest.param(page, found, id=page) for page, found in blocks()])
@pytest.mark.filterwarnings("ignore::geoeval.GeoevalWarning")
def test_blocks_run(page, found, files, tmp_path, monkeypatch):
    shutil.copytree(files, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    put_files_of(page)
    names = {"geoeval": geoeval, **names_of(page)}
    for language, code in found:
        if language == "python" and page != OF_FILES:
            exec(compile(code, page, "exec"), names)
        elif language == "yaml":
            run_workflow(code)
        elif language == "sh":
            for words in commands(code):
                run(words)


def run(words):
    if reason_not_to_run(words):
        return
    assert words[0] == "geoeval", f"nobody says how to test: {' '.join(words)}"
    expanded = [one for word in words[1:] for one in (sorted(map(str, Path().glob(word))) if "*" in word else [word])]
    done = CliRunner().invoke(app, expanded)
    assert done.exit_code == 0, f"{' '.join(words)}\n{done.output}"


def run_workflow(code):
    """The steps of a workflow in a shell, with the geoeval of this environment instead of an installed one."""
    here = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(Path.cwd())}
    for step in yaml.safe_load(code):
        script = re.sub(r"^pip install .*\n", "", step["run"], flags=re.MULTILINE)
        done = subprocess.run(["bash", "-e", "-c", script], env=here, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_what_is_not_run_is_counted():
    """A command that is new here is run, or someone says why not and counts it."""
    reasons = Counter(
        reason_not_to_run(words)
        for _, found in blocks()
        for language, code in found
        if language == "sh"
        for words in commands(code)
    )
    del reasons[None]
    assert set(reasons) == {*ELSEWHERE.values(), CLUSTER}
    assert reasons.total() == NOT_RUN, reasons


def test_the_example_metric(files, tmp_path, monkeypatch):
    """The metric that CONTRIBUTING adds, added as it says: a module, and a line in the registry."""
    module, line = (code for language, code in dict(blocks())[OF_FILES] if language == "python")
    name, where = next(iter(ast.literal_eval("{" + line + "}").items()))
    path = tmp_path / "total_length.py"
    path.write_text(module, encoding="utf-8")
    monkeypatch.setitem(sys.modules, where, load(where, path))
    monkeypatch.setitem(registry_of("roads").metrics._modules, name, where)
    monkeypatch.chdir(files)
    done = CliRunner().invoke(app, ["roads", "reference.gpkg", "prediction.gpkg", "--metrics", name, "--json", "-"])
    assert done.exit_code == 0, done.output
    maps = [geoeval.read_network(one) for one in ("reference.gpkg", "prediction.gpkg")]
    lengths = sorted(one.length for one in maps)
    assert json.loads(done.stdout)["scores"][name] == {"ratio": pytest.approx(lengths[0] / lengths[1])}


def load(name, path):
    specification = spec_from_file_location(name, path)
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
