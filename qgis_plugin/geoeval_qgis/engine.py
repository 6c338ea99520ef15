"""What the engine can do: its commands, metrics, scores and kinds of errors. No QGIS here.

The packaged plugin carries these facts as ``engine.json``, written from the engine that is packaged with it, so that
whatever the engine gains appears here by itself. A checkout has no such file: there the engine is asked. If it does
not answer, its last answer is used, so that no algorithm disappears, and ``problem`` says what is wrong.
"""

import contextlib
import json
import re
from pathlib import Path
from typing import NamedTuple

from . import environment, runner

HERE = Path(__file__).parent
FILE = HERE / "engine.json"
SCRIPT = HERE / "describe_engine.py"
CONTENTS = ("roads", "objects", "lines")

# Descriptions by the interpreter that was asked; None for engine.json.
_known = {}


class Sink(NamedTuple):
    """A layer of errors that an evaluation can give.

    ``rare``: it is among the advanced parameters. ``by_default``: a dialog makes it unless told otherwise.
    """

    name: str
    role: str
    geometry: str
    title: str
    rare: bool = False
    by_default: bool = True


class Description:
    """Version, commands, metrics and kinds of errors of the engine.

    ``kinds`` holds for each kind of map content (roads, objects, lines) and each metric its ``headline`` score,
    ``about``, ``in_all``, ``parameters`` with their default values, the names of its ``scores``, each with the name of
    its field in layers, and what is ``declared`` about them. ``errors`` are the errors that can be put into a network.
    ``error_kinds`` are the rows of the engine's table of error kinds, by name.

    ``problem`` is one line about why the engine itself could not be asked, or None; the facts are then the last known.
    """

    def __init__(self, facts, problem=None):
        self.version = facts.get("version", "")
        self.commands = tuple(facts.get("commands", ()))
        self.kinds = facts.get("kinds", {})
        self.errors = facts.get("errors", [])
        self.error_kinds = {kind["name"]: kind for kind in facts.get("error_kinds", ())}
        self.problem = problem

    def metrics(self, kind):
        """Facts of the metrics of a kind, by name."""
        return self.kinds.get(kind, {})

    def usual_metrics(self, kind):
        """Names of the metrics that are evaluated unless others are chosen."""
        return [name for name, facts in self.metrics(kind).items() if facts["in_all"]]

    def default(self, kind, metric, parameter, otherwise):
        """Default value of a metric's parameter."""
        return self.metrics(kind).get(metric, {}).get("parameters", {}).get(parameter, otherwise)

    def with_parameter(self, kind, parameter):
        """Metrics that have this parameter."""
        return [name for name, facts in self.metrics(kind).items() if parameter in facts["parameters"]]

    def sinks(self, content):
        """The layers of errors that an evaluation of this content can give; the rarely used ones last."""
        found = []
        for kind in self.error_kinds.values():
            layers = [layer for layer in kind["layers"] if layer["content"] == content]
            for layer in layers:
                name = sink_name(kind, layer["geometry"], layers[0]["geometry"])
                found.append(
                    Sink(name, kind["name"], layer["geometry"], layer["title"], layer["rare"], kind["is_error"])
                )
        return sorted(found, key=lambda sink: sink.rare)

    def label(self, role):
        """What the legend calls errors of a kind."""
        kind = self.error_kinds.get(role)
        text = role.replace("_", " ") if kind is None else kind["plural"]
        return text[:1].upper() + text[1:]

    def is_shown(self, role):
        """Whether the map shows this kind from the start."""
        kind = self.error_kinds.get(role)
        return kind is None or (kind["is_error"] and not kind["hidden"])


def sink_name(kind, geometry, usual):
    """The plural in capitals for a kind's usual geometry (``FALSE_LINKS``), else ``FALSE_LINK_POINTS``."""
    text = kind["plural"] if geometry == usual else f"{kind['name']} {geometry}"
    return re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_")


