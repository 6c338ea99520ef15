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

from .. import destinations, results, runner, saying
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
    PICTURE = "folder.svg"

    GROUP = ("many", "Many at once")
    LAYERS = ((base.REFERENCE, base.REFERENCE_CRS),)

    def __init__(self):
        super().__init__()
        self.copies = []

    def initAlgorithm(self, config=None):
        folder = QgsProcessingParameterFile.Behavior.Folder
        self.add(
            QgsProcessingParameterFeatureSource(
                base.REFERENCE, tr("Reference roads for all files"), [base.LINES], optional=True
            )
        )
        self.add(
            QgsProcessingParameterFile(
                REFERENCE_FOLDER,
                tr("... or a folder of references with the same names"),
                behavior=folder,
                optional=True,
            )
        )
        self.add(
            QgsProcessingParameterFile(base.PREDICTION, tr("Folder of predictions"), behavior=folder),
            "Every road network in this folder is scored; subfolders are left out.",
        )
        self.add(
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
        )  # fmt: skip
        for parameter in rest:
            self.add(advanced(parameter))
        self.add_run_name()
        self.add(QgsProcessingParameterFeatureSink(OUTPUT, tr("Scores of every file"), base.POLYGONS))
        self.add(
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
            self._check_details(parameters, context)
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

    def _check_details(self, parameters, context):
        """Refuse, before the work, a folder in which the details of a file would not find room."""
        value = parameters.get(DETAILS)
        if not destinations.is_wanted(value):
            return
        target = Path(self.parameterAsString(parameters, DETAILS, context))
        for prediction, _reference, _options in self.pairs:
            if (target / stem(prediction)).exists():
                raise QgsProcessingException(
                    f"{target / stem(prediction)} already exists; choose another folder for the details"
                )

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
            self.copies.append(reference)
            options = [*reference.options("reference"), *reference.names("reference")]
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
            for copy in self.copies:
                copy.write(feedback)
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
        feedback.pushInfo(f"{name}: {saying.headline_of(result['scores'])}")
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
        columns = saying.score_columns([scores for _name, scores, _area, _note in rows])
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
