"""What the official plugin repository looks at before it takes a plugin, and the translations."""

import configparser
import json
import subprocess
import sys
import zipfile

from tests.qgis.desk import PLUGIN

CODE = PLUGIN / "geoeval_qgis"
# Bytes; larger zips are refused.
LARGEST = 20_000_000
WANTED = ("name", "qgisMinimumVersion", "qgisMaximumVersion", "description", "about", "version", "author", "email",
          "repository", "tracker", "homepage", "icon", "license", "changelog", "tags")  # fmt: skip


def tool(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=400)


def test_nothing_unsafe():
    done = tool("bandit", "-q", "-r", CODE, "-f", "json")
    found = [
        f"{one['filename']}:{one['line_number']} {one['issue_text']}" for one in json.loads(done.stdout)["results"]
    ]
    assert found == []


def test_no_careless_code():
    done = tool("flake8", "--max-line-length", "120", CODE)
    assert (done.returncode, done.stdout) == (0, "")


def test_no_secrets():
    done = tool("detect_secrets", "scan", "--all-files", CODE)
    assert json.loads(done.stdout)["results"] == {}


def test_metadata_licence_and_size(plugin_zip):
    assert plugin_zip.stat().st_size < LARGEST
    with zipfile.ZipFile(plugin_zip) as archive:
        names = archive.namelist()
        metadata = configparser.ConfigParser(interpolation=None)
        metadata.read_string(archive.read("geoeval_qgis/metadata.txt").decode())
        licence = archive.read("geoeval_qgis/LICENSE").decode()
    general = metadata["general"]
    assert [name for name in WANTED if not general.get(name)] == []
    assert general["qgisMaximumVersion"] == "4.99"
    assert "GNU GENERAL PUBLIC LICENSE" in licence.upper()
    assert not general.getboolean("experimental")
    assert not [name for name in names if "/." in name or "__MACOSX" in name]
    for language in ("de", "fr"):
        assert f"geoeval_qgis/i18n/geoeval_{language}.qm" in names
