"""Parameters and options of everything that compares a prediction with a reference."""

from qgis.core import (
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingOutputNumber,
    QgsProcessingParameterBoolean,
    QgsProcessingParameterCrs,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
    QgsProcessingParameterString,
)

from .. import cell_size, handover
from ..compat import advanced
from ..destinations import is_wanted
from ..engine import description
from ..saying import output_name
from .base import GeoevalAlgorithm, tr

REFERENCE, PREDICTION, AREA = "REFERENCE", "PREDICTION", "AREA"
METRICS, CCQ_TOLERANCE, MAX_DISTANCE, GRID_SIZE = "METRICS", "CCQ_TOLERANCE", "MAX_DISTANCE", "GRID_SIZE"
REFERENCE_CRS, PREDICTION_CRS, CRS = "REFERENCE_CRS", "PREDICTION_CRS", "CRS"
NODE, ALIGN, WHOLE, SEED, SETTINGS, RUN_NAME = "NODE", "ALIGN", "WHOLE", "SEED", "SETTINGS", "RUN_NAME"
REPORT, JSON = "REPORT", "JSON"

JOINS = ["ends", "crossings", "none"]
LINES, POINTS = QgsProcessing.SourceType.TypeVectorLine, QgsProcessing.SourceType.TypeVectorPoint
POLYGONS = QgsProcessing.SourceType.TypeVectorPolygon


