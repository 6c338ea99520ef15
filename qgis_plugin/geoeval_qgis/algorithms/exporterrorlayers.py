"""Export error layers: the layers of a run as files for other programs, with their styles, in a folder."""

import shutil
from pathlib import Path

from qgis.core import (
    QgsCoordinateTransformContext,
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from .. import results, run_file, runner, runs, saying
from ..compat import advanced
from ..destinations import is_wanted
from . import evaluation as base
from .base import tr
from .evaluation import EvaluationAlgorithm
from .pair import GEOPACKAGES, LOAD

OUTPUT, FORMAT, COUNT, RUN_FILE = "OUTPUT", "FORMAT", "COUNT", "RUN_FILE"
DRIVERS = {"shp": "ESRI Shapefile", "gpkg": "GPKG", "geojson": "GeoJSON", "parquet": "Parquet"}
SCORES = "scores.json"


class ExportErrorLayers(EvaluationAlgorithm):
    """Writes files for other programs: of a run that is there, or of two layers that are evaluated first."""

    ID = "exporterrorlayers"
    TITLE = "Export error layers as shapefiles"
    SUMMARY = "Writes the errors of a run to a folder, one styled shapefile for each kind."
    TAGS = ("roads", "export", "shapefile", "geopackage", "geojson", "errors", "layers")
    GROUP = ("tools", "Tools")
    PICTURE = "export.svg"

    def __init__(self):
        super().__init__()
        self.copies, self.run_file = [], None

    def initAlgorithm(self, config=None):
        self.add(
            QgsProcessingParameterFile(
                RUN_FILE,
                tr("Result file of a run"),
                optional=True,
                fileFilter=GEOPACKAGES,
                defaultValue=runs.last_file(),
            ),
            "The result file that an evaluation wrote. Nothing is computed again.",
        )
        for name, crs_name, text in (
            (base.REFERENCE, base.REFERENCE_CRS, "... or reference roads (taken as true)"),
            (base.PREDICTION, base.PREDICTION_CRS, "and predicted roads (to be scored)"),
        ):
            self.add_layer(name, text, crs_name, optional=True)
        self.add(
            QgsProcessingParameterEnum(
                FORMAT, tr("Format"), options=list(DRIVERS), defaultValue="shp", usesStaticStrings=True
            )
        )
        self.add(advanced(QgsProcessingParameterBoolean(LOAD, tr("Put the layers on the map"), defaultValue=True)))
        self.add_evaluation_parameters()
        self.add(QgsProcessingParameterFolderDestination(OUTPUT, tr("Folder for the layers")))
        self.addOutput(QgsProcessingOutputNumber(COUNT, tr("Number of layers")))
        self.add_score_outputs()

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        if not fine:
            return fine, why
        layers = [is_wanted(parameters.get(name)) for name, _crs in self.LAYERS]
        file = parameters.get(RUN_FILE)
        if not (file or all(layers)) or (any(layers) and not all(layers)):
            return False, tr("Give a result file, or a reference and a prediction")
        if file and not any(layers):
            try:
                run_file.facts(file)
            except run_file.RunFileError as error:
                return False, str(error)
        target = Path(self.parameterAsString(parameters, OUTPUT, context))
        taken = next((one.name for one in target.iterdir()), None) if target.is_dir() else None
        if taken is not None:
            return False, f"{target} already contains {taken}; choose another folder or empty this one"
        return True, ""

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        if not is_wanted(parameters.get(base.REFERENCE)):
            self.run_file = self.parameterAsFile(parameters, RUN_FILE, context)
            return True
        try:
            self.copies = [
                self.hand_over(name, parameters, context, feedback, crs_name) for name, crs_name in self.LAYERS
            ]
            reference, prediction = self.copies
            self.arguments = [
                "roads", reference.path, prediction.path, *reference.options("reference"),
                *prediction.options("prediction"), *reference.names("reference"),
                *prediction.names("prediction"), *self.evaluation_options(parameters, context),
                *self.area_options(parameters, context),
            ]  # fmt: skip
        except Exception:
            self.remove_folder()
            raise
        return True

    def processAlgorithm(self, parameters, context, feedback):
        target = Path(self.parameterAsString(parameters, OUTPUT, context))
        form = self.parameterAsEnumString(parameters, FORMAT, context)
        made = self.folder / "result"
        try:
            if self.run_file:
                layers, scores = self._of_run(made, form, feedback)
            else:
                layers, scores = self._of_layers(made, form, feedback)
            target.mkdir(parents=True, exist_ok=True)
            for file in sorted(made.iterdir()):
                shutil.move(str(file), str(target / file.name))
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        for name, _role, _geometry, count in layers:
            feedback.pushInfo(f"{name}: {count:,}")
        if self.parameterAsBool(parameters, LOAD, context) and context.project() is not None:
            results.load_files(target, form, layers, context, self.KIND)
        return {OUTPUT: str(target), COUNT: len(layers), **saying.score_outputs(scores)}

    def _of_layers(self, made, form, feedback):
        """Evaluate; return name, role, geometry and count of every layer that the engine wrote, and the scores."""
        for copy in self.copies:
            copy.write(feedback)
        scores = self.folder / SCORES
        result = self.run_engine([*self.arguments, "-o", made, "--format", form, "--json", scores], feedback)
        shutil.move(str(scores), str(made / SCORES))
        layers = [(one["layer"], one["role"], one["geometry"], one["count"]) for one in result["layers"]]
        return layers, result["scores"]

    def _of_run(self, made, form, feedback):
        """Write the layers of a run as they are in its file; return the same."""
        made.mkdir()
        layers = run_file.layers(self.run_file)
        for number, layer in enumerate(layers):
            if feedback.isCanceled():
                raise runner.CanceledError
            feedback.setProgress(100 * number / len(layers))
            _write(QgsVectorLayer(layer.uri(self.run_file), layer.table, "ogr"), made, form)
        record = run_file.facts(self.run_file)["record"]
        (made / SCORES).write_text(record, encoding="utf-8")
        return [(one.table, one.role, one.geometry, one.count) for one in layers], run_file.record(self.run_file)[
            "scores"
        ]


def _write(layer, folder, form):
    """One layer and its style."""
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.fileEncoding, options.layerName = DRIVERS[form], "UTF-8", layer.name()
    one_file = form == "gpkg"
    path = folder / (f"errors.{form}" if one_file else f"{layer.name()}.{form}")
    if one_file and path.exists():
        options.actionOnExistingFile = QgsVectorFileWriter.ActionOnExistingFile.CreateOrOverwriteLayer
    if one_file:
        options.layerOptions = ["FID=fid"]
    else:
        options.attributes = [i for i, one in enumerate(layer.fields()) if one.name().lower() != "fid"]
    done = QgsVectorFileWriter.writeAsVectorFormatV3(layer, str(path), QgsCoordinateTransformContext(), options)
    if done[0] != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(f"{path.name} cannot be written: {done[1]}; choose another format")
    layer.loadDefaultStyle()
    written = QgsVectorLayer(f"{path}|layername={layer.name()}" if one_file else str(path), layer.name(), "ogr")
    written.setRenderer(layer.renderer().clone())
    for index, field in enumerate(layer.fields()):
        written.setFieldAlias(written.fields().indexOf(field.name()), layer.attributeAlias(index))
    if one_file:
        written.saveStyleToDatabase(layer.name(), "geoeval", True, "")
    else:
        written.saveNamedStyle(str(path.with_suffix(".qml")))


ALGORITHM = ExportErrorLayers
