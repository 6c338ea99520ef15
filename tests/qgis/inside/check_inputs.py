"""Layers of all kinds go in as the user sees them."""

import json

import pytest
from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeature,
    QgsGeometry,
    QgsProcessingFeatureSourceDefinition,
    QgsProject,
    QgsRectangle,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from conftest import lines_of, make_layer


def parameters(reference, prediction, **more):
    return {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq", "opt-j"], **more}


def test_rows_name_the_users_own_features(run, layers):
    reference, _ = layers
    lines = lines_of(6, 6)
    prediction = make_layer(lines, "edited")
    # Features that were deleted leave gaps in the ids.
    prediction.dataProvider().deleteFeatures([1, 2, 3])
    own = {row.id() for row in reference.getFeatures()}
    results = run("evaluateroads", parameters(reference, prediction, MISSING="memory:"))
    named = {int(word) for row in results["MISSING"].getFeatures() for word in row["ref_id"].split(";")}
    assert named == {1, 2, 3} & own


def test_selection_filter_and_unsaved_edits_are_what_is_evaluated(run, layers, folder):
    reference, prediction = layers
    whole = run("evaluateroads", parameters(reference, prediction))["CCQ_COMPLETENESS"]
    prediction.selectByIds([1, 2, 3, 4, 5])
    only = QgsProcessingFeatureSourceDefinition(prediction.id(), selectedFeaturesOnly=True)
    few = run("evaluateroads", parameters(reference, only, WHOLE=True))["CCQ_COMPLETENESS"]
    assert few < whole / 3

    path = str(folder / "saved.gpkg")
    options = QgsVectorFileWriter.SaveVectorOptions()
    context = QgsProject.instance().transformContext()
    QgsVectorFileWriter.writeAsVectorFormatV3(prediction, path, context, options)
    saved = QgsVectorLayer(path, "saved", "ogr")
    QgsProject.instance().addMapLayer(saved)
    assert run("evaluateroads", parameters(reference, saved))["CCQ_COMPLETENESS"] == whole
    saved.setSubsetString("fid <= 5")
    filtered = run("evaluateroads", parameters(reference, saved, WHOLE=True))["CCQ_COMPLETENESS"]
    assert filtered == pytest.approx(few, rel=1e-6)
    saved.setSubsetString("")
    saved.startEditing()
    saved.deleteFeatures([row.id() for row in saved.getFeatures()][5:])
    edited = run("evaluateroads", parameters(reference, saved, WHOLE=True))["CCQ_COMPLETENESS"]
    assert edited == pytest.approx(few, rel=1e-6)
    saved.rollBack()


def test_any_crs_gives_the_same_scores(run, layers):
    reference, prediction = layers
    first = run("evaluateroads", parameters(reference, prediction))
    for crs in ("EPSG:3857", "EPSG:25832", "EPSG:2056"):
        second = run("evaluateroads", parameters(reference, in_crs(prediction, crs)))
        assert second["OPT_J_F1"] == pytest.approx(first["OPT_J_F1"], abs=1e-9)
        assert second["CCQ_QUALITY"] == pytest.approx(first["CCQ_QUALITY"], abs=1e-4)


def in_crs(prediction, crs):
    """The same roads in another CRS."""
    there = QgsCoordinateReferenceSystem(crs)
    transform = QgsCoordinateTransform(prediction.crs(), there, QgsProject.instance())
    moved = QgsVectorLayer(f"LineString?crs={crs}", "moved", "memory")
    rows = []
    for row in prediction.getFeatures():
        geometry = QgsGeometry(row.geometry())
        geometry.transform(transform)
        copy = QgsFeature()
        copy.setGeometry(geometry)
        rows.append(copy)
    moved.dataProvider().addFeatures(rows)
    return moved


def test_a_layer_without_crs_asks_for_one(run, layers):
    reference, prediction = layers
    nowhere = make_layer(lines_of(6, 6)[4:], "nowhere", crs=None)
    with pytest.raises(Exception, match="no coordinate reference system") as caught:
        run("evaluateroads", parameters(reference, nowhere))
    assert "CRS of the prediction" in str(caught.value)
    known = run("evaluateroads", parameters(reference, nowhere, PREDICTION_CRS="EPSG:4326"))
    assert known["OPT_J_F1"] == run("evaluateroads", parameters(reference, prediction))["OPT_J_F1"]


def test_an_area_and_settings_reach_the_engine(run, layers, folder):
    reference, prediction = layers
    area = QgsVectorLayer("Polygon?crs=EPSG:4326", "area", "memory")
    row = QgsFeature()
    row.setGeometry(QgsGeometry.fromRect(QgsRectangle(10.0025, 50.0025, 10.01, 50.01)))
    area.dataProvider().addFeatures([row])
    results = run(
        "evaluateroads",
        parameters(
            reference, prediction, AREA=area, SEED=7, MAX_DISTANCE=9.5, CCQ_TOLERANCE=2.5,
            SETTINGS="opt-j.exist=0.5\nopt-j.alpha=45",
            CRS="PROJ:+proj=tmerc +lat_0=50 +lon_0=10 +ellps=WGS84 +units=m",
            JSON=str(folder / "s.json"), SCORES="memory:",
        ),
    )  # fmt: skip
    result = json.loads((folder / "s.json").read_text())
    assert result["seed"] == 7
    assert result["parameters"]["opt-j"] | {"cost": ""} == {"max_distance": 9.5, "alpha": 45, "exist": 0.5, "cost": ""}
    assert result["parameters"]["ccq"]["tolerance"] == 2.5
    assert result["reference"]["length_m"] < 4000
    assert results["SCORES"].featureCount() == 1
