"""Mistakes that people made or that the plugin made: none is silent, and none comes after the work."""

import json
import os

import pytest
from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransformContext,
    QgsFeature,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingFeedback,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelParameter,
    QgsProcessingOutputLayerDefinition,
    QgsProject,
    QgsRectangle,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from conftest import lines_of, make_layer


def parameters(reference, prediction, **more):
    return {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq", "opt-j"], **more}


class Log(QgsProcessingFeedback):
    """Hears warnings."""

    def __init__(self):
        super().__init__(False)
        self.warnings = []

    def pushWarning(self, text):
        self.warnings.append(text)


def check(provider, name, values, *, folded=False):
    """What an algorithm says about values before it runs."""
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    algorithm = provider.algorithm(name).create()
    if folded:
        algorithm.folded = True
        algorithm = algorithm.create()
    return algorithm.checkParameterValues(values, context)


def polygon(*box):
    layer = QgsVectorLayer("Polygon?crs=EPSG:4326", "area", "memory")
    row = QgsFeature()
    row.setGeometry(QgsGeometry.fromRect(QgsRectangle(*box)))
    layer.dataProvider().addFeatures([row])
    return layer


def test_outputs_that_the_batch_window_leaves_empty_are_not_made(run, layers, folder):
    blank = {
        name: QgsProcessingOutputLayerDefinition("", QgsProject.instance()) for name in ("GRID", "SCORES", "BREAKS")
    }
    filled = QgsProcessingOutputLayerDefinition(str(folder / "missing.gpkg"), QgsProject.instance())
    results = run("evaluateroads", parameters(*layers, MISSING=filled, REPORT="", JSON="", RESULT="", **blank))
    assert set(blank).isdisjoint(results)
    assert (folder / "missing.gpkg").exists()


def test_an_interpreter_without_a_dot_in_its_name_is_taken(provider):
    assert check(provider, "setupenvironment", {"PYTHON": "/usr/bin/python3"})[0]


def test_what_cannot_be_written_is_said_before_the_work(provider, layers, folder):
    (folder / "used").mkdir()
    (folder / "used" / "missing.shp").write_text("mine")
    for name, value, words in (
        ("REPORT", "/proc/report.html", '("Report") cannot be written'),
        ("RESULT", str(folder), "is a folder"),
        ("MISSING", "/proc/nowhere/missing.shp", "cannot be written"),
        ("JSON", str(folder / "used" / "missing.shp" / "scores.json"), "is not a folder"),
    ):
        fine, why = check(provider, "evaluateroads", parameters(*layers, **{name: value}))
        assert not fine
        assert words in why
    assert check(provider, "evaluateroads", parameters(*layers, REPORT=str(folder / "new" / "report.html")))[0]
    assert not (folder / "new").exists()
    fine, why = check(provider, "exporterrorlayers", parameters(*layers, OUTPUT=str(folder / "used")))
    assert not fine
    assert "already contains missing.shp" in why


def test_a_layer_without_features_is_called_so(provider, layers):
    reference, prediction = layers
    empty = make_layer([], "nothing here")
    fine, why = check(provider, "evaluateroads", parameters(reference, empty))
    assert not fine
    assert '"nothing here"' in why
    assert "has no features" in why
    prediction.removeSelection()
    only = QgsProcessingFeatureSourceDefinition(prediction.id(), selectedFeaturesOnly=True)
    fine, why = check(provider, "evaluateroads", parameters(reference, only))
    assert not fine
    assert "check its selection" in why


def test_limit_and_expression_of_the_dialog_are_obeyed(run, layers, folder):
    from geoeval_qgis.handover import request_of

    reference, prediction = layers
    few = QgsProcessingFeatureSourceDefinition(prediction.id(), False, 7)
    run("evaluateroads", parameters(reference, few, WHOLE=True, JSON=str(folder / "few.json")))
    result = json.loads((folder / "few.json").read_text())
    # Seven streets of at most 111 m.
    assert 0 < result["prediction"]["length_m"] < 7 * 112
    assert [row.id() for row in prediction.getFeatures(request_of(few, prediction))] == [1, 2, 3, 4, 5, 6, 7]

    class Newer(QgsProcessingFeatureSourceDefinition):
        """As QGIS 3.32 and later have it."""

        filterExpression = "\"name\" in ('street 3', 'street 5')"  # noqa: N815 - as QGIS calls it

    chosen = Newer(prediction.id(), False, -1)
    assert [row["name"] for row in prediction.getFeatures(request_of(chosen, prediction))] == ["street 3", "street 5"]
    prediction.selectByIds([4, 5])
    chosen.selectedFeaturesOnly = True
    assert [row["name"] for row in prediction.getFeatures(request_of(chosen, prediction))] == ["street 3"]


def test_copies_are_made_in_the_thread_of_the_algorithm(provider, layers):
    """The window waits for prepare, so nothing is copied in it."""
    context, feedback = QgsProcessingContext(), QgsProcessingFeedback(False)
    context.setProject(QgsProject.instance())
    algorithm = provider.algorithm("evaluateroads").create()
    assert algorithm.prepareAlgorithm(parameters(*layers), context, feedback)
    assert list(algorithm.folder.rglob("*.fgb")) == []
    for copy in algorithm.copies:
        copy.write(feedback)
    assert sorted(path.name for path in algorithm.folder.rglob("*.fgb")) == [
        "Straßen _alt_ & 'neu'.fgb",
        "Vorhersage é.fgb",
    ]
    algorithm.remove_folder()


def test_memory_layers_keep_their_names_in_report_and_scores(run, layers, folder):
    run("evaluateroads", parameters(*layers, REPORT=str(folder / "r.html"), JSON=str(folder / "s.json")))
    result = json.loads((folder / "s.json").read_text())
    assert result["prediction"]["source"] == result["prediction"]["name"] == "Vorhersage é"
    page = (folder / "r.html").read_text()
    assert "Vorhersage é" in page
    assert "prediction.fgb" not in page


def test_a_part_of_a_file_says_where_it_is_from_and_a_database_keeps_its_password(run, layers, folder):
    from geoeval_qgis import handover

    for number, layer in enumerate(layers):
        options = QgsVectorFileWriter.SaveVectorOptions()
        QgsVectorFileWriter.writeAsVectorFormatV3(
            layer, str(folder / f"{number}.gpkg"), QgsProject.instance().transformContext(), options
        )
    files = [QgsVectorLayer(str(folder / f"{number}.gpkg"), f"file {number}", "ogr") for number in range(2)]
    files[1].setSubsetString("fid > 3")
    QgsProject.instance().addMapLayers(files)
    run("evaluateroads", parameters(*files, JSON=str(folder / "s.json"), REPORT=str(folder / "r.html")))
    result = json.loads((folder / "s.json").read_text())
    assert [result[role]["name"] for role in ("reference", "prediction")] == ["file 0", "file 1"]
    assert result["reference"]["source"] == str(folder / "0.gpkg")
    assert result["prediction"]["source"] == files[1].source()
    assert "fid > 3" in result["prediction"]["source"]
    assert "file 1 against file 0" in (folder / "r.html").read_text()
    for provider, source in (
        ("postgres", "dbname='d' host=h user='u' password='secret' table=\"s\".\"t\" (geom)"),
        ("WFS", "url='https://u:secret@h/wfs' typename='x' username='u' password='secret'"),
        ("ogr", "PG:dbname=d user=u password=secret"),
    ):
        assert handover._source(QgsVectorLayer(source, "roads", provider)) == "roads"


def test_files_keep_their_style_and_readable_names(run, layers, folder):
    for name in ("missing.shp", "missing.gpkg"):
        run("evaluateroads", parameters(*layers, MISSING=str(folder / name), SCORES=str(folder / f"scores {name}")))
        layer = QgsVectorLayer(str(folder / name), "missing", "ogr")
        layer.loadDefaultStyle()
        assert layer.renderer().symbol().color().name().upper() == "#0072B2"
        assert layer.attributeAlias(layer.fields().indexOf("length_m")) == "Length (m)"
        scores = QgsVectorLayer(str(folder / f"scores {name}"), "scores", "ogr")
        scores.loadDefaultStyle()
        assert scores.attributeAlias(scores.fields().indexOf("optj_f1")) == "opt-j.f1"


def test_a_layer_against_itself_is_said(provider, run, layers):
    reference, _ = layers
    fine, why = check(provider, "evaluateroads", parameters(reference, reference), folded=True)
    assert not fine
    assert "are the same layer" in why
    log = Log()
    run("evaluateroads", parameters(reference, reference), feedback=log)
    assert [text for text in log.warnings if "are the same layer" in text]
    reference.selectByIds([1, 2, 3])
    part = QgsProcessingFeatureSourceDefinition(reference.id(), selectedFeaturesOnly=True)
    assert check(provider, "evaluateroads", parameters(reference, part), folded=True)[0]


def test_maps_that_do_not_meet_and_areas_without_roads_are_said_once(run, layers):
    reference, prediction = layers
    away = make_layer([[(x + 3, y + 1) for x, y in line] for line in lines_of(4, 4)], "elsewhere")
    cases = [
        (parameters(reference, away), "the two do not meet"),
        (parameters(reference, prediction, AREA=polygon(20, 20, 21, 21)), "nothing of either input lies in the"),
    ]
    for values, what in cases:
        log = Log()
        with pytest.raises(QgsProcessingException) as caught:
            run("evaluateroads", values, feedback=log)
        assert str(caught.value).lower().count(what) == 1
        assert log.warnings == []
        assert "--" not in str(caught.value)


def test_advice_beside_an_area_has_an_effect(run, layers):
    with pytest.raises(QgsProcessingException) as caught:
        run("evaluateroads", parameters(*layers, AREA=polygon(20, 20, 21, 21)))
    assert 'leave "Area to evaluate (polygons)" empty and tick "' in str(caught.value)
    assert not {"minx", "aoi", "{"} & set(str(caught.value).replace("=", " ").split())


def test_files_of_a_folder_are_told_of_in_words_of_the_dialog(run, layers, tmp_path):
    """Two layers in a file, for which this dialog has no choice, and a file without a CRS, for which it has one."""
    folder = tmp_path / "predictions"
    folder.mkdir()
    writer = QgsVectorFileWriter
    for file, driver, names in (("two.gpkg", "GPKG", "ab"), ("bare.shp", "ESRI Shapefile", "a")):
        options = writer.SaveVectorOptions()
        options.driverName = driver
        for options.layerName in names:
            writer.writeAsVectorFormatV3(layers[1], str(folder / file), QgsCoordinateTransformContext(), options)
            options.actionOnExistingFile = writer.ActionOnExistingFile.CreateOrOverwriteLayer
    (folder / "bare.prj").unlink()
    log = Log()
    with pytest.raises(QgsProcessingException):
        run("batchfolder", {"REFERENCE": layers[0], "PREDICTION": str(folder), "METRICS": ["ccq"],
                            "OUTPUT": "memory:"}, feedback=log)  # fmt: skip
    said = {text.partition(": ")[0]: text for text in log.warnings}
    assert 'set "CRS of predictions that have none"' in said["bare"]
    assert "several layers" in said["two"]
    assert "--" not in "".join(log.warnings)


@pytest.mark.parametrize("crs", ["EPSG:4326", "EPSG:3857"])
def test_a_crs_that_cannot_be_measured_in_is_refused_in_words_of_the_dialog(run, layers, crs):
    with pytest.raises(QgsProcessingException) as caught:
        run("evaluateroads", parameters(*layers, CRS=crs))
    assert "--" not in str(caught.value)
    assert "metres" in str(caught.value) or "off the ground" in str(caught.value)


def test_classes_that_only_one_map_has_are_said(run, qgis_new_project, provider):
    grid = lines_of(12, 12)
    reference = QgsVectorLayer("LineString?crs=EPSG:4326&field=highway:string", "all roads", "memory")
    rows = []
    for number, line in enumerate(grid):
        row = QgsFeature(reference.fields())
        row.setGeometry(make_geometry(line))
        row.setAttributes(["service" if number % 2 else "residential"])
        rows.append(row)
    reference.dataProvider().addFeatures(rows)
    prediction = make_layer(grid[::2], "streets only")
    log = Log()
    run("evaluateroads", parameters(reference, prediction), feedback=log)
    assert [text for text in log.warnings if text.startswith("Service is")]
    assert not [text for text in log.warnings if "--" in text]


def make_geometry(line):
    from qgis.core import QgsPointXY

    return QgsGeometry.fromPolylineXY([QgsPointXY(*point) for point in line])


def test_drawings_are_layers_of_the_project_and_need_no_place_on_earth(run, provider, qgis_new_project, folder):
    import processing

    tables = {"REFERENCE": "10 10 110 10 5\n10 50 110 50 5\n", "PREDICTION": "10 11 110 11 5\n300 10 300 60 5\n"}
    files, drawn = {}, {}
    for name, text in tables.items():
        (folder / f"{name}.txt").write_text(text)
        files[name] = str(folder / f"{name}.txt")
        rows = [list(map(float, line.split())) for line in text.splitlines()]
        layer = make_layer([((row[0], row[1]), (row[2], row[3])) for row in rows], name.lower(), crs=None)
        layer.dataProvider().addAttributes(list(QgsVectorLayer("None?field=width:double", "", "memory").fields()))
        layer.updateFields()
        layer.dataProvider().changeAttributeValues({row.id(): {1: 5.0} for row in layer.getFeatures()})
        QgsProject.instance().addMapLayer(layer)
        drawn[f"{name}_LAYER"] = layer
    chosen = {"METRICS": ["pixel", "vector", "combined"]}
    of_files = run("evaluatelines", {**files, **chosen})
    of_layers = run("evaluatelines", {**drawn, **chosen})
    assert of_layers == of_files
    fine, why = check(provider, "evaluatelines", {**files, "REFERENCE_LAYER": drawn["REFERENCE_LAYER"]})
    assert not fine
    assert "not both" in why
    # On the map they are drawn as they are: no CRS, so no transformation that fails.
    result = {"RESULT": "TEMPORARY_OUTPUT", "MISSED": "TEMPORARY_OUTPUT"}
    processing.runAndLoadResults("geoeval:evaluatelines", {**files, **chosen, **result})
    made = [one for one in QgsProject.instance().mapLayers().values() if one not in drawn.values()]
    assert len(made) > 2
    assert not [one.name() for one in made if one.crs().isValid()]


def test_every_run_has_a_group_of_its_own(layers):
    import processing

    for _ in range(2):
        processing.runAndLoadResults("geoeval:evaluateroads", parameters(*layers, RESULT="TEMPORARY_OUTPUT"))
    groups = QgsProject.instance().layerTreeRoot().findGroups()
    names = [group.name() for group in groups]
    assert len(set(names)) == 2
    first, second = ([node.name() for node in group.findLayers()] for group in groups)
    assert first == second
    assert all(name[2] == ":" and " against " in name for name in names)


def test_export_takes_a_run_as_it_is_and_loads_it(run, layers, folder, monkeypatch):
    import processing

    run_file = str(folder / "run.gpkg")
    scores = run("evaluateroads", parameters(*layers, RESULT=run_file, LOAD=False))
    monkeypatch.setattr("geoeval_qgis.runner.run_engine", lambda *_: pytest.fail("it evaluates again"))
    before = set(QgsProject.instance().mapLayers())
    results = processing.runAndLoadResults(
        "geoeval:exporterrorlayers", {"RUN_FILE": run_file, "OUTPUT": str(folder / "out")}
    )
    assert results["OPT_J_F1"] == scores["OPT_J_F1"]
    shape = QgsVectorLayer(str(folder / "out" / "missing.shp"), "missing", "ogr")
    shape.loadDefaultStyle()
    assert shape.featureCount() == QgsVectorLayer(f"{run_file}|layername=missing", "m", "ogr").featureCount() > 0
    assert shape.renderer().symbol().color().name().upper() == "#0072B2"
    assert (folder / "out" / "scores.json").exists()
    assert len(set(QgsProject.instance().mapLayers()) - before) == results["COUNT"]


def test_a_run_that_is_on_the_map_is_not_replaced(provider, layers, folder):
    import processing

    file = str(folder / "run.gpkg")
    processing.runAndLoadResults("geoeval:evaluateroads", parameters(*layers, RESULT=file))
    fine, why = check(provider, "evaluateroads", parameters(*layers, RESULT=file))
    assert not fine
    assert "is on the map" in why


def test_the_chooser_of_metrics_shows_what_each_is(provider):
    from geoeval_qgis.engine import description
    from processing.gui.wrappers import WidgetWrapperFactory

    for name in ("evaluateroads", "evaluateobjects", "evaluatelines", "batchfolder"):
        algorithm = provider.algorithm(name)
        parameter = algorithm.parameterDefinition("METRICS")
        wrapper = WidgetWrapperFactory.create_wrapper(parameter, None)
        box = wrapper.widget
        metrics = description().metrics(algorithm.KIND)
        texts = [box.itemText(row) for row in range(box.count())]
        assert texts == [f"{one.upper()}: {facts['about']}" for one, facts in metrics.items()]
        wrapper.setValue(parameter.defaultValue())
        assert wrapper.value() == ",".join(parameter.defaultValue())
        wrapper.setValue([list(metrics)[-1]])
        assert wrapper.value() == list(metrics)[-1]


def test_what_to_look_at_is_chosen_in_the_users_language(provider):
    from geoeval_qgis import looks, translation
    from processing.gui.wrappers import WidgetWrapperFactory

    translator = translation.install("de")
    try:
        wrapper = WidgetWrapperFactory.create_wrapper(
            provider.algorithm("evaluateroads").parameterDefinition("LOOK_AT"), None
        )
        assert wrapper.widget.itemText(0) == "alle Fehler"
        assert wrapper.value() == looks.ALL
        wrapper.setValue("connections")
        assert wrapper.widget.currentText() == "Verbindungen"
        assert wrapper.value() == "connections"
    finally:
        translation.remove(translator)


def test_a_step_of_a_model_keeps_what_it_is_bound_to(provider):
    """Its dialog in the designer is opened and closed, as after any other change."""
    from processing.modeler.ModelerParametersDialog import ModelerParametersDialog

    algorithm = QgsApplication.processingRegistry().createAlgorithmById("geoeval:evaluateroads")
    model = QgsProcessingModelAlgorithm()
    for name in ("LOOK_AT", "METRICS"):
        own = algorithm.parameterDefinition(name).clone()
        own.setName(f"given_{name}")
        model.addModelParameter(own, QgsProcessingModelParameter(own.name()))
    step = QgsProcessingModelChildAlgorithm(algorithm.id())
    step.setChildId("step")
    source = QgsProcessingModelChildParameterSource
    for name in ("LOOK_AT", "METRICS"):
        step.addParameterSources(name, [source.fromModelParameter(f"given_{name}")])
    model.addChildAlgorithm(step)

    def after_its_dialog():
        dialog = ModelerParametersDialog(algorithm, model, "step")
        return dialog, dialog.createAlgorithm().parameterSources()

    _dialog, sources = after_its_dialog()
    for name in ("LOOK_AT", "METRICS"):
        (found,) = sources[name]
        assert found.source() == source.fromModelParameter(name).source()
        assert found.parameterName() == f"given_{name}"
    # What is chosen there is a value as before.
    step.addParameterSources("LOOK_AT", [source.fromStaticValue("connections")])
    step.addParameterSources("METRICS", [source.fromStaticValue(["ccq", "apls"])])
    model.setChildAlgorithm(step)
    _dialog, sources = after_its_dialog()
    assert [sources[name][0].staticValue() for name in ("LOOK_AT", "METRICS")] == ["connections", ["ccq", "apls"]]


def test_an_interpreter_without_geoeval_gives_way_to_the_environment(provider, layers, run, monkeypatch, tmp_path):
    """Otherwise setting it up would never help."""
    from geoeval_qgis import environment

    monkeypatch.setattr(environment, "own_python", lambda: os.environ["GEOEVAL_TEST_PYTHON"])
    monkeypatch.setenv("GEOEVAL_PYTHON", "/usr/bin/python3")
    environment.forget()
    log = Log()
    assert "CCQ_QUALITY" in run("evaluateroads", parameters(*layers), feedback=log)
    assert [text for text in log.warnings if "/usr/bin/python3 (from GEOEVAL_PYTHON) has no working geoeval" in text]
    environment.forget()


def test_a_drawing_has_a_crs_only_if_it_has_a_place():
    from geoeval_qgis.results import on_earth

    assert on_earth(QgsCoordinateReferenceSystem("EPSG:32635"))
    assert not on_earth(QgsCoordinateReferenceSystem())
