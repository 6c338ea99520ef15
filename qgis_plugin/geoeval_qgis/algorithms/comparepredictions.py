"""Compare several predictions: each is evaluated, then all are ranked by all scores at once."""

import base64
import html
import json
import re

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureSink,
    QgsFields,
    QgsProcessing,
    QgsProcessingException,
    QgsProcessingOutputString,
    QgsProcessingParameterCrs,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterFileDestination,
    QgsProcessingParameterMultipleLayers,
    QgsWkbTypes,
)

from .. import handover, runner, saying
from ..compat import advanced, number_field, text_field, whole_field
from ..destinations import file_name
from . import evaluation as base
from .base import bring, tr
from .evaluation import EvaluationAlgorithm

OUTPUT, DIAGRAM, BEST = "OUTPUT", "DIAGRAM", "BEST"


class ComparePredictions(EvaluationAlgorithm):
    """Several predictions of the same ground against one reference."""

    ID = "comparepredictions"
    TITLE = "Compare several predictions"
    SUMMARY = "Evaluates several road networks against one reference and ranks them, with a Hasse diagram."
    TAGS = ("roads", "compare", "ranking", "hasse", "several", "benchmark", "evaluation")
    COMMANDS = ("roads", "rank")
    PICTURE = "compare.svg"
    GROUP = ("many", "Many at once")
    LAYERS = ((base.REFERENCE, base.REFERENCE_CRS),)

    def __init__(self):
        super().__init__()
        self.copies = []

    def initAlgorithm(self, config=None):
        self.add_layer(base.REFERENCE, "Reference roads (taken as true)", base.REFERENCE_CRS)
        self.add(
            QgsProcessingParameterMultipleLayers(
                base.PREDICTION, tr("Predicted roads (two or more layers)"), QgsProcessing.SourceType.TypeVectorLine
            )
        )
        self.add(
            advanced(
                QgsProcessingParameterCrs(base.PREDICTION_CRS, tr("CRS of predictions that have none"), optional=True)
            )
        )
        self.add_evaluation_parameters()
        self.add(QgsProcessingParameterFeatureSink(OUTPUT, tr("Ranking"), QgsProcessing.SourceType.TypeVector))
        for name, text, filters, by_default in (
            (base.REPORT, "Ranking as a page", "HTML files (*.html)", True),
            (DIAGRAM, "Hasse diagram", "Pictures (*.svg *.png *.pdf)", False),
            (base.JSON, "Ranking as JSON", "JSON files (*.json)", False),
        ):
            self.add(
                QgsProcessingParameterFileDestination(
                    name, tr(text), tr(filters), optional=True, createByDefault=by_default
                )
            )
        self.addOutput(QgsProcessingOutputString(BEST, tr("Best prediction")))

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        try:
            self._hand_over_all(parameters, context, feedback)
            self.options = [*self.evaluation_options(parameters, context), *self.area_options(parameters, context)]
        except Exception:
            self.remove_folder()
            raise
        return True

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        if fine and len(self.parameterAsLayerList(parameters, base.PREDICTION, context)) < 2:
            return False, tr("A comparison needs at least two predictions; choose more layers")
        return fine, why

    def _hand_over_all(self, parameters, context, feedback):
        reference = self.hand_over(base.REFERENCE, parameters, context, feedback, base.REFERENCE_CRS)
        given = self.parameterAsCrs(parameters, base.PREDICTION_CRS, context)
        self.copies.append(reference)
        self.runs = []
        for number, layer in enumerate(self.parameterAsLayerList(parameters, base.PREDICTION, context)):
            if not (layer.crs().isValid() or given.isValid()):
                raise QgsProcessingException(handover.no_crs(self, layer, base.PREDICTION_CRS))
            prediction = handover.hand_over_layer(
                layer,
                self.folder / f"prediction-{number}" / file_name(layer.name(), ".fgb"),
                context,
                feedback,
                crs=None if layer.crs().isValid() else given,
            )
            self.copies.append(prediction)
            options = [*reference.options("reference"), *prediction.options("prediction")]
            self.runs.append((layer.name(), [reference.path, prediction.path, *options]))

    def grid_options(self, _parameters, _context):
        """None: scores alone are written, and no cells."""
        return []

    def processAlgorithm(self, parameters, context, feedback):
        diagram = self.parameterAsFileOutput(parameters, DIAGRAM, context)
        try:
            for copy in self.copies:
                copy.write(feedback)
            names, scores = self._evaluate_all(feedback)
            ranking = self._rank(names, diagram, feedback)
            outputs = {OUTPUT: self._write(ranking, scores, parameters, context), BEST: ranking["items"][0]["name"]}
            page = self.parameterAsFileOutput(parameters, base.REPORT, context)
            if page:
                (self.folder / "ranking.html").write_text(self._page(ranking, scores), encoding="utf-8")
                outputs[base.REPORT] = bring(self.folder / "ranking.html", page)
            if diagram:
                outputs[DIAGRAM] = bring(self.folder / f"diagram{suffix_of(diagram)}", diagram)
            json_file = self.parameterAsFileOutput(parameters, base.JSON, context)
            if json_file:
                outputs[base.JSON] = bring(self.folder / "ranking.json", json_file)
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        return outputs

    def _evaluate_all(self, feedback):
        """Evaluate each prediction; return unique names and the scores of each."""
        names, scores = [], {}
        share = 90 / len(self.runs)
        for number, (title, arguments) in enumerate(self.runs):
            name = unique(title, names)
            names.append(name)
            feedback.pushInfo(f"{name} ({number + 1} of {len(self.runs)})")
            result = self.run_engine(
                ["roads", *arguments, *self.options, "--json", self.folder / f"{name}.json"],
                feedback,
                start=number * share,
                end=(number + 1) * share,
            )
            scores[name] = result["scores"]
            feedback.pushInfo(f"{name}: {saying.headline_of(result['scores'])}")
        return names, scores

    def _rank(self, names, diagram, feedback):
        files = [self.folder / f"{name}.json" for name in names]
        pictures = ["--plot", self.folder / "diagram.svg"]
        self.run_plain(["rank", *files, "--json", self.folder / "ranking.json", *pictures], feedback)
        if diagram and suffix_of(diagram) != ".svg":
            self.run_plain(["rank", *files, "--plot", self.folder / f"diagram{suffix_of(diagram)}"], feedback)
        return json.loads((self.folder / "ranking.json").read_text(encoding="utf-8"))

    def _write(self, ranking, scores, parameters, context):
        columns = saying.score_columns(list(scores.values()))
        fields = QgsFields()
        fields.append(text_field("name"))
        for name in ("rank", "best", "worst"):
            fields.append(whole_field(name))
        for _metric, _score, field in columns:
            fields.append(number_field(field))
        sink, destination = self.parameterAsSink(
            parameters, OUTPUT, context, fields, QgsWkbTypes.Type.NoGeometry, QgsCoordinateReferenceSystem()
        )
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(parameters, OUTPUT))
        for item in ranking["items"]:
            own = scores[item["name"]]
            row = QgsFeature(fields)
            row.setAttributes(
                [item["name"], item["rank"], *item["interval"]]
                + [own.get(metric, {}).get(score) for metric, score, _field in columns]
            )
            sink.addFeature(row, QgsFeatureSink.Flag.FastInsert)
        del sink
        return destination

    def _page(self, ranking, scores):
        """The ranking and its diagram on one self-contained page."""
        picture = base64.b64encode((self.folder / "diagram.svg").read_bytes()).decode()
        rows = "".join(
            f"<tr><td>{item['rank']}</td><td>{html.escape(item['name'])}</td>"
            f"<td>{item['interval'][0]} to {item['interval'][1]}</td>"
            f"<td>{html.escape(saying.headline_of(scores[item['name']]))}</td></tr>"
            for item in ranking["items"]
        )
        return (
            "<!DOCTYPE html><html><head><meta charset='utf-8'><title>Ranking</title></head>"
            "<body style='font-family: sans-serif'><h1>Ranking</h1><table border='1' cellpadding='6' "
            "style='border-collapse: collapse'><tr><th>rank</th><th>prediction</th><th>possible ranks</th>"
            f"<th>score</th></tr>{rows}</table><p>A line in the diagram leads from a prediction to one that is worse "
            f"in every score.</p><img src='data:image/svg+xml;base64,{picture}' alt='Hasse diagram'></body></html>"
        )


def unique(title, taken):
    """A name that is valid for a file and not used by another prediction."""
    name = file_name(title)
    number = 2
    while name in taken or name == "ranking":
        name = f"{name.rpartition(' ')[0] if number > 2 else name} {number}"
        number += 1
    return name


def suffix_of(path):
    """Suffix of a picture; ``.svg`` if it has none."""
    found = re.search(r"\.(svg|png|pdf)$", path.lower())
    return found.group(0) if found else ".svg"


ALGORITHM = ComparePredictions
