"""One prediction against one reference: where its results go, and how they come into QGIS."""

import contextlib
import json

from qgis.core import (
    QgsProcessingParameterBoolean,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFile,
    QgsProcessingParameterFileDestination,
)

from .. import destinations, looks, result_layers, results, run_file, runner, runs, saying
from ..compat import advanced, hidden
from ..engine import Sink, description
from . import evaluation as base
from .base import bring, tr
from .evaluation import EvaluationAlgorithm

LOOK_AT, RESULT, PREVIOUS, LOAD = "LOOK_AT", "RESULT", "PREVIOUS", "LOAD"
TYPES = {"lines": base.LINES, "points": base.POINTS, "polygons": base.POLYGONS}


class PairAlgorithm(EvaluationAlgorithm):
    """An evaluation of one pair.

    Scripts and models can ask for every layer by its own name. The dialog is ``folded``: it asks for one result file.
    """

    # The title of the layer of scores.
    SCORES_TITLE = "Scores of the evaluated area"

    def __init__(self, *, folded=False):
        super().__init__()
        self.folded = folded
        self.copies, self.inputs, self.options = [], [], []
        self.run_name = self.found = self.earlier = self.before = None
        self.names = {}

    def createInstance(self):
        return type(self)(folded=self.folded)

    def createCustomParametersWidget(self, parent):
        """The dialog of the toolbox, without the twenty layers that are in the result file anyway."""
        from processing.gui.AlgorithmDialog import AlgorithmDialog

        self.folded = True
        short = self.create()
        self.folded = False
        return AlgorithmDialog(short, parent=parent)

    def sinks(self):
        """The layers that a run can give: the scores, and every layer in the engine's table of error kinds."""
        return [
            Sink("SCORES", "area", "polygons", self.SCORES_TITLE),
            Sink("GRID", "grid", "polygons", "Score grid"),
            *description().sinks(self.KIND),
        ]

    def add_look(self):
        options = looks.names(self.KIND)
        parameter = QgsProcessingParameterEnum(
            LOOK_AT, tr("What to look at"), options=options, defaultValue=looks.ALL, usesStaticStrings=True
        )
        self.add(self.with_chooser(parameter, "LooksWrapper"))

    def add_result_parameters(self):
        """Add the destinations of the result file, layers, report and scores."""
        self.add_run_name()
        earlier = tr("Earlier run to compare with (result file)")
        self.add(advanced(QgsProcessingParameterFile(PREVIOUS, earlier, optional=True, fileFilter=GEOPACKAGES)))
        self.add(advanced(QgsProcessingParameterBoolean(LOAD, tr("Put the layers on the map"), defaultValue=True)))
        self.add(
            QgsProcessingParameterFileDestination(
                RESULT, tr("Result file"), GEOPACKAGES, optional=True, createByDefault=True
            )
        )
        self.add(
            QgsProcessingParameterFileDestination(
                base.REPORT, tr("Report"), tr("HTML files (*.html)"), optional=True, createByDefault=True
            )
        )
        about = {kind["name"]: kind["about"] for kind in description().error_kinds.values()}
        fold = hidden if self.folded else (lambda parameter: parameter)
        for sink in self.sinks():
            parameter = QgsProcessingParameterFeatureSink(
                sink.name, tr(sink.title), TYPES[sink.geometry], optional=True, createByDefault=False
            )
            self.add(fold(advanced(parameter) if sink.rare else parameter), about.get(sink.role))
        scores = QgsProcessingParameterFileDestination(
            base.JSON, tr("Scores as JSON"), tr("JSON files (*.json)"), optional=True, createByDefault=False
        )
        self.add(fold(scores))

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        if not fine:
            return fine, why
        value = parameters.get(RESULT)
        file = destinations.file_of(value) if destinations.is_wanted(value) else None
        if file is not None and context.project() is not None and result_layers.loaded(file, context.project()):
            return False, f'{file} ("{self.titles()[RESULT]}") is on the map; choose another file or remove its layers'
        earlier = self.parameterAsFile(parameters, PREVIOUS, context)
        try:
            if earlier:
                run_file.facts(earlier)
        except run_file.RunFileError as error:
            return False, f'{error} ("{self.titles()[PREVIOUS]}")'
        return True, ""

    def name_run(self, parameters, context, prediction, reference):
        """Choose the name of the group of layers."""
        given = self.parameterAsString(parameters, base.RUN_NAME, context).strip()
        self.run_name = runs.unique_name(given or runs.dated(prediction, reference), context.project())
        self.names = {"reference": reference, "prediction": prediction}
        self.earlier, self.before = self._earlier_run(parameters, context)

    def grid_options(self, parameters, context):
        """No cells that fit the data where nothing is written that has them."""
        files = [self.parameterAsFileOutput(parameters, name, context) for name in (RESULT, base.REPORT)]
        layers = [sink for sink in self.sinks() if destinations.is_wanted(parameters.get(sink.name))]
        is_given = parameters.get(base.GRID_SIZE) not in (None, "")
        return super().grid_options(parameters, context) if is_given or layers or any(files) else []

    def processAlgorithm(self, parameters, context, feedback):
        try:
            for copy in self.copies:
                copy.write(feedback)
            return self.evaluate(parameters, context, feedback)
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()

    def evaluate(self, parameters, context, feedback):
        """Run the engine and bring its results into QGIS; return the outputs."""
        files = {
            name: self.parameterAsFileOutput(parameters, name, context) for name in (RESULT, base.REPORT, base.JSON)
        }
        made = {RESULT: self.folder / "run.gpkg", base.REPORT: self.folder / "report.html",
                base.JSON: self.folder / "scores.json"}  # fmt: skip
        wanted = [sink for sink in self.sinks() if destinations.is_wanted(parameters.get(sink.name))]
        arguments = [self.KIND, *self.inputs, *self.options, "--json", made[base.JSON]]
        arguments += ["-o", self.folder / "result", "--format", "gpkg"] if wanted else []
        arguments += ["--report", made[base.REPORT]] if files[base.REPORT] else []
        arguments += ["--result", made[RESULT]] if files[RESULT] else []
        answer = self.run_engine(arguments, feedback, end=95)
        if files[RESULT] and self.earlier:
            carry = ["review", made[RESULT], "--carry-from", self.earlier, "--judged", "--no-scores"]
            self.run_plain(carry, feedback)
        result = json.loads(made[base.JSON].read_text(encoding="utf-8"))
        for text, matters in saying.warnings_of(result, self.titles()):
            if matters:
                self.warn(text, feedback)
            else:
                feedback.pushInfo(text)
        for line in saying.lines_about(result):
            feedback.pushInfo(line)
        outputs = saying.score_outputs(answer["scores"])
        headline = saying.headline_of(answer["scores"], self.KIND)
        copier = results.LayerCopier(
            self, parameters, context, feedback, group=self.run_name, headline=headline,
            unit=result["reference"].get("unit", "m"),
        )  # fmt: skip
        if wanted:
            outputs.update(copier.copy_layers(answer["layers"], wanted))
        for name, target in files.items():
            if target:
                outputs[name] = bring(made[name], target)
        if files[RESULT] and self.parameterAsBool(parameters, LOAD, context):
            look = self.parameterAsEnumString(parameters, LOOK_AT, context)
            result_layers.load(
                outputs[RESULT], self.KIND, look, context, group=self.run_name, headline=headline, names=self.names
            )
            self.found = runs.Run(
                self.run_name, self.KIND, result, file=outputs[RESULT], report=outputs.get(base.REPORT),
                said=self.said, reference=self.names["reference"], before=self.before,
            )  # fmt: skip
        feedback.setProgress(100)
        return outputs

    def _earlier_run(self, parameters, context):
        """The run whose verdicts are kept: the named one, the file to replace, or the last against this reference.

        Gives its file and its scores, which are read now because the file may be the one that is replaced; None twice
        if there is no such run.
        """
        named = self.parameterAsFile(parameters, PREVIOUS, context)
        last = runs.last_like(self.KIND, self.names["reference"])
        for file in (named, destinations.file_of(parameters.get(RESULT)), last.file if last is not None else None):
            with contextlib.suppress(run_file.RunFileError):
                if file and run_file.facts(file)["kind"] == self.KIND:
                    return str(file), run_file.record(file)["scores"]
        return None, None

    def postProcessAlgorithm(self, context, feedback):
        if self.found is not None:
            runs.tell(self.found)
        return {}


GEOPACKAGES = "GeoPackage (*.gpkg)"
