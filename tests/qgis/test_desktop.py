"""The real desktop, on a screen that nobody sees: the day of a mapper with the roads of Helsinki."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

from tests.qgis.desk import QGIS_DESKTOP, SYSTEM_PATH, needs_desktop, needs_qgis
from tests.qgis.test_inside import INSIDE

pytestmark = [needs_qgis, needs_desktop]


def test_a_day_in_the_desktop(desk, tmp_path, engine):
    answer = in_the_desktop(desk, tmp_path)
    # The dialog is short and names every metric.
    assert answer["height"] < 700
    assert answer["metrics"][0].startswith("CCQ: Share of the road length")
    assert len(answer["metrics"]) == 10
    # Its scores are those of the command line, to the last digit.
    assert answer["fine"]
    with closing(sqlite3.connect(answer["kept_file"])) as connection:
        (record,) = connection.execute("SELECT value FROM run WHERE name = 'record'").fetchone()
    own = json.loads(record)["scores"]
    assert answer["scores"]["OPT_J_F1"] == own["opt-j"]["f1"] < 1
    # The panel answers.
    assert answer["visible"]
    for words in ("OPT-J F1", "Review the errors", "Worst cells"):
        assert words in answer["page"]
    ((name, layers),) = answer["tree"].items()
    assert name.endswith("Helsinki prediction against Helsinki reference")
    shown = {layer["name"].partition(":")[0]: layer for layer in layers}
    assert shown["Score grid"]["renderer"] == "graduatedSymbol"
    assert {"Scores", "Missing roads", "Breaks", "What to mend first"} <= set(shown)
    assert all(layer["count"] for layer in layers)
    # Ten errors were judged by keys, the map went along, and two rejected errors raise the score.
    assert answer["progress"].startswith("10 of ")
    assert answer["first_extent"] != answer["second_extent"]
    first = scores_in(answer["judged"])
    given, judged = first["CCQ QUALITY"]
    assert judged > given
    # A second run has a group of its own, the scores of the first beside it, and the verdicts.
    assert len(answer["groups"]) == len(set(answer["groups"])) == 2
    assert "before" in answer["second_page"]
    assert sorted(answer["kept"]) == ["error"] * 8 + ["not-an-error"] * 2
    assert answer["first_row"][2] == "Error (earlier)"
    again = scores_in(answer["judged_again"])
    assert again["CCQ QUALITY"][0] < given
    assert again["CCQ QUALITY"][1] > again["CCQ QUALITY"][0]
    # Every row of the batch gives its scores.
    assert answer["batch_errors"] == []
    assert len(answer["batch"]) == 3
    assert all("CCQ_QUALITY" in row for row in answer["batch"])
    assert (tmp_path / "missing.gpkg").exists()
    assert {"Evaluate road network", "Set up the geoeval environment"} <= set(answer["toolbox"])
    # The blue of missing roads is on the map.
    assert (0x00, 0x72, 0xB2) in colours_of_the_map(tmp_path / "scores.png")


def in_the_desktop(desk, tmp_path, language="en") -> dict:
    """What the desktop says after its day; its pictures are in the folder."""
    screen = shutil.which("xvfb-run", path=SYSTEM_PATH)
    assert screen is not None, "QGIS is here but xvfb-run is not; install xvfb and xauth"
    demo = [sys.executable, "-m", "geoeval", "demo", tmp_path / "demo", "--progress", "none"]
    subprocess.run(demo, check=True, capture_output=True, timeout=600)
    job = {"run": str(tmp_path / "demo" / "run.gpkg"), "gone": [200, 201], "pictures": str(tmp_path),
           "answer": str(tmp_path / "answer.json"), "kept": str(tmp_path / "first.gpkg")}  # fmt: skip
    variables = {**desk.environment, **desk.variables, "GEOEVAL_TEST_JOB": json.dumps(job)}
    variables.pop("QT_QPA_PLATFORM")
    done = subprocess.run(
        [screen, "-a", "-s", "-screen 0 1600x1000x24", QGIS_DESKTOP, "--nologo", "--noversioncheck", "--lang",
         language, "--code", INSIDE / "desktop.py"],
        env=variables, capture_output=True, text=True, timeout=1200, check=False,
    )  # fmt: skip
    assert (tmp_path / "answer.json").exists(), done.stderr[-3000:]
    answer = json.loads((tmp_path / "answer.json").read_text())
    assert "error" not in answer, answer["error"]
    return {**answer, "kept_file": job["kept"]}


def scores_in(page: str) -> dict[str, tuple[float, float]]:
    """The table of scores as judged: by title the number as given and as judged."""
    lines = [line.strip() for line in page.splitlines() if line.strip()]
    start = lines.index("as judged") + 1
    end = next(i for i, line in enumerate(lines) if line.startswith(("No score", "How often")))
    return {lines[first]: (float(lines[first + 1]), float(lines[first + 2])) for first in range(start, end - 2, 3)}


def colours_of_the_map(path) -> set[tuple[int, int, int]]:
    """Every colour in the middle of a picture, where there is neither the legend nor the panel."""
    from PIL import Image

    with Image.open(path) as picture:
        width, height = picture.size
        middle = picture.convert("RGB").crop((width // 4, height // 5, width // 2, 9 * height // 10))
        return {colour for _count, colour in middle.getcolors(middle.width * middle.height)}
