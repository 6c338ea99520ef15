"""Set up the geoeval environment: an interpreter for the engine alone, in the user's data directory."""

from qgis.core import (
    QgsProcessingException,
    QgsProcessingOutputBoolean,
    QgsProcessingOutputString,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterFile,
    QgsProcessingParameterString,
)

from .. import environment, installer, runner
from ..compat import advanced
from .base import GeoevalAlgorithm, sentence, tr

PYTHON, WHEELS, INDEX, AGAIN, STANDALONE = "PYTHON", "WHEELS", "INDEX", "AGAIN", "STANDALONE"
INTERPRETER, VERSION, CHANGED = "INTERPRETER", "VERSION", "CHANGED"


class SetUpEnvironment(GeoevalAlgorithm):
    """Installs the engine that the plugin carries."""

    ID = "setupenvironment"
    TITLE = "Set up the geoeval environment"
    SUMMARY = "Installs the engine in an environment of its own. Run it once."
    TAGS = ("install", "setup", "environment", "python", "pip")
    PICTURE = "setup.svg"
    NEEDS_ENGINE = False
    GROUP = ("setup", "Set-up")

    def initAlgorithm(self, config=None):
        self.add(
            QgsProcessingParameterFile(
                WHEELS,
                tr("Folder of wheels to install from (empty: download from the package index)"),
                behavior=QgsProcessingParameterFile.Behavior.Folder,
                optional=True,
            )
        )
        rest = (
            QgsProcessingParameterString(INDEX, tr("Address of another package index"), optional=True),
            QgsProcessingParameterFile(
                PYTHON,
                tr("Python interpreter (3.11 or later)"),
                optional=True,
                # Without a filter of its own QGIS refuses names without a dot, such as /usr/bin/python3.
                fileFilter=tr("All files (*)"),
            ),
            QgsProcessingParameterBoolean(AGAIN, tr(environment.AGAIN_TITLE), defaultValue=False),
            QgsProcessingParameterBoolean(
                STANDALONE, tr("Download a Python if this machine has none that fits"), defaultValue=True
            ),
        )
        for parameter in rest:
            self.add(advanced(parameter))
        self.addOutput(QgsProcessingOutputString(INTERPRETER, tr("Interpreter")))
        self.addOutput(QgsProcessingOutputString(VERSION, tr("Version of geoeval")))
        self.addOutput(QgsProcessingOutputBoolean(CHANGED, tr("Whether anything was installed")))

    def processAlgorithm(self, parameters, context, feedback):
        said = []

        def say(fraction, text):
            feedback.setProgress(100 * fraction)
            if text not in said:
                said.append(text)
                feedback.pushInfo(text)

        try:
            place, made = installer.set_up(
                python=self.parameterAsFile(parameters, PYTHON, context) or None,
                wheels=self.parameterAsFile(parameters, WHEELS, context) or None,
                index=self.parameterAsString(parameters, INDEX, context).strip() or None,
                again=self.parameterAsBool(parameters, AGAIN, context),
                standalone=self.parameterAsBool(parameters, STANDALONE, context),
                say=say,
                is_canceled=feedback.isCanceled,
            )
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was installed"))
            return {}
        except runner.EngineError as error:
            raise QgsProcessingException(sentence(str(error))) from None
        except OSError as error:
            raise QgsProcessingException(tr("The environment cannot be written: {why}").format(why=error)) from None
        named = environment.find()
        if named is not None and named.origin != environment.OWN:
            feedback.pushWarning(
                tr("{python} (from {where}) is still used and not this environment; remove that entry").format(
                    python=named.command[0], where=named.origin
                )
            )
        version = environment.wheel().name.split("-")[1]
        if made:
            feedback.pushInfo(tr("geoeval {version} is set up in {place}").format(version=version, place=place))
        else:
            text = tr("geoeval {version} is already set up in {place}; nothing was done")
            feedback.pushInfo(text.format(version=version, place=place))
        return {INTERPRETER: environment.own_python(), VERSION: version, CHANGED: made}


ALGORITHM = SetUpEnvironment
