"""What all algorithms share: how they present themselves, and how they run the engine."""

import itertools
import shutil
import tempfile
from pathlib import Path

from qgis.core import QgsProcessingAlgorithm, QgsProcessingException, QgsProcessingUtils
from qgis.PyQt.QtGui import QIcon

from .. import destinations, engine, environment, runner, words
from ..tooltips import TOOLTIPS
from ..translation import help_page, tr

PLUGIN = Path(__file__).parent.parent


class GeoevalAlgorithm(QgsProcessingAlgorithm):
    """An algorithm that runs the engine."""

    # How the algorithm presents itself.
    ID = ""
    TITLE = ""
    SUMMARY = ""
    TAGS = ()
    PICTURE = "icon.svg"
    # Commands that the engine must have.
    COMMANDS = ()
    # Whether it can run only with a working engine.
    NEEDS_ENGINE = True
    # Titles of the group in the toolbox.
    GROUP = ("evaluate", "Evaluate")

    def __init__(self):
        super().__init__()
        self.folder = None
        # Warnings that the user has to know of, in the order in which they were given.
        self.said = []
        # Whether an area to evaluate is given.
        self.in_area = False

    def createInstance(self):
        return type(self)()

    def group(self):
        return tr(self.GROUP[1])

    def groupId(self):
        return self.GROUP[0]

    def helpUrl(self):
        return self.help_file().as_uri()

    def add(self, parameter, tooltip=None):
        """Add a parameter with its tooltip."""
        parameter.setHelp(tr(tooltip or TOOLTIPS[parameter.name()]))
        self.addParameter(parameter)

    def titles(self):
        """Titles of the parameters by their names."""
        return {one.name(): one.description() for one in self.parameterDefinitions()}

    def name(self):
        return self.ID

    def displayName(self):
        return tr(self.TITLE)

    def shortDescription(self):
        return tr(self.SUMMARY)

    def tags(self):
        return ["geoeval", *self.TAGS]

    def icon(self):
        return QIcon(self.svgIconPath())

    def svgIconPath(self):
        return str(PLUGIN / "images" / self.PICTURE)

    def shortHelpString(self):
        return self.help_file().read_text(encoding="utf-8")

    def help_file(self):
        """The help in the user's language."""
        return help_page(self.ID)

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
        if why is not None:
            return False, why
        fine, why = super().checkParameterValues(parameters, context)
        why = why if not fine else self.why_not_writable(parameters)
        return (True, "") if why is None else (False, why)

    def why_not_writable(self, parameters):
        """The message for the first destination that cannot be written, so that it comes before the work; or None."""
        for one in self.destinationParameterDefinitions():
            value = parameters.get(one.name())
            path = destinations.file_of(value) if destinations.is_wanted(value) else None
            if path is None:
                continue
            check = (
                destinations.why_folder_not_usable
                if one.type() == "folderDestination"
                else (destinations.why_not_writable)
            )
            why = check(path, one.description())
            if why is not None:
                return why
        return None

    def warn(self, text, feedback):
        """Say something that the user has to know of, in the log and in the panel of scores."""
        if text not in self.said:
            self.said.append(text)
            feedback.pushWarning(text)

    def make_folder(self):
        """Make a folder for the engine's input and output; nothing is ever written next to the user's data."""
        self.folder = Path(tempfile.mkdtemp(prefix="geoeval-", dir=QgsProcessingUtils.tempFolder()))
        return self.folder

    def remove_folder(self):
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder = None

    def run_engine(self, arguments, feedback, *, start=0.0, end=100.0):
        """Run the engine, showing its progress from ``start`` to ``end`` per cent; return its result.

        Files are read in a process of their own, so that one that crashes a library is a line about that file.
        """
        arguments = [*arguments, "--untrusted"]
        feedback.pushDebugInfo("geoeval " + " ".join(map(str, arguments)))
        found = self.engine_to_use(feedback)
        try:
            return runner.run_engine(
                found.command,
                arguments,
                on_event=Listener(self, feedback, start, end),
                is_canceled=feedback.isCanceled,
                more_variables=self.variables(),
            )
        except runner.EngineError as error:
            raise QgsProcessingException(sentence(str(error))) from None

    def variables(self):
        """Environment variables for the engine: what it calls its options here."""
        return {words.VARIABLE: words.dialog_words(self.titles(), in_area=self.in_area)}

    def engine_to_use(self, feedback):
        """The engine; a warning if it is another than the one that the user named."""
        found = environment.find()
        if found.instead_of:
            self.warn(sentence(found.instead_of), feedback)
        return found

    def run_plain(self, arguments, feedback, on_line=None):
        """Run a quick command of the engine that does not report progress."""
        feedback.pushDebugInfo("geoeval " + " ".join(map(str, arguments)))
        try:
            code, said = runner.run(
                [*self.engine_to_use(feedback).command, *map(str, arguments)],
                on_line=on_line or (lambda _line: None),
                is_canceled=feedback.isCanceled,
                more_variables=self.variables(),
            )
        except runner.EngineError as error:
            raise QgsProcessingException(sentence(str(error))) from None
        if code != 0:
            raise QgsProcessingException(sentence(runner.how_it_ended(code, said)))


class Listener:
    """Shows what the engine says in the dialog."""

    def __init__(self, algorithm, feedback, start, end):
        self.algorithm, self.feedback, self.start, self.end = algorithm, feedback, start, end
        self.said = None
        # A bar that does not move is not redrawn, and qgis_process checks for Ctrl-C only when it redraws.
        self.nudge = itertools.cycle((0.0, 0.001))

    def __call__(self, event):
        message = event.get("message", "")
        if event.get("type") == "warning":
            self.algorithm.warn(sentence(message), self.feedback)
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
