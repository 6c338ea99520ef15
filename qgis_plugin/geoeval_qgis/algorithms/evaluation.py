"""Parameters, options and outputs of everything that compares a prediction with a reference."""

import json
from collections import deque

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from .. import handover, results, runner
from ..compat import advanced
from ..engine import Sink, description
from .base import GeoevalAlgorithm, bring, tr

REFERENCE, PREDICTION, AREA = "REFERENCE", "PREDICTION", "AREA"
METRICS, CCQ_TOLERANCE, MAX_DISTANCE, GRID_SIZE = "METRICS", "CCQ_TOLERANCE", "MAX_DISTANCE", "GRID_SIZE"
REFERENCE_CRS, PREDICTION_CRS, CRS = "REFERENCE_CRS", "PREDICTION_CRS", "CRS"
NODE, ALIGN, WHOLE, SEED, SETTINGS, RUN_NAME = "NODE", "ALIGN", "WHOLE", "SEED", "SETTINGS", "RUN_NAME"
REPORT, JSON = "REPORT", "JSON"

JOINS = ["ends", "crossings", "none"]
# The metric that stands for a whole evaluation: the first of these that was computed.
HEADLINES = {"roads": ("opt-j", "opt-p", "apls", "ccq"), "objects": ("max-overlap", "iou"), "lines": ("combined",)}

LINES, POINTS = QgsProcessing.SourceType.TypeVectorLine, QgsProcessing.SourceType.TypeVectorPoint
POLYGONS = QgsProcessing.SourceType.TypeVectorPolygon
TYPES = {"lines": LINES, "points": POINTS, "polygons": POLYGONS}
# QGIS keeps no reference to post-processors written in Python; without one, styles are sometimes lost.
_KEPT = deque(maxlen=500)


def output_name(metric, score):
    """Name of a score among the outputs: ``opt-j`` and ``f1`` give ``OPT_J_F1``."""
    return f"{metric}_{score}".upper().replace("-", "_")


