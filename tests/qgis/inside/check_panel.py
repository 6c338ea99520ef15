"""The dock: scores, and the review of errors by keyboard."""

import csv
import json
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import pytest
from qgis.core import QgsApplication, QgsCoordinateTransform, QgsProject
from qgis.PyQt.QtCore import Qt, QUrl
from qgis.PyQt.QtTest import QTest
from qgis.PyQt.QtWidgets import QApplication
from waiting import settle

from conftest import Window, lines_of, make_layer


@pytest.fixture(scope="session")
def first_run(provider, tmp_path_factory):
    """The result file of one evaluation, made once."""
    import processing

    lines = lines_of(6, 6)
    file = str(tmp_path_factory.mktemp("first") / "run.gpkg")
    values = {"REFERENCE": make_layer(lines, "streets"), "PREDICTION": make_layer(lines[4:], "found")}
    processing.run("geoeval:evaluateroads", {**values, "METRICS": ["ccq", "opt-j", "apls"], "RESULT": file})
    return file


@pytest.fixture
def opened(first_run, qgis_new_project, folder):
    """The desktop with that run: its window, its dock, and the file."""
    from geoeval_qgis.desktop import Desktop

    window = Window()
    desktop = Desktop(window)
    file = str(folder / "run.gpkg")
    shutil.copyfile(first_run, file)
    desktop.dock.open_file(file)
    window.window.show()
    yield window, desktop.dock, file
    desktop.remove()


def verdicts(file):
    with closing(sqlite3.connect(file)) as connection:
        rows = connection.execute("SELECT error_id, verdict, remark, carried, seconds, kind, crs FROM verdicts")
        return {row[0]: row[1:] for row in rows}


def press(widget, *keys):
    for key in keys:
        QTest.keyClick(widget, key)
        QApplication.processEvents()


def test_the_window_has_menu_button_and_help_and_loses_them_again(provider):
    from geoeval_qgis.desktop import Desktop

    window = Window()
    desktop = Desktop(window)
    (menu,) = [action.menu() for action in window.vectorMenu().actions()]
    titles = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert titles[0] == "Evaluate roads..."
    assert {"Scores and review", "Try it with demo data...", "Set up geoeval...", "Help", "About geoeval"} <= set(
        titles
    )
    assert not [action.text() for action in menu.actions() if not action.isSeparator() and action.icon().isNull()]
    assert [action.text() for action in window.pluginHelpMenu().actions()] == ["geoeval"]
    assert window.tools.actions()
    desktop.remove()
    for place in (window.vectorMenu(), window.pluginHelpMenu(), window.tools):
        assert place.actions() == []


def test_the_first_message_has_a_button_that_sets_up(provider, monkeypatch, folder):
    from geoeval_qgis import environment
    from geoeval_qgis.desktop import Desktop

    monkeypatch.delenv("GEOEVAL_PYTHON")
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    environment.forget()
    window = Window()
    desktop = Desktop(window)
    opened = []
    desktop.open_dialog = opened.append
    (item,) = window.bar.items()
    from qgis.PyQt.QtWidgets import QPushButton

    (button,) = [one for one in item.findChildren(QPushButton) if one.text() == "Set up"]
    button.click()
    assert opened == ["setupenvironment"]
    desktop.remove()
    environment.forget()


def test_about_names_version_engine_and_licence(provider):
    from geoeval_qgis.desktop import about
    from geoeval_qgis.engine import description

    text = about()
    for words in (f"geoeval {description().version}", os.environ["GEOEVAL_PYTHON"], "GPL"):
        assert words in text


def test_the_demo_is_evaluated_loaded_and_ready_for_review(qgis_new_project, provider, folder):
    """The menu opens its dialog, and Run does the rest."""
    import processing
    from geoeval_qgis.desktop import Desktop

    desktop = Desktop(Window())
    processing.runAndLoadResults("geoeval:demodata", {"OUTPUT": str(folder / "demo")})
    (group,) = QgsProject.instance().layerTreeRoot().findGroups()
    assert group.name().endswith("Helsinki with known errors against Helsinki")
    assert "OPT-J F1" in desktop.dock.page.toPlainText()
    assert len(desktop.dock.review.errors.errors) > 20
    assert (folder / "demo" / "report.html").is_file()
    desktop.remove()


def test_the_panel_speaks_german(provider, first_run, qgis_new_project):
    from geoeval_qgis import translation
    from geoeval_qgis.desktop import Desktop

    translator = translation.install("de")
    desktop = Desktop(Window())
    try:
        desktop.dock.open_file(first_run)
        review = desktop.dock.review
        assert "Ob Kreuzungen und Straßenenden übereinstimmen" in desktop.dock.page.toPlainText()
        kinds = {review.table.data(review.table.index(row, 1)) for row in range(review.table.rowCount())}
        assert "Fehlend" in kinds
        assert "Fehlend" in [review.filters.kinds.itemText(row) for row in range(review.filters.kinds.count())]
        names = [node.name().partition(":")[0] for node in QgsProject.instance().layerTreeRoot().findLayers()]
        assert "Fehlende Straßen" in names
        assert review.about.text().startswith("<b>Fehlend</b>")
        settle(lambda: review.task is None and not review.calm.isActive())
    finally:
        desktop.remove()
        translation.remove(translator)


