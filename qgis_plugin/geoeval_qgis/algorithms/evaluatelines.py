"""Evaluate line drawings: two files of lines with width and style."""

from pathlib import Path

from qgis.core import (
    QgsProcessingParameterCrs,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from .. import handover
from ..compat import advanced
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

FILTER = "Drawings (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;All files (*)"
IMAGE, SECONDS, WIDTH = "IMAGE", "SECONDS", "WIDTH"


class EvaluateLines(EvaluateRoads):
    """A vectorised drawing against the correct one."""

    ID = "evaluatelines"
    TITLE = "Evaluate line drawings"
    SUMMARY = "Scores a vectorised drawing against a reference and maps every error."
    TAGS = ("drawing", "vectorisation", "lines", "cad", "dxf", "plan", "accuracy", "evaluation")
    KIND = "lines"
    COMMANDS = ("lines",)
    LAYERS = ()
    SCORES_TITLE = "Scores of the drawing"
    GRID_IS_RARE = True

    def initAlgorithm(self, config=None):
        for name, text in (
            (base.REFERENCE, "Reference drawing (taken as true)"),
            (base.PREDICTION, "Vectorised drawing (to be scored)"),
        ):
            self.addParameter(QgsProcessingParameterFile(name, tr(text), fileFilter=tr(FILTER)))
        self.add_metrics("Levels")
        self.addParameter(
            QgsProcessingParameterFile(IMAGE, tr("Original image (its pixels are the reference)"), optional=True)
        )
        number = QgsProcessingParameterNumber.Type.Double
        rest = (
            QgsProcessingParameterNumber(WIDTH, tr("Width of lines without one"), type=number, optional=True),
            QgsProcessingParameterNumber(
                SECONDS, tr("Seconds the detection took"), type=number, optional=True, minValue=0.0
            ),
            QgsProcessingParameterCrs(base.REFERENCE_CRS, tr("CRS of the reference, if it has none"), optional=True),
            QgsProcessingParameterCrs(base.PREDICTION_CRS, tr("CRS of the prediction, if it has none"), optional=True),
            QgsProcessingParameterString(
                base.SETTINGS, tr("Other parameters, one LEVEL.PARAMETER=VALUE per line"), multiLine=True, optional=True
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
