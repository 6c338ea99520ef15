"""Setting up on every system, with made-up trees of files: which interpreters are found, tried, and refused."""

import http.server
import json
import platform
import re
import subprocess
import sys
import tarfile
import threading
from functools import partial
from pathlib import Path

import pytest

from tests.qgis.desk import PLUGIN, SYSTEM_PYTHON, needs_qgis, program

GOOD = """case "$*" in
*"import sys, venv"*) echo 3.12.4;;
*"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python";;
*) echo "ran $*";;
esac"""


def touch(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    path.chmod(0o755)
    return str(path)


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("GEOEVAL_PYTHON", raising=False)


def test_windows_has_qgis_python_org_and_the_launcher(plugin, tmp_path):
    prefix, local, programs = tmp_path / "OSGeo4W", tmp_path / "Local", tmp_path / "Program Files"
    own = touch(prefix / "python.exe")
    of_user = touch(local / "Programs" / "Python" / "Python314" / "python.exe")
    of_all = touch(programs / "Python312" / "python.exe")
    old = touch(tmp_path / "Python311" / "python.exe")
    shop = touch(local / "Microsoft" / "WindowsApps" / "python3")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    elsewhere = "D:\\Tools\\python.exe"
    program(bin_folder / "py.exe", f"printf '%s\\n' ' -V:3.13 *  {elsewhere}' ' -V:3.12  {of_all}'")
    machine = plugin.interpreters.Machine(
        "windows",
        {"LOCALAPPDATA": str(local), "PROGRAMFILES": str(programs), "PATH": f"{bin_folder}:{Path(shop).parent}"},
        prefix, tmp_path,
    )  # fmt: skip
    assert plugin.interpreters.candidates(machine) == [own, of_user, of_all, old, elsewhere]


def test_macos_has_python_org_and_homebrew(plugin, tmp_path):
    prefix = tmp_path / "QGIS.app" / "Contents" / "MacOS"
    own = touch(prefix / "bin" / "python3")
    framework = touch(tmp_path / "Library/Frameworks/Python.framework/Versions/3.13/bin/python3.13")
    brew = touch(tmp_path / "opt/homebrew/bin/python3.11")
    machine = plugin.interpreters.Machine("macos", {"PATH": ""}, prefix, tmp_path)
    assert plugin.interpreters.candidates(machine) == [own, framework, brew]


def test_linux_has_the_systems_own_first(plugin, tmp_path):
    own, newer = touch(tmp_path / "usr/bin/python3"), touch(tmp_path / "usr/local/bin/python3.14")
    on_path = touch(tmp_path / "conda" / "python3")
    machine = plugin.interpreters.Machine("linux", {"PATH": str(tmp_path / "conda")}, "/usr", tmp_path)
    assert plugin.interpreters.candidates(machine) == [own, newer, on_path]


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("echo \"ModuleNotFoundError: No module named 'ensurepip'\" >&2; exit 1", "apt install python3-venv"),
        ("echo \"ModuleNotFoundError: No module named 'ssl'\" >&2; exit 1", "cannot download"),
        ("echo 3.9.18", "is Python 3.9.18, too old"),
        ("echo 3.15.0", "is Python 3.15.0, too new"),
        ("exit 7", "does not work"),
    ],
)
def test_an_interpreter_that_cannot_make_an_environment_says_why(plugin, tmp_path, behaviour, words):
    assert words in plugin.interpreters.unfit(str(program(tmp_path / "python", behaviour)))


@pytest.mark.parametrize("version", ["3.11.0", "3.12.4", "3.13.1", "3.14.0"])
def test_versions_that_are_taken(plugin, tmp_path, version):
    assert plugin.interpreters.unfit(str(program(tmp_path / "python", f"echo {version}"))) is None


def test_this_interpreter_is_fit(plugin):
    assert plugin.interpreters.unfit("/usr/bin/python3") is None
    assert plugin.interpreters.unfit("/no/such/python") == "cannot be started"


def test_the_next_interpreter_is_tried_when_one_fails_to_make_an_environment(plugin, tmp_path, monkeypatch):
    bad = program(
        tmp_path / "bad", 'case "$*" in *"import sys, venv"*) echo 3.12.1;; *) echo broken >&2; exit 1;; esac'
    )
    good = program(tmp_path / "good", GOOD)
    monkeypatch.setattr(plugin.interpreters, "candidates", lambda **_: [str(bad), str(good)])
    place, made = plugin.installer.set_up()
    assert made
    assert plugin.environment.read_marker(place)["python"] == str(good)
    assert plugin.environment.own_python() is not None


