"""Evaluate road network: two layers of lines."""

from . import evaluation as base
from .pair import PairAlgorithm


class EvaluateRoads(PairAlgorithm):
    """A predicted layer against a reference layer."""

    ID = "evaluateroads"
    TITLE = "Evaluate road network"
    SUMMARY = "Scores a predicted road network against a reference and maps every error."
    TAGS = ("roads", "streets", "network", "accuracy", "quality", "apls", "compare", "validation", "evaluation")
    PICTURE = "roads.svg"

    def initAlgorithm(self, config=None):
        self.add_layer(base.REFERENCE, "Reference roads (taken as true)", base.REFERENCE_CRS)
        self.add_layer(base.PREDICTION, "Predicted roads (to be scored)", base.PREDICTION_CRS)
        self.add_evaluation_parameters()
        self.add_look()
        self.add_result_parameters()
        self.add_score_outputs()

    def checkParameterValues(self, parameters, context):
        fine, why = super().checkParameterValues(parameters, context)
        # The dialog offers the same layer for both at first; a script that asks for it means it.
        same = self.same_layer(parameters, context) if fine and self.folded and len(self.LAYERS) > 1 else None
        return (fine, why) if same is None else (False, same)

    def prepareAlgorithm(self, parameters, context, feedback):
        # Layers live in the main thread, so what to copy is noted here; the copying is left to processAlgorithm.
        self.make_folder()
        try:
            self.copies = [
                self.hand_over(name, parameters, context, feedback, crs_name) for name, crs_name in self.LAYERS
            ]
            reference, prediction = self.copies
            self.inputs = [reference.path, prediction.path]
            self.options = [
                *reference.options("reference"),
                *prediction.options("prediction"),
                *reference.names("reference"),
                *prediction.names("prediction"),
                *self.evaluation_options(parameters, context),
                *self.area_options(parameters, context),
            ]
        except Exception:
            self.remove_folder()
            raise
        same = self.same_layer(parameters, context)
        if same is not None:
            self.warn(same, feedback)
        self.name_run(parameters, context, prediction.name, reference.name)
        return True


ALGORITHM = EvaluateRoads
