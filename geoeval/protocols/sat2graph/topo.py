"""``sat2graph-topo``: TOPO as Sat2Graph's script and its copies compute it.

From start points along the reference, both graphs are walked for some 300 m; marbles dropped along the prediction fall
into holes along the reference, one each, and the shares of marbles and holes that found a partner are precision and
recall. After Biagioni and Eriksson (2012). Constants are in degrees of latitude as in the scripts, 1e-5 being 1.1111
pixels; so what papers call 10 m is 11.11 px, and 30 degrees are 44.8.

Quirks that are part of the number:

- Every hole has a twin in precision, so that a doubled road costs little.
- An edge between two junctions without inner vertices starts twice.
- Recall is scaled by the share of start points that were kept.
- Ties, such as the two directions of one edge, go to the first that the file lists. The scripts leave this to the
  order of an R-tree, and to the dictionary of the Python version: that moves single starts by up to 0.007 and totals by
  1e-5; the log published with Sat2Graph (Python 2) is 0.0007 off the same script under Python 3.
"""

from dataclasses import dataclass, fields

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.scores import ScoreValue, share
from geoeval.protocols.aggregation import f1_of_means, harmonic, mean_of_places
from geoeval.protocols.file_graph import FileGraph
from geoeval.protocols.protocol import Protocol
from geoeval.protocols.sat2graph.degrees import PIXELS_PER_DEGREE, degrees_of
from geoeval.protocols.sat2graph.marble_game import play
from geoeval.protocols.sat2graph.pairing import kept_one_to_one, on_prediction
from geoeval.protocols.sat2graph.start_points import inside, start_points

_LEAST_UNMATCHED = 0.5
_TOP_LEFT = np.array([41.0, -71.0])


@dataclass(frozen=True)
class _Constants:
    """Distances in degrees of latitude, angles as 1 - |cos|."""

    density: float = 5e-4
    pair_distance: float = 1e-4
    pair_angle: float = 0.04
    step: float = 5e-5
    r: float = 3e-3
    r_small: float = 1.5e-3
    match: float = 1e-4
    match_angle: float = 0.29
    competitor_box: float = 3e-4
    competitor_walk: float = 3e-4
    competitor_near: float = 2e-4
    keep: float = 0.9
    least_precision: float = 0.0
    least_recall: float = 0.0
    pad_rows: float = 300.0
    pad_columns: float = 500.0
    margin: float = 0.07


_PX = 1.0 / PIXELS_PER_DEGREE
_VARIANTS: dict[str, dict[str, float]] = {
    "sat2graph": {},
    "sam-road": {},
    "small": {"r": 1.5e-3},
    "openserge": {"pad_rows": 0.0, "pad_columns": 0.0},
    "readme": {
        "density": 50 * _PX, "pair_distance": 10 * _PX, "step": 5 * _PX, "r": 300 * _PX, "r_small": 150 * _PX,
        "match": 10 * _PX, "match_angle": 1.0 - float(np.cos(np.radians(30.0))),
    },
    "wildroad": {
        "density": 6e-4, "pair_distance": 2e-4, "step": 6e-5, "r": 2.5e-3, "r_small": 1.2e-3, "match": 2e-4,
        "match_angle": 0.25, "competitor_box": 4e-4, "competitor_walk": 4e-4, "competitor_near": 3e-4, "keep": 0.92,
        "least_precision": 0.75, "least_recall": 0.70,
    },
}  # fmt: skip


