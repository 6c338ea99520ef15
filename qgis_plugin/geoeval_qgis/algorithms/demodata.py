"""Try it with demo data: central Helsinki against a copy with known errors, evaluated and ready for review."""

import json
import shutil
from pathlib import Path

from qgis.core import QgsProcessingParameterFolderDestination

from .. import result_layers, runner, runs, saying
from ..looks import ALL
from .base import GeoevalAlgorithm, tr

OUTPUT = "OUTPUT"
NAMES = {"reference": "Helsinki", "prediction": "Helsinki with known errors"}


class DemoData(GeoevalAlgorithm):
    """Shows what an evaluation gives, before the user has two maps."""

    ID = "demodata"
    TITLE = "Try it with demo data"
    SUMMARY = "Evaluates the roads of central Helsinki against a copy with known errors."
    TAGS = ("demo", "example", "helsinki", "tutorial", "roads")
    COMMANDS = ("demo",)
    PICTURE = "demo.svg"
    GROUP = ("setup", "Set-up")

    def __init__(self):
        super().__init__()
        self.run_name = self.found = None

    def initAlgorithm(self, config=None):
        self.add(QgsProcessingParameterFolderDestination(OUTPUT, tr("Folder for the demo")))

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        self.run_name = runs.unique_name(runs.dated(NAMES["prediction"], NAMES["reference"]), context.project())
        return True

    def processAlgorithm(self, parameters, context, feedback):
        target = Path(self.parameterAsString(parameters, OUTPUT, context))
        made = self.folder / "demo"
        try:
            self.run_plain(["demo", made, "--progress", "none"], feedback)
            target.mkdir(parents=True, exist_ok=True)
            for file in sorted(made.iterdir()):
                place = target / file.name
                if place.is_dir():
                    shutil.rmtree(place)
                shutil.move(str(file), str(place))
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        result = json.loads((target / "scores.json").read_text(encoding="utf-8"))
        headline = saying.headline_of(result["scores"])
        file = str(target / "run.gpkg")
        result_layers.load(file, "roads", ALL, context, group=self.run_name, headline=headline, names=NAMES)
        self.found = runs.Run(
            self.run_name, "roads", result, file=file, report=str(target / "report.html"), reference=NAMES["reference"]
        )
        return {OUTPUT: str(target)}

    def postProcessAlgorithm(self, context, feedback):
        if self.found is not None:
            runs.tell(self.found)
        return {}


ALGORITHM = DemoData
