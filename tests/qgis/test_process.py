"""The installed zip in the real qgis_process."""

import contextlib
import json
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import psutil
import pyogrio
import pytest

from tests.networks import grid, network, noisy
from tests.qgis.conftest import AWKWARD
from tests.qgis.desk import Desk, listing, needs_qgis, program

pytestmark = needs_qgis

ALGORITHMS = {"evaluateroads", "evaluateosm", "evaluateobjects", "evaluatelines", "comparepredictions", "batchfolder",
              "perturbnetwork", "exporterrorlayers", "setupenvironment", "removeenvironment", "demodata"}  # fmt: skip
SCORES = {"SCORES": "area", "GRID": "grid"}
ROAD_LAYERS = {**SCORES, "MISSING": "missing", "SPURIOUS": "spurious", "BREAKS": "break", "BREAK_POINTS": "break",
               "FALSE_LINKS": "false_link", "JUNCTIONS": "junction", "DOUBLED": "doubled", "MERGED": "merged",
               "DRAWN_DOUBLE": "drawn_double", "DRAWN_SINGLE": "drawn_single", "DISPLACED": "displaced",
               "DISPLACED_POINTS": "displaced", "MISSING_POINTS": "missing",
               "SPURIOUS_POINTS": "spurious", "FALSE_LINK_POINTS": "false_link", "CULPRITS": "culprit",
               "PATHS": "path", "DUPLICATES": "duplicate"}  # fmt: skip
OBJECT_LAYERS = {**SCORES, "MISSED": "missed", "FALSE_ALARMS": "false_alarm", "SPLIT": "split", "MERGED": "merge",
                 "BOUNDARIES": "boundary", "MATCHED": "matched", "LINKS": "link"}  # fmt: skip
LINE_LAYERS = {**SCORES, "MISSED": "missed", "FALSE_ALARMS": "false_alarm", "FRAGMENTED": "fragmented",
               "CONSOLIDATED": "consolidated", "DISPLACED": "displaced", "INCOMPLETE": "incomplete",
               "TOO_LONG": "overlong", "WRONG_WIDTH": "wrong_width", "WRONG_STYLE": "wrong_style",
               "WRONG_SHAPE": "wrong_shape", "MATCHED": "matched"}  # fmt: skip


def flat(scores: dict) -> dict:
    """Scores under the names that the plugin gives them."""
    return {
        f"{metric}_{name}".upper().replace("-", "_"): value
        for metric, values in scores.items()
        for name, value in values.items()
        if value is not None
    }


def numbers(results: dict) -> dict:
    return {name: value for name, value in results.items() if isinstance(value, int | float)}


def listed(desk, **variables) -> dict:
    """The algorithms that qgis_process lists."""
    done = desk.process("list", "--json", **variables)
    assert done.returncode == 0, done.stderr
    algorithms = json.loads(done.stdout)["providers"]["geoeval"]["algorithms"]
    return {name.removeprefix("geoeval:"): facts for name, facts in algorithms.items()}


def test_the_toolbox_has_every_algorithm(desk):
    found = listed(desk)
    assert set(found) == ALGORITHMS
    for facts in found.values():
        assert facts["name"]


def check_evaluation(desk, engine, tmp_path, algorithm, command, layers, reference, prediction, metrics, suffix):
    """Scores to the last digit, and every layer with the number of features that the engine wrote."""
    files = {name: str(tmp_path / f"{name.lower()}.{suffix}") for name in layers}
    # The command line's cells; QGIS fits them to the data.
    more = {} if command == "lines" else {"GRID_SIZE": 500}
    results = desk.run(
        algorithm,
        {
            "REFERENCE": reference, "PREDICTION": prediction, "METRICS": metrics, **files, **more,
            "REPORT": tmp_path / "report.html", "JSON": tmp_path / "scores.json",
        },
    )  # fmt: skip
    own = engine(command, reference, prediction, "--metrics", ",".join(metrics), "-o", tmp_path / "own", "--format",
                 "geojson")  # fmt: skip
    assert numbers(results) == flat(own["scores"])
    written = json.loads((tmp_path / "scores.json").read_text())
    assert written["scores"] == own["scores"]
    assert written["errors"] == own["errors"]
    assert "<html" in (tmp_path / "report.html").read_text()[:500].lower()
    wanted, seen = features_by_kind(tmp_path / "own"), Counter()
    for sink, path in files.items():
        assert results[sink] == path
        # A GeoPackage holds the styles too.
        info = pyogrio.read_info(path, layer=Path(path).stem)
        seen[layers[sink]] += info["features"]
        if layers[sink] not in SCORES.values():
            # A drawing has no CRS but units of its own, which each format writes in its own way.
            assert command == "lines" or info["crs"] == own["crs"]
            assert {"ref_id", "pred_id", "length_m", "severity"} <= set(info["fields"])
    assert +seen == wanted
    assert seen["area"] == 1
    counts = Counter()
    for part in ("errors", "reference_problems"):
        counts.update({name: facts["count"] for name, facts in own.get(part, {}).items()})
    assert {name: seen[name] for name in counts} == counts
    return own


