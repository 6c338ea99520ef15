"""Tiny maps with one error each: what the pictures of the metrics and of the error kinds are made of."""

from collections.abc import Callable
from functools import cache
from typing import Any

from shapely import Polygon, affinity, box

from geoeval import Drawing, ObjectMap, RoadNetwork
from geoeval.model.result import Result
from geoeval.pipeline.evaluate import evaluate

_CRS = "EPSG:32635"
# A town of nine junctions: rows 0, 120, 240, columns 0, 150, 300, slightly askew, with a dead end.
_AT = {
    "a": (0, 0), "b": (150, 6), "c": (300, 0), "d": (-6, 120), "e": (146, 124), "f": (304, 118), "g": (0, 240),
    "h": (152, 236), "i": (298, 244), "end": (390, 150),
}  # fmt: skip
_STREETS = ["ab", "bc", "de", "ef", "gh", "hi", "ad", "dg", "be", "eh", "cf", "fi"]
_LINES = [[_AT[p], _AT[q]] for p, q in _STREETS] + [[_AT["f"], _AT["end"]]]


def _without(*streets: str) -> list[list[tuple[float, float]]]:
    return [line for line, name in zip(_LINES, [*_STREETS, "f-end"], strict=True) if name not in streets]


def _moved() -> list[list[tuple[float, float]]]:
    away = (_AT["e"][0] + 18, _AT["e"][1] - 14)
    return [[away if place == _AT["e"] else place for place in line] for line in _LINES]


_ROADS = {
    "the same": _LINES,
    "drawn 4 m aside": [[(x + 3.2, y + 2.4) for x, y in line] for line in _LINES],
    "a gap of 12 m": [*_without("de"), [_AT["d"], (64, 122)], [(76, 122.2), _AT["e"]]],
    "a road is missing": _without("eh"),
    "a false link": [
        *_without("ab", "de"), [_AT["a"], (75, 3), _AT["b"]], [_AT["d"], (70, 122), _AT["e"]], [(75, 3), (70, 122)],
    ],
    "a road drawn twice": [*_LINES, [_AT["b"], (156, 30), (153, 100), _AT["e"]]],
    "a junction 23 m off": _moved(),
    "a far false road": [*_LINES, [(360, -10), (420, 60)]],
}  # fmt: skip

_HOUSES = [
    box(0, 0, 16, 12), box(26, 0, 40, 14), box(50, 0, 58, 20),
    Polygon([(0, 26), (20, 26), (20, 34), (10, 34), (10, 44), (0, 44)]), box(30, 28, 56, 40),
]  # fmt: skip


_OBJECTS = {
    "the same": _HOUSES,
    "a building is missed": _HOUSES[:-1],
    "a false alarm": [*_HOUSES, box(68, 28, 78, 40)],
    "split in two": [*_HOUSES[:-1], box(30, 28, 42.5, 40), box(43.5, 28, 56, 40)],
    "two merged": [box(0, 0, 40, 12), *_HOUSES[2:]],
    "all shifted by 2 m": [affinity.translate(house, 2, 0) for house in _HOUSES],
    "one turned by 15 degrees": [*_HOUSES[:-1], affinity.rotate(_HOUSES[-1], 15)],
    "corners cut off": [*_HOUSES[:3], _HOUSES[3].convex_hull, _HOUSES[4]],
}

# Straight lines: x1, y1, x2, y2, width.
_DRAWN = [(0, 0, 80, 0, 3), (0, 20, 80, 20, 3), (0, 40, 30, 40, 3), (36, 40, 80, 40, 3)]
_DRAWINGS = {
    "the same": _DRAWN,
    "a line is missed": _DRAWN[:3],
    "a false alarm": [*_DRAWN, (0, 60, 50, 60, 3)],
    "fragmented": [(0, 0, 36, 0, 3), (42, 0, 80, 0, 3), *_DRAWN[1:]],
    "consolidated": [*_DRAWN[:2], (0, 40, 80, 40, 3)],
    "shifted by 1": [(x1, y1 + 1, x2, y2 + 1, w) for x1, y1, x2, y2, w in _DRAWN],
    "twice as wide": [(*ends, 6) for *ends, _ in _DRAWN],
    "too short": [(0, 0, 55, 0, 3), *_DRAWN[1:]],
}

