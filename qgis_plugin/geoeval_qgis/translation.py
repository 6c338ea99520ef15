"""Texts in the user's language: those in ``i18n/`` and the pages in ``help/``.

The engine's kinds of errors and metrics are among them; what it says about a map stays English.
"""

import html
from pathlib import Path

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, QTranslator

CONTEXT = "geoeval"
HERE = Path(__file__).parent
ENGLISH = "en"
# The language that is spoken now.
spoken = [ENGLISH]


def tr(text):
    """A text in the user's language, if there is a translation."""
    return QCoreApplication.translate(CONTEXT, text)


def said(text):
    """The same for a page: markup in it is text."""
    return html.escape(tr(text))


def help_page(name):
    """The file of a page of the help."""
    return HERE / "help" / spoken[-1] / f"{name}.html"


def users_language():
    """The language that the menus of QGIS have; without menus, the one in the user's settings."""
    shown = QgsApplication.instance().translation() if QgsApplication.instance() is not None else ""
    return shown or QgsApplication.locale()


def install(language=None):
    """Load the translation into a language, by default the user's; gives the translator to be kept, or None."""
    language = (language or users_language())[:2]
    file = HERE / "i18n" / f"geoeval_{language}.qm"
    translator = QTranslator()
    if not file.exists() or not translator.load(str(file)):
        return None
    QCoreApplication.installTranslator(translator)
    spoken.append(language)
    return translator


def remove(translator):
    """Go back to the language before."""
    if translator is not None:
        QCoreApplication.removeTranslator(translator)
        spoken.pop()