def test_without_a_fitting_interpreter_one_is_fetched(plugin, tmp_path, monkeypatch):
    """uv comes from the package index through a Python that is too old, and makes the environment."""
    uv = f"""mkdir -p "$last/bin"; cat > "$last/bin/uv" <<'END'
#!/bin/sh
echo "$* | $UV_PYTHON_INSTALL_DIR" > {tmp_path}/uv-said
for last; do :; done
mkdir -p "$last/bin"
printf '#!/bin/sh\\nexit 0\\n' > "$last/bin/python"
chmod +x "$last/bin/python"
END
chmod +x "$last/bin/uv" """
    old = program(
        tmp_path / "old",
        'case "$*" in *"import sys, venv"*) echo 3.9.1;;\n'
        f'*"pip install"*uv) while [ "$1" != --target ]; do shift; done; last="$2"; {uv};;\n'
        "*) exit 1;; esac",
    )
    monkeypatch.setattr(plugin.interpreters, "candidates", lambda **_: [str(old)])
    _place, made = plugin.installer.set_up()
    assert made
    said = (tmp_path / "uv-said").read_text()
    assert said.startswith("venv --seed --python 3.12 ")
    assert said.strip().endswith(str(plugin.environment.data_directory() / "python"))
    # Nothing of the tools stays, and without leave nothing is fetched.
    assert sorted(path.name[:4] for path in plugin.environment.data_directory().iterdir()) == ["env-"]
    with pytest.raises(plugin.runner.EngineError, match=r"too old.*python\.org"):
        plugin.installer.set_up(again=True, standalone=False)


@pytest.fixture
def mirror(tmp_path, monkeypatch):
    """Serves the system's own Python as the interpreter that uv downloads; gives its version, such as 3.11."""
    asked = "import sys, sysconfig; print(*sys.version_info[:3], sysconfig.get_path('stdlib'))"
    done = subprocess.run([SYSTEM_PYTHON, "-I", "-c", asked], capture_output=True, text=True, check=True)
    *numbers, library = done.stdout.split()
    major, minor, patch = map(int, numbers)
    served = tmp_path / "served"
    served.mkdir()
    left_out = re.compile(r"/(__pycache__|test|dist-packages|config-[^/]*|EXTERNALLY-MANAGED)$")

    def wanted(entry):
        return None if left_out.search(entry.name) or entry.linkname.startswith("/") else entry

    name = f"python{major}.{minor}"
    with tarfile.open(served / "python.tar.gz", "w:gz", compresslevel=1) as archive:
        archive.add(SYSTEM_PYTHON.resolve(), f"python/bin/{name}")
        archive.add(library, f"python/lib/{name}", filter=wanted)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        facts = {"name": "cpython", "arch": {"family": platform.machine(), "variant": None}, "os": "linux",
                 "libc": "gnu", "major": major, "minor": minor, "patch": patch, "prerelease": "",
                 "url": f"{address}/python.tar.gz", "sha256": None, "variant": None, "build": "1"}  # fmt: skip
        key = f"cpython-{major}.{minor}.{patch}-linux-{platform.machine()}-gnu"
        (served / "interpreters.json").write_text(json.dumps({key: facts}))
        monkeypatch.setenv("UV_PYTHON_DOWNLOADS_JSON_URL", f"{address}/interpreters.json")
        # Else uv takes the Python that is here.
        monkeypatch.setenv("UV_MANAGED_PYTHON", "1")
        yield served, f"{major}.{minor}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without telling."""

    def log_message(self, *_args):
        pass


@needs_qgis
def test_the_real_uv_makes_an_environment_of_an_interpreter_that_it_downloads(plugin, tmp_path, monkeypatch, mirror):
    served, version = mirror
    monkeypatch.setattr(plugin.standalone, "VERSION", version)
    place = tmp_path / "made"
    plugin.standalone.make_environment(place, ["/no/such/python", sys.executable], say=lambda *_: None)
    code = "import pip, ssl, sys; print(sys.base_prefix)"
    python = plugin.environment.python_in(place)
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(plugin.standalone.interpreters_directory())
    # Where there is none to download, that is said, with a way out.
    (served / "python.tar.gz").unlink()
    plugin.installer.remove()
    with pytest.raises(
        plugin.runner.EngineError, match=f"Python {version} cannot be fetched.*UV_PYTHON_INSTALL_MIRROR"
    ):
        plugin.standalone.make_environment(tmp_path / "again", [sys.executable], say=lambda *_: None)


