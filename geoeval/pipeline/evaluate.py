"""``evaluate``: the one door to every evaluation."""

import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from geoeval.contents import SIDES
from geoeval.crs import is_local
from geoeval.diagnosis.files import check_files
from geoeval.diagnosis.finding import worst_first
from geoeval.isolation import ended_children
from geoeval.metrics.running import Progress
from geoeval.model.result import Result, readable
from geoeval.pipeline.evaluation import Evaluation, Execution, tell_nobody
from geoeval.pipeline.pairing import Pair, bring_together
from geoeval.pipeline.planning import planned
from geoeval.pipeline.record import record_of
from geoeval.readers.given import read_area, read_given, reading_of_sides
from geoeval.readers.registry import read_as_told
from geoeval.readers.unused import check_use
from geoeval.seeds import Seed

# Share of the progress after which the inputs are read.
_READ = 0.15

log = logging.getLogger("geoeval")


def evaluate(
    reference: Any,
    prediction: Any,
    *,
    kind: str = "roads",
    metrics: str | Iterable[str] = "all",
    protocol: str | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: Seed = 0,
    rng: Seed | None = None,
    aoi: Any = None,
    crs: Any = "auto",
    align: bool = False,
    workers: int = 1,
    tile_size: float | None = None,
    scheduler: str | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    whole_networks: str = "together",
    keep_inputs: bool = True,
    plan: bool | None = None,
    image: Any = None,
    ink: str = "auto",
    seconds: float | None = None,
    **reading: Any,
) -> Result:
    """Score a prediction against a reference, and map every error.

    It does what ``geoeval roads``, ``geoeval objects`` and ``geoeval lines`` do, to the last digit: it reads both
    inputs, brings them into one CRS in metres, cuts them to the ground that is evaluated, looks for an offset between
    them, computes the metrics, and plans what to fix first.

    Parameters
    ----------
    reference, prediction
        A path, ``"osm:"`` and a place or a box in degrees, a GeoDataFrame, a networkx or osmnx graph, or a
        ``RoadNetwork``, ``ObjectMap`` or ``Drawing``; for objects also a pattern with ``{name}``, whose files are tiles
        of one scene.
    kind
        What the maps show: ``"roads"``, ``"objects"`` (buildings and the like) or ``"lines"`` (drawings).
    metrics
        ``"all"``, names with commas, or a sequence of names.
    protocol
        Score by a published protocol instead of our metrics, for roads: its name as ``geoeval protocols`` lists it. A
        protocol takes its files as they are, in their own pixels: nothing is cut, aligned, projected or tiled.
    parameters
        By metric and name, for example ``{"opt-j": {"max_distance": 10}}``.
    preset
        The parameters to start from: ``"default"``, or ``"roadtracer-px"`` for pixel graphs as published.
    seed, rng
        Of the sampled metrics. The same inputs, options and seed give the same result. A ``numpy.random.Generator`` as
        ``seed`` or ``rng`` gives a whole number, see :func:`geoeval.seeds.whole_seed`; the result keeps that number.
    aoi
        The area to evaluate: ``(minx, miny, maxx, maxy)`` in degrees or in metres of the CRS, a polygon, a GeoDataFrame
        or a file of polygons; the JSON of an earlier result, whose area is used again; ``"reference"``,
        ``"prediction"`` or ``"overlap"`` for the ground of one or of both, ``"bounds"`` as far as the files declare it;
        ``"all"`` cuts nothing. By default both are cut to what their files declare and, where one goes on clearly
        beyond the other, to the ground of the smaller: see :mod:`geoeval.pipeline.ground`.
    crs
        What to measure in: ``"auto"`` fits the prediction; otherwise a projected CRS in metres.
    align
        Remove a constant offset between the maps first, if there is a real one (roads and objects).
    workers
        Processes on this machine that share the work.
    tile_size
        Evaluate in square tiles of so many metres: countries fit too.
    scheduler
        Address of a Dask scheduler whose workers do the work, in tiles.
    resume
        Folder that keeps finished tiles: the same call goes on after an interruption.
    progress
        Called with a fraction from 0 to 1 and what is being done; an exception raised in it ends the run.
    whole_networks
        For tiles: metrics that need whole networks (TLTS, APLS, OPT-P) are evaluated on all of the ground
        ``"together"``, or ``"tiles"``: tile by tile, which takes less memory and gives the mean of the tiles.
    keep_inputs
        For tiles: whether the result holds the two maps, for plots and reports; very large ones are left out.
    plan
        Whether to measure what each edit would gain, for roads and objects; with ``False`` the result has no plan, and
        is there sooner. Lines have none. Where nothing can be planned, as for objects in tiles, a note says why.
    image, ink, seconds
        For lines: the original image, which of its pixels are lines (``"auto"``, ``"dark"``, ``"bright"``), and how
        long the detection took.
    reading
        Options of the readers, for both inputs (``pixel_size=0.3``) or for one of them (``reference_layer="roads"``,
        ``prediction_crs="EPSG:32610"``); :data:`geoeval.readers.options.INPUT_OPTIONS` has them all.

    Returns
    -------
    Result
        Scores, error features, the edit plan, and what is needed to repeat the run. Both inputs empty: scores 1. One
        empty: scores 0. An undefined score is ``None``, with the reason in ``notes``.

    Raises
    ------
    GeoevalError
        An input cannot be read, the two cannot be compared (see :mod:`geoeval.pipeline.meeting`), the area leaves
        nothing of both inputs, or an option makes no sense; the message says what to do.

    Warns
    -----
    GeoevalWarning
        The area leaves nothing of one input.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 0), (49, 0)], [(51, 0), (100, 0)]], crs="EPSG:32610")
    >>> result = evaluate(reference, prediction, metrics="ccq,opt-j")
    >>> result.scores["ccq"]["completeness"]
    1.0
    >>> result.errors_of("break")["length_m"].tolist()
    [2.0]
    """
    execution = Execution(workers=workers, scheduler=scheduler, resume=resume, progress=progress or tell_nobody)
    evaluation = Evaluation.checked(
        kind=kind, metrics=metrics, protocol=protocol, parameters=parameters, preset=preset, seed=seed, rng=rng,
        aoi=aoi, crs=crs, align=align, tile_size=tile_size, whole_networks=whole_networks, keep_inputs=keep_inputs,
        plan=plan, image=image, ink=ink, seconds=seconds, reading=reading, execution=execution,
    )  # fmt: skip
    return run_evaluation(evaluation, reference, prediction, execution)


