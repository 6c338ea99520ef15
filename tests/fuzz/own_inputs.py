"""What geoeval and its plugin write themselves and read again: runs, verdicts, plans, stores, tiles and more.

To add one, write a function that takes a path and raises what reading it raises, and add a row to ``OWN``.
"""

import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from geoeval.exceptions import GeoevalError


@cache
def small_result():
    """An evaluation of a few roads, with errors and a plan."""
    from geoeval import RoadNetwork, evaluate

    lines = [[(0, 0), (900, 0)], [(450, 0), (450, 300)], [(450, 300), (900, 300)]]
    reference, prediction = (RoadNetwork.from_lines(some, crs="EPSG:32632") for some in (lines, lines[:2]))
    return evaluate(reference, prediction, metrics="ccq,opt-j", aoi=(-50, -50, 800, 350))


@cache
def small_run():
    """The file of that evaluation, with a verdict in it, as bytes; and the verdict as CSV."""
    from geoeval import review

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        run = Path(folder) / "run.gpkg"
        found = review(small_result(), run)
        found.judge(found.errors["error_id"][0], "reference-is-wrong", remark="gone")
        return run.read_bytes(), found.write_verdicts(Path(folder) / "verdicts.csv").read_bytes()


def read_run(path):
    """Judge an error of a run, look at the scores as judged, and hand it on."""
    from geoeval import review

    found = review(path)
    for number in found.errors["error_id"][:1]:
        found.judge(number, "error")
    json.dumps(found.judged(), allow_nan=False)
    found.write_verdicts(path.with_name("verdicts.csv"))
    found.export(path.with_name("tasks.geojson"), overwrite=True)


def read_verdicts(path):
    """Take verdicts from a file into a run."""
    from geoeval import review

    run = path.with_name("run.gpkg")
    run.write_bytes(small_run()[0])
    review(run).read_verdicts(path)


def read_scores_of(path):
    """Rank a table, or a result beside a whole one of the same ground."""
    from geoeval.ranking.rank import rank
    from geoeval.ranking.score_tables import read_scores

    files = [path]
    if path.name == "result.json":
        files.append(path.with_name("whole.json"))
        files[1].write_text(json.dumps(small_result().plain()))
    scores = read_scores(files, mixed=False)
    rank(scores.table, indicators=scores.headlines, lower=scores.lower)


def read_previous(path):
    """Compare with an earlier result, as ``--previous`` does."""
    from geoeval.cli.table import print_changes
    from geoeval.ranking.score_tables import read_result

    print_changes(small_result(), read_result(path), to_stderr=True)


def read_plan(path):
    """Choose the edits of a plan that somebody has changed."""
    from geoeval.model.plan import chosen_edits

    chosen_edits(small_result().plan, path)


def read_store(path):
    """A store of a town, damaged in the cache: it must be made again, and be the same."""
    from geoeval.scale.store.cache import cached_store
    from tests.fuzz.seeds import NODES, WAYS, write, xml

    damaged = path.read_bytes()
    os.environ["XDG_CACHE_HOME"] = str(path.parent / "cache")
    source = write(path.with_name("whole.osm.pbf"), xml(*NODES, *WAYS))
    store = cached_store(source)
    whole, ways = store.path.read_bytes(), store.read_all().source.tolist()
    store.path.write_bytes(damaged)
    again = cached_store(source)
    if again.path.read_bytes() != whole or again.read_all().source.tolist() != ways:
        raise AssertionError("a damaged store was used")


def read_part(path):
    """A kept tile, damaged: it must be told from a whole one."""
    from geoeval.scale.tiles.run_folder import RunFolder

    folder = RunFolder(path.parent / "run", {"tile size": 1})
    folder.put("0_0", b"whole")
    folder._file("0_0").write_bytes(path.read_bytes())
    if folder.get("0_0") is not None:
        raise AssertionError("a damaged tile was used")


def read_engine(path):
    """What the plugin hears from the engine: an answer that is understood, or a reason why not."""
    engine, runner = _plugin()
    text = path.read_text(encoding="utf-8", errors="replace")
    for line in text.splitlines():
        runner._parse(line)
    try:
        engine._parse(text)
    except ValueError as error:
        raise GeoevalError(" ".join(str(error).split())) from error


def read_request(path):
    """What the plugin asks of the engine: the arguments of a command, which is run as the engine does."""
    from typer.testing import CliRunner

    from geoeval.cli.main import app

    try:
        arguments = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise GeoevalError("not a list of arguments") from error
    if not isinstance(arguments, list) or not all(isinstance(word, str) for word in arguments):
        raise GeoevalError("not a list of arguments")
    (path.parent / "a.geojson").write_text(_roads())
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        done = CliRunner().invoke(app, [*arguments, "--json", "scores.json", "--progress", "json"])
    finally:
        os.chdir(here)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    if done.exit_code:
        said = [line for line in done.stderr.splitlines() if line.startswith("geoeval: error: ")]
        if done.exit_code not in (1, 2) or (done.exit_code == 1 and (len(said) != 1 or "unexpected" in said[0])):
            raise AssertionError(f"code {done.exit_code}: {done.stderr[-300:]}")
        raise GeoevalError(said[0] if said else "wrong usage")


def read_protocol(path):
    """An input of a published protocol, as its graphs or its mask."""
    from geoeval.protocols.inputs import graphs_of, mask_of

    if path.suffix == ".png":
        mask_of("prediction", path, {})
    else:
        graphs_of(path, path, {})


def evaluate_file(path):
    """A whole evaluation: what was read goes through metrics, errors, plan and JSON."""
    from geoeval import evaluate
    from tests.fuzz.seeds import GRAPH

    whole = path.with_name("whole" + path.suffix)
    whole.write_text(_roads() if path.suffix == ".geojson" else GRAPH)
    result = evaluate(whole, path, metrics="ccq,opt-j", aoi="all", pixel_size=1.0)
    json.dumps(result.plain(), allow_nan=False)


def evaluate_drawing(path):
    """The lines of a drawing against a whole one, pixels and all."""
    from geoeval import evaluate
    from tests.fuzz.hostile import svg

    whole = path.with_name("whole" + path.suffix)
    line = '<line x1="0" y1="0" x2="5" y2="5" stroke="black"/>'
    whole.write_text({".svg": svg(line), ".geojson": _roads()}.get(path.suffix, "0 0 10 10 1.5 2\n"))
    result = evaluate(whole, path, kind="lines")
    json.dumps(result.plain(), allow_nan=False)


def _roads():
    from tests.fuzz.seeds import LINES, as_geojson

    return as_geojson(LINES)


def _plugin():
    if "geoeval_qgis" not in sys.modules:
        sys.path.insert(0, str(Path(__file__).parents[2] / "qgis_plugin"))
    from geoeval_qgis import engine, runner

    return engine, runner


OWN = {
    "run": read_run,
    "verdicts": read_verdicts,
    "scores": read_scores_of,
    "previous": read_previous,
    "plan": read_plan,
    "store": read_store,
    "part": read_part,
    "engine": read_engine,
    "request": read_request,
    "protocol": read_protocol,
    "evaluation": evaluate_file,
    "drawing": evaluate_drawing,
}