def test_scores_say_what_they_mean_and_what_was_before(layers, folder):
    import processing
    from geoeval_qgis import runs
    from geoeval_qgis.desktop import Desktop

    # Runs of other tests are no runs before this one.
    runs._told.clear()
    desktop = Desktop(Window())
    dock = desktop.dock
    values = {"REFERENCE": layers[0], "PREDICTION": layers[1], "METRICS": ["ccq", "opt-j"]}
    asked = {"RESULT": "TEMPORARY_OUTPUT", "REPORT": str(folder / "r.html")}
    processing.runAndLoadResults("geoeval:evaluateroads", {**values, **asked})
    page = dock.page.toPlainText()
    assert "OPT-J F1" in page
    assert "Do junctions and dead ends match" in page
    assert "Review the errors" in page
    assert "Open the report" in page
    assert "Worst cells" in page
    assert dock.cells
    assert "before" not in page
    # A link to a cell goes there, and the one to the review opens it.
    canvas = desktop.iface.mapCanvas()
    dock._follow(QUrl("cell:0"))
    _text, cell, crs = dock.cells[0]
    there = QgsCoordinateTransform(crs, canvas.mapSettings().destinationCrs(), QgsProject.instance())
    assert canvas.extent().contains(there.transform(cell.center()))
    dock._follow(QUrl("review"))
    assert dock.tabs.currentIndex() == 1
    values["PREDICTION"].dataProvider().deleteFeatures([30, 31])
    processing.runAndLoadResults("geoeval:evaluateroads", {**values, "RESULT": "TEMPORARY_OUTPUT"})
    assert "before" in dock.page.toPlainText()
    assert "▼" in dock.page.toPlainText()
    desktop.remove()


def test_errors_are_judged_by_keys_and_scores_follow(opened, folder):
    window, dock, file = opened
    review = dock.review
    dock.tabs.setCurrentIndex(1)
    listed = review.errors.errors
    assert len(listed) >= 2
    assert [one.gain for one in listed] == sorted((one.gain for one in listed), reverse=True)
    assert review.progress.text().endswith(f"{len(listed)} left")
    # The map went to the first error, and the next key goes to the next.
    centre = window.canvas.extent().center()
    press(review.view, Qt.Key.Key_J)
    assert review.current == 1
    assert window.canvas.extent().center() != centre
    press(review.view, Qt.Key.Key_K)
    assert review.current == 0
    press(review.view, Qt.Key.Key_2)
    assert verdicts(file)[listed[0].error_id][0] == "not-an-error"
    assert review.current == 1
    # A remark, then a verdict by its letter.
    press(review.view, Qt.Key.Key_M)
    QTest.keyClicks(review.remark, "new road")
    press(review.remark, Qt.Key.Key_Return)
    press(review.view, Qt.Key.Key_E)
    assert verdicts(file)[listed[1].error_id][:2] == ("error", "new road")
    assert verdicts(file)[listed[1].error_id][3] is not None
    assert "2 of" in review.progress.text()
    assert "about" in review.progress.text() or review.errors.left == 0
    is_asked = settled(review)
    settle(lambda: is_asked() and "interval" in review.scores.toPlainText())
    assert scores_on(review) == expected_scores(file)
    # The key works on the map only while its tool is chosen.
    press(window.canvas, Qt.Key.Key_U)
    assert listed[1].error_id in verdicts(file)
    review.on_map.click()
    press(window.canvas, Qt.Key.Key_U)
    assert listed[1].error_id not in verdicts(file)
    assert review.current == 1


def settled(review):
    """Whether the panel has said all that it will."""
    return lambda: review.task is None and not review.calm.isActive()


def scores_on(review):
    """The rows of the table of scores: by title what is in the other cells."""
    lines = review.scores.toPlainText().splitlines()
    start, width = lines.index("as given"), 3 if "as judged" in lines else 2
    titles = ("CCQ QUALITY", "OPT-J F1", "APLS")
    rows = [lines[first : first + width] for first in range(start + width - 1, start + 3 * width + width - 1, width)]
    assert sorted(row[0] for row in rows) == sorted(titles)
    return {row[0]: row[1:] for row in rows}


