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


@cache
def small_inputs():
    """Two files of roads that differ, by name."""
    from tests.fuzz.seeds import LINES, as_geojson

    return {"reference.geojson": as_geojson(LINES), "prediction.geojson": as_geojson(LINES[:1])}


@cache
def small_record():
    """The result of evaluating them, as text."""
    from geoeval import evaluate

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        files = [Path(folder) / name for name in small_inputs()]
        for file, text in zip(files, small_inputs().values(), strict=True):
            file.write_text(text)
        return evaluate(*files, metrics="ccq", aoi="all", plan=False).to_json()


@cache
def small_run_of_objects():
    """The file of an evaluation of a few buildings, with a rejected error: its counts give the scores as judged."""
    import geopandas as gpd
    import shapely

    from geoeval import evaluate, review

    boxes = [shapely.box(20 * k, 0, 20 * k + 9, 9) for k in range(4)]
    maps = [gpd.GeoSeries(some, crs="EPSG:32632").to_frame("geometry") for some in (boxes, boxes[1:])]
    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        run = Path(folder) / "run.gpkg"
        found = review(evaluate(*maps, kind="objects", metrics="iou,amounts", aoi="all"), run)
        found.judge(found.errors["error_id"][0], "not-an-error")
        return run.read_bytes()


def read_record(path):
    """Repeat the run of a result whose inputs have moved."""
    from geoeval import verify

    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        for name, text in small_inputs().items():
            (Path(folder) / name).write_text(text)
        found = verify(path, search=[folder])
    if found.missing:
        raise GeoevalError(found.missing[0])


def read_run(path):
    """Judge an error of a run, look at the scores as judged, and hand it on."""
    from geoeval import review

    found = review(path)
    found.judged()
    for number in found.errors["error_id"][:1]:
        found.judge(number, "error")
    json.dumps(found.judged(), allow_nan=False)
    with tempfile.TemporaryDirectory(prefix="geoeval-") as folder:
        found.write_verdicts(Path(folder) / "verdicts.csv")
        found.export(Path(folder) / "tasks.geojson")


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


def read_kept_part(path):
    """A tile with a digest that is right, whatever is in it: it is taken, or made again."""
    from geoeval.scale.tiles.part import Part, check_part

    _kept(path, check_part)
    Part.from_bytes(path.read_bytes())


def read_kept_place(path):
    """A place of a benchmark, kept in the same way."""
    from geoeval.benchmarking.outcome import Outcome, check_outcome

    _kept(path, check_outcome)
    Outcome.from_bytes(path.read_bytes())


def _kept(path, check):
    from geoeval.scale.tiles.run_folder import RunFolder
    from geoeval.scale.tiles.running import kept_parts

    with tempfile.TemporaryDirectory(prefix="geoeval-") as place:
        folder = RunFolder(Path(place) / "run", {"tile size": 1})
        folder.put("0_0", path.read_bytes())
        if not kept_parts(["0_0"], folder, check):
            raise GeoevalError("it is made again")


def read_streamed(path):
    """Scores of pairs that another process has kept."""
    from geoeval.streaming import RoadScores

    scores = RoadScores(metrics="ccq", pixel_size=1.0)
    scores.add_bytes(path.read_bytes())
    scores.compute()


def read_pairs(path):
    """A table of pairs, and what it names."""
    from geoeval.benchmarking.places import find_places
    from geoeval.readers.registry import is_place

    found = find_places(str(path), {})
    named = [source for place in found.places for source in (place.truth, *place.predictions.values()) if source]
    if any(is_place(source.given) for source in named):
        raise AssertionError("it would be downloaded")


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
    "record": read_record,
    "run": read_run,
    "verdicts": read_verdicts,
    "scores": read_scores_of,
    "previous": read_previous,
    "plan": read_plan,
    "store": read_store,
    "part": read_part,
    "kept part": read_kept_part,
    "kept place": read_kept_place,
    "streamed": read_streamed,
    "pairs": read_pairs,
    "engine": read_engine,
    "request": read_request,
    "protocol": read_protocol,
    "evaluation": evaluate_file,
    "drawing": evaluate_drawing,
}