class EvaluationAlgorithm(GeoevalAlgorithm):
    """An algorithm that compares a prediction with a reference; by default of road networks."""

    KIND = "roads"
    COMMANDS = ("roads",)
    GEOMETRY = LINES
    # The title of the layer of scores, and whether the score grid is among the advanced parameters.
    SCORES_TITLE = "Scores of the evaluated area"
    GRID_IS_RARE = False

    # Input layers, each with the parameter for its CRS if it has none.
    LAYERS = ((REFERENCE, REFERENCE_CRS), (PREDICTION, PREDICTION_CRS))

    def sinks(self):
        """The layers that a run can give: the scores, and every layer in the engine's table of error kinds."""
        return [
            Sink("SCORES", "area", "polygons", self.SCORES_TITLE),
            Sink("GRID", "grid", "polygons", "Score grid", rare=self.GRID_IS_RARE),
            *description().sinks(self.KIND),
        ]

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        if not fine:
            return fine, why
        for name, crs_name in self.LAYERS:
            why = handover.missing_crs(self, name, parameters, context, crs_name) if parameters.get(name) else None
            if why is not None:
                return False, why
        return True, ""

    def add_layer(self, name, text, crs_name=None):
        self.addParameter(QgsProcessingParameterFeatureSource(name, tr(text), [self.GEOMETRY]))
        if crs_name:
            parameter = QgsProcessingParameterCrs(
                crs_name, tr(f"CRS of the {name.lower()}, if it has none"), optional=True
            )
            self.addParameter(advanced(parameter))

    def add_evaluation_parameters(self):
        """Add area, metrics, tolerances, and the advanced parameters."""
        known = description()
        self.add_area_and_metrics()
        self.add_metres(CCQ_TOLERANCE, "Tolerance of CCQ (metres)", known.default("roads", "ccq", "tolerance", 5.0))
        common = known.default("roads", "opt-j", "max_distance", 15.0)
        self.add_metres(MAX_DISTANCE, "Tolerance of the other metrics (metres)", common)
        self.add_metres(GRID_SIZE, "Cell size of the score grid (metres)", 500.0, least=1.0)
        rest = (
            QgsProcessingParameterEnum(
                NODE, tr("How lines join"), options=JOINS, defaultValue="ends", usesStaticStrings=True
            ),
            QgsProcessingParameterNumber(
                SEED,
                tr("Seed of the sampled metrics"),
                type=QgsProcessingParameterNumber.Type.Integer,
                defaultValue=0,
                minValue=0,
            ),
        )
        self.addParameter(advanced(rest[0]))
        self.add_align()
        self.addParameter(advanced(rest[1]))
        self.add_common_advanced()

    def add_align(self):
        text = tr("Remove a constant offset between the layers first")
        self.addParameter(advanced(QgsProcessingParameterBoolean(ALIGN, text, defaultValue=False)))

    def add_area_and_metrics(self):
        self.addParameter(
            QgsProcessingParameterFeatureSource(AREA, tr("Area to evaluate (polygons)"), [POLYGONS], optional=True)
        )
        self.add_metrics("Metrics")

    def add_metrics(self, text):
        known = description()
        names = list(known.metrics(self.KIND))
        self.addParameter(
            QgsProcessingParameterEnum(
                METRICS,
                tr(text),
                options=names,
                allowMultiple=True,
                defaultValue=known.usual_metrics(self.KIND),
                # Nothing to choose from is the engine's fault, and the message about that must come first.
                optional=not names,
                usesStaticStrings=True,
            )
        )

    def add_common_advanced(self):
        rest = (
            QgsProcessingParameterBoolean(
                WHOLE, tr("Evaluate all of both layers, even if one covers more ground"), defaultValue=False
            ),
            QgsProcessingParameterCrs(CRS, tr("CRS to measure in (empty: one that fits the data)"), optional=True),
            QgsProcessingParameterString(
                SETTINGS, tr("Other parameters, one METRIC.PARAMETER=VALUE per line"), multiLine=True, optional=True
            ),
        )
        for parameter in rest:
            self.addParameter(advanced(parameter))

    def add_result_parameters(self):
        """Add the destinations of layers, report and scores."""
        self.addParameter(
            advanced(QgsProcessingParameterString(RUN_NAME, tr("Name of the group of layers"), optional=True))
        )
        for sink in self.sinks():
            parameter = QgsProcessingParameterFeatureSink(
                sink.name, tr(sink.title), TYPES[sink.geometry], optional=True, createByDefault=sink.by_default
            )
            self.addParameter(advanced(parameter) if sink.rare else parameter)
        self.addParameter(
            QgsProcessingParameterFileDestination(
                REPORT, tr("Report"), tr("HTML files (*.html)"), optional=True, createByDefault=True
            )
        )
        self.addParameter(
            QgsProcessingParameterFileDestination(
                JSON, tr("Scores as JSON"), tr("JSON files (*.json)"), optional=True, createByDefault=False
            )
        )

    def add_score_outputs(self):
        for metric, facts in description().metrics(self.KIND).items():
            for score in facts["scores"]:
                self.addOutput(QgsProcessingOutputNumber(output_name(metric, score), f"{metric} {score}"))

    def add_metres(self, name, text, default, least=0.0):
        self.addParameter(
            QgsProcessingParameterNumber(
                name,
                tr(text),
                type=QgsProcessingParameterNumber.Type.Double,
                defaultValue=float(default),
                minValue=least,
            )
        )

    def hand_over(self, name, parameters, context, feedback, crs_name=None):
        return handover.hand_over(self, name, parameters, context, feedback, folder=self.folder, crs_name=crs_name)

    def evaluation_options(self, parameters, context):
        """Command-line options for the parameters of ``add_evaluation_parameters``."""
        chosen = self.chosen_metrics(parameters, context)
        settings = []
        if "ccq" in chosen:
            settings.append(f"ccq.tolerance={self.parameterAsDouble(parameters, CCQ_TOLERANCE, context)!r}")
        distance = self.parameterAsDouble(parameters, MAX_DISTANCE, context)
        settings += [f"{metric}.max_distance={distance!r}" for metric in shared_tolerance() if metric in chosen]
        options = self.common_options(parameters, context, settings)
        options += ["--node", self.parameterAsEnumString(parameters, NODE, context)]
        options += ["--seed", str(self.parameterAsInt(parameters, SEED, context))]
        options += ["--grid", repr(self.parameterAsDouble(parameters, GRID_SIZE, context))]
        if self.parameterAsBool(parameters, ALIGN, context):
            options.append("--align")
        return options

    def chosen_metrics(self, parameters, context):
        chosen = self.parameterAsEnumStrings(parameters, METRICS, context)
        if not chosen:
            raise QgsProcessingException(tr("No metric is chosen; choose at least one"))
        return chosen

    def common_options(self, parameters, context, settings):
        """Command-line options for metrics, settings (given and typed by the user) and CRS."""
        options = ["--metrics", ",".join(self.chosen_metrics(parameters, context))]
        options += self.setting_options(parameters, context, settings)
        crs = self.parameterAsCrs(parameters, CRS, context)
        return options + (["--crs", handover.crs_text(crs)] if crs.isValid() else [])

    def setting_options(self, parameters, context, settings=()):
        """Command-line options for settings: those with a parameter of their own, then those the user typed."""
        lines = self.parameterAsString(parameters, SETTINGS, context).replace(";", "\n").splitlines()
        written = [line.strip() for line in lines if line.strip()]
        return [word for setting in (*settings, *written) for word in ("--set", setting)]

    def area_options(self, parameters, context):
        """Command-line options for the area: the given polygons, all of both layers, or what the engine chooses."""
        if parameters.get(AREA) not in (None, ""):
            layer = handover.layer_of(self, AREA, parameters, context)
            if layer is None:
                raise QgsProcessingException(self.invalidSourceError(parameters, AREA))
            if not layer.crs().isValid():
                raise QgsProcessingException(
                    f'The area layer "{layer.name()}" has no coordinate reference system; choose one in its properties'
                )
            path = self.folder / "area.fgb"
            selected = handover.selected_only_of(parameters.get(AREA))
            handover.copy_rows(layer, path, layer.crs(), context, selected_only=selected)
            return ["--aoi", str(path)]
        return ["--aoi", "all"] if self.parameterAsBool(parameters, WHOLE, context) else []

    def evaluate(self, inputs, options, parameters, context, feedback, *, run_name):
        """Run the engine on two inputs and bring its results into QGIS; return the outputs."""
        report = self.parameterAsFileOutput(parameters, REPORT, context)
        json_file = self.parameterAsFileOutput(parameters, JSON, context)
        made = self.folder / "result"
        arguments = [
            self.KIND,
            *inputs,
            *options,
            "-o",
            made,
            "--format",
            "gpkg",
            "--json",
            self.folder / "scores.json",
        ]
        if report:
            arguments += ["--report", self.folder / "report.html"]
        try:
            result = self.run_engine(arguments, feedback, end=95)
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        text = (self.folder / "scores.json").read_text(encoding="utf-8")
        say_diagnosis(json.loads(text), feedback)
        say_scores(json.loads(text), feedback)
        outputs = score_outputs(result["scores"])
        headline = headline_of(result["scores"], self.KIND)
        copier = results.LayerCopier(self, parameters, context, feedback, group=run_name, headline=headline)
        outputs.update(self._copy_layers(result["layers"], copier, context))
        if report:
            outputs[REPORT] = bring(self.folder / "report.html", report)
        if json_file:
            outputs[JSON] = bring(self.folder / "scores.json", json_file)
        _KEPT.extend(copier.keep)
        feedback.setProgress(100)
        return outputs

    def _copy_layers(self, entries, copier, context):
        """Fill every sink, with an empty layer if there are no such errors, so that models can rely on it."""
        outputs, left = {}, list(entries)
        for sink in self.sinks():
            same = [entry for entry in left if (entry["role"], entry["geometry"]) == (sink.role, sink.geometry)]
            if same:
                left.remove(same[0])
                destination = copier.copy(same[0], sink.name)
            else:
                destination = copier.copy_nothing(entries[0], sink.name, sink.geometry)
            if destination is not None:
                outputs[sink.name] = destination
        for entry in left:
            if entry["count"] and context.project() is not None:
                copier.load(entry)
        return outputs


