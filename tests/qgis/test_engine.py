"""What the plugin knows of its engine, and what it says about one that does not answer."""

import ast
import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from geoeval.contents import CONTENTS
from geoeval.metrics.registry import registry_of
from geoeval.model.error_kinds import KINDS

from tests.qgis.desk import PLUGIN, program

DESCRIBE = PLUGIN / "geoeval_qgis" / "describe_engine.py"
# How an interpreter can fail, and words of the message about it.
FAILURES = [
    ("echo 'first' >&2; echo 'ImportError: no libgeos' >&2; exit 1", ["ImportError: no libgeos"]),
    ("exit 3", ["ended with code 3"]),
    ("kill -SEGV $$", ["ended by SIGSEGV"]),
    ("echo 'Welcome to the machine'; exit 0", ["Welcome to the machine"]),
    ("exit 0", ["nothing"]),
]


@pytest.fixture(autouse=True)
def own_data(tmp_path, monkeypatch):
    """A data directory without the environment or the answers of another test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Makes the plugin use an interpreter that does as told."""

    def use(behaviour: str) -> str:
        path = program(tmp_path / "broken-python", behaviour)
        monkeypatch.setenv("GEOEVAL_PYTHON", str(path))
        return str(path)

    return use


def check_message(message: str, program_name: str, words: list[str]) -> None:
    """One line that names the program, its own words, and what to do."""
    assert program_name in message
    assert "GEOEVAL_PYTHON" in message
    assert "install geoeval" in message
    assert "\n" not in message
    assert "Traceback" not in message
    for word in words:
        assert word in message


@pytest.mark.parametrize(("behaviour", "words"), FAILURES)
def test_an_engine_that_fails_is_one_message(plugin, broken, behaviour, words):
    name = broken(behaviour)
    # Opening an algorithm does not start the engine; running it does, and from then on the failure is known.
    assert plugin.engine.problem(ask=False) is None
    message = plugin.engine.problem()
    check_message(message, name, words)
    assert "remove this entry and run" in message
    assert plugin.engine.problem(ask=False) == message
    assert plugin.engine.description().metrics("roads")


def test_an_engine_that_hangs_is_given_up(plugin, checkout_of, broken, monkeypatch):
    name = broken("sleep 600")
    monkeypatch.setattr(plugin.environment, "PATIENCE", 0.5)
    check_message(plugin.engine.problem(), name, ["no answer within 0.5 seconds"])
    checkout_of(plugin)
    check_message(plugin.engine.description().problem, name, ["no answer within 0.5 seconds"])


@pytest.fixture
def checkout_of(monkeypatch, tmp_path):
    """Takes from a packaged plugin what a checkout does not have."""

    def strip(plugin) -> None:
        monkeypatch.setattr(plugin.engine, "FILE", tmp_path / "no such file")
        monkeypatch.setattr(plugin.environment, "WHEELS", tmp_path / "no such folder")

    return strip


def test_an_engine_of_another_version_is_named_with_both_versions(plugin, broken):
    wanted = plugin.engine.description().version
    name = broken("echo geoeval 99.1.2")
    check_message(plugin.engine.problem(), name, ["has geoeval 99.1.2", f"made for {wanted}"])
    assert plugin.engine.problem(ask=False) == plugin.engine.problem()
    broken(f"echo geoeval {wanted}")
    plugin.environment.forget()
    assert plugin.engine.problem() is None


def test_an_engine_that_was_repaired_is_asked_again(plugin, broken):
    broken("echo 'ImportError: gone' >&2; exit 1")
    assert "ImportError: gone" in plugin.engine.problem()
    broken(f"echo geoeval {plugin.engine.description().version}")
    assert plugin.engine.problem(ask=False) is None


