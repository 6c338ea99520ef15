"""What the engine can do: its commands, metrics and scores.

The packaged plugin carries this as ``engine.json``, written from the engine that is packaged with it, so that a
command or metric that the engine gains appears here by itself. A checkout has no such file: there the engine is asked.
"""

import json
import subprocess
from pathlib import Path

from . import environment, runner

HERE = Path(__file__).parent
FILE = HERE / "engine.json"
SCRIPT = HERE / "describe_engine.py"

_known = None


class Description:
    """Version, commands and metrics of the engine.

    ``kinds`` holds for each kind of map content (roads, objects, lines) and each metric its ``headline`` score,
    ``about``, ``in_all``, ``parameters`` with their default values, and the names of its ``scores``, each with the name
    of its field in layers. ``errors`` are the controlled errors that can be put into a network.
    """

    def __init__(self, facts):
        self.version = facts.get("version", "")
        self.protocol = facts.get("protocol")
        self.commands = tuple(facts.get("commands", ()))
        self.kinds = facts.get("kinds", {})
        self.errors = facts.get("errors", [])

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


def description():
    """What the engine can do; asked once a session."""
    global _known  # noqa: PLW0603 - asking takes seconds in a checkout
    if _known is None:
        _known = Description(json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else _ask())
    return _known


def _ask():
    """The engine's own answer; nothing where there is no engine yet."""
    found = environment.find()
    if found is None or found.python is None:
        return {}
    try:
        done = subprocess.run(
            [*runner.isolated(found.python), str(SCRIPT)],
            capture_output=True,
            env=runner.child_environment(),
            timeout=120,
            check=True,
            **runner.no_window(),
        )
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return {}