def features_by_kind(folder) -> Counter:
    """What the command line wrote: features of each kind, and those of the area and the grid."""
    found = Counter()
    for path in folder.glob("*.geojson"):
        rows = [row["properties"] for row in json.loads(path.read_text())["features"]]
        found.update(path.stem if path.stem in SCORES.values() else row["kind"] for row in rows)
    return found


def test_a_generated_town_to_shapefiles(desk, engine, town, tmp_path):
    before, held = listing(town), folders_of_runs(desk)
    check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateroads", "roads", ROAD_LAYERS, town / f"reference {AWKWARD}.gpkg",
        town / f"prediction {AWKWARD}.gpkg", ["ccq", "tlts", "apls", "junct", "opt-j"], "shp",
    )  # fmt: skip
    assert listing(town) == before
    assert folders_of_runs(desk) <= held


def folders_of_runs(desk) -> set[Path]:
    """Folders in which evaluations hold what they need only while they run."""
    return set((desk.root / "tmp").rglob("geoeval-*"))


def test_the_real_roads_of_washington(desk, engine, data, tmp_path):
    roads = data / "roads" / "dc"
    check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateosm", "roads", ROAD_LAYERS, roads / "DcGisRoads.osm",
        roads / "DcTigerRoads.osm", ["ccq", "junct", "opt-j"], "gpkg",
    )  # fmt: skip


def test_a_reference_much_larger_than_the_prediction(desk, engine, tmp_path):
    """Only the ground of the prediction counts, in QGIS as on the command line."""
    for name, lines in (("reference", grid(20, 20)), ("prediction", noisy(grid(5, 5)[3:], 2.0))):
        moved = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in lines]
        network(moved).to_geodataframe()[["geometry"]].to_file(tmp_path / f"{name}.gpkg")
    reference, prediction = tmp_path / "reference.gpkg", tmp_path / "prediction.gpkg"
    metrics = ["ccq", "tlts", "apls", "junct", "subg", "opt-p", "opt-j", "opt-g"]
    own = check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateroads", "roads", ROAD_LAYERS, reference, prediction, metrics, "gpkg"
    )
    assert own["reference"]["length_m"] < 10_000
    assert own["scores"]["ccq"]["completeness"] > 0.8
    whole = engine("roads", reference, prediction, "--metrics", "ccq", "--aoi", "all")
    assert whole["reference"]["length_m"] > 70_000
    results = desk.run(
        "geoeval:evaluateroads",
        {"REFERENCE": reference, "PREDICTION": prediction, "METRICS": ["ccq"], "WHOLE": "true"},
    )
    assert numbers(results) == flat(whole["scores"])


def test_objects_with_a_reference_much_larger_than_the_prediction(desk, engine, tmp_path):
    import geopandas as gpd
    from shapely import box

    def buildings(name, shapes):
        moved = [box(x + 500_000, y + 5_000_000, x + w + 500_000, y + h + 5_000_000) for x, y, w, h in shapes]
        gpd.GeoDataFrame(geometry=moved, crs="EPSG:32610").to_file(tmp_path / f"{name}.gpkg")

    town = [(60 * i, 60 * j, 20, 15) for i in range(20) for j in range(20)]
    found = [(x + 1, y, w, h) for x, y, w, h in town if x < 300 and y < 300]
    # One is missed, one false, one split, two merged.
    found = [*found[2:-2], (200, 35, 12, 9), (0, 60, 9, 15), (10, 60, 10, 15), (240, 180, 20, 75)]
    buildings("reference", town)
    buildings("prediction", found)
    own = check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateobjects", "objects", OBJECT_LAYERS, tmp_path / "reference.gpkg",
        tmp_path / "prediction.gpkg", ["bgm", "hoover", "max-overlap", "iou"], "gpkg",
    )  # fmt: skip
    # Of the 400 buildings of the reference, those on the ground of the prediction, which ends at the missed one.
    assert 24 <= own["scores"]["iou"]["tp"] + own["scores"]["iou"]["fn"] < 50
    assert own["errors"]["split"]["count"] > 0
    assert own["errors"]["merge"]["count"] > 0


