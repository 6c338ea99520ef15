"""Run by the interpreter that has geoeval: prints what the plugin needs to know as JSON, or fails with one line."""

import json
import sys
from dataclasses import asdict

# The columns of the table of error kinds that the plugin needs.
KIND_FACTS = ("name", "label", "plural", "about", "colour", "hidden", "is_error")


def describe():
    """The facts that the plugin builds its parameters and outputs from."""
    import geoeval
    from geoeval.cli.main import app
    from geoeval.cli.progress import PROTOCOL
    from geoeval.metrics.registry import CONTENTS
    from geoeval.model.error_kinds import KINDS
    from geoeval.perturbation.perturb import errors_of

    commands = [entry.name or entry.callback.__name__.replace("_", "-") for entry in app.registered_commands]
    commands += [entry.name for entry in app.registered_groups if entry.name]
    return {
        "version": geoeval.__version__,
        "protocol": PROTOCOL,
        "commands": sorted(commands),
        "kinds": {content: metrics_of(content) for content in CONTENTS},
        "errors": [name.replace("_", "-") for name in errors_of("roads")],
        "error_kinds": [
            {**{fact: getattr(kind, fact) for fact in KIND_FACTS}, "layers": [asdict(layer) for layer in kind.layers]}
            for kind in KINDS.values()
        ],
    }


def metrics_of(content):
    """The metrics of a kind of map content, each with its parameters and declared scores."""
    from geoeval.metrics.registry import registry_of
    from geoeval.writers.names import field_names

    metrics = registry_of(content).metrics
    fields = field_names(f"{name}.{score.name}" for name, metric in metrics.items() for score in metric.scores)
    return {
        name: {
            "headline": metric.headline,
            "about": metric.about,
            "in_all": metric.in_all,
            "parameters": metric.defaults,
            "scores": {score.name: fields[f"{name}.{score.name}"] for score in metric.scores},
            "declared": {score.name: declaration_of(score) for score in metric.scores},
        }
        for name, metric in metrics.items()
    }


def declaration_of(score):
    """What a metric declares about a score."""
    return {"about": score.about, "better": score.better, "range": score.range, "unit": score.unit}


if __name__ == "__main__":
    try:
        answer = json.dumps(describe(), indent=1)
    except Exception as error:  # noqa: BLE001 - whatever is wrong, the plugin shows this one line
        sys.exit(f"geoeval cannot be described: {type(error).__name__}: {error}")
    print(answer)  # noqa: T201 - the answer