def sat2graph_topo(
    reference: FileGraph,
    prediction: FileGraph,
    *,
    variant: str = "sat2graph",
    small: bool | None = None,
    density: float | None = None,
    pair_distance: float | None = None,
    pair_angle: float | None = None,
    step: float | None = None,
    r: float | None = None,
    match: float | None = None,
    match_angle: float | None = None,
    competitor_box: float | None = None,
    competitor_walk: float | None = None,
    competitor_near: float | None = None,
    keep: float | None = None,
    least_precision: float | None = None,
    least_recall: float | None = None,
    pad_rows: float | None = None,
    pad_columns: float | None = None,
    margin: float | None = None,
) -> MetricResult:
    """TOPO of two graphs.

    Parameters
    ----------
    reference, prediction
        Graphs in pixels.
    variant
        Whose constants and rules: ``sat2graph`` and ``sam-road`` (the same; RNGDet++ and DeH4R too), ``small`` (their
        SpaceNet copies: half the travel distance, always), ``openserge`` (start points near the border are left out),
        ``readme`` (the constants that Sat2Graph's README states), ``wildroad`` (MaGRoad's constants for WildRoad, with
        the dropping of poor start points, but the walk of Sat2Graph).
    small
        Whether the travel distance is the one for small tiles; by default where the tile is lower than 1111 px.
    density, pair_distance, pair_angle, step, r, match, match_angle
        Single constants instead of the variant's, in degrees of latitude; angles are 1 - |cos|.
    competitor_box, competitor_walk, competitor_near, keep
        Of start points on one predicted road: how far around, and along it, they are looked for, in degrees, and the
        precision from which they stay.
    least_precision, least_recall
        Start points below are dropped.
    pad_rows, pad_columns, margin
        Pixels around the tile, and the share of it along its border in which no point starts.

    Returns
    -------
    MetricResult
        ``details["starts"]`` has one row a start point on the prediction: latitude, longitude, precision, recall. Where
        no start point lies on the prediction, recall and f1 are 0 and precision is undefined; a reference without start
        points leaves all undefined.
    """
    single = {
        "density": density, "pair_distance": pair_distance, "pair_angle": pair_angle, "step": step, "r": r,
        "match": match, "match_angle": match_angle, "competitor_box": competitor_box,
        "competitor_walk": competitor_walk, "competitor_near": competitor_near, "keep": keep,
        "least_precision": least_precision, "least_recall": least_recall, "pad_rows": pad_rows,
        "pad_columns": pad_columns, "margin": margin,
    }  # fmt: skip
    constants = _constants(variant, single)
    degrees = degrees_of(reference.nodes)
    other = degrees_of(prediction.nodes)
    low, high = _region(np.concatenate([degrees, other]), constants)
    if small is None:
        small = bool(_TOP_LEFT[0] - np.concatenate([degrees, other])[:, 0].min(initial=np.inf) < 0.01)
    travel = constants.r_small if small and r is None else constants.r
    starts = inside(start_points(degrees, reference.neighbours, constants.density), low, high, constants.margin)
    errors = ErrorFeatures("sat2graph-topo")
    if len(starts) == 0:
        why = "the reference has no start point: no chain of roads is long enough"
        return MetricResult(dict.fromkeys(_NAMES), errors=errors, notes=dict.fromkeys(_NAMES, why))
    number, places = on_prediction(
        starts, other, degrees, prediction.edges, distance=constants.pair_distance, angle=constants.pair_angle
    )
    played = play(
        reference, prediction, starts[number], places,
        step=constants.step, r=travel, match=constants.match, match_angle=constants.match_angle,
    )  # fmt: skip
    marbles, matched, holes, found = played.counts.T
    with np.errstate(invalid="ignore", divide="ignore"):
        precision, recall = matched / marbles, found / holes
    counted = np.flatnonzero(
        (marbles > 0) & (holes > 0) & (precision >= constants.least_precision) & (recall >= constants.least_recall)
    )
    kept = counted[
        kept_one_to_one(
            places[counted], precision[counted], other, prediction.neighbours, box=constants.competitor_box,
            walk=constants.competitor_walk, near=constants.competitor_near, keep=constants.keep,
        )
    ]  # fmt: skip
    counts = {
        "starts": len(starts), "paired": len(number), "kept": len(kept), "precision_sum": float(precision[kept].sum()),
        "recall_sum": float(recall[kept].sum()),
    }  # fmt: skip
    scores, notes = _scores(counts)
    _add_features(
        errors, reference, played.reference, played.reference_first, "unmatched_hole", "holes", constants.step
    )
    _add_features(
        errors, prediction, played.prediction, played.prediction_first, "unmatched_marble", "marbles", constants.step
    )
    rows = np.column_stack([places.degrees, precision, recall]) if len(number) else np.zeros((0, 4))
    used = {"variant": variant, "small": small} | {name: getattr(constants, name) for name in single} | {"r": travel}
    return MetricResult(scores, counts, errors, notes, {"starts": rows, "parameters": used})


_NAMES = ("f1", "precision", "recall")


