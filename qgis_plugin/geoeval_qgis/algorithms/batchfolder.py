"""Batch evaluate a folder: every file against one reference or against the file of the same name."""

import fnmatch
import shutil
from pathlib import Path

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsGeometry,
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterCrs,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterFile,
    QgsProcessingParameterFolderDestination,
    QgsProcessingParameterString,
    QgsWkbTypes,
)

from .. import results, runner
from ..compat import advanced, number_field, text_field
from . import evaluation as base
from .base import sentence, tr
from .evaluateosm import NETWORK_TYPE, NETWORK_TYPES
from .evaluation import EvaluationAlgorithm

REFERENCE_FOLDER, PATTERN, OUTPUT, DETAILS = "REFERENCE_FOLDER", "PATTERN", "OUTPUT", "DETAILS"
COUNT, FAILED = "COUNT", "FAILED"
SUFFIXES = (
    ".gpkg",
    ".shp",
    ".geojson",
    ".fgb",
    ".parquet",
    ".osm",
    ".pbf",
    ".gz",
    ".bz2",
    ".graph",
    ".graphml",
    ".json",
)


class BatchFolder(EvaluationAlgorithm):
    """Many predictions, one table with a polygon for each."""

    ID = "batchfolder"
    TITLE = "Batch evaluate a folder"
    SUMMARY = "Evaluates every road network in a folder and gives one layer with all scores."
    TAGS = ("roads", "batch", "folder", "many", "scores", "table", "evaluation")

    LAYERS = ((base.REFERENCE, base.REFERENCE_CRS),)

    def initAlgorithm(self, config=None):
        folder = QgsProcessingParameterFile.Behavior.Folder
        self.addParameter(
            QgsProcessingParameterFeatureSource(
                base.REFERENCE, tr("Reference roads for all files"), [base.LINES], optional=True
            )
        )
        self.addParameter(
            QgsProcessingParameterFile(
                REFERENCE_FOLDER,
                tr("... or a folder of references with the same names"),
                behavior=folder,
                optional=True,
            )
        )
        self.addParameter(QgsProcessingParameterFile(base.PREDICTION, tr("Folder of predictions"), behavior=folder))
        self.addParameter(
            QgsProcessingParameterString(PATTERN, tr("Files to evaluate (* and ? match any name)"), defaultValue="*")
        )
        self.add_evaluation_parameters()
        rest = (
            QgsProcessingParameterCrs(base.REFERENCE_CRS, tr("CRS of references that have none"), optional=True),
            QgsProcessingParameterCrs(base.PREDICTION_CRS, tr("CRS of predictions that have none"), optional=True),
            QgsProcessingParameterEnum(
                NETWORK_TYPE, tr("Which ways of OpenStreetMap files are roads"), options=NETWORK_TYPES,
                defaultValue="drive", usesStaticStrings=True,
            ),
            QgsProcessingParameterString(base.RUN_NAME, tr("Name of the group of layers"), optional=True),
        )  # fmt: skip
        for parameter in rest:
            self.addParameter(advanced(parameter))
        self.addParameter(QgsProcessingParameterFeatureSink(OUTPUT, tr("Scores of every file"), base.POLYGONS))
        self.addParameter(
            QgsProcessingParameterFolderDestination(
                DETAILS, tr("Folder for the details"), optional=True, createByDefault=False
            )
        )
        self.addOutput(QgsProcessingOutputNumber(COUNT, tr("Files evaluated")))
        self.addOutput(QgsProcessingOutputNumber(FAILED, tr("Files that could not be evaluated")))

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        try:
            self.pairs = self._pairs(parameters, context, feedback)
            self.options = [
                "--network-type", self.parameterAsEnumString(parameters, NETWORK_TYPE, context),
                *self.evaluation_options(parameters, context),
                *self.area_options(parameters, context),
            ]  # fmt: skip
            self.prediction_crs = self._crs_option(parameters, context, base.PREDICTION_CRS, "--prediction-crs")
        except Exception:
            self.remove_folder()
            raise
        folder = Path(self.parameterAsFile(parameters, base.PREDICTION, context))
        self.group = self.parameterAsString(parameters, base.RUN_NAME, context).strip() or f"Batch {folder.name}"
        return True

    def _crs_option(self, parameters, context, name, option):
        from ..handover import crs_text

        crs = self.parameterAsCrs(parameters, name, context)
        return [option, crs_text(crs)] if crs.isValid() else []

    def _pairs(self, parameters, context, feedback):
        """Prediction, reference and options of each evaluation; a missing reference is None."""
        folder = Path(self.parameterAsFile(parameters, base.PREDICTION, context))
        pattern = self.parameterAsString(parameters, PATTERN, context) or "*"
        if not folder.is_dir():
            raise QgsProcessingException(f"{folder} is not a folder; choose the folder of predictions")
        files = [
            file
            for file in sorted(folder.iterdir())
            if file.suffix.lower() in SUFFIXES and file.is_file() and fnmatch.fnmatch(file.name, pattern)
        ]
        if not files:
            raise QgsProcessingException(f"{folder} has no road network that matches {pattern}; check both")
        others = self.parameterAsFile(parameters, REFERENCE_FOLDER, context)
        has_layer = parameters.get(base.REFERENCE) not in (None, "")
        if bool(others) == has_layer:
            raise QgsProcessingException(tr("Give either a reference layer or a folder of references"))
        if has_layer:
            reference = self.hand_over(base.REFERENCE, parameters, context, feedback, base.REFERENCE_CRS)
            options = reference.options("reference")
            return [(file, reference.path, options) for file in files]
        options = self._crs_option(parameters, context, base.REFERENCE_CRS, "--reference-crs")
        by_stem = {}
        for file in sorted(Path(others).iterdir()):
            if file.suffix.lower() in SUFFIXES:
                by_stem.setdefault(stem(file), file)
        return [(file, by_stem.get(stem(file)), options) for file in files]

    def processAlgorithm(self, parameters, context, feedback):
        details = self.parameterAsString(parameters, DETAILS, context)
        try:
            rows = [self._one(number, *pair, feedback) for number, pair in enumerate(self.pairs)]
            if not any(scores for _name, scores, _area, _note in rows):
                raise QgsProcessingException(f"No file could be evaluated; {rows[0][0]}: {rows[0][3]}")
            destination = self._write(rows, parameters, context)
            if details:
                self._keep_details(rows, Path(details))
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        failed = sum(1 for row in rows if not row[1])
        outputs = {OUTPUT: destination, COUNT: len(rows) - failed, FAILED: failed}
        return {**outputs, DETAILS: details} if details else outputs

    def _one(self, number, prediction, reference, options, feedback):
        """Name, scores, area in degrees and note of one evaluation."""
        name, place = stem(prediction), self.folder / f"{number}"
        feedback.setProgressText(f"{name} ({number + 1} of {len(self.pairs)})")
        if reference is None:
            feedback.pushWarning(f"{name}: no reference with this name")
            return name, {}, None, "no reference with this name"
        share = 100 / len(self.pairs)
        place.mkdir()
        arguments = ["roads", reference, prediction, *options, *self.prediction_crs, *self.options,
                     "-o", place / "errors", "--format", "gpkg", "--json", place / "scores.json"]  # fmt: skip
        try:
            result = self.run_engine(arguments, feedback, start=number * share, end=(number + 1) * share)
        except QgsProcessingException as error:
            feedback.pushWarning(f"{name}: {error}")
            return name, {}, None, sentence(str(error))
        feedback.pushInfo(f"{name}: {base.headline_of(result['scores'])}")
        area = next(entry for entry in result["layers"] if entry["role"] == "area")
        return name, result["scores"], self._ground(area), ""

    def _ground(self, entry):
        """The evaluated area in degrees, because each evaluation has a CRS of its own."""
        source = results.open_layer(entry)
        geometry = QgsGeometry(next(source.getFeatures()).geometry())
        if not source.crs().isValid():
            return geometry
        transform = QgsCoordinateTransform(
            source.crs(), QgsCoordinateReferenceSystem("EPSG:4326"), source.transformContext()
        )
        geometry.transform(transform)
        geometry.convertToMultiType()
        return geometry

    def _write(self, rows, parameters, context):
        columns = base.score_columns([scores for _name, scores, _area, _note in rows])
        fields = QgsFields()
        fields.append(text_field("name"))
        for _metric, _score, field in columns:
            fields.append(number_field(field))
        fields.append(text_field("note"))
        crs = QgsCoordinateReferenceSystem("EPSG:4326")
        sink, destination = self.parameterAsSink(
            parameters, OUTPUT, context, fields, QgsWkbTypes.Type.MultiPolygon, crs
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, OUTPUT))
        for name, scores, area, note in rows:
            row = QgsFeature(fields)
            if area is not None:
                row.setGeometry(area)
            row.setAttributes([name, *(scores.get(metric, {}).get(score) for metric, score, _field in columns), note])
            sink.addFeature(row, QgsFeatureSink.Flag.FastInsert)
        del sink
        if context.willLoadLayerOnCompletion(destination):
            context.layerToLoadOnCompletionDetails(destination).name = self.group
        return destination

    def _keep_details(self, rows, target):
        """Keep the error layers and scores of each evaluation in a folder named after it."""
        for number, (name, scores, _area, _note) in enumerate(rows):
            if not scores:
                continue
            if (target / name).exists():
                message = f"{target / name} already exists; choose another folder for the details"
                raise QgsProcessingException(message)
            target.mkdir(parents=True, exist_ok=True)
            shutil.move(str(self.folder / f"{number}"), str(target / name))


def stem(file):
    """Name of a file without any of its suffixes."""
    name = file.name
    for suffix in (*SUFFIXES, *SUFFIXES):
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return name


ALGORITHM = BatchFolder
