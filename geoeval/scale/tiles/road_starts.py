"""Where SUBG and OPT-G start in each part: at the places of the untiled evaluation."""

from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np

from geoeval.contents import SIDES
from geoeval.engines import Engine
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.roads.registry import METRICS
from geoeval.roads.surroundings.starts import is_systematic, systematic_starts
from geoeval.scale.tiles.road_pair import RoadPair
from geoeval.scale.tiles.road_tile import GivenStarts, TileWork, survey_part
from geoeval.scale.tiles.survey import NO_STARTS, Survey, SurveyedCourse
from geoeval.scale.tiles.tiling import Key

# By part and metric.
Starts = dict[str, dict[str, GivenStarts]]


def starts_of_parts(
    pair: RoadPair, parts: Mapping[str, Sequence[Key]], work: TileWork, engine: Engine, tell: Progress
) -> Starts:
    """By part, the starts of each metric that has any."""
    names = [name for name in work.values if METRICS[name].start_sides]
    found: Starts = {part: {name: GivenStarts() for name in names} for part in parts}
    systematic = [name for name in names if is_systematic(work.values[name]["starts"])]
    for name in names:
        if name not in systematic:
            _add_named(found, name, pair, parts, work)
    if systematic:
        _add_systematic(found, systematic, pair, parts, work, engine, tell)
    return found


def stream_of(seed: int, metric: str) -> np.random.Generator:
    """The random numbers of a metric, the same ones as in an untiled evaluation."""
    return np.random.default_rng([seed, crc32(metric.encode())])


def _add_systematic(
    found: Starts, names: list[str], pair: RoadPair, parts: Mapping[str, Sequence[Key]], work: TileWork,
    engine: Engine, tell: Progress,
) -> None:  # fmt: skip
    """Add starts at equal distances along all roads, which takes a survey of every part."""
    order = list(parts)
    sides = tuple(side for side in SIDES if any(side in METRICS[name].start_sides for name in names))
    surveys: list[dict[str, Survey]] = [{} for _ in order]
    tasks = [(survey_part, (pair, tiles, sides)) for tiles in parts.values()]
    for done, (number, survey) in enumerate(engine.run(tasks), start=1):
        surveys[number] = survey
        tell(done / len(tasks), f"{done} of {len(tasks)} parts surveyed")
    courses = {side: SurveyedCourse([one[side] for one in surveys]) for side in sides}
    for name in names:
        totals = {side: courses[side].total for side in METRICS[name].start_sides}
        positions = systematic_starts(totals, work.values[name]["starts"], stream_of(work.seed, name))
        before = 0
        for side, own in positions.items():
            for part, starts in courses[side].starts(own).items():
                given = found[order[part]]
                earlier = given[name].found or dict.fromkeys(METRICS[name].start_sides, NO_STARTS)
                given[name] = GivenStarts({**earlier, side: starts.numbered_from(before)})
            before += len(own)


def _add_named(found: Starts, name: str, pair: RoadPair, parts: Mapping[str, Sequence[Key]], work: TileWork) -> None:
    """Add the starts that the user names, each to the part of the tile in which it lies."""
    tiling = pair.tiling
    place_of = {key: (part, number) for part, tiles in parts.items() for number, key in enumerate(tiles)}
    if tiling.crs is None:
        raise ParameterError(f"{name}: places to start at need one projection for all tiles; give a number of starts")
    both = len(METRICS[name].start_sides) > 1
    rows = list(work.values[name]["starts"])
    try:
        # Those on the reference are counted first, as in the metric itself.
        order = sorted(range(len(rows)), key=lambda row: both and rows[row][0] != "reference")
        places = np.array([rows[row][1] if both else rows[row] for row in order], dtype=np.float64).reshape(
            len(rows), 2
        )
    except (TypeError, ValueError, IndexError) as error:
        raise ParameterError(
            f'{name}: the starts are not a list of places; give (x, y), for opt-g ("reference" or "prediction", (x, y))'
        ) from error
    if not rows:
        raise ParameterError(f"{name}: starts is an empty list; give at least one place, or leave it out")
    for number, (row, key) in enumerate(zip(order, tiling.keys(np.round(places, 6)).tolist(), strict=True)):
        near = [(key[0] + dx, key[1] + dy) for dx in (0, -1, 1) for dy in (0, -1, 1)]
        tile = next((one for one in near if one in place_of), None)
        if tile is None:
            x, y = places[number].tolist()
            raise ParameterError(f"{name}: no road is near the start ({x:g}, {y:g}); give places on roads")
        part, position = place_of[tile]
        given = found[part][name]
        found[part][name] = GivenStarts(
            {}, (*given.places, rows[row]), (*given.numbers, number), (*given.tile, position)
        )
