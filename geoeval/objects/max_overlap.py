"""Multi-object maximum overlap matching: one to one, one to many, many to one, without a threshold.

Özdemir, Aksoy, Eckert, Pesaresi and Ehrlich, *Performance measures for object detection evaluation*, Pattern
Recognition Letters 31 (2010). The matching has the largest total overlap under the rule that an object which shares its
partner with others has no other partner (``star_forest``). Precision and recall count the objects in any match; the
accuracy of the matches is the mean of their Mallows scores (``mallows``).

The paper is about maps whose objects do not overlap each other. Where they do, the largest total overlap would match a
map with itself crosswise; so an object that is in both maps is first matched with itself.
"""

from collections.abc import Callable, Mapping

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Objects
from geoeval.exceptions import ParameterError
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.later import LaterDict
from geoeval.model.metric_result import LocalCounts, MetricResult
from geoeval.model.object_map import ObjectMap
from geoeval.model.scores import Score, ScoreValue, count, share
from geoeval.objects.faults import FAULTS, displaced_sides, faults_of
from geoeval.objects.instances import Instances, object_features
from geoeval.objects.iou_matching import ENOUGH
from geoeval.objects.mallows import mallows_of_matches
from geoeval.objects.object_counts import counts_of_objects
from geoeval.objects.overlaps import Overlaps, overlaps_of, same_objects
from geoeval.objects.shapes import measure_shapes
from geoeval.objects.star_forest import heaviest_stars

_FORMS = ("one_to_one", "one_to_many", "many_to_one", "missed", "false_alarm")
# The smallest object of a match is at least this many pixels across.
_ACROSS = 8


def max_overlap(
    reference: ObjectMap,
    prediction: ObjectMap,
    *,
    min_overlap: float = 0.0,
    mallows: bool = True,
    resolution: float = 0.6,
    max_pixels: int = 2500,
    boundary: float = 0.5,
    displaced: float | None = None,
    time_limit: float = 60.0,
    overlaps: Overlaps | None = None,
    progress: Callable[[float], None] | None = None,
    workers: int = 1,
) -> MetricResult:
    """Score by the matching with the largest overlap, and compare the shapes of matched objects.

    Parameters
    ----------
    reference, prediction
        Maps in one CRS.
    min_overlap
        Pairs that share no more than this, in square metres, cannot match.
    mallows
        Whether to compute the Mallows scores, which takes most of the time.
    resolution
        Size of the pixels, in metres, on which polygons are compared by Mallows distance; smaller where an object
        would not be 8 pixels across. Two labelled images on the same pixels are compared on those.
    max_pixels
        Matches with more pixels than this on one side are compared on larger pixels, and counted in the notes.
    boundary
        One-to-one matches with a smaller IoU are shown as ``boundary`` errors, with what is wrong with each.
    displaced
        Sides of objects found one to one that go farther than this from the reference's outline, in metres, are shown
        as ``displaced`` lines; by default none are.
    time_limit
        How long to search in each knot of overlaps that needs an integer programme, in roughly seconds: it is turned
        into a number of search steps and no clock is read, so the same input gives the same numbers on every machine.
        Knots that are not solved completely are counted in the notes, with the overlap that they may lack.
    overlaps
        As ``overlaps_of`` gives them, if they are known.
    progress
        Called with a fraction from 0 to 1.
    workers
        Processes that share the Mallows scores; the result does not depend on it.

    Returns
    -------
    MetricResult
        ``precision``, ``recall``, ``f1``, ``mallows`` (mean over the matches, undefined without any), ``overlap`` in
        square metres, numbers of matches of each form and of objects in none. Both maps empty: scores 1; one empty: 0.

    Notes
    -----
    Linear in the number of objects for maps of even density, except for knots: components of the overlaps that are not
    nearly trees. A Mallows score takes O(k^2) memory for k pixels, and as measured about 0.7 ms for 100 to 400 pixels.
    """
    _check(resolution, max_pixels, boundary, time_limit)
    if displaced is not None and not displaced > 0:
        raise ParameterError(f"max-overlap.displaced is {displaced}; give metres above 0")
    overlaps = overlaps_of(reference, prediction) if overlaps is None else overlaps
    possible = overlaps.above(min_overlap)
    same, others = same_objects(possible)
    forest = heaviest_stars(possible.ref[others], possible.pred[others], possible.size[others], time_limit=time_limit)
    rows = np.sort(np.concatenate([same, others[forest.chosen]]))
    instances = Instances.from_pairs(possible.ref[rows], possible.pred[rows], len(reference), len(prediction))
    alike: dict[str, Floats] = {}
    coarser = np.zeros(len(instances), dtype=bool)
    if mallows:
        alike["mallows"], coarser = mallows_of_matches(
            reference, prediction, instances, resolution=resolution, across=_ACROSS, most=max_pixels,
            progress=progress, workers=workers,
        )  # fmt: skip
    shared = possible.size[rows] * overlaps.unit
    local = _local(reference, prediction, instances, shared, alike.get("mallows"), coarser)
    knots = others[forest.unfinished]
    local.counts["unsolved"][possible.ref[knots]] = 1.0
    local.counts["overlap_lost"][possible.ref[knots]] = forest.lost[forest.unfinished] * overlaps.unit
    counts = local.sums()
    scores, notes = scores_from_counts(counts)
    known = possible.size[rows] if reference.labels is None or prediction.labels is None else None
    shapes = LaterDict(lambda: {**measure_shapes(reference, prediction, instances, shared=known), **alike})

    def draw() -> ErrorFeatures:
        faults, words = faults_of(reference, prediction, instances, shapes["offset_m"])
        values = {**shapes, **faults}
        features = object_features(
            "max-overlap", reference, prediction, instances, values=values, words=words, links=True
        )
        _add_boundary(features, reference, prediction, instances, values, words, boundary)
        if displaced is not None:
            _add_displaced(features, reference, prediction, instances, displaced)
        return features

    details = {"instances": instances, "shapes": shapes, "local": local}
    return MetricResult(scores, counts, ErrorFeatures.later("max-overlap", draw), notes, details)


