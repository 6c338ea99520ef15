"""``evaluate``: the one door to every evaluation."""

import logging
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from geoeval.contents import SIDES
from geoeval.crs import is_local
from geoeval.diagnosis.files import check_files
from geoeval.diagnosis.finding import worst_first
from geoeval.exceptions import ParameterError
from geoeval.isolation import ended_children
from geoeval.metrics.registry import registry_of
from geoeval.metrics.running import Progress
from geoeval.model.plan import with_plan
from geoeval.model.result import Result, readable
from geoeval.pipeline.pairing import Pair, bring_together
from geoeval.pipeline.planning import edit_plan
from geoeval.pipeline.record import record_of
from geoeval.readers.given import read_area, read_given, reading_of_sides
from geoeval.readers.options import flag_of
from geoeval.readers.registry import read_as_told
from geoeval.readers.unused import check_use
from geoeval.seeds import Seed, whole_seed

# Share of the progress after which the inputs are read.
_READ = 0.15

log = logging.getLogger("geoeval")


@dataclass(frozen=True)
class Asked:
    """What is to be evaluated: the content, names of metrics, the parameters that were given, preset and seed."""

    kind: str
    metrics: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Any]]
    preset: str
    seed: int


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
        Whether to measure what each edit would gain; without it the result has no plan, and is there sooner. By
        default for roads, not for objects; lines have none.
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
        An input cannot be read, the area leaves nothing of both inputs, or an option makes no sense; the message says
        what to do.

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
    metrics = metrics if isinstance(metrics, str) else list(metrics)
    seed = whole_seed(seed, rng)
    # Files are described once they were read: what cannot be read, such as a folder of anything, is not hashed first.
    record = partial(
        record_of, reference, prediction, kind=kind, metrics=metrics, protocol=protocol, parameters=parameters,
        preset=preset, seed=seed, aoi=aoi, crs=crs, align=align,
        tile_size=_tile_size(kind, tile_size, scheduler, resume), whole_networks=whole_networks,
        keep_inputs=keep_inputs, image=image, ink=ink, seconds=seconds, **reading,
    )  # fmt: skip
    if protocol is not None:
        _refuse_with_protocol(
            kind, aoi=aoi, align=align, tile_size=tile_size, scheduler=scheduler, resume=resume, metrics=metrics,
            preset=preset, crs=crs, whole_networks=whole_networks, plan=plan, image=image, ink=ink, seconds=seconds,
            **{name: value for name, value in reading.items() if name.endswith("class_column")},
        )  # fmt: skip
        from geoeval.protocols.running import evaluate_by_protocol

        by_side = dict(zip(SIDES, reading_of_sides(reading), strict=True))
        result = evaluate_by_protocol(
            reference, prediction, protocol=protocol, kind=kind, parameters=parameters, seed=seed, reading=by_side,
            progress=progress,
        )  # fmt: skip
        return _recorded(result, record())
    asked = check_asked(kind, metrics=metrics, parameters=parameters, preset=preset, seed=seed)
    in_tiles = any(option is not None for option in (tile_size, scheduler, resume))
    _refuse_unused(kind, align=align, plan=plan, whole_networks=whole_networks, in_tiles=in_tiles)
    drawn = _drawn(kind, image, ink, seconds, reading)
    sides = dict(zip(SIDES, reading_of_sides(reading), strict=True))
    check_use(kind, zip((reference, prediction), sides.values(), strict=True))
    tell = progress or (lambda _fraction, _message: None)
    tell(0.0, "reading")
    aoi = read_area(aoi, reading)
    if in_tiles:
        from geoeval.pipeline.in_tiles import evaluate_in_tiles

        result = evaluate_in_tiles(
            reference, prediction, asked=asked, reading=sides, aoi=aoi, crs=crs, align=align, workers=workers,
            tile_size=tile_size, scheduler=scheduler, resume=resume, whole_networks=whole_networks,
            keep_inputs=keep_inputs, progress=tell,
        )  # fmt: skip
    else:
        start = perf_counter()
        maps = read_sides(kind, reference, prediction, sides)
        read = perf_counter() - start
        pair = bring_together(kind, *maps, aoi=aoi, crs=crs, align=align, image=drawn.get("image"))
        found = _evaluated(asked, pair, workers, drawn, lambda share, said: tell(_READ + (1 - _READ) * share, said))
        result = replace(
            found, area=pair.area, ground=pair.ground, offset=pair.offset, notes={**pair.notes, **found.notes},
            diagnosis=(*pair.findings, *found.diagnosis),
            seconds={**found.seconds, "read": round(read, 6)},
        )  # fmt: skip
    return _recorded(_planned(_in_pixels(result, sides), plan=plan), record())


def _tile_size(kind: str, tile_size: float | None, *others: Any) -> float | None:
    """The size of the tiles, also where only a scheduler or a folder to resume from says that there are some."""
    if tile_size is not None or kind == "lines" or all(one is None for one in others):
        return tile_size
    from geoeval.pipeline.in_tiles import usual_tile_size

    return usual_tile_size(kind)


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