@pytest.mark.parametrize(("behaviour", "words"), FAILURES)
def test_a_checkout_says_what_its_engine_answers(checkout, broken, behaviour, words):
    name = broken(behaviour)
    check_message(checkout.engine.description().problem, name, words)
    check_message(checkout.engine.problem(ask=False), name, words)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"protocol": 99}, "protocol 99"),
        ({"version": ""}, "no version"),
        ({"kinds": {}}, "no metrics of roads"),
        ({"error_kinds": []}, "incomplete for roads"),
        ({"error_kinds": "none"}, "another form than expected"),
        ({"kinds": [1, 2]}, "another form than expected"),
    ],
)
def test_a_checkout_does_not_take_half_an_answer(checkout, broken, tmp_path, change, words):
    (tmp_path / "answer.json").write_text(json.dumps(facts_of_engine() | change))
    name = broken(f"cat '{tmp_path / 'answer.json'}'")
    check_message(checkout.engine.description().problem, name, [words])


def test_a_checkout_keeps_the_last_answer(checkout, broken, monkeypatch, tmp_path):
    monkeypatch.setenv("GEOEVAL_PYTHON", sys.executable)
    good = checkout.engine.description()
    assert good.problem is None
    assert checkout.engine.problem() is None
    broken("echo 'ImportError: gone' >&2; exit 1")
    stale = checkout.engine.description()
    assert "ImportError: gone" in stale.problem
    assert stale.kinds == good.kinds
    assert stale.sinks("roads") == good.sinks("roads")
    # Repaired, it is asked again.
    (tmp_path / "answer.json").write_text(json.dumps(facts_of_engine()))
    version = f"case \"$*\" in *--version*) echo geoeval {good.version};; *) cat '{tmp_path / 'answer.json'}';; esac"
    broken(version)
    assert checkout.engine.problem(ask=False) is None
    assert checkout.engine.description().problem is None


