"""Evaluate line drawings: two files of lines with width and style."""

from pathlib import Path

from qgis.core import QgsProcessingParameterEnum, QgsProcessingParameterFile, QgsProcessingParameterString

from ..compat import advanced
from ..engine import description
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

SINKS = (
    ("SCORES", "area", "polygons", "Scores of the drawing", False),
    ("MISSED", "missed", "lines", "Missed lines", False),
    ("FALSE_ALARMS", "false_alarm", "lines", "False alarms", False),
    ("FRAGMENTED", "fragmented", "lines", "Fragmented lines", False),
    ("CONSOLIDATED", "consolidated", "lines", "Consolidated lines", False),
    ("WRONG_WIDTH", "wrong_width", "lines", "Lines of the wrong width", True),
    ("WRONG_STYLE", "wrong_style", "lines", "Lines of the wrong style", True),
)
FILTER = "Drawings (*.txt *.csv *.dxf *.gpkg *.shp *.geojson *.fgb);;All files (*)"


class EvaluateLines(EvaluateRoads):
    """A vectorised drawing against the drawing that it should be."""

    ID = "evaluatelines"
    TITLE = "Evaluate line drawings"
    SUMMARY = "Scores a vectorised drawing against a reference and maps lines that were missed, invented or cut."
    TAGS = ("drawing", "vectorisation", "lines", "cad", "dxf", "plan", "accuracy", "evaluation")
    KIND = "lines"
    COMMANDS = ("lines",)
    LAYERS = ()
    SINKS = SINKS

    def initAlgorithm(self, config=None):
        for name, text in (
            (base.REFERENCE, "Reference drawing (taken as true)"),
            (base.PREDICTION, "Vectorised drawing (to be scored)"),
        ):
            self.addParameter(QgsProcessingParameterFile(name, tr(text), fileFilter=tr(FILTER)))
        known = description()
        self.addParameter(
            QgsProcessingParameterEnum(
                base.METRICS,
                tr("Levels"),
                options=list(known.metrics("lines")),
                allowMultiple=True,
                defaultValue=known.usual_metrics("lines"),
                usesStaticStrings=True,
            )
        )
        self.addParameter(
            advanced(
                QgsProcessingParameterString(
                    base.SETTINGS,
                    tr("Other parameters, one LEVEL.PARAMETER=VALUE a line"),
                    multiLine=True,
                    optional=True,
                )
            )
        )
        self.add_result_parameters()
        self.add_score_outputs()

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        self.inputs = [self.parameterAsFile(parameters, name, context) for name in (base.REFERENCE, base.PREDICTION)]
        self.options = ["--metrics", ",".join(self.chosen_metrics(parameters, context)),
                        *self.setting_options(parameters, context)]  # fmt: skip
        reference, prediction = (Path(file).name for file in self.inputs)
        given = self.parameterAsString(parameters, base.RUN_NAME, context).strip()
        self.run_name = given or f"{prediction} against {reference}"
        return True


ALGORITHM = EvaluateLines