def check_asked(
    kind: str,
    *,
    metrics: str | Iterable[str] = "all",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    preset: str = "default",
    seed: int = 0,
) -> Asked:
    """What is wanted, or an error: wrong options are refused before the long work, not after it."""
    registry = registry_of(kind)
    chosen = registry.choose_metrics(metrics)
    given = {name: dict(values) for name, values in (parameters or {}).items()}
    registry.choose_parameters(chosen, given, preset)
    return Asked(kind, tuple(metric.name for metric in chosen), given, preset, whole_seed(seed))


def _refuse_with_protocol(kind: str, **options: Any) -> None:
    """Refuse what a protocol cannot have: it scores the files as they are."""
    if kind == "lines":
        raise ParameterError("protocols score roads and objects, not lines; {leave:protocol}")
    usual = {"preset": "default", "crs": "auto", "whole_networks": "together", "ink": "auto"}
    for name, value in options.items():
        is_asked = value not in (None, False, "all") if isinstance(value, str | bool | None) else True
        if is_asked and value != usual.get(name):
            why = "has scores of its own" if name == "metrics" else "scores its files as they are"
            raise ParameterError(f"a protocol {why}; {{leave:{flag_of(name)}}}")


def _refuse_unused(kind: str, *, align: bool, plan: bool | None, whole_networks: str, in_tiles: bool) -> None:
    """Refuse what was asked for and would change nothing."""
    if kind == "lines" and align:
        raise ParameterError("{option:align} is for roads and objects, not for lines; leave it out")
    if kind == "lines" and plan:
        raise ParameterError("lines have no plan of what to fix first; {leave:plan}")
    if whole_networks != "together" and not (kind == "roads" and in_tiles):
        raise ParameterError(
            "{option:whole-networks} says how roads are evaluated in tiles; {give:tile-size=METRES}, or leave it out"
        )


def _drawn(kind: str, image: Any, ink: str, seconds: float | None, reading: Mapping[str, Any]) -> dict[str, Any]:
    """What only drawings have: the original image, read from its file or as given, and the time of the detection."""
    if kind != "lines":
        for name, value in (("image", image), ("seconds", seconds), ("ink", None if ink == "auto" else ink)):
            if value is not None:
                raise ParameterError(f"{{option:{name}}} belongs to lines, not to {kind}; leave it out")
        return {}
    if image is None and ink != "auto":
        raise ParameterError("{option:ink} says which pixels of an image are lines; {give:image=FILE}, or leave it out")
    if isinstance(image, str | Path):
        from geoeval.readers import read_image

        read = partial(read_image, ink=ink, pixel_size=reading.get("pixel_size"))
        image = read_as_told(read, image, reading=reading)
    return {"image": image, "seconds": seconds}


def _evaluated(asked: Asked, pair: Pair, workers: int, drawn: Mapping[str, Any], progress: Progress) -> Result:
    common: dict[str, Any] = {"metrics": asked.metrics, "parameters": asked.parameters, "progress": progress}
    if asked.kind == "lines":
        from geoeval.lines.evaluate import evaluate_lines

        return replace(evaluate_lines(pair.reference, pair.prediction, **drawn, **common), seed=asked.seed)
    if asked.kind == "objects":
        from geoeval.objects.by_class import check_classes, evaluate_by_class
        from geoeval.objects.evaluate import evaluate_objects

        by_class = check_classes(pair.reference, pair.prediction)
        evaluate_them = evaluate_by_class if by_class else evaluate_objects
        result = evaluate_them(pair.reference, pair.prediction, workers=workers, **common)
        return replace(result, seed=asked.seed)
    from geoeval.roads.evaluate import evaluate_roads

    return evaluate_roads(
        pair.reference, pair.prediction, preset=asked.preset, seed=asked.seed, workers=workers, **common
    )


def _in_pixels(result: Result, reading: Mapping[str, Mapping[str, Any]]) -> Result:
    """The result with its unit said, where ``pixel_size`` 1 kept both maps in their pixels."""
    if not is_local(result.crs) or any(reading[side].get("pixel_size") != 1 for side in SIDES):
        return result
    return replace(result, reference={**result.reference, "unit": "px"}, prediction={**result.prediction, "unit": "px"})


def _planned(result: Result, *, plan: bool | None) -> Result:
    """The result with its errors decided, and what to fix first, where that can be told and is wanted."""
    if result.kind == "objects" and plan:
        from geoeval.objects.edit_plan import why_no_plan

        why = why_no_plan(result)
        if why:
            return replace(result, notes={**result.notes, "plan": why})
        return with_plan(result, edit_plan(result))
    if result.kind != "roads":
        return result
    from geoeval.roads.causes.decide import with_decided_errors

    result = with_decided_errors(result)
    if plan is False:
        return result
    found = edit_plan(result)
    if not found.measured and len(found.edits):
        why = "the gains in the plan are estimates from isolated errors: the maps were not kept to measure them"
        result = replace(result, notes={**result.notes, "plan": why})
    return with_plan(result, found)
