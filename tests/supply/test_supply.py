"""Every dependency is justified, licensed and locked."""

import os
import re
import subprocess
import sys

from packaging.requirements import Requirement

from tests.supply.__main__ import EXTRAS, LICENCES, LOCK
from tests.supply.installed import OTHERS, PROJECT, ROOT, direct, everything, normal

# What may be combined with the GPL, version 3 or later; as packages state it.
ALLOWED = re.compile(
    r"(0BSD|Apache.*|BSD.*|\d-Clause BSD.*|CC0-1\.0|ISC.*|MIT.*|Mozilla Public License 2\.0.*|MPL-2\.0.*|"
    r"HPND|Unlicense|Python Software Foundation.*|PSF-2\.0|Zlib|LGPL.*|The Unlicense.*|Public Domain.*|Python-2\.0.*)"
)


def test_every_dependency_is_justified_in_one_line():
    rows = re.findall(r"^\| (\S+) \| (\S*) ?\| (.+) \|$", (ROOT / "docs" / "dependencies.md").read_text(), re.MULTILINE)
    listed = {name: extra for name, extra, why in rows if name not in {"package", "---"} and len(why) > 5}
    assert listed == direct()


def test_all_has_every_extra():
    (one,) = PROJECT["optional-dependencies"]["all"]
    assert Requirement(one).extras == set(PROJECT["optional-dependencies"]) - OTHERS


def test_every_licence_goes_with_ours_and_is_listed():
    listed = dict(re.findall(r"^\| (\S+) \| (.+) \|$", LICENCES.read_text(), re.MULTILINE))
    assert not [name for name in direct() if name not in listed], "run python -m tests.supply licences"
    for name, stated in everything().items():
        choices = [re.split(r" AND | OR ", part.strip("() ")) for part in stated.split(";")]
        assert all(ALLOWED.fullmatch(one.strip("() ")) for parts in choices for one in parts), (name, stated)
    assert PROJECT["license"] == "GPL-2.0-or-later"


def locked():
    """Versions and markers of each package in the lock, and how many digests it has."""
    entries = re.split(r"\n(?=\S)", LOCK.read_text().strip())
    return [(Requirement(entry.split(" \\\n")[0]), entry.count("--hash=sha256:")) for entry in entries]


def test_the_lock_has_all_that_the_plugin_installs_with_digests():
    assert tuple(sorted(set(PROJECT["optional-dependencies"]) - OTHERS - {"distributed"})) == EXTRAS
    entries = locked()
    assert all(digests > 0 for _, digests in entries)
    assert all(str(one.specifier).startswith("==") for one, _ in entries)
    names = {normal(one.name) for one, _ in entries}
    wanted = [*PROJECT["dependencies"], *(one for extra in EXTRAS for one in PROJECT["optional-dependencies"][extra])]
    for line in wanted:
        needed = Requirement(line)
        assert normal(needed.name) in names, needed
        for one, _ in entries:
            if normal(one.name) == normal(needed.name):
                assert needed.specifier.contains(str(one.specifier).removeprefix("==")), (line, str(one))
    assert "distributed" not in names


def test_an_audit_without_advisories_is_no_pass():
    nowhere = dict.fromkeys(
        ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9"
    )
    command = [sys.executable, "-m", "tests.supply", "audit"]
    environment = {**os.environ, **nowhere, "NO_PROXY": "", "no_proxy": ""}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout
    assert done.stdout.startswith("audit: not done: ")
