"""Run by the interpreter that has geoeval: prints its commands, metrics and scores as JSON."""

import json


def describe():
    """The facts that the plugin builds its parameters and outputs from."""
    import geoeval
    from geoeval.cli.main import app
    from geoeval.cli.progress import PROTOCOL
    from geoeval.roads.registry import METRICS

    commands = [entry.name or entry.callback.__name__.replace("_", "-") for entry in app.registered_commands]
    commands += [entry.name for entry in app.registered_groups if entry.name]
    return {
        "version": geoeval.__version__,
        "protocol": PROTOCOL,
        "commands": sorted(commands),
        "metrics": {
            metric.name: {
                "headline": metric.headline,
                "about": metric.about,
                "in_all": metric.in_all,
                "parameters": metric.defaults,
                "scores": scores,
            }
            for metric, scores in score_names(METRICS.values())
        },
    }


def score_names(metrics):
    """Each metric with the names of its scores, from an evaluation of a single crossing."""
    from geoeval import RoadNetwork
    from geoeval.roads.evaluate import evaluate_roads

    lines = [[(-100, 0), (0, 0), (100, 0)], [(0, -100), (0, 0), (0, 100)]]
    crossing = RoadNetwork.from_lines(lines, crs="EPSG:32633")
    for metric in metrics:
        yield metric, list(evaluate_roads(crossing, crossing, metrics=metric.name).scores[metric.name])


if __name__ == "__main__":
    print(json.dumps(describe(), indent=1, default=str))  # noqa: T201 - the answer