# Pairs of a reference and a prediction for kinds of errors that none of the cases above shows, or shows large enough.
_STREET = [[(-90, 0), (0, 0), (90, 0)], [(0, 0), (0, -60)]]
_GAP = [[(-90, 0), (0, 0), (36, 0)], [(50, 0), (90, 0)], [(0, 0), (0, -60)]]
_LONG = [[(0, 0), (150, 0), (300, 0)], [(150, 0), (150, -90)]]
_BOTH_WAYS, _ONE_LINE = [[(0, 0), (70, 0)], [(0, 12), (70, 12)]], [[(0, 6), (70, 6)]]
_PAIRS: dict[tuple[str, str], tuple[Any, Any]] = {
    ("roads", "break"): (_STREET, _GAP),
    ("roads", "false_link"): (_GAP, _STREET),
    ("roads", "junction"): (
        [*_LONG[:1], [(150, 90), (150, 0)], [(160, -90), (160, 0)]],
        [[(0, 0), (150, 0), (160, 0), (300, 0)], [(150, 90), (150, 0)], [(160, -90), (160, 0)]],
    ),
    ("roads", "merged"): (_BOTH_WAYS, _ONE_LINE),
    ("roads", "duplicate"): (_LINES, [*_LINES, _LINES[4]]),
    ("roads", "drawn_double"): (_ONE_LINE, _BOTH_WAYS),
    ("roads", "drawn_single"): (_BOTH_WAYS, _ONE_LINE),
    ("lines", "wrong_style"): ([(0, 0, 80, 0, 3, "solid")], [(0, 0, 80, 0, 3, "dashed")]),
    ("lines", "wrong_shape"): ([(0, 0, 80, 0, 3)], [(0, 0, 40, 1, 80, 0, 3)]),
    ("objects", "boundary"): (_HOUSES, [*_HOUSES[:-1], box(26, 24, 60, 50)]),
    ("objects", "displaced"): (_HOUSES, _OBJECTS["all shifted by 2 m"]),
}
# Kinds that are shown on demand only.
_ON_DEMAND: dict[tuple[str, str], dict[str, dict[str, Any]]] = {
    ("objects", "displaced"): {"max-overlap": {"displaced": 1.0}},
}


def _drawing(rows: Any) -> Drawing:
    """Rows ``x1, y1, x2, y2, ..., width``, with a style at the end where it is not solid; two places make a bar."""
    numbers = [[part for part in row if not isinstance(part, str)] for row in rows]
    return Drawing.from_lines(
        [list(zip(row[:-1:2], row[1:-1:2], strict=True)) for row in numbers],
        width=[row[-1] for row in numbers],
        style=[row[-1] if isinstance(row[-1], str) else "solid" for row in rows],
        crs=_CRS,
    )


_MAKE: dict[str, tuple[dict[str, Any], Callable[..., Any]]] = {
    "roads": (_ROADS, lambda lines: RoadNetwork.from_lines(lines, crs=_CRS)),
    "objects": (_OBJECTS, lambda polygons, **facts: ObjectMap.from_polygons(polygons, crs=_CRS, **facts)),
    "lines": (_DRAWINGS, _drawing),
}


def tiny_map(content: str, parts: Any, **facts: Any) -> Any:
    """A network, a map of objects or a drawing from its lines, polygons or rows."""
    return _MAKE[content][1](parts, **facts)


def cases(content: str) -> list[str]:
    """The names of the predictions of a content, the perfect one first."""
    return list(_MAKE[content][0])


@cache
def world(content: str, case: str) -> Any:
    """The prediction of a case; ``the same`` is the reference."""
    maps, make = _MAKE[content]
    return make(maps[case])


@cache
def evaluated(content: str, case: str, metric: str) -> Result:
    """A prediction with one error, scored by one metric as a user would have it."""
    area = {} if content == "lines" else {"aoi": "all"}
    return evaluate(world(content, "the same"), world(content, case), kind=content, metrics=metric, **area)


@cache
def kind_example(content: str, kind: str) -> tuple[Any, Any, Any] | None:
    """A reference, a prediction, and its errors of this kind; ``None`` where no tiny map has one."""
    make = _MAKE[content][1]
    if (content, kind) in _PAIRS:
        pairs = [tuple(map(make, _PAIRS[content, kind]))]
    else:
        pairs = [(world(content, cases(content)[0]), world(content, case)) for case in cases(content)]
    asked = _ON_DEMAND.get((content, kind))
    results = [_evaluated(content, *pair) if asked is None else _evaluate(content, *pair, asked) for pair in pairs]
    # As the map lists them; kinds that it does not list, as a metric reports them.
    for pair, result in zip(pairs, results, strict=True):
        if len(result.errors_of(kind)):
            return *pair, result.errors_of(kind)
    for pair, result in zip(pairs, results, strict=True):
        for frame in result.errors.values():
            if (frame["kind"] == kind).any():
                return *pair, frame[frame["kind"] == kind]
    return None


@cache
def _evaluated(content: str, reference: Any, prediction: Any) -> Result:
    return _evaluate(content, reference, prediction)


def _evaluate(content: str, reference: Any, prediction: Any, parameters: Any = None) -> Result:
    area = {} if content == "lines" else {"aoi": "all"}
    return evaluate(reference, prediction, kind=content, metrics="all", parameters=parameters, **area)