def scores_from_counts(counts: dict[str, float]) -> tuple[dict[str, ScoreValue], dict[str, str]]:
    """Scores and notes from counts, which may be sums over several areas."""
    refs, preds = counts["refs"], counts["preds"]
    if not (refs and preds):
        rates: dict[str, ScoreValue] = dict.fromkeys(
            ("precision", "recall", "f1", "mallows"), float(not refs and not preds)
        )
        notes = {}
    else:
        precision, recall = 1 - counts["false_alarm"] / preds, 1 - counts["missed"] / refs
        matches = sum(counts[name] for name in ("one_to_one", "one_to_many", "many_to_one"))
        mean = counts["mallows_sum"] / matches if matches and counts["compared"] == matches else None
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        rates = {"precision": precision, "recall": recall, "f1": f1, "mallows": mean}
        notes = _notes(counts, matches)
    return {**rates, "overlap": counts["overlap"], **{name: int(counts[name]) for name in _FORMS}}, notes


def _check(resolution: float, max_pixels: int, boundary: float, time_limit: float) -> None:
    for name, value, least in (("resolution", resolution, 0.0), ("time_limit", time_limit, 0.0)):
        if not value > least:
            raise ParameterError(f"max-overlap.{name} is {value}; give a number above {least:g}")
    if max_pixels < _ACROSS**2:
        raise ParameterError(f"max-overlap.max_pixels is {max_pixels}; give at least {_ACROSS**2}")
    if not 0 <= boundary <= 1:
        raise ParameterError(f"max-overlap.boundary is {boundary}; give an IoU from 0 to 1")


def _notes(counts: dict[str, float], matches: float) -> dict[str, str]:
    notes = {}
    if counts["unsolved"]:
        gap = counts["overlap_lost"] / (counts["overlap"] + counts["overlap_lost"])
        notes["overlap"] = (
            f"{counts['unsolved']:.0f} knots of overlaps were not solved completely; the best matching has at most "
            f"{100 * gap:.3f} % more overlap; raise max-overlap.time_limit to search longer"
        )
    if not matches:
        notes["mallows"] = "no objects match, so there are no shapes to compare"
    elif counts["compared"] < matches:
        notes["mallows"] = "not computed (max-overlap.mallows is off)"
    elif counts["coarser"]:
        notes["mallows"] = f"{counts['coarser']:.0f} matches are so large that they were compared on larger pixels"
    return notes