def expected_scores(file):
    """The same, as the engine says it."""
    from geoeval_qgis.review import judged

    facts = judged.ask(file)
    found = {}
    for title, metric, score in (
        ("CCQ QUALITY", "ccq", "quality"),
        ("OPT-J F1", "opt-j", "f1"),
        ("APLS", "apls", "apls"),
    ):
        found[title] = [f"{facts[which][metric][score]:.4f}" for which in ("as_given", "as_judged")]
    assert found["CCQ QUALITY"][0] < found["CCQ QUALITY"][1]
    return found


def test_scores_that_take_long_are_measured_when_somebody_asks(opened, monkeypatch):
    from geoeval_qgis.review import judged

    _window, dock, file = opened
    review = dock.review
    monkeypatch.setattr(judged, "AT_ONCE", -1.0)
    settle(settled(review))
    review.judge("not-an-error")
    settle(settled(review))
    assert "Measure the scores as judged" in review.scores.toPlainText()
    assert "as judged" not in review.scores.toPlainText().splitlines()
    # A click counts even while the panel asks something else.
    review.update_scores()
    assert review.task is not None
    assert not review.task.scores
    review.scores.anchorClicked.emit(QUrl("measure"))
    settle(settled(review))
    assert scores_on(review) == expected_scores(file)


def test_scores_that_counts_give_are_there_at_once(opened, folder, monkeypatch):
    """A run that keeps no networks is not measured again, however long it took."""
    from geoeval_qgis.review import judged

    _window, dock, file = opened
    lines = lines_of(6, 6)
    for name, some in (("reference", lines), ("prediction", lines[4:])):
        shapes = [{"type": "Feature", "properties": {}, "geometry": {"type": "LineString", "coordinates": line}}
                  for line in some]  # fmt: skip
        (folder / f"{name}.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    tiled = str(folder / "tiled.gpkg")
    code = (
        "import sys; from geoeval import evaluate, review; reference, prediction, tiled = sys.argv[1:]; review("
        "evaluate(reference, prediction, metrics='ccq,opt-j', tile_size=500.0, keep_inputs=False), tiled)"
    )
    files = [folder / "reference.geojson", folder / "prediction.geojson", tiled]
    subprocess.run([os.environ["GEOEVAL_TEST_PYTHON"], "-I", "-c", code, *files], check=True, capture_output=True)
    for one in (file, tiled):
        assert judged.seconds_of_scores(one) == judged.ask(one, scores=False)["seconds"]["scores"]
    assert judged.seconds_of_scores(file) > 0
    monkeypatch.setattr(judged, "AT_ONCE", 0.0)
    review = dock.review
    review.open(tiled)
    review.judge("not-an-error")
    settle(settled(review))
    assert "as judged" in review.scores.toPlainText().splitlines()
    assert "Measure the scores" not in review.scores.toPlainText()


def test_a_file_without_its_record_leaves_the_review_as_it_was(opened, folder):
    from geoeval_qgis.run_file import RunFileError

    _window, dock, file = opened
    review = dock.review
    before = review.errors
    changes = ("DELETE FROM run WHERE name = 'record'", "UPDATE run SET value = 'no JSON' WHERE name = 'record'")
    for number, change in enumerate(changes):
        damaged = str(folder / f"damaged {number}.gpkg")
        shutil.copyfile(file, damaged)
        with closing(sqlite3.connect(damaged)) as connection, connection:
            connection.execute(change)
        with pytest.raises(RunFileError, match="has no record of its run"):
            review.open(damaged)
        assert review.errors is before
        assert review.isEnabled()
    settle(settled(review))


def test_what_is_not_judged_is_no_undefined_score(provider):
    from geoeval_qgis.review import judged

    facts = {
        "kind": "roads",
        "verdicts": {"not-an-error": 2, "reference-is-wrong": 1},
        "as_given": {"opt-j": {"f1": 0.5}, "apls": {"apls": 0.25}, "ccq": {"quality": None}},
        "as_judged": {"opt-j": {"f1": 0.75}, "apls": {"apls": None}, "ccq": {"quality": None}},
        "notes": {"apls": "is not measured", "rejected": "still counted although rejected: 1 false_link, 2 break; no"},
        "kinds": {},
    }
    page = judged.page(facts)
    for words in (
        "<td align='right'>0.5000</td><td align='right'><b>0.7500</b></td>",
        "<td align='right'>0.2500</td><td align='right'>\N{EN DASH}</td>",
        "<td align='right'>undefined</td><td align='right'>undefined</td>",
        "<p>APLS: is not measured</p>",
        "<p>still counted although rejected: 1 false link, 2 breaks; no</p>",
        "<p>Errors of the reference: 1</p>",
    ):
        assert words in page


def test_the_panel_and_the_command_line_read_each_others_verdicts(opened, folder):
    _window, dock, file = opened
    review = dock.review
    first, second = review.errors.errors[:2]
    review.errors.judge(first, "not-an-error", remark="a track", seconds=3.0)
    command = [os.environ["GEOEVAL_TEST_PYTHON"], "-I", "-m", "geoeval", "review", file]
    told = subprocess.run([*command, "--judged", "--json", "-"], capture_output=True, text=True, check=True)
    facts = json.loads(told.stdout)
    assert facts["verdicts"]["not-an-error"] == 1
    assert facts["left"] == review.errors.left
    assert facts["as_judged"]["ccq"]["quality"] >= facts["as_given"]["ccq"]["quality"]
    from geoeval_qgis.review import judged

    assert judged.ask(file) == facts
    # A verdict file of the command line comes into the panel, and the panel's goes out.
    (folder / "v.csv").write_text(f"error_id,verdict\n{second.error_id},error\n")
    assert dock.files.run(["--verdicts", str(folder / "v.csv"), "--judged"]) is None
    review.open(file)
    assert review.errors.verdict_of(second) == "error"
    assert dock.files.run(["--save-verdicts", str(folder / "all.csv")]) is None
    with (folder / "all.csv").open(encoding="utf-8") as text:
        assert {row["verdict"] for row in csv.DictReader(text)} == {"not-an-error", "error"}
    for suffix in ("geojson", "osm", "shp", "csv"):
        assert dock.files.run(["--export", str(folder / f"confirmed.{suffix}")]) is None
        assert (folder / f"confirmed.{suffix}").stat().st_size > 0


def test_filters_and_a_copy_that_stays(opened, folder):
    from geoeval_qgis.review.errors import Filter
    from geoeval_qgis.review.files import copy_run
    from geoeval_qgis.review.table import CLASS

    _window, dock, file = opened
    review = dock.review
    every = review.errors.errors
    review.errors.judge(every[0], "error")
    review.apply_filter(Filter(state="all"))
    assert review.table.rowCount() == len(every)
    review.apply_filter(Filter())
    assert review.table.rowCount() == len(every) - 1
    review.apply_filter(Filter(state="error"))
    assert [review.table.error(0).error_id] == [every[0].error_id]
    kind = every[-1].kind
    review.apply_filter(Filter(kinds=frozenset([kind]), state="all"))
    assert review.table.rowCount() == sum(one.kind == kind for one in every)
    review.apply_filter(Filter(severity=0.99, state="all"))
    assert review.table.rowCount() == sum((one.severity or 0) >= 0.99 for one in every)
    # These roads have no class, so nothing is said of any; a run whose roads have one can be filtered by it.
    assert review.view.isColumnHidden(CLASS)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE errors SET \"class\" = 'residential' WHERE error_id = ?", (every[1].error_id,))
    review.open(file)
    assert not review.view.isColumnHidden(CLASS)
    assert review.filters.classes.count() == 1
    review.apply_filter(Filter(classes=frozenset(["residential"]), state="all"))
    assert [review.table.error(row).error_id for row in range(review.table.rowCount())] == [every[1].error_id]
    review.apply_filter(Filter(state="all", shuffled=True))
    ids = [review.table.error(row).error_id for row in range(review.table.rowCount())]
    assert ids == sorted(ids)
    copy_run(file, folder / "kept.gpkg")
    assert verdicts(folder / "kept.gpkg") == verdicts(file)


