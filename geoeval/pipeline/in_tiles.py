"""The same job in tiles: the two maps become stores on disk, and these a result, on any number of workers.

OpenStreetMap files are streamed into stores without ever being held in memory; everything else is read and brought
together as for an evaluation at once, and stored then. What a content does with stores is in ``stored_maps``.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from geoeval.contents import SIDES
from geoeval.diagnosis.diagnose import diagnose
from geoeval.diagnosis.finding import worst_first
from geoeval.diagnosis.place import check_place
from geoeval.engines import Engine, Task, open_engine
from geoeval.exceptions import ParameterError
from geoeval.files import NAME
from geoeval.metrics.running import warn_of_empty
from geoeval.model.object_map import ObjectMap
from geoeval.model.result import Result
from geoeval.pipeline.distortion import check_distortion
from geoeval.pipeline.evaluation import Evaluation, Execution
from geoeval.pipeline.ground import find_ground, ground_findings, ground_note, left_out, said_of_ground
from geoeval.pipeline.meeting import check_meeting
from geoeval.pipeline.offset import is_removed, offset_note, offset_numbers
from geoeval.pipeline.pairing import bring_together, given_crs
from geoeval.pipeline.record import described
from geoeval.pipeline.stored_maps import IN_STORES, StoredPair
from geoeval.readers.given import read_given
from geoeval.readers.registry import read_apart, recognise
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.tiles import tiled_roads
from geoeval.scale.tiles.projection import common_projection
from geoeval.scale.tiles.run_folder import subfolder
from geoeval.scale.tiles.tiling import union
from geoeval.trust import trusting

# Share of the progress after which the inputs are read.
_READ = 0.15


def evaluate_in_tiles(
    evaluation: Evaluation, reference: Any, prediction: Any, aoi: Any, execution: Execution
) -> Result:
    """What ``evaluate`` does where a tile size, a scheduler or a folder to resume from is given."""
    resume, scheduler = execution.resume, execution.scheduler
    given = dict(zip(SIDES, (reference, prediction), strict=True))
    for side in SIDES:
        if evaluation.sides[side].get("class_column") is not None or _has_classes(given[side]):
            raise ParameterError("classes are not evaluated in tiles; {leave:tile-size}, or {leave:class}")
    with ExitStack() as stack:
        if resume is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="geoeval-")))
        else:
            folder = subfolder(Path(resume), "inputs")
        engine = stack.enter_context(open_engine(execution.workers, scheduler, prepare=tiled_roads.PREPARE))
        how: dict[str, Any] = {
            "metrics": evaluation.names, "parameters": evaluation.parameters, "seed": evaluation.seed,
            "tile_size": evaluation.tile_size, "engine": engine, "resume": resume,
            "progress": lambda share, said: execution.progress(_READ + (1 - _READ) * share, said),
        }  # fmt: skip
        streamed = any(_is_osm_file(one) for one in given.values())
        if streamed and (IN_STORES[evaluation.kind].aligns or not evaluation.align):
            # The workers of a cluster may have other disks.
            readers = engine if scheduler is None else stack.enter_context(open_engine())
            start = perf_counter()
            stores = _stores(evaluation, given, folder, readers)
            read = perf_counter() - start
            result = _evaluate_stored(evaluation, stores, aoi, how)
            named: dict[str, Any] = {side: _named(given[side], getattr(result, side)) for side in SIDES}
            return replace(result, seconds={**result.seconds, "read": round(read, 6)}, **named)
        return _evaluate_read(evaluation, given, folder, aoi, how)


def _has_classes(given: Any) -> bool:
    """Whether this is a map whose objects match only within their class."""
    return isinstance(given, ObjectMap) and given.classes is not None


def _evaluate_read(
    evaluation: Evaluation, given: Mapping[str, Any], folder: Path, aoi: Any, how: dict[str, Any]
) -> Result:
    """Two maps that are read and brought together in memory, in tiles."""
    content, start = IN_STORES[evaluation.kind], perf_counter()
    maps = [read_given(evaluation.kind, given[side], side=side, **evaluation.sides[side]) for side in SIDES]
    read = perf_counter() - start
    pair = bring_together(evaluation.kind, *maps, aoi=aoi, crs=evaluation.crs, align=evaluation.align)
    near = dict(zip(SIDES, (pair.reference, pair.prediction), strict=True))
    stores = [content.store(folder / f"{side}.parquet", one, overwrite=True) for side, one in near.items()]
    result = content.evaluate(
        evaluation, *stores, crs=given_crs(evaluation.crs), shift=(0.0, 0.0), decide=not evaluation.keep_inputs, **how
    )
    return replace(
        result, area=pair.area, ground=pair.ground, offset=pair.offset, notes={**pair.notes, **result.notes},
        diagnosis=(*pair.findings, *result.diagnosis),
        seconds={**result.seconds, "read": round(read, 6)}, inputs=near if evaluation.keep_inputs else {},
    )  # fmt: skip


def _evaluate_stored(evaluation: Evaluation, stores: tuple[Any, Any], aoi: Any, how: dict[str, Any]) -> Result:
    """Two maps of which at least one was streamed from its file into a store.

    Memory for a group of features, a tile with its surroundings, 16 bytes for each object, and the errors.
    """
    kind, align, content = evaluation.kind, evaluation.align, IN_STORES[evaluation.kind]
    sides = {side: content.side(store) for side, store in zip(SIDES, stores, strict=True)}
    reference, prediction = sides.values()
    check_meeting(reference, prediction, aoi)
    asked = given_crs(evaluation.crs)
    if asked is not None:
        check_distortion(asked, *stores)
    target = asked or (reference if prediction.is_empty else prediction).crs
    boxes = [box for side in sides.values() for box in side.boxes(target)] if aoi is not None else []
    ground = find_ground(reference.ground, prediction.ground, target, aoi, near=union(boxes) if boxes else None)
    shares: dict[str, float] = {}
    if ground.area is not None:
        if ground.area.is_empty:
            warn_of_empty(SIDES)
        for name, side in sides.items():
            shares |= left_out(name, side.amount_in(ground.area, target), side.amount)
    common, _ = common_projection(*stores, asked, ground.area, target)
    if align and common is None:
        raise ParameterError("an offset is removed in one projection for all tiles; evaluate a smaller area")
    pair = StoredPair(reference, prediction, target, common, ground.area, evaluation.tile_size or 0.0)
    compared = content.compared(pair)
    found = evaluation.content.prevailing_offset(*compared)
    removed = is_removed(found, align=align)
    checks = diagnose(
        kind, *compared, offset=found, removed=removed, problems=[side.problems for side in sides.values()]
    )
    shift = (-found.dx, -found.dy) if found is not None and removed else (0.0, 0.0)
    kept = evaluation.keep_inputs and common is not None and sum(one.count for one in stores) <= content.drawn
    result = content.evaluate(evaluation, *stores, crs=common, aoi=pair.tiled_area, shift=shift, decide=not kept, **how)
    return replace(
        result, ground=said_of_ground(ground, shares), offset=offset_numbers(found, align=align),
        notes={"area": ground_note(ground, shares), **offset_note(found, align=align), **result.notes},
        inputs=content.maps(pair, shift) if kept else {},
        diagnosis=worst_first([*check_place(reference, prediction), *ground_findings(ground, shares), *checks]),
    )  # fmt: skip


def _named(given: Any, facts: dict[str, Any]) -> dict[str, Any]:
    """What is said of an input: name and digest are those of the file, not of the store that was made of it."""
    if not isinstance(given, str | Path):
        return facts
    own = described(Path(given)) if _is_osm_file(given) else None
    return {**facts, "source": str(given), "sha256": facts["sha256"] if own is None else own["sha256"]}


def _is_osm_file(given: Any) -> bool:
    """Whether this names a file of OpenStreetMap data, which can be streamed."""
    if not isinstance(given, str | Path) or str(given).startswith("osm:") or NAME in str(given):
        return False
    return recognise(given).kind == "osm"


def _stores(evaluation: Evaluation, given: Mapping[str, Any], folder: Path, readers: Engine) -> tuple[Any, Any]:
    """Both inputs as stores."""
    tasks: list[Task] = [
        (_store, (evaluation.kind, given[side], side, folder, dict(evaluation.sides[side]))) for side in SIDES
    ]
    true, predicted = (store for _, store in sorted(readers.run(tasks), key=lambda done: done[0]))
    return true, predicted


def _store(kind: str, given: Any, side: str, folder: Path, options: dict[str, Any]) -> GroupedFile[Any]:
    """An input as a store: OpenStreetMap streamed, and kept for later runs; anything else for this run."""
    if options.get("untrusted"):
        return read_apart(_store, given, kind, given, side, folder, {**options, "untrusted": False})
    content, final = IN_STORES[kind], folder / f"{side}.parquet"
    store: GroupedFile[Any]
    if _is_osm_file(given):
        used = {name: options[name] for name in content.reading if options.get(name) is not None}
        with trusting(limits=options.get("limits"), links=options.get("links")):
            store = content.cached(given, **used, otherwise=final)
    else:
        store = content.store(final, read_given(kind, given, side=side, **options), overwrite=True)
    return store
