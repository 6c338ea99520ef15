"""Run by the interpreter that has geoeval: prints its commands, metrics, scores and controlled errors as JSON."""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

# One crossing, one building, one line: enough to see which scores a metric gives.
ROADS = [[[9.0, 50.0], [9.001, 50.0], [9.002, 50.0]], [[9.001, 49.999], [9.001, 50.0], [9.001, 50.001]]]
BUILDING = [[9.0, 50.0], [9.001, 50.0], [9.001, 50.001], [9.0, 50.001], [9.0, 50.0]]
LINE = "10 10 110 10 5\n"


def describe():
    """The facts that the plugin builds its parameters and outputs from."""
    import geoeval
    from geoeval.cli.main import app
    from geoeval.cli.progress import PROTOCOL

    commands = [entry.name or entry.callback.__name__.replace("_", "-") for entry in app.registered_commands]
    commands += [entry.name for entry in app.registered_groups if entry.name]
    with tempfile.TemporaryDirectory() as folder:
        files = examples(Path(folder))
        kinds = {
            kind: metrics_of(kind, file, Path(folder) / f"{kind}.json", app)
            for kind, file in files.items()
            if kind in commands
        }
    return {
        "version": geoeval.__version__,
        "protocol": PROTOCOL,
        "commands": sorted(commands),
        "kinds": {kind: metrics for kind, metrics in kinds.items() if metrics},
        "errors": controlled_errors(),
    }


def examples(folder):
    """A file of each kind of map content."""
    geometries = {
        "roads": [{"type": "LineString", "coordinates": line} for line in ROADS],
        "objects": [{"type": "Polygon", "coordinates": [BUILDING]}],
    }
    files = {"lines": folder / "lines.txt"}
    files["lines"].write_text(LINE, encoding="utf-8")
    for kind, shapes in geometries.items():
        files[kind] = folder / f"{kind}.geojson"
        rows = [{"type": "Feature", "properties": {}, "geometry": shape} for shape in shapes]
        files[kind].write_text(json.dumps({"type": "FeatureCollection", "features": rows}), encoding="utf-8")
    return files


def metrics_of(kind, file, result, app):
    """Metrics of a kind with their parameters and scores; nothing, and a word about it, where they cannot be had."""
    from geoeval.registry import registry_of
    from geoeval.writers.names import field_names

    try:
        metrics = registry_of(kind).metrics
        arguments = [kind, str(file), str(file), "--metrics", ",".join(metrics), "--json", str(result)]
        with contextlib.redirect_stdout(io.StringIO()):
            app(arguments, standalone_mode=False)
        scores = json.loads(result.read_text(encoding="utf-8"))["scores"]
    except Exception as error:  # noqa: BLE001 - a kind that is not finished must not stop the others
        print(f"{kind}: {error}", file=sys.stderr)  # noqa: T201
        return {}
    fields = field_names(f"{name}.{score}" for name, values in scores.items() for score in values)
    return {
        name: {
            "headline": metric.headline,
            "about": metric.about,
            "in_all": metric.in_all,
            "parameters": metric.defaults,
            "scores": {score: fields[f"{name}.{score}"] for score in scores[name]},
        }
        for name, metric in metrics.items()
        if name in scores
    }


def controlled_errors():
    """Names of the errors that can be put into a network, as the command line spells them."""
    try:
        from geoeval.synthetic.roads import ERRORS
    except ImportError:
        return []
    return [name.replace("_", "-") for name in ERRORS]


if __name__ == "__main__":
    print(json.dumps(describe(), indent=1, default=str))  # noqa: T201 - the answer