def test_both_maps_blink_and_are_left_as_they_were(opened):
    _window, dock, _file = opened
    root = QgsProject.instance().layerTreeRoot()
    nodes = {node.name().split()[0]: node for node in root.findLayers() if " as compared" in node.name()}
    dock.review.blink()
    assert nodes["Reference"].itemVisibilityChecked()
    assert not nodes["Prediction"].itemVisibilityChecked()
    settle(nodes["Prediction"].itemVisibilityChecked)
    assert not nodes["Reference"].itemVisibilityChecked()
    dock.review.blink()
    assert not any(node.itemVisibilityChecked() for node in nodes.values())


def test_a_file_of_another_day_opens_with_its_layers(opened, folder):
    from geoeval_qgis.review.files import copy_run
    from geoeval_qgis.run_file import RunFileError

    window, dock, file = opened
    copy_run(file, folder / "yesterday.gpkg")
    dock.open_file(str(folder / "yesterday.gpkg"))
    assert QgsProject.instance().layerTreeRoot().findGroup("yesterday") is not None
    assert dock.review.errors.path == str(folder / "yesterday.gpkg")
    assert "yesterday" in dock.page.toPlainText()
    (folder / "other.gpkg").write_bytes(b"not a GeoPackage")
    with pytest.raises(RunFileError, match="not a result file"):
        dock.open_file(str(folder / "other.gpkg"))
    dock.open_review(str(folder / "gone.gpkg"))
    assert window.warnings[-1][1].endswith("is not there any more")
    assert QgsApplication.taskManager() is not None
