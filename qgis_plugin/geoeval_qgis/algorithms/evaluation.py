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
from ..engine import description
from .base import GeoevalAlgorithm, bring, tr

REFERENCE, PREDICTION, AREA = "REFERENCE", "PREDICTION", "AREA"
METRICS, CCQ_TOLERANCE, MAX_DISTANCE, GRID_SIZE = "METRICS", "CCQ_TOLERANCE", "MAX_DISTANCE", "GRID_SIZE"
REFERENCE_CRS, PREDICTION_CRS, CRS = "REFERENCE_CRS", "PREDICTION_CRS", "CRS"
NODE, ALIGN, WHOLE, SEED, SETTINGS, RUN_NAME = "NODE", "ALIGN", "WHOLE", "SEED", "SETTINGS", "RUN_NAME"
REPORT, JSON = "REPORT", "JSON"

JOINS = ["ends", "crossings", "none"]
# The score that stands for a whole evaluation: the first of these that was computed.
HEADLINES = {"roads": ("opt-j", "opt-p", "apls", "ccq"), "objects": ("max-overlap", "iou"), "lines": ("combined",)}

LINES, POINTS = QgsProcessing.SourceType.TypeVectorLine, QgsProcessing.SourceType.TypeVectorPoint
POLYGONS = QgsProcessing.SourceType.TypeVectorPolygon
TYPES = {"lines": LINES, "points": POINTS, "polygons": POLYGONS}
# Sink, kind of error, geometry, what people read, whether it is among the advanced ones.
ROAD_SINKS = (
    ("SCORES", "area", "polygons", "Scores of the evaluated area", False),
    ("GRID", "grid", "polygons", "Score grid", False),
    ("MISSING", "missing", "lines", "Missing roads", False),
    ("SPURIOUS", "spurious", "lines", "Spurious roads", False),
    ("BREAKS", "break", "lines", "Breaks", False),
    ("BREAK_POINTS", "break", "points", "Breaks without length", False),
    ("FALSE_LINKS", "false_link", "lines", "False links", False),
    ("JUNCTIONS", "junction", "points", "Wrong junctions", False),
    ("DOUBLED", "doubled", "lines", "Doubled roads", False),
    ("MERGED", "merged", "lines", "Merged roads", False),
    ("DISPLACED", "displaced", "lines", "Displaced roads", False),
    ("DISPLACED_POINTS", "displaced", "points", "Displaced junctions", True),
    ("MISSING_POINTS", "missing", "points", "Missing junctions and ends", True),
    ("SPURIOUS_POINTS", "spurious", "points", "Spurious junctions and ends", True),
    ("FALSE_LINK_POINTS", "false_link", "points", "False links without length", True),
    ("CULPRITS", "culprit", "lines", "Roads behind many wrong paths", True),
    ("PATHS", "path", "lines", "Wrong paths", True),
    ("DUPLICATES", "duplicate", "lines", "Duplicate segments of the input", True),
)

# QGIS holds no reference to post-processors written in Python; without one the style would get lost at times.
_KEPT = deque(maxlen=500)


def output_name(metric, score):
    """Name of a score among the outputs: ``opt-j`` and ``f1`` give ``OPT_J_F1``."""
    return f"{metric}_{score}".upper().replace("-", "_")


