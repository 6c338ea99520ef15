"""Evaluate road network: two layers of lines."""

from . import evaluation as base
from .evaluation import EvaluationAlgorithm


class EvaluateRoads(EvaluationAlgorithm):
    """A predicted layer against a reference layer."""

    ID = "evaluateroads"
    TITLE = "Evaluate road network"
    SUMMARY = "Scores a predicted road network against a reference and maps every error."
    TAGS = ("roads", "streets", "network", "accuracy", "quality", "apls", "compare", "validation", "evaluation")

    def initAlgorithm(self, config=None):
        self.add_layer(base.REFERENCE, "Reference roads (taken as true)", base.REFERENCE_CRS)
        self.add_layer(base.PREDICTION, "Predicted roads (to be scored)", base.PREDICTION_CRS)
        self.add_evaluation_parameters()
        self.add_result_parameters()
        self.add_score_outputs()

    def prepareAlgorithm(self, parameters, context, feedback):
        # Layers live in the main thread, so they are read here and not in processAlgorithm.
        self.make_folder()
        try:
            reference = self.hand_over(base.REFERENCE, parameters, context, feedback, base.REFERENCE_CRS)
            prediction = self.hand_over(base.PREDICTION, parameters, context, feedback, base.PREDICTION_CRS)
            self.inputs = [reference.path, prediction.path]
            self.options = [
                *reference.options("reference"),
                *prediction.options("prediction"),
                *self.evaluation_options(parameters, context),
                *self.area_options(parameters, context),
            ]
        except Exception:
            self.remove_folder()
            raise
        given = self.parameterAsString(parameters, base.RUN_NAME, context).strip()
        self.run_name = given or f"{prediction.name} against {reference.name}"
        return True

    def processAlgorithm(self, parameters, context, feedback):
        try:
            return self.evaluate(self.inputs, self.options, parameters, context, feedback, run_name=self.run_name)
        finally:
            self.remove_folder()


ALGORITHM = EvaluateRoads
