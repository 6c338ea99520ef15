"""Remove the geoeval environment: gives back the room that the engine takes."""

from qgis.core import QgsProcessingException, QgsProcessingOutputNumber

from .. import installer
from .base import GeoevalAlgorithm, tr

FREED = "FREED"


class RemoveEnvironment(GeoevalAlgorithm):
    """Removes what the set-up made, and nothing else."""

    ID = "removeenvironment"
    TITLE = "Remove the geoeval environment"
    SUMMARY = "Removes the engine and gives back the room it takes."
    TAGS = ("uninstall", "remove", "environment", "setup")
    PICTURE = "remove.svg"
    NEEDS_ENGINE = False
    GROUP = ("setup", "Set-up")

    def initAlgorithm(self, config=None):
        self.addOutput(QgsProcessingOutputNumber(FREED, tr("Megabytes that are free again")))

    def processAlgorithm(self, parameters, context, feedback):
        try:
            freed = installer.remove()
        except OSError as error:
            raise QgsProcessingException(f"The environment cannot be removed: {error}; is it in use?") from None
        feedback.pushInfo(f"{freed / 1e6:,.0f} MB are free again" if freed else tr("There was no environment"))
        return {FREED: round(freed / 1e6, 1)}


ALGORITHM = RemoveEnvironment
