"""Export error layers as shapefiles: the engine's own files, with their styles, in a folder."""

import shutil
from pathlib import Path

from qgis.core import (
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFolderDestination,
)

from .. import runner
from . import evaluation as base
from .base import tr
from .evaluateroads import EvaluateRoads

OUTPUT, FORMAT, COUNT = "OUTPUT", "FORMAT", "COUNT"
FORMATS = ["shp", "gpkg", "geojson", "parquet"]


class ExportErrorLayers(EvaluateRoads):
    """Evaluates two layers and writes files for other programs."""

    ID = "exporterrorlayers"
    TITLE = "Export error layers as shapefiles"
    SUMMARY = "Evaluates two road layers and writes a styled shapefile for each kind of error to a folder."
    TAGS = ("roads", "export", "shapefile", "geopackage", "geojson", "errors", "layers")

    def initAlgorithm(self, config=None):
        self.add_layer(base.REFERENCE, "Reference roads (taken as true)", base.REFERENCE_CRS)
        self.add_layer(base.PREDICTION, "Predicted roads (to be scored)", base.PREDICTION_CRS)
        self.addParameter(
            QgsProcessingParameterEnum(
                FORMAT, tr("Format"), options=FORMATS, defaultValue="shp", usesStaticStrings=True
            )
        )
        self.add_evaluation_parameters()
        self.addParameter(QgsProcessingParameterFolderDestination(OUTPUT, tr("Folder for the layers")))
        self.addOutput(QgsProcessingOutputNumber(COUNT, tr("Number of layers")))
        self.add_score_outputs()

    def processAlgorithm(self, parameters, context, feedback):
        target = Path(self.parameterAsString(parameters, OUTPUT, context))
        form = self.parameterAsEnumString(parameters, FORMAT, context)
        made = self.folder / "result"
        arguments = ["roads", *self.inputs, *self.options, "-o", made, "--format", form,
                     "--json", self.folder / "scores.json"]  # fmt: skip
        try:
            result = self.run_engine(arguments, feedback)
            taken = [file.name for file in made.iterdir() if (target / file.name).exists()]
            if taken:
                raise QgsProcessingException(
                    f"{target} already contains {taken[0]}; choose another folder or empty this one"
                )
            target.mkdir(parents=True, exist_ok=True)
            shutil.move(str(self.folder / "scores.json"), str(made / "scores.json"))
            for file in sorted(made.iterdir()):
                shutil.move(str(file), str(target / file.name))
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        for layer in result["layers"]:
            feedback.pushInfo(f"{layer['layer']}: {layer['count']:,}")
        return {OUTPUT: str(target), COUNT: len(result["layers"]), **base.score_outputs(result["scores"])}


ALGORITHM = ExportErrorLayers
