"""Results of different references, grounds or parameters are not compared unawares."""

import json

import pytest
from typer.testing import CliRunner

from geoeval import evaluate
from geoeval.cli.main import app
from geoeval.exceptions import ParameterError
from geoeval.ranking.mixing import check_comparable
from tests.networks import grid, network

TOWN, LARGER = network(grid(8, 8)), network(grid(30, 30))


def result(reference=TOWN, prediction=TOWN, **options):
    return json.loads(evaluate(reference, prediction, metrics="ccq", **options).to_json())


PLAIN = result()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (lambda: result(LARGER), "have different grounds: one was cut"),
        (lambda: result(aoi=(50, 50, 400, 400)), "have different grounds"),
        (lambda: result(network(grid(8, 8, 101.0))), "have different references"),
        (lambda: result(parameters={"ccq": {"tolerance": 3.0}}), r"parameters, ccq.tolerance [\d.]+ and 3.0"),
    ],
)
def test_what_differs_is_named(other, said):
    with pytest.raises(ParameterError, match=said):
        check_comparable([PLAIN, other()], ["a", "b"])


def test_the_same_is_the_same_whatever_the_way():
    tiled = result(tile_size=300.0)
    check_comparable([PLAIN, tiled, result(prediction=network(grid(8, 8)[::2] + grid(8, 8)[-1:]), aoi="all")], "abc")
    boxes = [result(aoi=(50, 50, 400, 400)), result(aoi=(50, 50, 400, 400), prediction=network(grid(8, 8)[2:]))]
    check_comparable(boxes, "ab")
    check_comparable([{"scores": {}}, PLAIN], "ab")  # of another program, which says nothing


def test_rank_and_studies_refuse_and_allow(tmp_path):
    files = [tmp_path / f"{name}.json" for name in "abc"]
    for file, one in zip(files, (PLAIN, PLAIN, result(aoi=(50, 50, 400, 400))), strict=True):
        file.write_text(json.dumps(one), encoding="utf-8")
    for command in (["rank"], ["study", "correlation"]):
        refused = CliRunner().invoke(app, [*command, *map(str, files)])
        assert refused.exit_code == 1
        assert "a and c have different grounds" in " ".join(refused.output.split())
        assert CliRunner().invoke(app, [*command, *map(str, files), "--mixed"]).exit_code == 0
