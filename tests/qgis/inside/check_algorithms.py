"""What every algorithm offers."""

import pytest
from qgis.core import (
    QgsProcessingOutputHtml,
    QgsProcessingOutputNumber,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
)

NAMES = ["batchfolder", "evaluateosm", "evaluateroads", "exporterrorlayers", "setupenvironment"]


def algorithm(provider, name):
    found = provider.algorithm(name)
    assert found is not None
    return found


def test_the_provider_says_who_it_is(provider):
    from geoeval_qgis.engine import description

    assert provider.id() == "geoeval"
    assert provider.longName() == f"geoeval {description().version}"
    assert not provider.icon().isNull()
    assert {found.name() for found in provider.algorithms()} >= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_algorithm_has_name_help_icon_tags_and_described_parameters(provider, name):
    found = algorithm(provider, name)
    assert found.displayName()
    assert len(found.shortHelpString()) > 200
    assert not found.icon().isNull()
    assert len(found.tags()) > 3
    assert found.create() is not None
    for parameter in found.parameterDefinitions():
        assert parameter.description()
        assert parameter.name() == parameter.name().upper()


@pytest.mark.parametrize("name", ["batchfolder", "evaluateosm", "evaluateroads", "exporterrorlayers"])
def test_both_inputs_the_metrics_and_the_tolerances(provider, name):
    found = algorithm(provider, name)
    assert found.parameterDefinition("REFERENCE") is not None
    assert found.parameterDefinition("PREDICTION") is not None
    metrics = found.parameterDefinition("METRICS")
    assert isinstance(metrics, QgsProcessingParameterEnum)
    assert metrics.usesStaticStrings()
    assert metrics.allowMultiple()
    assert {"ccq", "apls", "opt-j"} <= set(metrics.options())
    assert set(metrics.defaultValue()) < set(metrics.options())
    assert found.parameterDefinition("CCQ_TOLERANCE").defaultValue() == 5
    assert found.parameterDefinition("MAX_DISTANCE").defaultValue() == 15
    for parameter in found.parameterDefinitions():
        if isinstance(parameter, QgsProcessingParameterEnum):
            assert parameter.usesStaticStrings()
        # A distance would follow the layer's CRS and show degrees.
        assert parameter.type() != "distance"
    assert isinstance(found.parameterDefinition("CCQ_TOLERANCE"), QgsProcessingParameterNumber)


def test_rarely_used_parameters_are_advanced(provider):
    found = algorithm(provider, "evaluateroads")
    flag = QgsProcessingParameterDefinition.Flag.FlagAdvanced
    advanced = {p.name() for p in found.parameterDefinitions() if p.flags() & flag}
    assert {"SEED", "NODE", "REFERENCE_CRS", "PREDICTION_CRS", "SETTINGS", "ALIGN", "CRS"} <= advanced
    assert not {"REFERENCE", "PREDICTION", "METRICS", "AREA", "CCQ_TOLERANCE", "MAX_DISTANCE", "REPORT"} & advanced


def test_every_score_is_a_numeric_output_and_the_report_is_shown(provider):
    found = algorithm(provider, "evaluateroads")
    outputs = {output.name(): output for output in found.outputDefinitions()}
    for name in ("OPT_J_F1", "CCQ_QUALITY", "APLS_APLS", "TLTS_CORRECT", "OPT_P_F1", "OPT_G_F1", "SUBG_F1", "JUNCT_F1"):
        assert isinstance(outputs[name], QgsProcessingOutputNumber)
    assert isinstance(outputs["REPORT"], QgsProcessingOutputHtml)
    assert isinstance(found.parameterDefinition("REFERENCE"), QgsProcessingParameterFeatureSource)


def test_algorithms_appear_when_the_engine_gains_their_command(provider):
    from geoeval_qgis import algorithms
    from geoeval_qgis.engine import Description, description

    def names(**facts):
        return [found.name() for found in algorithms.available(Description(facts))]

    assert names() == ["setupenvironment"]
    roads = description().metrics("roads")
    first = ["evaluateroads", "evaluateosm", "batchfolder", "exporterrorlayers", "setupenvironment"]
    assert names(commands=["roads"], kinds={"roads": roads}) == first
    # A command alone is not enough: its metrics must be known too.
    assert names(commands=["roads", "objects"], kinds={"roads": roads}) == first
    commands = ["roads", "objects", "lines", "rank", "perturb"]
    assert names(commands=commands, kinds=dict.fromkeys(commands[:3], roads)) == list(algorithms.NAMES)


@pytest.mark.parametrize("name", ["evaluateobjects", "evaluatelines", "comparepredictions", "perturbnetwork"])
def test_later_algorithms_can_be_described(provider, name):
    """Also where the engine does not have their command yet."""
    from importlib import import_module

    found = import_module(f"geoeval_qgis.algorithms.{name}").ALGORITHM().create()
    assert found.name() == name
    assert len(found.shortHelpString()) > 200
    assert found.parameterDefinition("REFERENCE") is not None
    assert found.parameterDefinition("PREDICTION") is not None
    for parameter in found.parameterDefinitions():
        assert parameter.description()
