"""What all algorithms share: how they present themselves, and how they run the engine."""

import itertools
import shutil
import tempfile
from pathlib import Path

from qgis.core import QgsProcessingAlgorithm, QgsProcessingException, QgsProcessingUtils
from qgis.PyQt.QtCore import QCoreApplication
from qgis.PyQt.QtGui import QIcon

from .. import engine, environment, runner

PLUGIN = Path(__file__).parent.parent


def tr(text):
    """Text in the user's language, if there is a translation."""
    return QCoreApplication.translate("geoeval", text)


class GeoevalAlgorithm(QgsProcessingAlgorithm):
    """An algorithm that runs the engine."""

    # How the algorithm presents itself.
    ID = ""
    TITLE = ""
    SUMMARY = ""
    TAGS = ()
    # Commands that the engine must have.
    COMMANDS = ()
    # Whether it can run only with a working engine.
    NEEDS_ENGINE = True

    def __init__(self):
        super().__init__()
        self.folder = None

    def createInstance(self):
        return type(self)()

    def name(self):
        return self.ID

    def displayName(self):
        return tr(self.TITLE)

    def shortDescription(self):
        return tr(self.SUMMARY)

    def tags(self):
        return ["geoeval", *self.TAGS]

    def icon(self):
        return QIcon(str(PLUGIN / "images" / "icon.svg"))

    def svgIconPath(self):
        return str(PLUGIN / "images" / "icon.svg")

    def shortHelpString(self):
        return tr((PLUGIN / "help" / f"{self.ID}.html").read_text(encoding="utf-8"))

    def problem(self, *, ask):
        """Why it cannot run and what to do, in one line, or None; with ``ask``, the engine may be started."""
        if not self.NEEDS_ENGINE:
            return None
        why = engine.problem(ask=ask)
        lacking = [name for name in self.COMMANDS if name not in engine.description().commands]
        if why is None and lacking:
            mend = environment.how_to_mend(environment.find())
            why = f"geoeval {engine.description().version} has no command {lacking[0]}; {mend}"
        return None if why is None else sentence(why)

    def canExecute(self):
        """Called by the toolbox when the algorithm is opened, so it must be quick."""
        why = self.problem(ask=False)
        return (True, "") if why is None else (False, why)

    def checkParameterValues(self, parameters, context):
        """Called by qgis_process too, which does not call ``canExecute``."""
        why = self.problem(ask=True)
        return super().checkParameterValues(parameters, context) if why is None else (False, why)

    def make_folder(self):
        """Make a folder for the engine's input and output; nothing is ever written next to the user's data."""
        self.folder = Path(tempfile.mkdtemp(prefix="geoeval-", dir=QgsProcessingUtils.tempFolder()))
        return self.folder

    def remove_folder(self):
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None

    def run_engine(self, arguments, feedback, *, start=0.0, end=100.0):
        """Run the engine, showing its progress from ``start`` to ``end`` per cent; return its result."""
        feedback.pushDebugInfo("geoeval " + " ".join(map(str, arguments)))
        try:
            return runner.run_engine(
                environment.find().command,
                arguments,
                on_event=Listener(feedback, start, end),
                is_canceled=feedback.isCanceled,
            )
        except runner.EngineError as error:
            raise QgsProcessingException(sentence(str(error))) from None

    def run_plain(self, arguments, feedback):
        """Run a quick command of the engine that does not report progress."""
        feedback.pushDebugInfo("geoeval " + " ".join(map(str, arguments)))
        try:
            code, words = runner.run(
                [*environment.find().command, *map(str, arguments)],
                on_line=lambda _line: None,
                is_canceled=feedback.isCanceled,
            )
        except runner.EngineError as error:
            raise QgsProcessingException(sentence(str(error))) from None
        if code != 0:
            raise QgsProcessingException(sentence(runner.how_it_ended(code, words)))


class Listener:
    """Shows what the engine says in the dialog."""

    def __init__(self, feedback, start, end):
        self.feedback, self.start, self.end = feedback, start, end
        self.said = None
        # A bar that does not move is not redrawn, and qgis_process checks for Ctrl-C only when it redraws.
        self.nudge = itertools.cycle((0.0, 0.001))

    def __call__(self, event):
        message = event.get("message", "")
        if event.get("type") == "warning":
            self.feedback.pushWarning(message)
        elif event.get("type") == "progress":
            if message != self.said:
                self.said = message
                self.feedback.setProgressText(message)
            share = float(event.get("value", 0)) / 100
            self.feedback.setProgress(self.start + share * (self.end - self.start) + next(self.nudge))


def sentence(text):
    """A message with a capital first letter, as QGIS shows them."""
    return text[:1].upper() + text[1:]


def bring(source, target):
    """Move a finished file to its destination, in one step if the file system allows."""
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(str(source), str(target))
    return str(target)
