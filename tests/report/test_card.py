"""The summary picture: its size, what is on it, and text that no one meant as a formula."""

from dataclasses import replace

import pytest
from matplotlib.image import imread

from geoeval import Drawing, evaluate_lines, write_card
from geoeval.exceptions import OutputError
from geoeval.model.courses import bar
from geoeval.report.card import card
from tests.report.hostile import hostile
from tests.report.test_notebook import houses, roads  # noqa: F401 - fixtures


def texts(figure):
    return [text.get_text() for text in figure.texts]


def test_size_scores_and_counts(roads, tmp_path):  # noqa: F811
    path = write_card(roads, tmp_path / "card.png")
    assert imread(path).shape[:2] == (630, 1200)
    assert path.stat().st_size < 300_000
    said = texts(card(roads))
    assert f"{roads.scores['ccq']['quality']:.3f}" in said
    assert f"{int(roads.error_summary()['missing']['count'])} missing" in said
    again = write_card(roads, tmp_path / "again.png")
    assert path.read_bytes() == again.read_bytes()


def test_objects_and_drawings_and_no_inputs(houses, roads):  # noqa: F811
    assert "2 missed" in texts(card(houses))
    lines = Drawing([bar((10, y), (90, y)) for y in (20, 40)], width=4)
    assert "no errors" in texts(card(evaluate_lines(lines, lines)))
    assert texts(card(replace(roads, inputs={}, extent=None)))


def test_names_are_no_formulas(roads, tmp_path):  # noqa: F811
    odd = replace(hostile(roads), prediction=roads.reference | {"source": r"$\frac{$ a_b^$.gpkg"})
    write_card(odd, tmp_path / "odd.png")
    assert any(r"$\frac{$" in text for text in texts(card(odd)))


def test_nothing_is_written_over_and_no_other_kind_of_file(roads, tmp_path):  # noqa: F811
    with pytest.raises(OutputError, match=r"ends in \.png, \.svg or \.pdf"):
        write_card(roads, tmp_path / "card.txt")
    (tmp_path / "card.png").write_text("mine")
    with pytest.raises(OutputError):
        write_card(roads, tmp_path / "card.png")
    assert (tmp_path / "card.png").read_text() == "mine"
