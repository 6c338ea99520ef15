"""Two predictions under every ruler."""

import numpy as np
import pytest
from typer.testing import CliRunner

from geoeval.benchmarking.rulers import VARIANTS, all_settings, ruler_noise, rulers_figure
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError
from geoeval.protocols.registry import PROTOCOLS
from geoeval.protocols.running import choose_protocol
from tests.benchmarking.folders import grid_dict, write_pickles


def test_every_protocol_is_a_ruler_and_every_variant_exists():
    settings = list(all_settings("all", 2, 0))
    families = [one.family for one in settings]
    assert set(PROTOCOLS) < set(families)
    assert sum(one.family == "geoeval" for one in settings) == 8
    assert [one.words for one in settings if one.family == "sat2graph-apls"] == ["", "15", "10", "order 1", "order 2"]
    for name, parameters in VARIANTS.items():
        assert set(parameters) <= set(choose_protocol(name)[0].defaults)


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rulers")
    rows = [50, 150, 250, 350]
    graphs = {"gt": rows, "good": rows, "poor": rows[:2]}
    return [
        write_pickles(folder / name, {f"{n}.p": grid_dict(400, rows=[row + 3 * n for row in own]) for n in range(2)})
        for name, own in graphs.items()
    ]


def test_a_method_that_is_the_truth_wins_under_all_rulers_and_losing_is_the_mirror(sides):
    truth, good, poor = sides
    options = {"metrics": "ccq,opt-j", "orders": 1, "pixel_size": 1.0}
    found = ruler_noise(truth, good, poor, **options)
    assert found.names == ("good", "poor")
    assert found.places == 2
    assert set(found.table["family"]) >= {"sat2graph-topo", "sat2graph-apls", "citraro", "geoeval"}
    assert found.wins["B"] == 0
    assert found.wins["A"] == len(found.table) - found.wins["tie"] > 15
    assert any("is not an image" in line for line in found.left_out)
    # Each rule of a protocol is a ruler of its own.
    topo = found.table[(found.table["family"] == "sat2graph-topo") & (found.table["setting"] == "")]
    assert topo["rule"].tolist() == ["city", "spacenet", "mean", "pooled"]
    families = found.families().set_index("family")
    own = found.table[found.table["family"] == "sat2graph-topo"]
    assert families.loc["sat2graph-topo", "spread_B"] == pytest.approx(own["B"].max() - own["B"].min())
    mirrored = ruler_noise(truth, poor, good, **options)
    assert mirrored.wins == {"A": 0, "B": found.wins["A"], "tie": found.wins["tie"]}
    assert np.allclose(mirrored.table["difference"], -found.table["difference"])
    assert f"under {found.wins['A']} of {len(found.table)} rulers" in found.said()


def test_the_command_writes_page_plot_and_tables(sides, tmp_path):
    files = [str(side / "0.p") for side in sides]
    options = ["--metrics", "ccq", "--orders", "0", "--pixel-size", "1", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, ["study", "rulers", *files, *options])
    assert done.exit_code == 0, done.output
    assert "one place has both" in done.stdout
    assert "not used: cldice" in done.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"page.html", "plot.png", "plot.svg", "rulers.csv", "families.csv"} <= names
    assert "Not used" in (tmp_path / "out" / "page.html").read_text()


def test_one_reason_is_one_line(sides):
    found = ruler_noise(*(str(side / "0.p") for side in sides), metrics="ccq,opt-j,apls", orders=0)
    ours = [line for line in found.left_out if line.startswith("geoeval")]
    assert len(ours) == 1
    assert all(name in ours[0] for name in ("ccq", "opt-j", "apls"))


def test_nothing_fits():
    with pytest.raises(ParameterError, match="no ruler can score these maps"):
        ruler_noise({"a": 1}, {"a": 2}, {"a": 3}, metrics="ccq", orders=0)


def test_large_tiles_are_not_measured_with_rulers_for_small_ones(tmp_path):
    truth = grid_dict(1300, step=400)
    found = ruler_noise(truth, truth, grid_dict(1300, step=400, rows=[200]), metrics="ccq", orders=0, pixel_size=1.0)
    small = [line for line in found.left_out if "published for tiles below 1111 px" in line]
    assert [line.split(": ")[0].count(",") for line in small] == [2], "three rulers, one line"
    figure = rulers_figure(found)
    assert len(figure.axes[0].get_yticklabels()) == len(found.table)
