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
    from geoeval_qgis.engine import description
    from geoeval_qgis.saying import output_name

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
            # All of them are in the result file; a layer of its own is made for those who ask for it.
            assert not parameter.createByDefault()


def test_a_new_kind_of_error_appears_by_itself(provider, monkeypatch):
    from geoeval_qgis import engine, results

    facts = json.loads(engine.FILE.read_text(encoding="utf-8"))
    layer = {"content": "roads", "geometry": "points", "title": "Potholes", "always": True, "rare": False}
    kind = {
        "name": "pot_hole",
        "label": "Pot hole",
        "plural": "pot holes",
        "about": "A hole in the road.",
        "hidden": True,
        "is_error": True,
    }
    facts["error_kinds"].append({**kind, "layers": [layer]})
    monkeypatch.setitem(engine._known, None, engine.Description(facts))
    made = algorithm(provider, "evaluateroads").create()
    assert made.parameterDefinition("POT_HOLES").description() == "Potholes"
    assert results.label("pot_hole") == "Pot holes"
    places = [results.position(role, "points") for role in ("path", "pot_hole", "new", "area")]
    assert places == sorted(set(places))


@pytest.mark.parametrize("name", NAMES)
def test_each_algorithm_has_name_help_icon_tags_and_described_parameters(provider, name):
    found = algorithm(provider, name)
    assert found.displayName()
    assert len(found.shortHelpString()) > 200
    assert not found.icon().isNull()
    assert len(found.tags()) > 3
    assert found.create() is not None
    assert found.group()
    assert found.groupId()
    assert Path(found.helpUrl().removeprefix("file://")).is_file()
    assert Path(found.svgIconPath()).is_file()
    for parameter in found.parameterDefinitions():
        assert parameter.description()
        assert parameter.name() == parameter.name().upper()
        assert len(parameter.help()) > 15
        assert "--" not in parameter.help()


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
    assert {"SEED", "NODE", "REFERENCE_CRS", "PREDICTION_CRS", "SETTINGS", "ALIGN", "CRS", "METRICS"} <= advanced
    assert not {"REFERENCE", "PREDICTION", "AREA", "LOOK_AT", "RESULT", "REPORT"} & advanced


@pytest.mark.parametrize("name", ["evaluateroads", "evaluateosm", "evaluateobjects", "evaluatelines"])
def test_the_dialog_asks_for_little(provider, name):
    """The window of the toolbox shows what a person must say; scripts and models have everything."""
    whole = algorithm(provider, name).create()
    whole.folded = True
    short = whole.create()
    flags = QgsProcessingParameterDefinition.Flag
    shown = [
        one.name() for one in short.parameterDefinitions() if not one.flags() & (flags.FlagHidden | flags.FlagAdvanced)
    ]
    assert len(shown) <= 8
    assert {"REFERENCE", "PREDICTION", "LOOK_AT", "RESULT", "REPORT"} <= set(shown)
    assert {one.name() for one in short.parameterDefinitions()} == {one.name() for one in whole.parameterDefinitions()}
    assert not [one for one in algorithm(provider, name).parameterDefinitions() if one.flags() & flags.FlagHidden]


@pytest.mark.parametrize("content", ["roads", "objects", "lines"])
def test_sets_of_kinds_name_kinds_that_there_are(content):
    from geoeval_qgis import looks
    from geoeval_qgis.engine import description

    known = {sink.role for sink in description().sinks(content)}
    named = [kind for kinds in looks.SETS[content].values() for kind in kinds]
    assert set(named) <= known
    assert len(set(named)) == len(named)
    assert looks.contains(content, looks.ALL, "from the future")
    for name in looks.names(content):
        assert looks.contains(content, name, "area")


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


@pytest.mark.parametrize("language", ["de", "fr"])
def test_texts_come_in_the_users_language(provider, language):
    from xml.etree import ElementTree as ET

    from geoeval_qgis import translation

    translator = translation.install(language)
    try:
        root = ET.parse(translation.HERE / "i18n" / f"geoeval_{language}.ts").getroot()
        for message in root.iter("message"):
            assert translation.tr(message.findtext("source")) == message.findtext("translation")
        made = algorithm(provider, "evaluateroads").create()
        assert made.displayName() != "Evaluate road network"
        assert made.parameterDefinition("RESULT").description() != "Result file"
        assert translation.tr("not translated") == "not translated"
    finally:
        translation.remove(translator)
    assert translation.install("xx") is None
    assert algorithm(provider, "evaluateroads").displayName() == "Evaluate road network"