def _constants(variant: str, given: dict[str, float | None]) -> _Constants:
    if variant not in _VARIANTS:
        raise ParameterError(f"unknown variant {variant!r} of sat2graph-topo; there are {', '.join(_VARIANTS)}")
    for name, value in given.items():
        may_be_none = name.startswith(("least", "pad", "margin"))
        if value is not None and not (value > 0 or (may_be_none and value == 0)):
            raise ParameterError(f"sat2graph-topo.{name} is {value}; give a number above 0")
    return _Constants(**{**_VARIANTS[variant], **{name: value for name, value in given.items() if value is not None}})


def _region(degrees: Floats, constants: _Constants) -> tuple[Floats, Floats]:
    """The region of the tile: from its top left corner to the farthest node, and the pads around."""
    pads = np.array([constants.pad_rows, constants.pad_columns]) / PIXELS_PER_DEGREE
    south = degrees[:, 0].min(initial=_TOP_LEFT[0])
    east = degrees[:, 1].max(initial=_TOP_LEFT[1])
    return np.array([south, _TOP_LEFT[1]]) - pads, np.array([_TOP_LEFT[0], east]) + pads


def _scores(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    if counts["kept"] == 0:
        why = "no start point lies on the prediction"
        return {"f1": 0.0, "precision": None, "recall": 0.0}, {"precision": why}
    precision = counts["precision_sum"] / counts["kept"]
    recall = counts["recall_sum"] / counts["starts"]
    return {"f1": harmonic(precision, recall), "precision": precision, "recall": recall}, {}


def _add_features(
    errors: ErrorFeatures, graph: FileGraph, tally: Ints, first: Ints, kind: str, what: str, step: float
) -> None:
    """Stretches of edges on which most of the points that starts placed there found no partner."""
    lists = graph.neighbours
    position = np.flatnonzero(np.arange(len(lists.node)) < lists.back)
    owner = np.repeat(np.arange(len(lists.start) - 1), np.diff(lists.start))
    ends = np.empty((len(first) - 1, 2), dtype=np.int64)
    ends[lists.edge[position]] = np.column_stack([owner[position], lists.node[position]])
    with np.errstate(invalid="ignore"):
        unmatched = tally[:, 1] / tally[:, 0]
    bad = np.nan_to_num(unmatched) > _LEAST_UNMATCHED
    edge = np.repeat(np.arange(len(ends)), np.diff(first))
    index = np.flatnonzero(bad)
    if len(index) == 0:
        return
    breaks = np.flatnonzero((np.diff(index) > 1) | (np.diff(edge[index]) > 0)) + 1
    pixels = step * PIXELS_PER_DEGREE
    lines, shares, placed = [], [], []
    for run in np.split(index, breaks):
        a, b = graph.nodes[ends[edge[run[0]]]]
        length = max(float(np.hypot(*(b - a))), 1e-9)
        begin = min((run[0] - first[edge[run[0]]]) * pixels / length, 1.0)
        end = min((run[-1] + 1 - first[edge[run[0]]]) * pixels / length, 1.0)
        if end <= begin:
            begin = max(0.0, 1.0 - pixels / length)
        lines.append(shapely.LineString(graph.places(np.array([a + begin * (b - a), a + end * (b - a)]))))
        shares.append(float(tally[run, 1].sum() / tally[run, 0].sum()))
        placed.append(int(tally[run, 0].sum()))
    notes = [f"{part:.0%} of {count} {what} here have no partner" for part, count in zip(shares, placed, strict=True)]
    errors.add(kind, lines, severity=shares, note=notes)


PROTOCOL = Protocol(
    sat2graph_topo, "f1", "Marbles along the prediction that fall into holes along the reference, around start points.",
    scores=(
        share("f1", "Harmonic mean of precision and recall."),
        share("precision", "Mean share of marbles that fall into a hole, over the start points that are kept."),
        share("recall", "Mean share of holes that get a marble, times the share of start points that are kept."),
    ),
    version="1", takes="graphs",
    origin="TOPO of Sat2Graph (He et al., ECCV 2020) and its copies in RNGDet++, SAM-Road, DeH4R, OpenSERGE, MaGRoad.",
    blind_to=(
        "doubled roads, which its twin holes forgive; closed rings, which have no start points; roads that no start "
        "reaches; all errors under 11 px"
    ),
    prefer=("opt-g", "opt-j"),
    constants={one.name: one.default for one in fields(_Constants) if one.name != "r_small"},
    aggregates={"city": mean_of_places, "spacenet": f1_of_means}, scores_from_counts=_scores,
)  # fmt: skip
