"""Evaluate objects: two layers of polygons, such as buildings."""

from qgis.core import QgsProcessingParameterNumber

from ..compat import advanced
from ..engine import description
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

IOU_THRESHOLD = "IOU_THRESHOLD"


class EvaluateObjects(EvaluateRoads):
    """Predicted polygons against reference polygons."""

    ID = "evaluateobjects"
    TITLE = "Evaluate objects"
    SUMMARY = "Scores predicted objects, such as buildings, against a reference and maps every error."
    TAGS = ("buildings", "footprints", "polygons", "objects", "accuracy", "quality", "iou", "evaluation")
    PICTURE = "objects.svg"
    KIND = "objects"
    COMMANDS = ("objects",)
    GEOMETRY = base.POLYGONS

    def initAlgorithm(self, config=None):
        self.add_layer(base.REFERENCE, "Reference objects (taken as true)", base.REFERENCE_CRS)
        self.add_layer(base.PREDICTION, "Predicted objects (to be scored)", base.PREDICTION_CRS)
        self.add_area()
        self.add_look()
        self.add_metrics("Metrics")
        threshold = QgsProcessingParameterNumber(
            IOU_THRESHOLD,
            tr("Minimum intersection over union of a match"),
            type=QgsProcessingParameterNumber.Type.Double,
            defaultValue=float(description().default("objects", "iou", "threshold", 0.5)),
            minValue=0.0,
            maxValue=1.0,
        )
        self.add(advanced(threshold))
        self.add_grid_size()
        self.add_align()
        self.add_common_advanced()
        self.add_result_parameters()
        self.add_score_outputs()

    def evaluation_options(self, parameters, context):
        settings = []
        if "iou" in self.chosen_metrics(parameters, context):
            settings.append(f"iou.threshold={self.parameterAsDouble(parameters, IOU_THRESHOLD, context)!r}")
        options = self.common_options(parameters, context, settings)
        options += self.grid_options(parameters, context)
        return [*options, "--align"] if self.parameterAsBool(parameters, base.ALIGN, context) else options


ALGORITHM = EvaluateObjects
