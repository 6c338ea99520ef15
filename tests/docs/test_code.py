"""Every code block of the documentation runs as it stands, on tiny files of the names that it uses."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from math import cos, radians
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from typer.testing import CliRunner

import geoeval
from geoeval.cli.main import app
from geoeval.metrics.registry import registry_of
from geoeval.model import error_kinds
from geoeval.readers import registry
from tests.docs.workspace import fill, names_of, put_files_of
from tests.writers import test_styles

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/*.md", "docs/packaging/*.md", "docs/pages/**/*.md", "examples/**/*.md",
                    "qgis_plugin/*.md")
    for page in ROOT.glob(pattern)
)  # fmt: skip
# Notebooks' cells are run when the site is built, with everything that is in them.
BLOCK = re.compile(r"^```(python|sh|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Its Python blocks are pieces of files, which the tests of examples put where it says.
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
    places = [str(Path(sys.executable).parent), "/usr/bin", "/bin"]
    here = {"PATH": os.pathsep.join(places), "HOME": str(Path.cwd())}
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


@pytest.fixture(scope="module")
def examples():
    """What CONTRIBUTING adds: module and line of a metric, module and line of a reader, row of a kind."""
    return [code for language, code in dict(blocks())[OF_FILES] if language == "python"]


def test_the_example_metric(examples, files, tmp_path, monkeypatch):
    """Added as it says: a module, and a line in the registry."""
    module, line, *_ = examples
    name, where = next(iter(ast.literal_eval("{" + line + "}").items()))
    add_module(where, module, tmp_path, monkeypatch)
    monkeypatch.setitem(registry_of("roads").metrics._modules, name, where)
    monkeypatch.chdir(files)
    done = CliRunner().invoke(app, ["roads", "reference.gpkg", "prediction.gpkg", "--metrics", name, "--json", "-"])
    assert done.exit_code == 0, done.output
    maps = [geoeval.read_network(one) for one in ("reference.gpkg", "prediction.gpkg")]
    lengths = sorted(one.length for one in maps)
    assert json.loads(done.stdout)["scores"][name] == {"ratio": pytest.approx(lengths[0] / lengths[1])}


def test_the_example_reader(examples, tmp_path, monkeypatch):
    module, line = examples[2:4]
    (name,) = ast.literal_eval(f"({line.strip()})")
    add_module(f"geoeval.readers.{name}", module, tmp_path, monkeypatch)
    monkeypatch.setattr(registry, "READERS", (name, *registry.READERS))
    file = tmp_path / "a.roads"
    file.write_text("24.94,60.17 24.95,60.17\n\n24.95,60.17 24.95,60.18\n")
    network = geoeval.read_network(file)
    assert network.source_ids.tolist() == [1, 3]
    # A hundredth of a degree of each on the sphere.
    assert network.length == pytest.approx(1112 * (1 + cos(radians(60.17))), rel=0.01)
    for content, words in (("24.94,60.17 24.95\n", "a.roads, line 1: '24.94,60.17 24.95' is not"), ("\n", "no road")):
        file.write_text(content)
        with pytest.raises(geoeval.GeoevalError, match=words):
            geoeval.read_network(file)
    with pytest.raises(geoeval.GeoevalError, match="holds roads; give polygons"):
        geoeval.read_objects(file)


def test_the_example_kind(examples, monkeypatch):
    """A row as the table has them, in a colour of its own; ``tests/report/test_new_kind.py`` has the rest."""
    (kind,) = eval(f"({examples[4].strip()})", vars(error_kinds))
    monkeypatch.setitem(error_kinds.KINDS, kind.name, kind)
    test_styles.test_all_that_one_map_shows_has_colours_of_its_own("roads")


def add_module(name, code, folder, monkeypatch):
    path = folder / f"{name.rpartition('.')[2]}.py"
    path.write_text(code, encoding="utf-8")
    monkeypatch.setitem(sys.modules, name, load(name, path))


def load(name, path):
    specification = spec_from_file_location(name, path)
    module = module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_the_gate_of_the_tutorial_stops_its_regression_and_nothing_else(tmp_path):
    page = (ROOT / "docs/pages/tutorials/gate.md").read_text(encoding="utf-8")
    cells = "\n".join(re.findall(r"^```\{code-cell\}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    subprocess.run([sys.executable, "-c", cells], cwd=tmp_path, check=True, capture_output=True)
    gate = re.search(r"<<'GATE'\n(.*?)^ *GATE$", page, re.MULTILINE | re.DOTALL)[1]
    command = [sys.executable, "-c", dedent(gate)]
    stopped = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert stopped.returncode == 1
    assert "fallen: {'ccq'" in stopped.stderr
    shutil.copy(tmp_path / "yesterday.json", tmp_path / "today.json")
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0