class EvaluationAlgorithm(GeoevalAlgorithm):
    """An algorithm that compares a prediction with a reference; by default of road networks."""

    KIND = "roads"
    COMMANDS = ("roads",)
    GEOMETRY = LINES
    SINKS = ROAD_SINKS

    # Layers, each with the parameter that gives its CRS where it has none.
    LAYERS = ((REFERENCE, REFERENCE_CRS), (PREDICTION, PREDICTION_CRS))

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
        """Area, metrics, tolerances, and the rarely used rest."""
        known = description()
        self.add_area_and_metrics()
        self.add_metres(CCQ_TOLERANCE, "Tolerance of CCQ (metres)", known.default("roads", "ccq", "tolerance", 5.0))
        common = known.default("roads", "opt-j", "max_distance", 15.0)
        self.add_metres(MAX_DISTANCE, "Tolerance of the other metrics (metres)", common)
        self.add_metres(GRID_SIZE, "Cells of the score grid (metres)", 500.0, least=1.0)
        rest = (
            QgsProcessingParameterEnum(
                NODE, tr("How lines join"), options=JOINS, defaultValue="ends", usesStaticStrings=True
            ),
            QgsProcessingParameterBoolean(
                ALIGN, tr("Remove a constant offset between the layers first"), defaultValue=False
            ),
            QgsProcessingParameterNumber(
                SEED,
                tr("Seed of the sampled metrics"),
                type=QgsProcessingParameterNumber.Type.Integer,
                defaultValue=0,
                minValue=0,
            ),
        )
        for parameter in rest:
            self.addParameter(advanced(parameter))
        self.add_common_advanced()

    def add_area_and_metrics(self):
        known = description()
        self.addParameter(
            QgsProcessingParameterFeatureSource(AREA, tr("Area to evaluate (polygons)"), [POLYGONS], optional=True)
        )
        self.addParameter(
            QgsProcessingParameterEnum(
                METRICS,
                tr("Metrics"),
                options=list(known.metrics(self.KIND)),
                allowMultiple=True,
                defaultValue=known.usual_metrics(self.KIND),
                usesStaticStrings=True,
            )
        )

    def add_common_advanced(self):
        rest = (
            QgsProcessingParameterBoolean(
                WHOLE, tr("Evaluate all of both layers, even where one covers more ground"), defaultValue=False
            ),
            QgsProcessingParameterCrs(CRS, tr("CRS to measure in (empty: one that fits the data)"), optional=True),
            QgsProcessingParameterString(
                SETTINGS, tr("Other parameters, one METRIC.PARAMETER=VALUE a line"), multiLine=True, optional=True
            ),
        )
        for parameter in rest:
            self.addParameter(advanced(parameter))

    def add_result_parameters(self):
        """Where layers, report and scores go."""
        self.addParameter(
            advanced(QgsProcessingParameterString(RUN_NAME, tr("Name of the group of layers"), optional=True))
        )
        for sink, _role, geometry, text, rare in self.SINKS:
            parameter = QgsProcessingParameterFeatureSink(
                sink, tr(text), TYPES[geometry], optional=True, createByDefault=True
            )
            self.addParameter(advanced(parameter) if rare else parameter)
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
        """Options of the command line for everything that ``add_evaluation_parameters`` asks for."""
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
            raise QgsProcessingException(tr("No metric was chosen; choose at least one"))
        return chosen

    def common_options(self, parameters, context, settings):
        """Metrics, settings (those given and those that the user wrote) and CRS."""
        options = ["--metrics", ",".join(self.chosen_metrics(parameters, context))]
        options += self.setting_options(parameters, context, settings)
        crs = self.parameterAsCrs(parameters, CRS, context)
        return options + (["--crs", handover.crs_text(crs)] if crs.isValid() else [])

    def setting_options(self, parameters, context, settings=()):
        """What the user wrote under other parameters, after the settings that have a parameter of their own."""
        lines = self.parameterAsString(parameters, SETTINGS, context).replace(";", "\n").splitlines()
        written = [line.strip() for line in lines if line.strip()]
        return [word for setting in (*settings, *written) for word in ("--set", setting)]

    def area_options(self, parameters, context):
        """The evaluated area: the polygons given, all of both layers, or what the engine finds."""
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
        """Run the engine on two inputs and bring everything it makes into QGIS. Gives the outputs."""
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
        """Every sink gets its layer, an empty one where there is no such error, so that models can rely on it."""
        outputs, left = {}, list(entries)
        for sink, role, geometry, _text, _rare in self.SINKS:
            same = [entry for entry in left if (entry["role"], entry["geometry"]) == (role, geometry)]
            if same:
                left.remove(same[0])
                destination = copier.copy(same[0], sink)
            else:
                destination = copier.copy_nothing(entries[0], sink, geometry)
            if destination is not None:
                outputs[sink] = destination
        for entry in left:
            if entry["count"] and context.project() is not None:
                copier.load(entry)
        return outputs


def shared_tolerance():
    """Metrics whose tolerance is the common one; junctions are looked for further away."""
    known = description()
    common = known.default("roads", "opt-j", "max_distance", 15.0)
    metrics = known.with_parameter("roads", "max_distance")
    return [name for name in metrics if known.default("roads", name, "max_distance", 0) == common]


def score_outputs(scores):
    """Every score that is defined, under the name of its output."""
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
    """The score that stands for the evaluation, as people read it: ``OPT-J F1 0.878``."""
    metric = next((name for name in (*HEADLINES[kind], *scores) if name in scores), None)
    if metric is None:
        return ""
    score = description().metrics(kind).get(metric, {}).get("headline") or next(iter(scores[metric]))
    value = scores[metric].get(score)
    words = [metric.upper(), *([] if score == metric else [score.upper()])]
    return " ".join([*words, "undefined" if value is None else f"{value:.3f}"])


def say_scores(result, feedback):
    """The scores as a table in the log, and why a score is missing."""
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
