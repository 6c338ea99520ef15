"""The real desktop, on a screen that nobody sees."""

import json
import shutil
import subprocess

from tests.qgis.conftest import AWKWARD
from tests.qgis.desk import QGIS_DESKTOP, SYSTEM_PATH, needs_desktop, needs_qgis
from tests.qgis.test_inside import INSIDE

pytestmark = [needs_qgis, needs_desktop]


def test_toolbox_and_styled_layers_in_the_desktop(desk, town, tmp_path):
    screen = shutil.which("xvfb-run", path=SYSTEM_PATH)
    assert screen is not None, "QGIS is here but xvfb-run is not; install xvfb and xauth"
    job = {
        "reference": str(town / f"reference {AWKWARD}.gpkg"),
        "prediction": str(town / f"prediction {AWKWARD}.gpkg"),
        "metrics": ["ccq", "opt-j"],
        "sinks": ["SCORES", "GRID", "MISSING", "SPURIOUS", "BREAKS", "JUNCTIONS", "DISPLACED"],
        "picture": str(tmp_path / "desktop.png"),
        "answer": str(tmp_path / "answer.json"),
    }
    variables = {**desk.environment, **desk.variables, "GEOEVAL_TEST_JOB": json.dumps(job)}
    variables.pop("QT_QPA_PLATFORM")
    done = subprocess.run(
        [screen, "-a", "-s", "-screen 0 1600x1000x24", QGIS_DESKTOP, "--nologo", "--noversioncheck", "--code",
         INSIDE / "desktop.py"],
        env=variables, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert (tmp_path / "answer.json").exists(), done.stderr[-3000:]
    answer = json.loads((tmp_path / "answer.json").read_text())
    assert "error" not in answer, answer["error"]
    assert {"Evaluate road network", "Set up the geoeval environment"} <= set(answer["toolbox"])
    assert answer["scores"]["OPT_J_F1"] < 1
    ((name, layers),) = answer["tree"].items()
    assert "against" in name
    shown = {layer["name"].partition(":")[0]: layer for layer in layers}
    assert shown["Score grid"]["renderer"] == "graduatedSymbol"
    assert {"Scores", "Missing"} <= set(shown)
    assert all(layer["count"] for layer in layers)
    colours = picture_colours(tmp_path / "desktop.png")
    # The blue of missing roads is on the screen; the junctions at their ends are no errors of their own.
    assert (0x00, 0x72, 0xB2) in colours
    assert "Junctions" not in shown


def picture_colours(path) -> set[tuple[int, int, int]]:
    """Every colour of a picture."""
    from PIL import Image

    with Image.open(path) as picture:
        return {colour for _count, colour in picture.convert("RGB").getcolors(picture.width * picture.height)}
