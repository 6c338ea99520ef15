"""What every algorithm offers."""

import configparser
import json
from pathlib import Path

import pytest
from qgis.core import (
    QgsProcessingOutputHtml,
    QgsProcessingOutputNumber,
    QgsProcessingParameterDefinition,
    QgsProcessingParameterEnum,
    QgsProcessingParameterFeatureSource,
    QgsProcessingParameterNumber,
)

FROZEN = configparser.ConfigParser()
FROZEN.read(Path(__file__).parent / "names.ini")
NAMES = FROZEN.sections()


def algorithm(provider, name):
    found = provider.algorithm(name)
    assert found is not None
    return found


def test_the_provider_says_who_it_is(provider):
    from geoeval_qgis.engine import description

    assert provider.id() == "geoeval"
    assert provider.longName() == f"geoeval {description().version}"
    assert not provider.icon().isNull()
    assert sorted(found.name() for found in provider.algorithms()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_names_of_parameters_and_outputs_are_a_contract(provider, name):
    from geoeval_qgis.algorithms.evaluation import output_name
    from geoeval_qgis.engine import description

    found = algorithm(provider, name)
    kind = getattr(found, "KIND", None)
    # What the engine gains appears by itself.
    layers = {sink.name for sink in description().sinks(kind)}
    scores = {output_name(m, score) for m, facts in description().metrics(kind).items() for score in facts["scores"]}
    for what, definitions in (("parameters", found.parameterDefinitions()), ("outputs", found.outputDefinitions())):
        names, frozen = {one.name() for one in definitions}, set(FROZEN[name][what].split())
        assert not frozen - names
        assert names - frozen <= layers | scores


def test_every_layer_of_the_engines_table_is_a_parameter(provider):
    from geoeval_qgis.engine import description

    advanced = QgsProcessingParameterDefinition.Flag.FlagAdvanced
    for name in ("evaluateroads", "evaluateosm", "evaluateobjects", "evaluatelines"):
        found = algorithm(provider, name)
        for sink in description().sinks(found.KIND):
            parameter = found.parameterDefinition(sink.name)
            assert parameter.type() == "sink"
            assert parameter.description() == sink.title
            assert bool(parameter.flags() & advanced) == sink.rare
            assert parameter.createByDefault() == sink.by_default


def test_a_new_kind_of_error_appears_by_itself(provider, monkeypatch):
    from geoeval_qgis import engine, results

    facts = json.loads(engine.FILE.read_text(encoding="utf-8"))
    layer = {"content": "roads", "geometry": "points", "title": "Potholes", "always": True, "rare": False}
    kind = {"name": "pot_hole", "label": "Pot hole", "plural": "pot holes", "hidden": True, "is_error": True}
    facts["error_kinds"].append({**kind, "layers": [layer]})
    monkeypatch.setitem(engine._known, None, engine.Description(facts))
    made = algorithm(provider, "evaluateroads").create()
    assert made.parameterDefinition("POT_HOLES").description() == "Potholes"
    assert results.label("pot_hole") == "Pot holes"
    places = [results.position({"role": role, "geometry": "points"}) for role in ("path", "pot_hole", "new", "area")]
    assert places == sorted(set(places))


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


def test_an_algorithm_whose_command_the_engine_lacks_says_so(provider, monkeypatch):
    from geoeval_qgis import engine

    facts = json.loads(engine.FILE.read_text(encoding="utf-8"))
    facts["commands"].remove("rank")
    monkeypatch.setitem(engine._known, None, engine.Description(facts))
    can, why = algorithm(provider, "comparepredictions").canExecute()
    assert not can
    assert "has no command rank" in why
    assert algorithm(provider, "evaluateroads").canExecute() == (True, "")
