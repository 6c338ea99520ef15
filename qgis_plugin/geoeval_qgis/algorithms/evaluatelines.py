"""Evaluate line drawings: two files of lines with width and style."""

from pathlib import Path

from qgis.core import (
    QgsProcessingParameterCrs,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterFile,
    QgsProcessingParameterNumber,
)

from .. import handover
from ..compat import advanced
from ..destinations import file_name
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

FILTER = "Drawings (*.dxf *.svg *.txt *.csv *.gpkg *.shp *.geojson *.fgb);;All files (*)"
IMAGE, SECONDS, WIDTH = "IMAGE", "SECONDS", "WIDTH"
REFERENCE_LAYER, PREDICTION_LAYER = "REFERENCE_LAYER", "PREDICTION_LAYER"
PLACES = ((base.REFERENCE, REFERENCE_LAYER), (base.PREDICTION, PREDICTION_LAYER))


class EvaluateLines(EvaluateRoads):
    """A vectorised drawing against the correct one."""

    ID = "evaluatelines"
    TITLE = "Evaluate line drawings"
    SUMMARY = "Scores a vectorised drawing against a reference and maps every error."
    TAGS = ("drawing", "vectorisation", "lines", "cad", "dxf", "plan", "accuracy", "evaluation")
    PICTURE = "lines.svg"
    KIND = "lines"
    COMMANDS = ("lines",)
    LAYERS = ()
    SCORES_TITLE = "Scores of the drawing"

    def initAlgorithm(self, config=None):
        for name, layer, text in (
            (base.REFERENCE, REFERENCE_LAYER, "Reference drawing"),
            (base.PREDICTION, PREDICTION_LAYER, "Vectorised drawing"),
        ):
            file = QgsProcessingParameterFile(name, tr(f"{text} (file)"), fileFilter=tr(FILTER), optional=True)
            self.add(file, "A drawing: DXF, SVG, a table of lines, or a map layer in a file.")
            title = tr(f"... or {text.lower()} (layer of the project)")
            self.add(QgsProcessingParameterFeatureSource(layer, title, [base.LINES], optional=True))
        image = tr("Original image (its pixels are the reference)")
        self.add(QgsProcessingParameterFile(IMAGE, image, optional=True, fileFilter=tr("All files (*)")))
        self.add_look()
        self.add_metrics("Levels")
        number = QgsProcessingParameterNumber.Type.Double
        rest = (
            QgsProcessingParameterNumber(WIDTH, tr("Width of lines without one"), type=number, optional=True),
            QgsProcessingParameterNumber(
                SECONDS, tr("Seconds the detection took"), type=number, optional=True, minValue=0.0
            ),
            QgsProcessingParameterCrs(base.REFERENCE_CRS, tr("CRS of the reference, if it has none"), optional=True),
            QgsProcessingParameterCrs(base.PREDICTION_CRS, tr("CRS of the prediction, if it has none"), optional=True),
        )
        for parameter in rest:
            self.add(advanced(parameter))
        self.add_settings("Other parameters, one LEVEL.PARAMETER=VALUE per line")
        self.add_result_parameters()
        self.add_score_outputs()

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        for name, layer in PLACES if fine else ():
            given = [bool(parameters.get(one)) for one in (name, layer)]
            if given[0] == given[1]:
                titles = self.titles()
                both = "one of both, not both" if all(given) else "one of both"
                return False, f'"{titles[name]}" and "{titles[layer]}": give {both}'
            why = handover.nothing_in(self, layer, parameters, context) if given[1] else None
            if why is not None:
                return False, why
        return fine, why

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        self.in_own_unit = False
        self.copies = [self._input(*place, parameters, context, feedback) for place in PLACES]
        reference, prediction = self.copies
        self.inputs = [reference.path, prediction.path]
        self.options = [
            "--metrics", ",".join(self.chosen_metrics(parameters, context)),
            *self.setting_options(parameters, context),
        ]  # fmt: skip
        for one, role in ((reference, "reference"), (prediction, "prediction")):
            crs = self.parameterAsCrs(parameters, f"{role.upper()}_CRS", context)
            if crs.isValid():
                one.crs = handover.crs_text(crs)
            self.options += [*one.options(role), *one.names(role)]
        if self.in_own_unit:
            # A layer without a CRS is a drawing in its own unit.
            self.options += ["--pixel-size", "1"]
        for name, option in ((WIDTH, "--width"), (SECONDS, "--seconds")):
            if parameters.get(name) is not None:
                self.options += [option, repr(self.parameterAsDouble(parameters, name, context))]
        image = self.parameterAsFile(parameters, IMAGE, context)
        if image:
            self.options += ["--image", image]
        if reference.path == prediction.path and reference.layer == prediction.layer:
            self.warn(tr("Both drawings are the same, so the scores say nothing; choose two"), feedback)
        self.name_run(parameters, context, prediction.name, reference.name)
        return True

    def _input(self, name, layer_name, parameters, context, feedback):
        """A drawing from a file, or from a layer, which may have no CRS: then its unit is that of the drawing."""
        if not parameters.get(layer_name):
            file = self.parameterAsFile(parameters, name, context)
            return handover.HandedOver(file, name=Path(file).name)
        layer = handover.layer_of(self, layer_name, parameters, context)
        copy = self.folder / name.lower() / file_name(layer.name(), ".fgb")
        request = handover.request_of(parameters.get(layer_name), layer)
        handed = handover.hand_over_layer(layer, copy, context, feedback, request=request)
        if not layer.crs().isValid():
            handed.crs, self.in_own_unit = None, True
        return handed


ALGORITHM = EvaluateLines
