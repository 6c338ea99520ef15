"""The conformance suite: its files, geoeval and the slow implementations on it, its runner with other programs."""

import importlib
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from skimage.morphology import skeletonize

from tests.protocols.slow import cosmiq, go_apls, junct, lanes, masks, topo

SUITE = Path(__file__).parents[2] / "examples" / "conformance"


@pytest.fixture(scope="module")
def make():
    return module("make")


@pytest.fixture(scope="module")
def run():
    return module("run")


def module(name):
    sys.path.insert(0, str(SUITE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(SUITE))


def test_the_files_are_those_of_the_descriptions(make):
    kept = {
        path.relative_to(SUITE / "cases").as_posix(): path for path in (SUITE / "cases").rglob("*") if path.is_file()
    }
    written = make.files()
    assert set(kept) == set(written)
    assert all(kept[name].read_bytes() == content for name, content in written.items())


def test_every_protocol_has_at_least_five_cases(make, run):
    from geoeval.protocols.registry import PROTOCOLS

    roads = {name for name, protocol in PROTOCOLS.items() if protocol.content == "roads"}
    assert set(make.SUITE) == roads == set(run.ORDERS)
    assert all(len(cases) >= 5 for cases, *_ in make.SUITE.values())
    for protocol, (cases, *_) in make.SUITE.items():
        scores = {score.name for score in PROTOCOLS[protocol].scores}
        assert set(run.ORDERS[protocol]) <= scores
        assert all(set(case.expected) <= scores for case in cases)
        assert all(len(case.reasoning) > 20 for case in cases)


def test_geoeval_passes(run):
    failed = {
        name: wrong
        for name, folder, facts in run.cases(list(run.ORDERS))
        if (wrong := run.differences(facts["expected"], run.by_geoeval(folder, facts), 1e-4))
    }
    assert failed == {}


def adjacency(graph):
    places, pairs = graph
    found = {place: [] for place in places}
    for a, b in pairs:
        found[places[a]].append(places[b])
        found[places[b]].append(places[a])
    return found


def harmonic(one, other):
    return 2 * one * other / (one + other) if one + other else 0.0


def slow_topo(case):
    precision, recall, _ = topo.topo(adjacency(case.truth), adjacency(case.prediction))
    return {"precision": precision, "recall": recall}


def slow_go_apls(case):
    ways = go_apls.apls(adjacency(case.truth), adjacency(case.prediction))
    total = None if None in ways else sum(ways) / 2
    return dict(zip(("reference_to_prediction", "prediction_to_reference", "apls"), (*ways, total), strict=True))


def roads(lines):
    return cosmiq.graph_of([pair for line in lines for pair in itertools.pairwise(line)])


def slow_cosmiq_apls(case):
    found = cosmiq.apls(roads(case.truth), roads(case.prediction), min_path=case.options.get("min_path", 0.001))
    return dict(zip(("reference_to_prediction", "prediction_to_reference", "apls"), found, strict=True))


def slow_cosmiq_topo(case):
    true = roads(case.truth)
    matched, marbles, holes = cosmiq.topo(true, roads(case.prediction), list(true))
    precision, recall = matched / marbles if marbles else None, matched / holes if holes else None
    return {
        "precision": precision,
        "recall": recall,
        "f1": None if recall is None else harmonic(precision or 0, recall),
    }


def slow_junct(case):
    swapped = [{(y, x): [(b, a) for a, b in others] for (x, y), others in adjacency(one).items()}
               for one in (case.truth, case.prediction)]  # fmt: skip
    correct, extra, clusters = junct.junct(*swapped, -4096.0, 4096.0, 260.0)
    f_correct, f_error = correct / clusters, extra / (correct + extra) if correct + extra else 0.0
    return {"f_correct": f_correct, "f_error": f_error, "f1": harmonic(f_correct, 1 - f_error)}


def slow_lanes(case):
    found = lanes.geo_topo(adjacency(case.truth), adjacency(case.prediction))
    return dict(zip(("geo_precision", "geo_recall", "topo_precision", "topo_recall"), found, strict=True))


def pixels(picture):
    return np.array([[pixel == "#" for pixel in row] for row in picture])


def slow_cldice(case):
    true, guess = pixels(case.truth), pixels(case.prediction)
    thin = skeletonize(true), skeletonize(guess)
    sensitivity = (thin[0] & guess).sum() / thin[0].sum()
    precision = (thin[1] & true).sum() / thin[1].sum() if thin[1].any() else None
    total = None if precision is None else harmonic(precision, sensitivity)
    return {"cldice": total, "precision": precision, "sensitivity": sensitivity}


def slow_betti(case):
    convention = case.options.get("convention", "image")
    pair = [pixels(case.truth), pixels(case.prediction)]
    windows = [(slice(None), slice(None))]
    if convention == "closed-border":
        pair = [np.pad(mask[1:-1, 1:-1], 1) for mask in pair]
    elif convention != "image":
        size = int(convention.removeprefix("window="))
        starts = range(0, len(pair[0]), size)
        windows = [(slice(r, r + size), slice(c, c + size)) for r in starts for c in starts]
    numbers = np.array([[masks.betti(mask[window]) for mask in pair] for window in windows])
    b0, b1 = np.abs(numbers[:, 0] - numbers[:, 1]).mean(axis=0)
    if convention == "closed-border":
        return {"b0_error": None, "b1_error": b1, "betti_error": b1}
    return {"b0_error": b0, "b1_error": b1, "betti_error": b0 + b1}


SLOW = {
    "sat2graph-topo": slow_topo, "sat2graph-apls": slow_go_apls, "cosmiq-apls": slow_cosmiq_apls,
    "cosmiq-topo": slow_cosmiq_topo, "roadtracer-junct": slow_junct, "lane-geo-topo": slow_lanes,
    "cldice": slow_cldice, "betti": slow_betti,
}  # fmt: skip


@pytest.mark.parametrize("protocol", list(SLOW))
def test_the_slow_implementation_passes_too(make, run, protocol):
    for case in make.SUITE[protocol][0]:
        assert run.differences(case.expected, SLOW[protocol](case), 1e-6) == [], case.name


def ask(*arguments):
    done = subprocess.run(
        [sys.executable, str(SUITE / "run.py"), *arguments], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def test_a_program_that_prints_numbers_is_tested(tmp_path):
    """One that always says 1 passes the cases whose answer that is; cases whose options it cannot take are said."""
    program = tmp_path / "program.py"
    program.write_text(
        "import pickle, sys\n"
        "truth, prediction = (pickle.load(open(path, 'rb')) for path in sys.argv[1:])\n"
        "assert all(node in truth[other] for node in truth for other in truth[node])\n"
        "print('some words and 3 numbers 4 5')\nprint('precision=1.0 overall-recall=1.0')\n"
    )
    command = f"{sys.executable} {program} {{truth_pickle}} {{prediction_pickle}}"
    code, printed = ask("--protocol", "sat2graph-topo", "--command", command)
    rows = printed.splitlines()
    assert code == 1
    assert "PASS  sat2graph-topo/the-same-road" in rows
    assert "FAIL  sat2graph-topo/a-tripled-road-is-not: precision is 1.000000, not 38/55 = 0.690909" in rows
    assert rows[-1] == "4 passed, 4 failed, 0 skipped"
    code, printed = ask("--protocol", "betti", "--command", f"{sys.executable} -c raise(SystemExit(3)) {{truth}}")
    assert code == 1
    assert "SKIP  betti/windows: needs convention=window=4" in printed
    assert "FAIL  betti/a-hole-is-filled: exit code 3: nothing printed" in printed


def test_options_of_a_case_reach_the_program(run, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import sys\nassert sys.argv[1:] == ['--set=window=4'], sys.argv\nprint('0.5 0 0.5')\n")
    told = {"expected": {"b0_error": "1/2", "b1_error": "0"}, "options": {"window": 4}}
    ask_program = run.by_command(f"{sys.executable} {program} --set={{options}}", run.ORDERS["betti"], 60.0)
    found = ask_program(SUITE / "cases" / "betti" / "windows", told)
    assert run.differences(told["expected"], found, 1e-9) == []


@pytest.mark.parametrize(
    ("printed", "found"),
    [
        ('{"scores": {"x": {"precision": 0.5, "recall": null}}}', {"precision": 0.5, "recall": None}),
        ("log 1 2 3\n0.25 NaN 7\n", {"precision": 0.25, "recall": None}),
        ("P .5 R 1e-3\n", {"precision": 0.5, "recall": 0.001}),
        ("no numbers here", {}),
    ],
)
def test_scores_are_found_in_what_is_printed(run, printed, found):
    assert run.scores_in(printed, ["precision", "recall"], ("precision", "recall")) == found


def test_case_files_say_why(run):
    for name, folder, facts in run.cases(list(run.ORDERS)):
        assert {"protocol", "rule", "reasoning", "options", "expected"} == set(facts), name
        assert json.loads((folder / "case.json").read_text()) == facts