def test_drawings(desk, engine, tmp_path):
    (tmp_path / "reference.txt").write_text(
        "10 10 110 10 5\n10 50 110 50 5\n200 10 200 90 3\n10 90 110 90 4\n250 10 290 10 4\n300 10 340 10 4\n"
    )
    (tmp_path / "drawn.txt").write_text(
        "10 11 110 11 5\n10 50 60 50 5\n62 50 110 50 5\n400 10 400 60 3\n10 90 70 90 4\n250 10 340 10 4\n"
    )
    own = check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluatelines", "lines", LINE_LAYERS, tmp_path / "reference.txt",
        tmp_path / "drawn.txt", ["pixel", "vector", "combined", "kong", "hori-doermann"], "gpkg",
    )  # fmt: skip
    assert own["errors"]["missed"]["count"] > 0
    assert own["errors"]["false_alarm"]["count"] > 0


def test_error_layers_as_shapefiles_with_styles(desk, town, tmp_path):
    parameters = {
        "REFERENCE": town / f"reference {AWKWARD}.gpkg", "PREDICTION": town / f"prediction {AWKWARD}.gpkg",
        "METRICS": "ccq,opt-j", "OUTPUT": tmp_path / "layers",
    }  # fmt: skip
    results = desk.run("geoeval:exporterrorlayers", parameters)
    shapes = sorted((tmp_path / "layers").glob("*.shp"))
    assert len(shapes) == results["COUNT"]
    assert all(shape.with_suffix(".qml").exists() for shape in shapes)
    assert (tmp_path / "layers" / "scores.json").exists()
    again = desk.process("run", "geoeval:exporterrorlayers", *(f"--{n}={v}" for n, v in parameters.items()))
    assert again.returncode != 0
    assert "already contains" in again.stdout + again.stderr


def test_a_folder_of_predictions(desk, town, tmp_path):
    predictions = tmp_path / "in"
    predictions.mkdir()
    for file in town.glob("*.gpkg"):
        (predictions / file.name).write_bytes(file.read_bytes())
    (predictions / "broken.geojson").write_text("{}")
    (predictions / "notes.txt").write_text("not a network")
    results = desk.run(
        "geoeval:batchfolder",
        {
            "REFERENCE": town / f"reference {AWKWARD}.gpkg", "PREDICTION": predictions, "METRICS": "ccq",
            "OUTPUT": tmp_path / "out.gpkg", "DETAILS": tmp_path / "details",
        },
    )  # fmt: skip
    assert (results["COUNT"], results["FAILED"]) == (2, 1)
    import geopandas as gpd

    rows = gpd.read_file(tmp_path / "out.gpkg").set_index("name")
    assert len(rows) == 3
    assert rows.loc[f"reference {AWKWARD}", "ccq_qual"] == 1
    assert 0 < rows.loc[f"prediction {AWKWARD}", "ccq_qual"] < 1
    assert rows.loc["broken", "note"]
    assert rows.loc["broken"].geometry is None or rows.loc["broken"].geometry.is_empty
    assert (tmp_path / "details" / f"reference {AWKWARD}" / "errors" / "errors.gpkg").exists()


def test_no_environment_is_one_message_that_says_what_to_do(desk, town):
    arguments = ["run", "geoeval:evaluateroads", f"--REFERENCE={town}/reference {AWKWARD}.gpkg",
                 f"--PREDICTION={town}/prediction {AWKWARD}.gpkg"]  # fmt: skip
    done = desk.process(*arguments, GEOEVAL_PYTHON="")
    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("Set up the geoeval environment") == 1
    assert "Traceback" not in done.stdout + done.stderr
    for wrong, words in (("/no/such/python", "not a program"), ("/usr/bin/python3", "has no working geoeval")):
        done = desk.process(*arguments, GEOEVAL_PYTHON=wrong)
        assert done.returncode != 0
        assert (done.stdout + done.stderr).count(words) == 1