def test_a_full_disk_is_said_before_the_work(plugin, monkeypatch):
    monkeypatch.setattr(plugin.installer, "ROOM", 10**18)
    with pytest.raises(plugin.runner.EngineError, match=r"GB left, and the environment needs"):
        plugin.installer.set_up(python="/usr/bin/python3")
    assert list(plugin.environment.data_directory().iterdir()) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "the disk is full"),
        ("WARNING: Retrying ... ProxyError('Cannot connect to proxy.')", "the proxy refuses"),
        (
            "SSLError(1, '[SSL: CERTIFICATE_VERIFY_FAILED]')\nERROR: No matching distribution found for numpy",
            "PIP_CERT",
        ),
        (
            "ERROR: numba-0.6-cp39-win.whl is not a supported wheel on this platform.",
            "numba-0.6-cp39-win.whl is made for",
        ),
        ("ERROR: Wheel 'numpy' located at /x/numpy.whl is invalid.", "a wheel is damaged"),
        ("zipfile.BadZipFile: File is not a zip file", "a wheel is damaged"),
        ("NewConnectionError(...)\nERROR: No matching distribution found for numpy", "cannot be reached"),
        ("ERROR: No matching distribution found for numba>=0.60", "no wheel of numba>=0.60 was found; fill the folder"),
        ("ERROR: something else", "ERROR: something else"),
    ],
)
def test_troubles_are_said_in_their_own_words(plugin, said, words):
    told = plugin.troubles.in_words("the engine cannot be installed", said.splitlines(), of=plugin.troubles.FOLDER)
    assert told.startswith("the engine cannot be installed: ")
    assert words in told
    assert "\n" not in told


def test_a_certificate_is_that_of_the_server_that_was_asked(plugin):
    said = ["error: Request failed", "Caused by: invalid peer certificate: UnknownIssuer"]
    for of, server in (("INDEX", "the package index"), ("DOWNLOAD", "the place that uv downloads it from")):
        told = plugin.troubles.in_words("it failed", said, of=getattr(plugin.troubles, of))
        assert told.startswith(f"it failed: the certificate of {server} is not trusted")


def test_a_real_damaged_wheel_is_said(plugin, tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "numpy-99.0-py3-none-any.whl").write_bytes(b"not a wheel")
    with pytest.raises(plugin.runner.EngineError, match=r"damaged|no wheel of"):
        plugin.installer.set_up(python="/usr/bin/python3", wheels=str(tmp_path / "wheels"))


def test_a_renamed_environment_keeps_working_scripts(plugin, tmp_path):
    made, final = tmp_path / "making", tmp_path / "env"
    subprocess.run(["/usr/bin/python3", "-m", "venv", made], check=True)
    made.rename(final)
    plugin.installer.mend_scripts(final, made)
    done = subprocess.run([final / "bin" / "pip", "--version"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert str(final) in done.stdout


def test_removing_takes_the_environment_and_nothing_else(plugin):
    data = plugin.environment.data_directory()
    for name in ("env-1.0-abc/lib", "python/cpython", "making-99999999"):
        (data / name).mkdir(parents=True)
    (data / "env-1.0-abc" / "lib" / "big").write_bytes(b"x" * 5000)
    (data / "engine.json").write_text("{}")
    assert plugin.installer.remove() == 5000
    assert [path.name for path in data.iterdir()] == ["engine.json"]
    assert plugin.installer.remove() == 0


def test_documents_and_installer_agree_on_the_extras(plugin):
    wanted = ",".join(plugin.installer.EXTRAS)
    texts = [PLUGIN / "README.md", *(PLUGIN / "geoeval_qgis" / "help").glob("*/setupenvironment.html")]
    for path in texts:
        assert re.findall(r"whl\[([\w,]+)\]", path.read_text(encoding="utf-8")) == [wanted]
    project = (PLUGIN.parent / "pyproject.toml").read_text()
    assert all(re.search(rf"(?m)^{extra} = \[", project) for extra in plugin.installer.EXTRAS)
    # What is left out is for clusters and developers; the engine runs without.
    assert "distributed" not in plugin.installer.EXTRAS


@pytest.mark.parametrize(
    ("system", "variables", "data", "python"),
    [
        ("windows", {"LOCALAPPDATA": "/L"}, "/L", "Scripts/python.exe"),
        ("windows", {}, "~/AppData/Local", "Scripts/python.exe"),
        ("macos", {}, "~/Library/Application Support", "bin/python"),
        ("linux", {"XDG_DATA_HOME": "/X"}, "/X", "bin/python"),
        ("linux", {}, "~/.local/share", "bin/python"),
    ],
)
def test_folders_of_each_system(plugin, system, variables, data, python):
    machine = plugin.interpreters.Machine(system, variables)
    assert machine.data_directory() == Path(data).expanduser()
    assert machine.python_in(Path("/e")) == Path("/e") / python