class EvaluationAlgorithm(GeoevalAlgorithm):
    """An algorithm that compares a prediction with a reference; by default of road networks."""

    KIND = "roads"
    COMMANDS = ("roads",)
    GEOMETRY = LINES

    # Input layers, each with the parameter for its CRS if it has none.
    LAYERS = ((REFERENCE, REFERENCE_CRS), (PREDICTION, PREDICTION_CRS))

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        if not fine:
            return fine, why
        for name, crs_name in self.LAYERS:
            if parameters.get(name):
                why = handover.missing_crs(self, name, parameters, context, crs_name) or handover.nothing_in(
                    self, name, parameters, context
                )
                if why is not None:
                    return False, why
        if is_wanted(parameters.get(AREA)):
            why = handover.nothing_in(self, AREA, parameters, context)
        return (True, "") if why in (None, "") else (False, why)

    def add_layer(self, name, text, crs_name=None, *, optional=False):
        self.add(QgsProcessingParameterFeatureSource(name, tr(text), [self.GEOMETRY], optional=optional))
        if crs_name:
            title = tr(f"CRS of the {name.lower()}, if it has none")
            self.add(advanced(QgsProcessingParameterCrs(crs_name, title, optional=True)))

    def add_evaluation_parameters(self):
        """Add the area, and folded below it metrics, tolerances and the rest."""
        known = description()
        self.add_area()
        self.add_metrics("Metrics")
        self.add_metres(CCQ_TOLERANCE, "Tolerance of CCQ (metres)", known.default("roads", "ccq", "tolerance", 5.0))
        common = known.default("roads", "opt-j", "max_distance", 15.0)
        self.add_metres(MAX_DISTANCE, "Tolerance of the other metrics (metres)", common)
        self.add_grid_size()
        join = QgsProcessingParameterEnum(
            NODE, tr("How lines join"), options=JOINS, defaultValue="ends", usesStaticStrings=True
        )
        self.add(advanced(join))
        self.add_align()
        whole = QgsProcessingParameterNumber.Type.Integer
        title = tr("Seed of the sampled metrics")
        self.add(advanced(QgsProcessingParameterNumber(SEED, title, type=whole, defaultValue=0, minValue=0)))
        self.add_common_advanced()

    def add_align(self):
        text = tr("Remove a constant offset between the layers first")
        self.add(advanced(QgsProcessingParameterBoolean(ALIGN, text, defaultValue=False)))

    def add_area(self):
        title = tr("Area to evaluate (polygons)")
        self.add(QgsProcessingParameterFeatureSource(AREA, title, [POLYGONS], optional=True))

    def add_metrics(self, text):
        known = description()
        names = list(known.metrics(self.KIND))
        parameter = QgsProcessingParameterEnum(
            METRICS,
            tr(text),
            options=names,
            allowMultiple=True,
            defaultValue=known.usual_metrics(self.KIND),
            # Nothing to choose from is the engine's fault, and the message about that must come first.
            optional=not names,
            usesStaticStrings=True,
        )
        self.add(advanced(self.with_chooser(parameter, "MetricsWrapper")))

    def with_chooser(self, parameter, name):
        """The same parameter, which dialogs show with a class of ``widgets``; qgis_process has no such things."""
        chooser = f"{__package__.rpartition('.')[0]}.widgets.{name}"
        parameter.setMetadata({"widget_wrapper": {"class": chooser, "content": self.KIND}})
        return parameter

    def add_grid_size(self):
        parameter = QgsProcessingParameterNumber(
            GRID_SIZE,
            tr("Cell size of the score grid (metres)"),
            type=QgsProcessingParameterNumber.Type.Double,
            optional=True,
            minValue=1.0,
        )
        self.add(advanced(parameter))

    def add_common_advanced(self):
        title = tr("Evaluate all of both layers, even if one covers more ground")
        self.add(advanced(QgsProcessingParameterBoolean(WHOLE, title, defaultValue=False)))
        self.add(advanced(QgsProcessingParameterCrs(CRS, tr("CRS to measure in"), optional=True)))
        self.add_settings("Other parameters, one METRIC.PARAMETER=VALUE per line")

    def add_settings(self, text):
        self.add(advanced(QgsProcessingParameterString(SETTINGS, tr(text), multiLine=True, optional=True)))

    def add_run_name(self):
        self.add(advanced(QgsProcessingParameterString(RUN_NAME, tr("Name of the group of layers"), optional=True)))

    def add_score_outputs(self):
        for metric, facts in description().metrics(self.KIND).items():
            for score in facts["scores"]:
                self.addOutput(QgsProcessingOutputNumber(output_name(metric, score), f"{metric} {score}"))

    def add_metres(self, name, text, default):
        parameter = QgsProcessingParameterNumber(
            name, tr(text), type=QgsProcessingParameterNumber.Type.Double, defaultValue=float(default), minValue=0.0
        )
        self.add(advanced(parameter))

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
        options += self.grid_options(parameters, context)
        if self.parameterAsBool(parameters, ALIGN, context):
            options.append("--align")
        return options

    def grid_options(self, parameters, context):
        """Command-line options for the grid: the given size of its cells, or one that fits the data."""
        if parameters.get(GRID_SIZE) not in (None, ""):
            return ["--grid", repr(self.parameterAsDouble(parameters, GRID_SIZE, context))]
        layers = (
            [handover.layer_of(self, AREA, parameters, context)]
            if is_wanted(parameters.get(AREA))
            else [handover.layer_of(self, name, parameters, context) for name, _crs in self.LAYERS]
        )
        lengths = [cell_size.length_of(one.extent(), one.crs(), context) for one in layers if one is not None]
        return ["--grid", repr(cell_size.fitted(min((one for one in lengths if one > 0), default=0.0)))]

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
        """Command-line options for the area: the given polygons, all of both layers, or what the engine chooses.

        The polygons are among ``self.copies`` then.
        """
        self.in_area = is_wanted(parameters.get(AREA))
        if not self.in_area:
            return ["--aoi", "all"] if self.parameterAsBool(parameters, WHOLE, context) else []
        layer = handover.layer_of(self, AREA, parameters, context)
        if layer is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, AREA))
        if not layer.crs().isValid():
            raise QgsProcessingException(
                f'The area layer "{layer.name()}" has no coordinate reference system; choose one in its properties'
            )
        request = handover.request_of(parameters.get(AREA), layer)
        rows = handover.Rows(layer, layer.crs(), context, request)
        area = handover.HandedOver(self.folder / "area.fgb", name=layer.name(), rows=rows)
        self.copies.append(area)
        return ["--aoi", area.path]

    def same_layer(self, parameters, context):
        """What to say about a layer that is compared with itself, whose scores mean nothing; or None."""
        if not handover.same_rows(self, REFERENCE, PREDICTION, parameters, context):
            return None
        titles = self.titles()
        return (
            f'"{titles[REFERENCE]}" and "{titles[PREDICTION]}" are the same layer, so the scores would say nothing; '
            "choose two different layers"
        )


def shared_tolerance():
    """Metrics that use the common tolerance; some look for junctions farther away."""
    known = description()
    common = known.default("roads", "opt-j", "max_distance", 15.0)
    metrics = known.with_parameter("roads", "max_distance")
    return [name for name in metrics if known.default("roads", name, "max_distance", 0) == common]
