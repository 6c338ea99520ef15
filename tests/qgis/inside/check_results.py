"""What comes out: styled, grouped, named layers, rankings, steps of models."""

import json

import pytest
from qgis.core import (
    QgsAction,
    QgsEditFormConfig,
    QgsFeature,
    QgsGeometry,
    QgsProcessingContext,
    QgsProcessingFeedback,
    QgsProcessingModelAlgorithm,
    QgsProcessingModelChildAlgorithm,
    QgsProcessingModelChildParameterSource,
    QgsProcessingModelOutput,
    QgsProcessingModelParameter,
    QgsProcessingParameterFeatureSource,
    QgsProcessingUtils,
    QgsProject,
    QgsRectangle,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from conftest import lines_of, make_layer


def parameters(reference, prediction, **more):
    return {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq", "opt-j"], **more}


@pytest.fixture
def loaded(layers, folder):
    """The project after an evaluation of memory layers whose results are loaded."""
    import processing

    reference, prediction = layers
    wanted = dict.fromkeys(("SCORES", "GRID", "MISSING", "SPURIOUS", "BREAKS", "JUNCTIONS"), "TEMPORARY_OUTPUT")
    return processing.runAndLoadResults(
        "geoeval:evaluateroads", parameters(reference, prediction, REPORT=str(folder / "r.html"), **wanted)
    )


def test_layers_are_named_grouped_and_styled(loaded, layers):
    reference, prediction = layers
    root = QgsProject.instance().layerTreeRoot()
    (group,) = root.findGroups()
    assert group.name().endswith(f" {prediction.name()} against {reference.name()}")
    names = [node.name() for node in group.findLayers()]
    score = f"OPT-J F1 {loaded['OPT_J_F1']:.3f}"
    assert names[-2:] == [f"Scores: {score}", f"Score grid: {score}"]
    by_name = {node.name().partition(":")[0]: node.layer() for node in group.findLayers()}
    missing = by_name["Missing roads"]
    assert f"Missing roads: {missing.featureCount()}" in names
    assert missing.renderer().symbol().color().name().upper() == "#0072B2"
    assert by_name["Score grid"].renderer().type() == "graduatedSymbol"
    assert by_name["Score grid"].renderer().classAttribute() == "optj_f1"
    # Nothing is spurious: what is empty is not loaded, but it is there for models.
    assert "Spurious roads" not in by_name
    assert "SPURIOUS" in loaded
    # Points over lines over polygons.
    kinds = [node.layer().geometryType() for node in group.findLayers()]
    assert kinds == sorted(kinds)
    # All loaded layers are in the group and once only.
    assert len(root.findLayers()) == len(names) + 2
    # The scores are a polygon with attributes that people can read.
    layer = by_name["Scores"]
    (row,) = layer.getFeatures()
    assert row.geometry().area() > 0
    assert row["optj_f1"] == pytest.approx(loaded["OPT_J_F1"])
    assert layer.attributeAlias(layer.fields().indexOf("optj_f1")) == "opt-j.f1"
    assert "opt-j.f1" in layer.mapTipTemplate()
    assert "severity" in missing.mapTipTemplate()
    assert missing.editorWidgetSetup(missing.fields().indexOf("error_id")).type() == "Hidden"


def test_the_result_file_is_one_group_and_says_what_a_person_needs(layers, folder):
    import processing
    from geoeval_qgis import runs

    told = []
    runs.listeners.append(told.append)
    reference, prediction = layers
    file = str(folder / "run.gpkg")
    results = processing.runAndLoadResults("geoeval:evaluateroads", parameters(reference, prediction, RESULT=file))
    runs.listeners.remove(told.append)
    assert results["RESULT"] == file
    (run,) = told
    assert (run.content, run.file, run.reference, run.before) == ("roads", file, reference.name(), None)
    (group,) = QgsProject.instance().layerTreeRoot().findGroups()
    nodes = {node.name().partition(":")[0]: node for node in group.findLayers()}
    assert list(nodes)[-4:] == ["Scores", "Score grid", "Prediction as compared", "Reference as compared"]
    assert {name: node.itemVisibilityChecked() for name, node in nodes.items() if name in SHOWN} == SHOWN
    assert nodes["Score grid"].isExpanded()
    # About twenty cells across the 400 m of the town.
    cells = nodes["Score grid"].layer()
    assert next(cells.getFeatures()).geometry().boundingBox().width() == pytest.approx(20, rel=0.01)
    # No two layers have one name, and no two kinds one colour.
    names = [node.name() for node in group.findLayers()]
    assert len(set(names)) == len(names)
    plan = nodes["What to mend first"].layer()
    ranks = [row["rank"] for row in plan.getFeatures()]
    assert ranks == sorted(ranks)
    assert plan.labelsEnabled()
    missing = nodes["Missing roads"].layer()
    assert missing.attributeAlias(missing.fields().indexOf("length_m")) == "Length (m)"
    # What was judged in one run is there in the next, though the prediction changed.
    judge(file, missing)
    prediction.dataProvider().deleteFeatures([40])
    again = processing.runAndLoadResults(
        "geoeval:evaluateroads", parameters(reference, prediction, RESULT="TEMPORARY_OUTPUT")
    )
    assert [row[1:] for row in verdicts_in(again["RESULT"])] == [("reference-is-wrong", "id")]


SHOWN = {"Missing roads": True, "Scores": True, "Score grid": False, "What to mend first": False,
         "Prediction as compared": False, "Reference as compared": False}  # fmt: skip


def judge(file, missing):
    from geoeval_qgis.review.errors import ErrorList

    errors = ErrorList(file)
    first = next(row["error_id"] for row in missing.getFeatures())
    errors.judge(next(one for one in errors.errors if one.error_id == first), "reference-is-wrong", remark="gone")


def verdicts_in(file):
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT error_id, verdict, carried FROM verdicts").fetchall()


def test_code_in_the_style_of_a_file_is_taken_off(provider, tmp_path):
    """QGIS runs it when a form is opened, or an action chosen; the file of a run may be of anybody."""
    from geoeval_qgis.results import dress

    uri = f"{tmp_path / 'run.gpkg'}|layername=missing"
    source = QgsVectorLayer("LineString?crs=EPSG:32632&field=kind:string", "missing", "memory")
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName, options.layerName = "GPKG", "missing"
    QgsVectorFileWriter.writeAsVectorFormatV3(
        source, str(tmp_path / "run.gpkg"), QgsProject.instance().transformContext(), options
    )
    theirs = QgsVectorLayer(uri, "theirs", "ogr")
    form = theirs.editFormConfig()
    form.setInitCodeSource(QgsEditFormConfig.CodeSourceDialog)
    form.setInitFunction("start")
    form.setInitCode("def start(*_): raise SystemExit")
    theirs.setEditFormConfig(form)
    theirs.actions().addAction(QgsAction.GenericPython, "start", "raise SystemExit")
    theirs.saveStyleToDatabase("theirs", "", True, "")
    opened = QgsVectorLayer(uri, "opened", "ogr")
    assert opened.editFormConfig().initCode()
    assert opened.actions().actions()
    dress(opened, None)
    assert not opened.editFormConfig().initCode()
    assert not opened.editFormConfig().initFunction()
    assert not opened.actions().actions()


def test_only_what_one_wants_to_look_at_is_loaded(layers):
    import processing

    wanted = {"RESULT": "TEMPORARY_OUTPUT", "LOOK_AT": "connections"}
    processing.runAndLoadResults("geoeval:evaluateroads", parameters(*layers, **wanted))
    (group,) = QgsProject.instance().layerTreeRoot().findGroups()
    names = {node.name().partition(":")[0] for node in group.findLayers()}
    assert "Missing roads" not in names
    assert {"Scores", "Score grid"} <= names


def test_a_model_uses_scores_and_layers(provider, layers):
    reference, prediction = layers
    model = QgsProcessingModelAlgorithm("quality", "geoeval")
    for name in ("REFERENCE", "PREDICTION"):
        model.addModelParameter(QgsProcessingParameterFeatureSource(name, name), QgsProcessingModelParameter(name))
    child = QgsProcessingModelChildAlgorithm("geoeval:evaluateroads")
    child.setChildId("evaluate")
    source = QgsProcessingModelChildParameterSource
    child.addParameterSources("REFERENCE", [source.fromModelParameter("REFERENCE")])
    child.addParameterSources("PREDICTION", [source.fromModelParameter("PREDICTION")])
    child.addParameterSources("METRICS", [source.fromStaticValue(["ccq"])])
    # A model hands a layer on to the next step, and a score into an expression.
    missing = QgsProcessingModelOutput("missing roads")
    missing.setChildId("evaluate")
    missing.setChildOutputName("MISSING")
    child.setModelOutputs({"missing roads": missing})
    model.addChildAlgorithm(child)
    buffer = QgsProcessingModelChildAlgorithm("native:buffer")
    buffer.setChildId("buffer")
    buffer.addParameterSources("INPUT", [source.fromChildOutput("evaluate", "MISSING")])
    buffer.addParameterSources("DISTANCE", [source.fromExpression("@evaluate_CCQ_COMPLETENESS * 10")])
    wide = QgsProcessingModelOutput("wide")
    wide.setChildId("buffer")
    wide.setChildOutputName("OUTPUT")
    buffer.setModelOutputs({"wide": wide})
    model.addChildAlgorithm(buffer)

    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    feedback = QgsProcessingFeedback()
    results, ok = model.run(
        {
            "REFERENCE": reference,
            "PREDICTION": prediction,
            "evaluate:missing roads": "memory:",
            "buffer:wide": "memory:",
        },
        context,
        feedback,
    )
    assert ok, feedback.textLog()
    widened = QgsProcessingUtils.mapLayerFromString(results["buffer:wide"], context)
    assert widened.featureCount() > 0


def square(x, y, size):
    return QgsGeometry.fromRect(QgsRectangle(x, y, x + size, y + size))


def buildings(name, squares):
    layer = QgsVectorLayer("Polygon?crs=EPSG:4326&field=confidence:double", name, "memory")
    rows = []
    for shape in squares:
        row = QgsFeature(layer.fields())
        row.setGeometry(shape)
        row.setAttributes([0.5])
        rows.append(row)
    layer.dataProvider().addFeatures(rows)
    QgsProject.instance().addMapLayer(layer)
    return layer


def test_objects(run, provider, qgis_new_project):
    shapes = [square(10 + 0.001 * i, 50, 0.0004) for i in range(6)]
    truth = buildings("truth", shapes)
    found = buildings("found", [*shapes[1:5], square(10.02, 50, 0.0004)])
    results = run(
        "evaluateobjects",
        {"REFERENCE": truth, "PREDICTION": found, "METRICS": ["iou", "max-overlap"], "WHOLE": True,
         "MISSED": "memory:", "FALSE_ALARMS": "memory:"},
    )  # fmt: skip
    assert (results["IOU_TP"], results["IOU_FP"], results["IOU_FN"]) == (4, 1, 2)
    assert {row["ref_id"] for row in results["MISSED"].getFeatures()} == {"1", "6"}
    assert {row["pred_id"] for row in results["FALSE_ALARMS"].getFeatures()} == {"5"}


def test_several_predictions_are_ranked(run, layers, folder):
    reference, good = layers
    bad = make_layer(lines_of(6, 6)[30:], good.name())
    QgsProject.instance().addMapLayer(bad)
    results = run(
        "comparepredictions",
        {"REFERENCE": reference, "PREDICTION": [bad, good], "METRICS": ["ccq", "opt-j"], "WHOLE": True,
         "OUTPUT": "memory:", "REPORT": str(folder / "r.html"), "DIAGRAM": str(folder / "d.svg"),
         "JSON": str(folder / "r.json")},
    )  # fmt: skip
    rows = {row["name"]: row for row in results["OUTPUT"].getFeatures()}
    assert set(rows) == {good.name(), f"{good.name()} 2"}
    assert results["BEST"] == f"{good.name()} 2"
    assert rows[results["BEST"]]["rank"] == 1
    assert rows[results["BEST"]]["ccq_qual"] > rows[good.name()]["ccq_qual"]
    assert "<svg" in (folder / "d.svg").read_text()
    assert "data:image/svg" in (folder / "r.html").read_text()
    assert json.loads((folder / "r.json").read_text())["kind"] == "ranking"


def test_a_perturbed_network(run, layers):
    reference, _ = layers
    results = run("perturbnetwork", {"REFERENCE": reference, "ERROR": "missing", "COUNT": 3, "PREDICTION": "memory:"})
    assert results["PREDICTION"].featureCount() > 0
    scores = run("evaluateroads", parameters(reference, results["PREDICTION"]))
    assert scores["CCQ_COMPLETENESS"] < 1
    assert scores["CCQ_CORRECTNESS"] == pytest.approx(1, abs=1e-6)


def test_line_drawings(run, provider, folder):
    (folder / "reference.txt").write_text("10 10 110 10 5\n10 50 110 50 5\n200 10 200 90 3\n")
    (folder / "drawn.txt").write_text("10 11 110 11 5\n10 50 110 50 5\n300 10 300 60 3\n")
    results = run(
        "evaluatelines",
        {"REFERENCE": str(folder / "reference.txt"), "PREDICTION": str(folder / "drawn.txt"), "SECONDS": 3.0,
         "METRICS": ["pixel", "vector", "combined", "time"], "MISSED": "memory:", "FALSE_ALARMS": "memory:"},
    )  # fmt: skip
    assert 0 < results["COMBINED_CDI"] < 1
    assert results["TIME_PER_LINE"] > 0
    assert results["MISSED"].featureCount() == 1
    assert results["FALSE_ALARMS"].featureCount() == 1