def test_a_checkout_without_any_engine_says_so(checkout, monkeypatch):
    monkeypatch.delenv("GEOEVAL_PYTHON", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    assert checkout.environment.find() is None
    assert "not set up yet" in checkout.engine.description().problem
    assert checkout.engine.description().problem == checkout.engine.problem(ask=False)


def test_a_damaged_file_of_facts_is_said(plugin, monkeypatch, tmp_path):
    (tmp_path / "engine.json").write_text('{"version": "0.1.0", "kinds": {')
    monkeypatch.setattr(plugin.engine, "FILE", tmp_path / "engine.json")
    monkeypatch.setenv("GEOEVAL_PYTHON", sys.executable)
    assert "install the plugin again" in plugin.engine.description().problem
    assert "install the plugin again" in plugin.engine.problem()


def test_an_environment_of_its_own_that_broke_is_set_up_again(plugin, monkeypatch):
    monkeypatch.delenv("GEOEVAL_PYTHON", raising=False)
    place = plugin.environment.own_directory()
    python = plugin.environment.python_in(place)
    python.parent.mkdir(parents=True)
    program(python, "echo 'ImportError: gone' >&2; exit 1")
    (place / plugin.environment.MARKER).write_text("{}")
    message = plugin.engine.problem()
    assert "ImportError: gone" in message
    # Without this tick nothing would be done, because the environment is there.
    assert f'and tick "{plugin.environment.AGAIN_TITLE}"' in message


def facts_of_engine() -> dict:
    done = subprocess.run([sys.executable, "-I", DESCRIBE], capture_output=True, text=True, check=False, timeout=400)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_facts_are_those_of_the_engine():
    facts = facts_of_engine()
    assert list(facts["kinds"]) == list(CONTENTS)
    for content, metrics in facts["kinds"].items():
        registry = registry_of(content)
        assert list(metrics) == list(registry.metrics)
        for name, told in metrics.items():
            metric = registry.metrics[name]
            assert (told["headline"], told["in_all"]) == (metric.headline, metric.in_all)
            assert told["parameters"] == json.loads(json.dumps(metric.defaults))
            assert list(told["scores"]) == [score.name for score in metric.scores]
            for score in metric.scores:
                declared = told["declared"][score.name]
                assert (declared["better"], tuple(declared["range"]), declared["unit"], declared["about"]) == (
                    score.better, score.range, score.unit, score.about,
                )  # fmt: skip
        fields = [field for told in metrics.values() for field in told["scores"].values()]
        assert len(set(fields)) == len(fields)
        assert max(map(len, fields)) <= 10
    assert [kind["name"] for kind in facts["error_kinds"]] == list(KINDS)
    for told in facts["error_kinds"]:
        kind = KINDS[told["name"]]
        for fact in ("label", "plural", "about", "colour", "hidden", "is_error"):
            assert told[fact] == getattr(kind, fact)
        assert [tuple(layer.values()) for layer in told["layers"]] == [
            (layer.content, layer.geometry, layer.title, layer.always, layer.rare) for layer in kind.layers
        ]


@pytest.mark.parametrize("content", CONTENTS)
def test_a_kind_that_cannot_be_described_fails_loudly(content):
    code = (
        f"import runpy, geoeval.{content}.registry as broken\ndel broken.REGISTRY\n"
        f"runpy.run_path({str(DESCRIBE)!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=400)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert f"geoeval.{content}.registry" in line


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ("echo 'ImportError: gone' >&2; exit 1", "ImportError: gone"),
        ("echo 'Welcome to the machine'", "Welcome to the machine"),
        ("""echo '{"version": "0.1.0", "protocol": 1, "commands": ["roads"], "kinds": {}}'""", "KeyError: 'errors'"),
    ],
)
def test_no_zip_is_made_with_an_engine_that_does_not_answer(tmp_path, behaviour, words):
    python = program(tmp_path / "python", behaviour)
    done = subprocess.run(
        [sys.executable, PLUGIN / "package", tmp_path / "out", "--python", python],
        capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 1
    assert words in done.stderr
    assert done.stderr.startswith("package: ")
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("content", CONTENTS)
def test_every_layer_of_the_table_has_a_sink_of_its_own(checkout, content):
    described = checkout.engine.Description(facts_of_engine())
    sinks = described.sinks(content)
    layers = [(kind.name, layer) for kind in KINDS.values() for layer in kind.layers if layer.content == content]
    assert {(sink.role, sink.geometry, sink.title, sink.rare) for sink in sinks} == {
        (name, layer.geometry, layer.title, layer.rare) for name, layer in layers
    }
    assert len({sink.name for sink in sinks}) == len({sink.title for sink in sinks}) == len(layers)
    assert not {"SCORES", "GRID", "REPORT", "JSON"} & {sink.name for sink in sinks}


def test_a_new_kind_of_error_needs_no_change_here(checkout):
    facts = facts_of_engine()
    layers = [
        {"content": "roads", "geometry": "points", "title": "Potholes", "always": True, "rare": False},
        {"content": "roads", "geometry": "lines", "title": "Long potholes", "always": False, "rare": True},
    ]
    kind = {"name": "pot_hole", "label": "Pot hole", "plural": "pot holes", "hidden": False, "is_error": True}
    facts["error_kinds"].append({**kind, "layers": layers})
    described = checkout.engine.Description(facts)
    found = {sink.name: sink for sink in described.sinks("roads")}
    assert found["POT_HOLES"][1:] == ("pot_hole", "points", "Potholes", False, True)
    assert found["POT_HOLE_LINES"].rare
    assert described.label("pot_hole") == "Pot holes"
    assert described.is_shown("pot_hole")
    assert described.label("from_the_future") == "From the future"
    assert described.is_shown("from_the_future")


def test_what_is_hidden_and_what_is_made_by_default(checkout):
    described = checkout.engine.Description(facts_of_engine())
    assert not described.is_shown("culprit")
    assert not described.is_shown("matched")
    assert described.is_shown("missing")
    by_default = {sink.name: sink.by_default for sink in described.sinks("objects")}
    assert by_default == {"MISSED": True, "FALSE_ALARMS": True, "SPLIT": True, "MERGED": True, "BOUNDARIES": True,
                          "DISPLACED": True, "MATCHED": False, "LINKS": False}  # fmt: skip


def test_tests_of_the_plugin_skip_only_where_qgis_is_absent():
    """An engine that does not answer must fail here, not skip."""
    words = {"skip", "skipif", "importorskip", "xfail"}
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text()))
        lines = [node.lineno for node in nodes if isinstance(node, ast.Attribute) and node.attr in words]
        assert len(lines) == (2 if path.name == "desk.py" else 0), f"{path.name}, lines {lines}"
    reasons = runpy.run_path(str(Path(__file__).parent / "desk.py"))
    for name in ("needs_qgis", "needs_desktop"):
        assert "QGIS is not installed" in reasons[name].kwargs["reason"]
