"""The installed zip in the real qgis_process."""

import json
import signal
import subprocess
import time

import psutil
import pyogrio
import pytest

from tests.networks import grid, network
from tests.qgis.conftest import AWKWARD
from tests.qgis.desk import listing, needs_qgis

pytestmark = needs_qgis

NOW = {"evaluateroads", "evaluateosm", "batchfolder", "exporterrorlayers", "setupenvironment"}
LATER = {
    "evaluateobjects": "objects",
    "evaluatelines": "lines",
    "comparepredictions": "rank",
    "perturbnetwork": "perturb",
}
ROLES = {"SCORES": "area", "GRID": "grid", "MISSING": "missing", "SPURIOUS": "spurious", "BREAKS": "break",
         "BREAK_POINTS": "break", "FALSE_LINKS": "false_link", "JUNCTIONS": "junction", "DOUBLED": "doubled",
         "MERGED": "merged", "DISPLACED": "displaced", "DISPLACED_POINTS": "displaced", "MISSING_POINTS": "missing",
         "SPURIOUS_POINTS": "spurious", "FALSE_LINK_POINTS": "false_link", "CULPRITS": "culprit", "PATHS": "path",
         "DUPLICATES": "duplicate"}  # fmt: skip


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


def test_the_toolbox_has_every_algorithm_that_the_engine_can_serve(desk):
    from geoeval.cli.main import app

    commands = {command.name or command.callback.__name__ for command in app.registered_commands}
    listed = json.loads(desk.process("list", "--json").stdout)["providers"]["geoeval"]["algorithms"]
    names = {name.removeprefix("geoeval:") for name in listed}
    assert names >= NOW
    assert not {name for name, command in LATER.items() if command not in commands} & names
    for facts in listed.values():
        assert facts["name"]


def check_evaluation(desk, engine, tmp_path, algorithm, reference, prediction, metrics, suffix, command_options=()):
    """Scores to the last digit, and every layer with the number of features that the engine wrote."""
    layers = {name: str(tmp_path / f"{name.lower()}.{suffix}") for name in ROLES}
    results = desk.run(
        algorithm,
        {
            "REFERENCE": reference, "PREDICTION": prediction, "METRICS": metrics, **layers,
            "REPORT": tmp_path / "report.html", "JSON": tmp_path / "scores.json",
        },
    )  # fmt: skip
    own = engine("roads", reference, prediction, "--metrics", ",".join(metrics), "-o", tmp_path / "own", "--format",
                 "geojson", *command_options)  # fmt: skip
    assert numbers(results) == flat(own["scores"])
    written = json.loads((tmp_path / "scores.json").read_text())
    assert written["scores"] == own["scores"]
    assert "<html" in (tmp_path / "report.html").read_text()[:500].lower()
    counts = {name: facts["count"] for name, facts in own["errors"].items()}
    seen = dict.fromkeys(counts, 0)
    for sink, path in layers.items():
        role = ROLES[sink]
        assert results[sink] == path
        info = pyogrio.read_info(path)
        if role == "area":
            assert info["features"] == 1
        elif role == "grid":
            assert info["features"] == pyogrio.read_info(tmp_path / "own" / "grid.geojson")["features"]
        else:
            assert info["crs"] == own["crs"]
            seen[role] = seen.get(role, 0) + info["features"]
            assert {"ref_id", "pred_id", "length_m", "severity"} <= set(info["fields"])
    assert seen == {**dict.fromkeys(seen, 0), **counts}
    return results


def test_a_generated_town_to_shapefiles(desk, engine, town, tmp_path):
    before = listing(town)
    check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateroads", town / f"reference {AWKWARD}.gpkg",
        town / f"prediction {AWKWARD}.gpkg", ["ccq", "tlts", "apls", "junct", "opt-j"], "shp",
    )  # fmt: skip
    assert listing(town) == before
    assert not list((desk.root / "tmp").rglob("geoeval-*"))


def test_the_real_roads_of_washington(desk, engine, data, tmp_path):
    roads = data / "roads" / "dc"
    check_evaluation(
        desk, engine, tmp_path, "geoeval:evaluateosm", roads / "DcGisRoads.osm", roads / "DcTigerRoads.osm",
        ["ccq", "junct", "opt-j"], "gpkg",
    )  # fmt: skip


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
    assert "already holds" in again.stdout + again.stderr


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
    for wrong, words in (("/no/such/python", "no program"), ("/usr/bin/python3", "has no working geoeval")):
        done = desk.process(*arguments, GEOEVAL_PYTHON=wrong)
        assert done.returncode != 0
        assert (done.stdout + done.stderr).count(words) == 1


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
            worker.wait(timeout=20)
        finally:
            process.kill()
            process.stdout.read()
    assert not worker.is_running()
    assert [path.name for path in tmp_path.iterdir()] == ["town.gpkg"]


def wait_for_worker(process) -> psutil.Process:
    """The engine, once it evaluates."""
    limit = time.monotonic() + 60
    while time.monotonic() < limit and process.poll() is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            if "roads" in child.cmdline():
                time.sleep(2)
                return child
        time.sleep(0.1)
    pytest.fail("no worker was started: " + process.stdout.read().decode())
