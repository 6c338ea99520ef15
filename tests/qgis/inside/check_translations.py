"""Every text that people see in the plugin is in German and in French too."""

import ast
import html
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, Qt, QTranslator

from conftest import Window

LANGUAGES = ("de", "fr")
# What is heard and the same in every language.
NOT_TRANSLATED = {""}
# Names in a page of the help that are those of another text than the one that is spelled like them: objects merge, and
# roads are merged.
SAID_OTHERWISE = {("evaluateobjects.html", "merged"): "Merge"}


class Listening(QTranslator):
    """Hears every text that is to be translated, and translates none."""

    def __init__(self):
        super().__init__()
        self.heard = set()

    def isEmpty(self):
        return False

    def translate(self, context, source, disambiguation=None, n=-1):
        if context == "geoeval":
            self.heard.add(source)


@pytest.fixture
def listening():
    translator = Listening()
    QCoreApplication.installTranslator(translator)
    yield translator
    QCoreApplication.removeTranslator(translator)


def code():
    import geoeval_qgis

    return Path(geoeval_qgis.__file__).parent


def translated(language):
    root = ET.parse(code() / "i18n" / f"geoeval_{language}.ts").getroot()
    return {message.findtext("source"): message.findtext("translation") for message in root.iter("message")}


def texts_of_the_engine():
    """What the engine calls kinds of errors, their layers and metrics, and says about them; every one is shown."""
    from geoeval_qgis.engine import CONTENTS, description

    known = description()
    found = {kind[fact] for kind in known.error_kinds.values() for fact in ("label", "about")}
    found |= {known.label(name) for name in known.error_kinds}
    for content in CONTENTS:
        found |= {facts["about"] for facts in known.metrics(content).values()}
        found |= {sink.title for sink in known.sinks(content)}
    return found


def literals():
    """Texts that the code hands to the translation as they stand; some are said only when something goes wrong."""
    for file in code().rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            named = (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"tr", "said", "say"}
            )
            if named and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
                yield node.args[0].value


def test_no_text_lacks_a_translation(provider, qgis_new_project, listening):
    from geoeval_qgis import looks, result_layers
    from geoeval_qgis.algorithms import every
    from geoeval_qgis.desktop import Desktop
    from geoeval_qgis.review import judged
    from geoeval_qgis.review.errors import VERDICTS
    from geoeval_qgis.translation import tr

    for algorithm in every():
        made = algorithm.create()
        assert all((made.displayName(), made.group(), made.shortDescription(), made.shortHelpString()))
        assert [one.name() for one in made.parameterDefinitions() if not one.help()] == []
    desktop = Desktop(Window())
    table = desktop.dock.review.table
    horizontal = Qt.Orientation.Horizontal
    assert [table.headerData(column, horizontal) for column in range(table.columnCount())][1] == "Kind"
    desktop.remove()
    for content in looks.SETS:
        for name in looks.names(content):
            tr(name)
    # Said about the rows of a run.
    others = (title for title, _place, _shown in result_layers.OTHERS.values())
    for text in (*VERDICTS.values(), *judged.HEADS, "Reference", "Prediction", *others):
        tr(text)
    heard = (listening.heard | set(literals()) | texts_of_the_engine()) - NOT_TRANSLATED
    assert len(heard) > 300
    for language in LANGUAGES:
        known = translated(language)
        assert sorted(text for text in heard if not known.get(text)) == []
        assert sorted(text for text in known if text not in heard) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_places_for_values_and_file_patterns(language):
    for source, translation in translated(language).items():
        for pattern in (r"\{\w*\}", r"\*\.?\w*"):
            assert sorted(re.findall(pattern, translation)) == sorted(re.findall(pattern, source)), source


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_is_the_same_page_in_every_language(language):
    """The same parts in the same order, and nothing left in English."""
    names = sorted(path.name for path in (code() / "help" / "en").glob("*.html"))
    assert len(names) == 12
    assert sorted(path.name for path in (code() / "help" / language).glob("*.html")) == names
    for name in names:
        own, theirs = ((code() / "help" / one / name).read_text(encoding="utf-8") for one in ("en", language))
        tags = [re.findall(r"</?(?:p|ul|ol|li|h[1-4]|b|i|table|tr|td|th|kbd|code|a)\b", text) for text in (own, theirs)]
        assert tags[0] == tags[1], name
        sentences = set(re.findall(r"[A-Z][^<>.]{30,}\.", own))
        assert not sentences & set(re.findall(r"[A-Z][^<>.]{30,}\.", theirs)), name


def name(text):
    """What a control is called: without what is in brackets, after a comma or dots."""
    short = re.split(r" ?\(|, |\.\.\.", html.unescape(text).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))[0]
    return short[:1].lower() + short[1:]


def names_in(page):
    """What a page of the help sets apart, step by step of a menu."""
    found = re.findall(r"<(?:b|i)>(.*?)</(?:b|i)>", page.read_text(encoding="utf-8"))
    return [step for text in found for step in text.split(" \N{RIGHTWARDS ARROW} ")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_calls_controls_what_the_dialogs_call_them(language):
    names = {}
    for source, translation in translated(language).items():
        names.setdefault(name(source), set()).add(name(translation))
    compared = 0
    for page in sorted((code() / "help" / "en").glob("*.html")):
        for own, theirs in zip(names_in(page), names_in(code() / "help" / language / page.name), strict=True):
            wanted = names.get(name(SAID_OTHERWISE.get((page.name, own), own)), ())
            # Adjectives have endings, such as in "fehlende Straßen".
            assert not wanted or name(theirs).startswith(tuple(wanted)), (page.name, own, theirs, wanted)
            compared += bool(wanted)
    assert compared > 35


def test_the_dialog_speaks_the_language_of_the_menus(provider):
    """Which was chosen when QGIS was started, in its settings or by the system."""
    from geoeval_qgis import translation

    QgsApplication.setTranslation("de")
    translator = translation.install()
    QgsApplication.setTranslation("")
    try:
        made = provider.algorithm("evaluateroads").create()
        made.initAlgorithm()
        assert made.displayName() == "Straßennetz bewerten"
        assert "wahre Meter" in made.shortHelpString()
        tips = [one.help() for one in made.parameterDefinitions()]
        assert any(tip.startswith("Die Karte, die als wahr gilt") for tip in tips)
    finally:
        translation.remove(translator)
    assert provider.algorithm("evaluateroads").displayName() == "Evaluate road network"