def run_evaluation(
    evaluation: Evaluation, reference: Any, prediction: Any, execution: Execution | None = None
) -> Result:
    """What ``evaluate`` does, for an evaluation that was checked."""
    execution = execution or Execution()
    if evaluation.protocol is not None:
        result = _by_protocol(evaluation, reference, prediction, execution)
    else:
        result = _by_metrics(evaluation, reference, prediction, execution)
    # Files are described once they were read: what cannot be read, such as a folder of anything, is not hashed first.
    return _recorded(result, record_of(reference, prediction, **evaluation.call))


def _by_protocol(evaluation: Evaluation, reference: Any, prediction: Any, execution: Execution) -> Result:
    from geoeval.protocols.running import evaluate_by_protocol

    assert evaluation.protocol is not None
    return evaluate_by_protocol(
        reference, prediction, protocol=evaluation.protocol, kind=evaluation.kind, parameters=evaluation.parameters,
        seed=evaluation.seed, reading=evaluation.sides, progress=execution.progress,
    )  # fmt: skip


def _by_metrics(evaluation: Evaluation, reference: Any, prediction: Any, execution: Execution) -> Result:
    drawn = _drawn(evaluation)
    check_use(evaluation.kind, zip((reference, prediction), evaluation.sides.values(), strict=True))
    execution.progress(0.0, "reading")
    aoi = read_area(evaluation.aoi, evaluation.reading)
    if evaluation.tile_size is not None:
        from geoeval.pipeline.in_tiles import evaluate_in_tiles

        result = evaluate_in_tiles(evaluation, reference, prediction, aoi, execution)
    else:
        result = _at_once(evaluation, reference, prediction, aoi, drawn, execution)
    return planned(_in_own_unit(result, evaluation.sides), plan=evaluation.wants_plan)


