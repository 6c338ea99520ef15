"""Evaluate line drawings: two files of lines with width and style."""

from pathlib import Path

from qgis.core import (
    QgsProcessingParameterCrs,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from .. import handover
from ..compat import advanced
from ..engine import description
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

SINKS = (
    ("SCORES", "area", "polygons", "Scores of the drawing", False),
    ("GRID", "grid", "polygons", "Score grid", True),
    ("MISSED", "missed", "lines", "Missed lines", False),
    ("FALSE_ALARMS", "false_alarm", "lines", "False alarms", False),
    ("FRAGMENTED", "fragmented", "lines", "Fragmented lines", False),
    ("CONSOLIDATED", "consolidated", "lines", "Consolidated lines", False),
    ("DISPLACED", "displaced", "lines", "Displaced lines", False),
    ("WRONG_WIDTH", "wrong_width", "lines", "Lines of the wrong width", True),
    ("WRONG_STYLE", "wrong_style", "lines", "Lines of the wrong style", True),
    ("MATCHED", "matched", "lines", "Lines found as they should be", True),
)
FILTER = "Drawings (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;All files (*)"
IMAGE, SECONDS, WIDTH = "IMAGE", "SECONDS", "WIDTH"


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
            QgsProcessingParameterFile(IMAGE, tr("Original image, whose pixels are the true ones"), optional=True)
        )
        number = QgsProcessingParameterNumber.Type.Double
        rest = (
            QgsProcessingParameterNumber(WIDTH, tr("Width of lines that do not say"), type=number, optional=True),
            QgsProcessingParameterNumber(
                SECONDS, tr("Seconds that the detection took"), type=number, optional=True, minValue=0.0
            ),
            QgsProcessingParameterCrs(base.REFERENCE_CRS, tr("CRS of the reference, if it has none"), optional=True),
            QgsProcessingParameterCrs(base.PREDICTION_CRS, tr("CRS of the prediction, if it has none"), optional=True),
            QgsProcessingParameterString(
                base.SETTINGS, tr("Other parameters, one LEVEL.PARAMETER=VALUE a line"), multiLine=True, optional=True
            ),
        )
        for parameter in rest:
            self.addParameter(advanced(parameter))
        self.add_result_parameters()
        self.add_score_outputs()

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        self.inputs = [self.parameterAsFile(parameters, name, context) for name in (base.REFERENCE, base.PREDICTION)]
        self.options = [
            "--metrics", ",".join(self.chosen_metrics(parameters, context)),
            *self.setting_options(parameters, context),
        ]  # fmt: skip
        for name, option in ((WIDTH, "--width"), (SECONDS, "--seconds")):
            if parameters.get(name) is not None:
                self.options += [option, repr(self.parameterAsDouble(parameters, name, context))]
        image = self.parameterAsFile(parameters, IMAGE, context)
        if image:
            self.options += ["--image", image]
        for name, option in ((base.REFERENCE_CRS, "--reference-crs"), (base.PREDICTION_CRS, "--prediction-crs")):
            crs = self.parameterAsCrs(parameters, name, context)
            if crs.isValid():
                self.options += [option, handover.crs_text(crs)]
        reference, prediction = (Path(file).name for file in self.inputs)
        given = self.parameterAsString(parameters, base.RUN_NAME, context).strip()
        self.run_name = given or f"{prediction} against {reference}"
        return True


ALGORITHM = EvaluateLines
