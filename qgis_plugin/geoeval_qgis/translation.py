"""Texts in the user's language. The files in ``i18n/`` hold what is translated; all else stays English."""

from pathlib import Path

from qgis.core import QgsApplication
from qgis.PyQt.QtCore import QCoreApplication, QTranslator

CONTEXT = "geoeval"
FOLDER = Path(__file__).parent / "i18n"


def tr(text):
    """A text in the user's language, if there is a translation."""
    return QCoreApplication.translate(CONTEXT, text)


def install(language=None):
    """Load the translation into a language, by default the user's; gives the translator to be kept, or None."""
    file = FOLDER / f"geoeval_{(language or QgsApplication.locale())[:2]}.qm"
    translator = QTranslator()
    if not file.exists() or not translator.load(str(file)):
        return None
    QCoreApplication.installTranslator(translator)
    return translator


def remove(translator):
    """Go back to English."""
    if translator is not None:
        QCoreApplication.removeTranslator(translator)