def shared_tolerance():
    """Metrics that use the common tolerance; some look for junctions farther away."""
    known = description()
    common = known.default("roads", "opt-j", "max_distance", 15.0)
    metrics = known.with_parameter("roads", "max_distance")
    return [name for name in metrics if known.default("roads", name, "max_distance", 0) == common]


def score_outputs(scores):
    """Every defined score by the name of its output."""
    return {
        output_name(metric, name): value
        for metric, values in scores.items()
        for name, value in values.items()
        if value is not None
    }


def score_columns(results):
    """Metric, name and field of every score that any of the results has, in the engine's order."""
    return [
        (metric, score, field)
        for metric, facts in description().metrics("roads").items()
        for score, field in facts["scores"].items()
        if any(score in scores.get(metric, {}) for scores in results)
    ]


def headline_of(scores, kind="roads"):
    """The score that stands for the evaluation, as text: ``OPT-J F1 0.878``."""
    metric = next((name for name in (*HEADLINES[kind], *scores) if name in scores), None)
    if metric is None:
        return ""
    score = description().metrics(kind).get(metric, {}).get("headline") or next(iter(scores[metric]))
    value = scores[metric].get(score)
    words = [metric.upper(), *([] if score == metric else [score.upper()])]
    return " ".join([*words, "undefined" if value is None else f"{value:.3f}"])


# What the dialog calls an option of the command line.
_IN_DIALOG = {
    "--align": 'tick "Remove a constant offset between the layers first"',
    "--node": 'set "How lines join" to {}',
    "--network-type": "leave these roads out of the layer",
    "--reference-crs": "set the CRS of the reference layer to {}",
    "--prediction-crs": "set the CRS of the prediction layer to {}",
}


def say_diagnosis(result, feedback):
    """Write what is off with the pair to the log, the worst first, in the words of the dialog."""
    for finding in result.get("diagnosis", ()):
        name, _, value = finding["option"].partition(" ")
        mended = _IN_DIALOG[name].format(value) if name in _IN_DIALOG else ""
        text = finding["message"] + (f"; {mended}" if mended else "")
        say = feedback.pushInfo if finding["level"] == "info" else feedback.pushWarning
        say(text[:1].upper() + text[1:])


def say_scores(result, feedback):
    """Write the scores to the log, and why a score is undefined."""
    for role in ("reference", "prediction"):
        if "length_m" in result[role]:
            feedback.pushInfo(f"{role}: {result[role]['length_m'] / 1000:,.2f} km")
    for metric, scores in result["scores"].items():
        shown = ", ".join(f"{name} {_number(value)}" for name, value in scores.items())
        feedback.pushInfo(f"{metric}: {shown}")
    for what, reason in result.get("notes", {}).items():
        feedback.pushInfo(f"{what}: {reason}")


def _number(value):
    if value is None:
        return "undefined"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"