def _add_boundary(
    features: ErrorFeatures,
    reference: ObjectMap,
    prediction: ObjectMap,
    instances: Instances,
    values: Mapping[str, Floats],
    words: Objects,
    limit: float,
) -> None:
    """The ground that only one of two matched objects covers, where their IoU is below the limit."""
    number = instances.of_ref[instances.ref]
    single = (instances.refs[number] == 1) & (instances.preds[number] == 1)
    pairs = np.flatnonzero(single & (values["iou"][number] < limit * ENOUGH))
    number = number[pairs]
    if len(pairs) == 0:
        return
    ref, pred = instances.ref[pairs], instances.pred[pairs]
    features.add(
        "boundary",
        shapely.symmetric_difference(reference.polygons[ref], prediction.polygons[pred]),
        ref_id=reference.names[ref],
        pred_id=prediction.names[pred],
        dist_m=values["hausd_m"][number],
        severity=1 - values["iou"][number],
        note=[
            f"IoU {value:.2f}" + (f": {wrong}" if wrong else "")
            for value, wrong in zip(values["iou"][number], words[number], strict=True)
        ],
        **{name: values[name][number] for name in ("overlap_m2", "iou", "polis_m", "hausd_m", *FAULTS)},
    )


def _add_displaced(
    features: ErrorFeatures, reference: ObjectMap, prediction: ObjectMap, instances: Instances, limit: float
) -> None:
    """The sides of predicted objects, found one to one, that go farther than the limit from the reference's outline."""
    pairs = np.flatnonzero(instances.single[instances.of_ref[instances.ref]])
    ref, pred = instances.ref[pairs], instances.pred[pairs]
    sides, owner, distance = displaced_sides(prediction, pred, reference, ref, limit)
    if len(sides):
        features.add(
            "displaced",
            sides,
            ref_id=reference.names[ref[owner]],
            pred_id=prediction.names[pred[owner]],
            dist_m=distance,
            severity=1 - limit / distance,
        )


def _local(
    reference: ObjectMap,
    prediction: ObjectMap,
    instances: Instances,
    shared: Floats,
    mallows: Floats | None,
    coarser: Bools,
) -> LocalCounts:
    """Counts at the centroids of the objects, those of a match at its first reference object."""
    n, m = len(reference), len(prediction)
    first, _ = instances.firsts
    compared = np.full(len(instances), float(mallows is not None))
    of_match = {
        "overlap": np.bincount(instances.of_ref[instances.ref], weights=shared, minlength=len(instances)),
        "mallows_sum": compared if mallows is None else mallows,
        "compared": compared,
        "coarser": coarser,
        "unsolved": np.zeros(len(instances)),
        "overlap_lost": np.zeros(len(instances)),
        "one_to_one": (instances.refs == 1) & (instances.preds == 1),
        "one_to_many": instances.preds > 1,
        "many_to_one": instances.refs > 1,
    }
    counts = {name: np.zeros(n + m) for name in ("refs", "preds", *of_match, "missed", "false_alarm")}
    counts["refs"][:n] = 1.0
    counts["preds"][n:] = 1.0
    counts["missed"][instances.missed] = 1.0
    counts["false_alarm"][n + instances.false_alarms] = 1.0
    for name, own in of_match.items():
        counts[name][first] = own
    return counts_of_objects(reference, prediction, counts)


METRIC = Metric(
    max_overlap, "f1", "Objects in any match, one to one or several to one, and how well their shapes agree.",
    scores=(
        share("precision", "Share of predicted objects in a match."),
        share("recall", "Share of the reference's objects in a match."),
        share("f1", "Harmonic mean of precision and recall."),
        share("mallows", "How well the shapes of matched objects agree: mean of their Mallows scores."),
        Score("overlap", "Ground that matched objects share.", "higher", (0.0, None), "m2"),
        count("one_to_one", "Objects found one to one.", "higher"),
        count("one_to_many", "Objects of the reference found in pieces.", "lower"),
        count("many_to_one", "Predicted objects that are several of the reference.", "lower"),
        count("missed", "Objects of the reference that are not found.", "lower"),
        count("false_alarm", "Predicted objects without a match.", "lower"),
    ),
    counting="places", scores_from_counts=scores_from_counts,
)  # fmt: skip