def test_an_engine_that_fails_loses_no_algorithm(desk, plugin_zip, town, tmp_path):
    """Neither the packaged plugin nor a checkout, which must ask the engine for its facts."""
    python = program(tmp_path / "broken-python", "echo 'ImportError: no libgeos' >&2; exit 1")
    checkout = Desk(tmp_path / "checkout", plugin_zip, python=str(python))
    (checkout.root / "plugins" / "geoeval_qgis" / "engine.json").unlink()
    for place in (desk, checkout):
        assert set(listed(place, GEOEVAL_PYTHON=str(python))) == ALGORITHMS
        done = place.process(
            "run", "geoeval:evaluateroads", f"--REFERENCE={town}/reference {AWKWARD}.gpkg",
            f"--PREDICTION={town}/prediction {AWKWARD}.gpkg", GEOEVAL_PYTHON=str(python),
        )  # fmt: skip
        assert done.returncode != 0
        said = [line for line in (done.stdout + done.stderr).splitlines() if "ImportError: no libgeos" in line]
        assert said, done.stdout + done.stderr
        assert all(str(python) in line and "install geoeval there" in line for line in said)
        assert "Traceback" not in done.stdout + done.stderr


PROBE = """
import sys
from qgis.core import QgsProcessingAlgorithm, QgsProcessingOutputString, QgsProcessingParameterString
class Probe(QgsProcessingAlgorithm):
    def name(self): return "probe"
    def displayName(self): return "probe"
    def createInstance(self): return Probe()
    def initAlgorithm(self, config=None):
        for name in ("R", "P"):
            self.addParameter(QgsProcessingParameterString(name, name))
        self.addOutput(QgsProcessingOutputString("MODULES", "modules"))
    def processAlgorithm(self, parameters, context, feedback):
        import processing
        done = processing.run("geoeval:evaluateroads", {"REFERENCE": parameters["R"], "PREDICTION": parameters["P"],
            "METRICS": ["ccq"], "MISSING": "memory:"}, context=context, feedback=feedback, is_child_algorithm=True)
        return {"MODULES": " ".join(sorted({name.partition(".")[0] for name in sys.modules})), "Q": done["CCQ_QUALITY"]}
"""


def test_the_process_of_qgis_never_loads_what_the_engine_needs(desk, town):
    scripts = desk.root / "config" / "profiles" / "default" / "processing" / "scripts"
    if not scripts.parent.parent.is_dir():
        scripts = desk.root / "config" / "processing" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    (scripts / "probe.py").write_text(PROBE)
    results = desk.run(
        "script:probe",
        {"R": town / f"reference {AWKWARD}.gpkg", "P": town / f"prediction {AWKWARD}.gpkg"},
    )
    loaded = set(results["MODULES"].split())
    assert "geoeval_qgis" in loaded
    assert not loaded & {"shapely", "pyproj", "geopandas", "geoeval", "pandas", "numba", "scipy", "pyogrio"}
    assert 0 < results["Q"] < 1


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_qgis(desk, tmp_path, sent):
    lines = [[(x + 500_000, y + 5_000_000) for x, y in line] for line in grid(60, 60)]
    network(lines).to_geodataframe()[["geometry"]].to_file(tmp_path / "town.gpkg")
    town = tmp_path / "town.gpkg"
    command = desk.command(
        "run", "geoeval:evaluateroads", f"--REFERENCE={town}", f"--PREDICTION={town}", "--METRICS=tlts",
        "--SETTINGS=tlts.pairs=200000", f"--SCORES={tmp_path}/scores.shp",
    )  # fmt: skip
    with subprocess.Popen(
        command, env={**desk.environment, **desk.variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        worker = wait_for_worker(process)
        process.send_signal(sent)
        try:
            worker.wait(timeout=120)
        finally:
            process.kill()
            process.stdout.read()
    assert not worker.is_running()
    assert [path.name for path in tmp_path.iterdir()] == ["town.gpkg"]


def wait_for_worker(process) -> psutil.Process:
    """The engine, once it evaluates."""
    limit = time.monotonic() + 400
    while time.monotonic() < limit and process.poll() is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            # The engine that was asked for its version may end at any moment.
            with contextlib.suppress(psutil.NoSuchProcess):
                if "roads" in child.cmdline():
                    time.sleep(2)
                    return child
        time.sleep(0.1)
    pytest.fail("no worker was started: " + process.stdout.read().decode())
