"""Make a perturbed network: a copy of a layer with known errors, to see how metrics respond to them."""

from qgis.core import (
    QgsProcessingException,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSink,
    QgsProcessingParameterNumber,
    QgsVectorLayer,
)

from .. import results, runner
from ..compat import advanced
from ..engine import description
from . import evaluation as base
from .base import tr
from .evaluation import EvaluationAlgorithm

ERROR, COUNT = "ERROR", "COUNT"


class PerturbNetwork(EvaluationAlgorithm):
    """A network with errors of one kind."""

    ID = "perturbnetwork"
    TITLE = "Make a perturbed network"
    SUMMARY = "Makes a copy of a road network with a known number of errors of one kind."
    TAGS = ("roads", "synthetic", "errors", "noise", "perturbation", "test data")
    COMMANDS = ("perturb",)
    PICTURE = "perturb.svg"
    GROUP = ("tools", "Tools")
    LAYERS = ((base.REFERENCE, base.REFERENCE_CRS),)

    def initAlgorithm(self, config=None):
        errors = description().errors
        self.add_layer(base.REFERENCE, "Road network", base.REFERENCE_CRS)
        self.add(
            QgsProcessingParameterEnum(
                ERROR,
                tr("Kind of error"),
                options=errors,
                defaultValue=next(iter(errors), None),
                optional=not errors,
                usesStaticStrings=True,
            )
        )
        whole = QgsProcessingParameterNumber.Type.Integer
        self.add(QgsProcessingParameterNumber(COUNT, tr("Number of errors"), type=whole, defaultValue=20, minValue=0))
        self.add(advanced(QgsProcessingParameterNumber(base.SEED, tr("Seed"), type=whole, defaultValue=0, minValue=0)))
        network = QgsProcessingParameterFeatureSink(base.PREDICTION, tr("Perturbed network"), base.LINES)
        self.add(network, "The copy with the errors.")

    def prepareAlgorithm(self, parameters, context, feedback):
        self.make_folder()
        try:
            source = self.hand_over(base.REFERENCE, parameters, context, feedback, base.REFERENCE_CRS)
        except Exception:
            self.remove_folder()
            raise
        self.source = source
        self.arguments = [
            "perturb", source.path,
            "--error", self.parameterAsEnumString(parameters, ERROR, context),
            "--count", str(self.parameterAsInt(parameters, COUNT, context)),
            "--seed", str(self.parameterAsInt(parameters, base.SEED, context)),
            *(["--layer", source.layer] if source.layer else []),
            *(["--input-crs", source.crs] if source.crs else []),
        ]  # fmt: skip
        return True

    def processAlgorithm(self, parameters, context, feedback):
        made = self.folder / "perturbed.gpkg"
        try:
            self.source.write(feedback)
            self.run_plain([*self.arguments, "--untrusted", "-o", made], feedback)
            source = QgsVectorLayer(str(made), "perturbed", "ogr")
            if not source.isValid():
                raise QgsProcessingException(tr("The perturbed network cannot be opened"))
            fields, indexes = results.kept_fields(source)
            sink, destination = self.parameterAsSink(
                parameters, base.PREDICTION, context, fields, source.wkbType(), source.crs()
            )
            if sink is None:
                raise QgsProcessingException(self.invalidSinkError(parameters, base.PREDICTION))
            results.copy_rows(source, sink, fields, indexes, destination)
            del sink, source
        except runner.CanceledError:
            feedback.pushInfo(tr("Canceled; nothing was written"))
            return {}
        finally:
            self.remove_folder()
        return {base.PREDICTION: destination}


ALGORITHM = PerturbNetwork