def _at_once(
    evaluation: Evaluation, reference: Any, prediction: Any, aoi: Any, drawn: Mapping[str, Any], execution: Execution
) -> Result:
    start = perf_counter()
    maps = read_sides(evaluation.kind, reference, prediction, evaluation.sides)
    read = perf_counter() - start
    pair = bring_together(
        evaluation.kind, *maps, aoi=aoi, crs=evaluation.crs, align=evaluation.align, image=drawn.get("image")
    )
    found = evaluation.content.evaluate(
        pair.reference, pair.prediction, metrics=evaluation.names, parameters=evaluation.parameters,
        preset=evaluation.preset, seed=evaluation.seed, workers=execution.workers,
        progress=lambda share, said: execution.progress(_READ + (1 - _READ) * share, said), **drawn,
    )  # fmt: skip
    return replace(
        found, area=pair.area, ground=pair.ground, offset=pair.offset, notes={**pair.notes, **found.notes},
        diagnosis=(*pair.findings, *found.diagnosis),
        seconds={**found.seconds, "read": round(read, 6)},
    )  # fmt: skip


def _recorded(result: Result, run: dict[str, Any]) -> Result:
    """The result with what is needed to repeat it, and the digests of the files in what it says of the inputs."""
    facts: dict[str, Any] = {}
    for side in SIDES:
        own = getattr(result, side)
        digest = {"file_sha256": run["files"][side]["sha256"]} if side in run["files"] else {}
        facts[side] = {**own, "source": readable(str(own.get("source", ""))), **digest}
    findings = worst_first([*map(dict, result.diagnosis), *check_files(result.kind, run, facts)])
    return replace(result, run=run, diagnosis=findings, **facts)


def prepare(
    reference: Any, prediction: Any, *, kind: str = "roads", aoi: Any = None, crs: Any = "auto", **reading: Any
) -> Pair:
    """Read two maps and bring them together, as ``evaluate`` does, without evaluating them."""
    sides = dict(zip(SIDES, reading_of_sides(reading), strict=True))
    check_use(kind, zip((reference, prediction), sides.values(), strict=True))
    area = read_area(aoi, reading)
    return bring_together(kind, *read_sides(kind, reference, prediction, sides), aoi=area, crs=crs)


def read_sides(kind: str, reference: Any, prediction: Any, reading: Mapping[str, Mapping[str, Any]]) -> tuple[Any, Any]:
    """Both maps as the content that is evaluated, each in metres of its own."""
    asked = [
        partial(read_given, kind, given, side=side, **reading[side])
        for side, given in zip(SIDES, (reference, prediction), strict=True)
    ]
    if all(reading[side].get("untrusted") for side in SIDES):
        # Each is read by a process of its own, which takes a while to start: both at a time.
        with ThreadPoolExecutor(len(asked)) as pool, ended_children():
            true, predicted = pool.map(lambda read: read(), asked)
    else:
        true, predicted = (read() for read in asked)
    if kind == "objects" and predicted.classes is not None:
        predicted = _with_names(predicted, prediction, reference, reading["prediction"])
    log.info("read %r and %r", true, predicted)
    return true, predicted


def _with_names(objects: Any, given: Any, reference: Any, reading: Mapping[str, Any]) -> Any:
    """Objects of a list of COCO results, which has no names of its categories, with those of the reference's file."""
    from geoeval.readers.coco.coco_objects import names_for_results

    names = read_as_told(names_for_results, reference, given, reading=reading)
    return objects.with_classes([names.get(one, one) for one in objects.classes]) if names else objects


def _drawn(evaluation: Evaluation) -> dict[str, Any]:
    """What only drawings have: the original image, read from its file or as given, and the time of the detection."""
    if evaluation.kind != "lines":
        return {}
    image = evaluation.image
    if isinstance(image, str | Path):
        from geoeval.readers import read_image

        read = partial(read_image, ink=evaluation.ink, pixel_size=evaluation.reading.get("pixel_size"))
        image = read_as_told(read, image, reading=evaluation.reading)
    return {"image": image, "seconds": evaluation.seconds}


def _in_own_unit(result: Result, reading: Mapping[str, Mapping[str, Any]]) -> Result:
    """The result with its unit said, where both maps kept that of their files: pixels, or the units of a drawing."""
    sizes = {reading[side].get("pixel_size") for side in SIDES}
    unit = "px" if sizes == {1} else "units" if result.kind == "lines" and sizes <= {1, None} else ""
    if not unit or not is_local(result.crs):
        return result
    return replace(result, reference={**result.reference, "unit": unit}, prediction={**result.prediction, "unit": unit})
