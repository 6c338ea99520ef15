"""The site is built without a warning, leaves nothing out, and every link leads somewhere."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer

import geoeval
from geoeval.cli.main import app
from geoeval.contents import CONTENTS
from geoeval.metrics.registry import registry_of
from geoeval.model.error_kinds import KINDS
from geoeval.protocols.registry import PROTOCOLS
from geoeval.readers.options import INPUT_OPTIONS
from geoeval.readers.registry import readers

DOCS = Path(__file__).parents[2] / "docs"
# Places on the page of every metric.
PARTS = {"definition", "what-it-counts", "scores", "what-comes-back", "edge-cases-and-cost", "where-it-comes-from"}


class Page(HTMLParser):
    """The addresses, anchors and words of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loaded, self.anchors, self.words, self.code = [], [], set(), [], set()
        self.in_code, self.pictures = False, set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.add(given.get("id"))
        self.in_code = self.in_code or tag == "code"
        self.pictures.add(given.get("alt") if tag == "img" else None)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        loaded = given.get("src") or (given.get("href") if tag == "link" else None)
        if loaded:
            self.loaded.append(loaded)

    def handle_endtag(self, tag):
        self.in_code = self.in_code and tag != "code"

    def handle_data(self, data):
        self.words.append(data)
        if self.in_code:  # one by one: names of options stand together
            self.code |= {word.strip(",") for word in data.split()}

    @property
    def text(self):
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("sphinx", reason="the site needs geoeval[docs]")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run([sys.executable, DOCS / "making", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr.strip(), done.stderr
    return {path.relative_to(folder).as_posix(): Page(path) for path in folder.rglob("*.html")}


# One test, so that the site is built once however many processes share the tests.
def test_site(site):
    check_that_nothing_is_missing(site)
    check_definitions(site)
    check_links(site)


def check_that_nothing_is_missing(site):
    """Names stand as code, so that a word of the text is not taken for one."""
    for content in CONTENTS:
        for name, metric in registry_of(content).metrics.items():
            page = site[f"metrics/{content}-{name}.html"]
            assert {*(score.name for score in metric.scores), *metric.defaults} <= page.code
            assert name in site["metrics/index.html"].text.split()
    for name, protocol in PROTOCOLS.items():
        assert set(protocol.facts()["parameters"]) <= site[f"protocols/{name}.html"].code
        assert name in site["protocols/index.html"].text.split()
    assert set(KINDS) <= site["errors.html"].code
    assert {f"{kind.label} on a tiny map" for kind in KINDS.values() if kind.layers} <= site["errors.html"].pictures
    formats = site["formats.html"]
    assert [reader.kind for reader in readers() if reader.kind not in formats.text] == []
    assert {f"--{name.replace('_', '-')}" for name in INPUT_OPTIONS} <= formats.code
    public = {f"geoeval.{name}" for name in geoeval.__all__ if name != "__version__"}
    assert public <= site["reference/index.html"].anchors
    for words, command in commands(typer.main.get_command(app)):
        page = site[f"commands/{'-'.join(words)}.html"]
        options = {name for one in command.params if not getattr(one, "hidden", False) for name in one.opts}
        assert {name for name in options if name.startswith("-")} <= page.code


def commands(group, before=()):
    """Every command with its words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name), command


def check_definitions(site):
    """A metric's page says what its docstring says, all of it, and has every part."""
    from making.papers import PAPERS
    from making.texts import Described

    for content in CONTENTS:
        assert set(PAPERS[content]) == set(registry_of(content).metrics)
        for name, metric in registry_of(content).metrics.items():
            page = site[f"metrics/{content}-{name}.html"]
            definition = sys.modules[metric.function.__module__].__doc__
            assert plain(re.sub(r":[a-z]+:`", "`", definition)) in plain(page.text), name
            described = Described(metric.function)
            assert described.notes, name
            assert described.returns, name
            assert [parameter for parameter in metric.defaults if not described.parameters.get(parameter)] == [], name
            assert page.anchors >= PARTS, name
            assert name == "time" or "what-it-sees-and-what-it-is-blind-to" in page.anchors, name


def plain(text):
    """Words alone: quotation marks and dashes look nicer on a page."""
    return " ".join(re.findall(r"\w+", text))


def check_links(site):
    """Every link within the site leads to a page and a place on it; nothing is loaded from elsewhere."""
    broken, foreign = [], []
    for name, page in site.items():
        foreign += [(name, one) for one in page.loaded if urlsplit(one).scheme in {"http", "https"} or one[:2] == "//"]
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (Path("/") / name).parent / unquote(parts.path) if parts.path else Path("/") / name
            there = Path(*target.parts[1:]).as_posix() if ".." not in target.parts else resolved(target)
            is_lost = there.endswith(".html") and there not in site
            if is_lost or (parts.fragment and there in site and unquote(parts.fragment) not in site[there].anchors):
                broken.append((name, link))
    assert (broken, foreign) == ([], [])


def resolved(path):
    parts = []
    for part in path.parts[1:]:
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)
