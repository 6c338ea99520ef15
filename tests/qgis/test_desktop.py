"""The real desktop, on a screen that nobody sees: the day of a mapper with the roads of Helsinki."""

import json
import re
import sqlite3
from contextlib import closing

from tests.qgis.desk import in_the_desktop, needs_desktop, needs_qgis
from tests.qgis.test_inside import INSIDE

pytestmark = [needs_qgis, needs_desktop]


def test_a_day_in_the_desktop(desk, tmp_path, engine):
    answer = day_of_a_mapper(desk, tmp_path)
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


def day_of_a_mapper(desk, folder, language="en") -> dict:
    """What the desktop says after its day; its pictures are in the folder."""
    kept = str(folder / "first.gpkg")
    answer = in_the_desktop(desk, INSIDE / "desktop.py", folder, language=language, gone=[200, 201], kept=kept)
    return {**answer, "kept_file": kept}


def scores_in(page: str) -> dict[str, tuple[float | None, float | None]]:
    """The table of scores as judged: by title the number as given and as judged; it ends where rows are no numbers."""
    lines = [line.strip() for line in page.splitlines() if line.strip()]
    start = lines.index("as judged") + 1
    found = {}
    for first in range(start, len(lines) - 2, 3):
        title, *cells = lines[first : first + 3]
        if not all(re.fullmatch("-?[\\d,]+(\\.\\d+)?|\N{EN DASH}|undefined", one) for one in cells):
            break
        found[title] = tuple(float(one.replace(",", "")) if one[-1].isdigit() else None for one in cells)
    return found


def test_the_table_of_scores_ends_at_its_notes():
    head = ["Scores", "score", "as given", "as judged"]
    lines = [*head, "CCQ QUALITY", "0.5000", "0.6000", "OPT-J F1", "0.7", "\N{EN DASH}"]
    notes = ["OPT-J: has no", "6", "junctions", "How often an error is one", "kind"]
    assert scores_in("\n".join([*lines, *notes])) == {"CCQ QUALITY": (0.5, 0.6), "OPT-J F1": (0.7, None)}


def colours_of_the_map(path) -> set[tuple[int, int, int]]:
    """Every colour in the middle of a picture, where there is neither the legend nor the panel."""
    from PIL import Image

    with Image.open(path) as picture:
        width, height = picture.size
        middle = picture.convert("RGB").crop((width // 4, height // 5, width // 2, 9 * height // 10))
        return {colour for _count, colour in middle.getcolors(middle.width * middle.height)}