def description():
    """What the engine can do; if it has to be asked, it is asked once per session."""
    found = None if FILE.exists() else environment.find()
    asked = None if found is None else found.command[0]
    if asked not in _known:
        _known[asked] = _describe(found)
    return _known[asked]


def problem(*, ask=True):
    """One line that says why no evaluation can run and what to do, or None if all is well.

    With ``ask``, the engine is started once per session and asked for its version. An engine that failed is always
    asked again, because it may have been repaired.
    """
    why = environment.problem(ask=ask)
    if why is None and description().problem is not None:
        _known.clear()
        why = description().problem
    return why or _other_version()


def _other_version():
    """The message for an interpreter whose geoeval is not the version that the plugin is made for, or None."""
    found, wanted = environment.find(), description().version
    version = environment.version_of(found)
    if version in (None, wanted):
        return None
    return (
        f"{found.command[0]} (from {found.origin}) has geoeval {version}, but this plugin is made for {wanted}; "
        f"{environment.how_to_mend(found, wanted)}"
    )


def _describe(found):
    if FILE.exists():
        try:
            return Description(_parse(FILE.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            return Description(_last_answer(), f"{FILE} cannot be used ({error}); install the plugin again")
    try:
        facts = _ask(found)
    except runner.EngineError as error:
        return Description(_last_answer(), str(error))
    _keep(facts)
    return Description(facts)


def _ask(found):
    """The engine's own answer."""
    if found is None:
        raise runner.EngineError(environment.problem(ask=False))
    who = f"{found.command[0]} (from {found.origin})"
    if found.python is None:
        raise runner.EngineError(
            f"{who} does not reveal its interpreter, and this copy of the plugin was not built by "
            f"qgis_plugin/package; name the interpreter in {environment.VARIABLE}"
        )
    try:
        return _parse(environment.answer_of([*runner.isolated(found.python), str(SCRIPT)]))
    except (runner.EngineError, ValueError) as error:
        raise runner.EngineError(f"{who} does not work ({error}); {environment.how_to_mend(found)}") from None


def _parse(answer):
    """The facts in an answer; raises ValueError if it is not complete."""
    try:
        facts = json.loads(answer)
    except ValueError:
        shown = " ".join(answer.split())[:60] or "nothing"
        raise ValueError(f"it answered with something other than JSON: {shown}") from None
    why = unusable(facts)
    if why is not None:
        raise ValueError(why)
    return facts


def unusable(facts):
    """Why the plugin cannot be built from these facts, or None."""
    try:
        return _lacking(facts)
    except (AttributeError, KeyError, TypeError) as error:
        return f"its answer has another form than expected: {type(error).__name__}: {error}"


def _lacking(facts):
    if facts["protocol"] != runner.PROTOCOL:
        return f"it speaks protocol {facts['protocol']}, this plugin {runner.PROTOCOL}"
    for name in ("version", "commands", "errors"):
        if not facts[name]:
            return f"its answer has no {name}"
    described = Description(facts)
    for content in CONTENTS:
        metrics = described.metrics(content)
        if not metrics:
            return f"its answer has no metrics of {content}"
        for name, metric in metrics.items():
            if metric["headline"] not in metric["scores"] or not isinstance(metric["parameters"], dict):
                return f"its answer is incomplete for {content}.{name}"
        if not described.usual_metrics(content) or not described.sinks(content):
            return f"its answer is incomplete for {content}"
    return None


def _answer_file():
    return environment.data_directory() / "engine.json"


def _last_answer():
    """The facts of the last engine that answered; empty if there was none."""
    with contextlib.suppress(OSError, ValueError):
        return _parse(_answer_file().read_text(encoding="utf-8"))
    return {}


def _keep(facts):
    """Keep an answer in case the engine fails to give one later; a read-only disk is not an error."""
    file = _answer_file()
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(facts), encoding="utf-8")
        part.replace(file)
