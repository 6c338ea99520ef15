"""The zip, and what it holds."""

import ast
import configparser
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from geoeval import __version__

from tests.qgis.desk import PLUGIN, SYSTEM_PYTHON, needs_qgis, program

SOURCES = sorted((PLUGIN / "geoeval_qgis").rglob("*.py"))


def test_the_zip_is_what_qgis_installs(plugin_zip):
    assert plugin_zip.name == f"geoeval_qgis-{__version__}.zip"
    with zipfile.ZipFile(plugin_zip) as archive:
        names = archive.namelist()
        metadata = configparser.ConfigParser(interpolation=None)
        metadata.read_string(archive.read("geoeval_qgis/metadata.txt").decode())
        facts = json.loads(archive.read("geoeval_qgis/engine.json"))
    assert {name.partition("/")[0] for name in names} == {"geoeval_qgis"}
    assert "geoeval_qgis/LICENSE" in names
    assert f"geoeval_qgis/wheels/geoeval-{__version__}-py3-none-any.whl" in names
    assert not [name for name in names if "test" in name or "__pycache__" in name]
    assert not [name for name in names if name.endswith((".so", ".pyd", ".dll", ".pyc"))]
    general = metadata["general"]
    assert general["version"] == __version__
    assert general["hasProcessingProvider"] == "yes"
    assert general["qgisMinimumVersion"] == "3.22"
    for name in (
        "name",
        "description",
        "about",
        "author",
        "email",
        "tracker",
        "repository",
        "homepage",
        "icon",
        "tags",
    ):
        assert general[name]
    assert f"geoeval_qgis/{general['icon']}" in names
    done = subprocess.run(
        [sys.executable, PLUGIN / "geoeval_qgis" / "describe_engine.py"], capture_output=True, text=True, check=True
    )
    assert facts == json.loads(done.stdout)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_that_qt6_breaks(path):
    """Only ``qgis.PyQt``, scoped enums, no ``exec_``, no types that Qt 6 no longer has."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            for module in modules:
                assert not re.match(r"(PyQt\d|PySide\d|sip|qgis\.PyQt\.(QtWebKit|QtScript))", module), module
            gone = {"QRegExp", "QDesktopWidget", "QStringList", "QTextCodec"}
            if path.name != "compat.py":
                gone |= {"QVariant", "QAction", "QShortcut"} if "qgis.PyQt" in modules[0] else set()
            assert not {name.name for name in node.names} & gone
        if isinstance(node, ast.Attribute):
            assert node.attr != "exec_"
            assert not unscoped(node), f"line {node.lineno}: {ast.unparse(node)}"


def unscoped(node: ast.Attribute) -> bool:
    """Whether this is ``QClass.EnumValue`` and not ``QClass.Enum.EnumValue``.

    Values of enums, and the enums and classes in a class, begin with a capital letter; methods do not. What is
    reached further or called or assigned to is an enum or a class.
    """
    classes = ("Qt", "Qgs", "Q")
    owner = node.value
    if not (isinstance(owner, ast.Name) and owner.id.startswith(classes)):
        return False
    return node.attr[:1].isupper() and node.attr not in SCOPES


# Enums, classes and the one plain number that live in a class of QGIS or Qt.
SCOPES = {"ActionOnExistingFile", "Behavior", "CheckState", "CompositionMode", "DockWidgetArea", "Flag",
          "ItemDataRole", "Key", "KeyboardModifier", "LayerDetails", "MessageLevel", "Orientation",
          "ProcessingParameterFlag", "QGIS_VERSION_INT", "ResizeMode", "SaveVectorOptions", "SelectionBehavior",
          "SelectionFlag", "SelectionMode", "SizeAdjustPolicy", "SourceType", "ToolButtonPopupMode", "Type",
          "WktVariant", "WriterError"}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wrong"),
    [("Qt.Horizontal", True), ("Qt.Orientation.Horizontal", False), ("QgsWkbTypes.Point", True),
     ("QgsWkbTypes.Type.Point", False), ("QgsProject.instance", False), ("QVariant.Int", True)],
)  # fmt: skip
def test_the_scan_sees_unscoped_enums(text, wrong):
    found = [unscoped(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
    assert any(found) == wrong


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_engines_libraries_are_imported_nowhere(path):
    if path.name == "describe_engine.py":  # runs in the engine's own interpreter
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom) and not getattr(node, "level", 0):
            names = [node.module] if isinstance(node, ast.ImportFrom) else [name.name for name in node.names]
            roots = {name.partition(".")[0] for name in names}
            assert roots <= {*sys.stdlib_module_names, "qgis", "processing"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_the_plugin_is_written_for_python_3_9(path):
    ast.parse(path.read_text(), feature_version=(3, 9))


def test_packaging_says_how_it_is_used():
    done = subprocess.run([sys.executable, PLUGIN / "package"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "OUTDIR" in done.stderr
    assert Path(PLUGIN / "package").stat().st_mode & 0o111


@needs_qgis
def test_packaging_finds_the_environment_of_the_readmes_first_command(tmp_path):
    """Started as people do, by its name, with the system's Python, which has none of the engine's packages."""
    project = PLUGIN.parent
    for name in ("geoeval", "pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).symlink_to(project / name)
    shutil.copytree(PLUGIN, tmp_path / "qgis_plugin", ignore=shutil.ignore_patterns("__pycache__", "images"))
    command = [SYSTEM_PYTHON, tmp_path / "qgis_plugin" / "package", tmp_path / "out"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "run the first command of the README" in done.stderr
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    program(tmp_path / ".venv" / "bin" / "python", f'exec "{sys.executable}" "$@"')
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"package: with {tmp_path / '.venv' / 'bin' / 'python'}" in done.stderr
    assert Path(done.stdout.strip()).exists()
