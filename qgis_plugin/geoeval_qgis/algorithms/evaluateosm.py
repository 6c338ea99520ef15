"""Evaluate against an OSM extract: the reference is an OpenStreetMap file or a download."""

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsProcessingException,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterString,
)

from .. import handover
from ..compat import advanced
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

PLACE, NETWORK_TYPE, CLASSES = "PLACE", "NETWORK_TYPE", "CLASSES"
NETWORK_TYPES = ["drive", "walk", "bike", "all", "cycle", "rail", "power", "waterway", "pipeline", "ferry", "aeroway"]
# Degrees around the prediction that are downloaded as well, so that no road ends at its edge.
MARGIN = 0.002


class EvaluateOsm(EvaluateRoads):
    """A predicted layer against OpenStreetMap."""

    ID = "evaluateosm"
    TITLE = "Evaluate against an OSM extract"
    SUMMARY = "Scores a predicted road network against an OpenStreetMap file, or against what is downloaded."
    TAGS = ("osm", "openstreetmap", "pbf", "download", "roads", "accuracy", "quality", "evaluation")
    PICTURE = "osm.svg"

    LAYERS = ((base.PREDICTION, base.PREDICTION_CRS),)

    def initAlgorithm(self, config=None):
        extract = QgsProcessingParameterFile(
            base.REFERENCE,
            tr("OpenStreetMap file (empty: download)"),
            fileFilter=tr("OpenStreetMap files (*.osm *.pbf *.osm.gz *.osm.bz2);;All files (*)"),
            optional=True,
        )
        self.add(extract, "A file of OpenStreetMap that is taken as true. Empty: the roads are downloaded.")
        place = tr("Place to download, by name or as west,south,east,north")
        self.add(advanced(QgsProcessingParameterString(PLACE, place, optional=True)))
        self.add_layer(base.PREDICTION, "Predicted roads (to be scored)", base.PREDICTION_CRS)
        self.add(
            QgsProcessingParameterEnum(
                NETWORK_TYPE, tr("Which ways are roads"), options=NETWORK_TYPES, defaultValue="drive",
                usesStaticStrings=True,
            )
        )  # fmt: skip
        self.add(
            advanced(
                QgsProcessingParameterString(
                    CLASSES, tr("Highway classes to use instead, or tags such as railway=tram"), optional=True
                )
            )
        )
        self.add_evaluation_parameters()
        self.add_look()
        self.add_result_parameters()
        self.add_score_outputs()

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        try:
            prediction = self.hand_over(base.PREDICTION, parameters, context, feedback, base.PREDICTION_CRS)
            reference, name = self._reference(parameters, context)
            classes = self.parameterAsString(parameters, CLASSES, context).replace(" ", "")
            kind = classes or self.parameterAsEnumString(parameters, NETWORK_TYPE, context)
            self.copies = [prediction]
            self.inputs = [reference, prediction.path]
            self.options = [
                "--network-type", kind,
                *prediction.options("prediction"),
                *prediction.names("prediction"),
                *self.evaluation_options(parameters, context),
                *self.area_options(parameters, context),
            ]  # fmt: skip
        except Exception:
            self.remove_folder()
            raise
        self.name_run(parameters, context, prediction.name, name)
        return True

    def _reference(self, parameters, context):
        """The reference that the engine reads, and its name for the user."""
        file = self.parameterAsFile(parameters, base.REFERENCE, context)
        place = self.parameterAsString(parameters, PLACE, context).strip()
        if file and place:
            raise QgsProcessingException(tr("Give either an OpenStreetMap file or a place to download, not both"))
        if file:
            return file, file.replace("\\", "/").rpartition("/")[2]
        return f"osm:{place or self._around(parameters, context)}", "OpenStreetMap"

    def _around(self, parameters, context):
        layer = handover.layer_of(self, base.PREDICTION, parameters, context)
        crs = layer.crs()
        if not crs.isValid():
            crs = self.parameterAsCrs(parameters, base.PREDICTION_CRS, context)
        degrees = QgsCoordinateReferenceSystem("EPSG:4326")
        box = QgsCoordinateTransform(crs, degrees, context.transformContext()).transformBoundingBox(layer.extent())
        box.grow(MARGIN)
        return ",".join(f"{value:.6f}" for value in (box.xMinimum(), box.yMinimum(), box.xMaximum(), box.yMaximum()))


ALGORITHM = EvaluateOsm
