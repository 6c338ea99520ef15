"""Chamfer and Hausdorff distance between two networks, exact along their roads.

The Chamfer distance is the mean, over the length of a network, of the distance to the other one; the Hausdorff
distance is the greatest such distance. Both are taken in each direction; ``chamfer`` is the mean of the two means and
``hausdorff`` the greater of the two maxima. Neither knows which road belongs to which, nor how roads connect, and a
single far piece decides the Hausdorff distance.
"""

from collections.abc import Mapping

import numpy as np
import shapely

from geoeval._kernels.boxes import BoxTree
from geoeval._kernels.distance_along import Offsets, offsets_along
from geoeval.metrics.metric import Metric
from geoeval.model.features import ErrorFeatures
from geoeval.model.metric_result import MetricResult
from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue, metres
from geoeval.roads.geometry.network_tree import network_tree
from geoeval.roads.geometry.sampling import coordinates

SCORES = (
    "chamfer",
    "chamfer_reference",
    "chamfer_prediction",
    "hausdorff",
    "hausdorff_reference",
    "hausdorff_prediction",
)
# Below a nanometre a distance is rounding.
_NOTHING = 1e-9


def distance(reference: RoadNetwork, prediction: RoadNetwork) -> MetricResult:
    """Chamfer and Hausdorff distances between two networks in metres; lower is better.

    Parameters
    ----------
    reference, prediction
        Networks in one metric CRS.

    Returns
    -------
    MetricResult
        Scores in metres: ``chamfer_reference`` and ``hausdorff_reference`` are the mean and the greatest distance of
        the reference's places to the prediction, ``chamfer_prediction`` and ``hausdorff_prediction`` those of the
        prediction's places to the reference; ``chamfer`` is the mean of the two means, ``hausdorff`` the greater of the
        two maxima. Counts: lengths, and integrals of the distance in square metres. Errors: the farthest place of
        the reference as a ``missing`` point and that of the prediction as a ``spurious`` one, unless at distance 0.

    Notes
    -----
    Both networks empty: all distances are 0. One empty: they are undefined. Exact up to rounding.
    O((n + m) log(n + m)) for networks of even density.
    """
    errors = ErrorFeatures("distance")
    lengths = {"ref_length": reference.length, "pred_length": prediction.length}
    if reference.is_empty and prediction.is_empty:
        return MetricResult(dict.fromkeys(SCORES, 0.0), lengths, errors)
    if reference.is_empty or prediction.is_empty:
        why = f"the {'reference' if reference.is_empty else 'prediction'} is empty: there is no distance to nothing"
        return MetricResult(dict.fromkeys(SCORES), lengths, errors, dict.fromkeys(SCORES, why))
    trees = [network_tree(network) for network in (reference, prediction)]
    offsets = [offsets_along(trees[side].segments, trees[1 - side]) for side in (0, 1)]
    counts = lengths | {
        "ref_integral": float(offsets[0].integral.sum()),
        "pred_integral": float(offsets[1].integral.sum()),
    }
    farthest = [float(one.greatest.max()) for one in offsets]
    scores = chamfer_from_counts(counts) | {
        "hausdorff": max(farthest),
        "hausdorff_reference": farthest[0],
        "hausdorff_prediction": farthest[1],
    }
    _add_farthest(errors, "missing", "ref_id", "prediction", reference, trees[0], offsets[0])
    _add_farthest(errors, "spurious", "pred_id", "reference", prediction, trees[1], offsets[1])
    exact: dict[str, ScoreValue] = {name: scores[name] if scores[name] > _NOTHING else 0.0 for name in SCORES}
    return MetricResult(exact, counts, errors)


def chamfer_from_counts(counts: Mapping[str, float]) -> dict[str, float]:
    """The mean distances from lengths and integrals, which may be sums over several areas; a maximum is not a sum."""
    one, two = counts["ref_integral"] / counts["ref_length"], counts["pred_integral"] / counts["pred_length"]
    return {"chamfer": (one + two) / 2, "chamfer_reference": one, "chamfer_prediction": two}


def _add_farthest(
    errors: ErrorFeatures, kind: str, side: str, other: str, network: RoadNetwork, tree: BoxTree, offsets: Offsets
) -> None:
    away = float(offsets.greatest.max())
    if away <= _NOTHING:
        return
    # Of equally far places the one with the smallest coordinates.
    far = np.flatnonzero(offsets.greatest >= away - 1e-9)
    segment = tree.order[far]
    places = coordinates(network, segment, offsets.at[far])
    first = np.lexsort([places[:, 1].round(6), places[:, 0].round(6)])[0]
    errors.add(
        kind,
        [shapely.Point(places[first])],
        length_m=[np.nan],
        dist_m=[away],
        note=f"farthest: {away:.1f} m from the {other}",
        **{side: [str(network.source_ids[segment[first]])]},
    )


METRIC = Metric(
    distance, "chamfer", "Chamfer and Hausdorff distance in metres.",
    scores=(
        metres("chamfer", "Mean of the mean distances in both directions."),
        metres("chamfer_reference", "Mean distance from the reference to the prediction."),
        metres("chamfer_prediction", "Mean distance from the prediction to the reference."),
        metres("hausdorff", "Greater of the greatest distances in both directions."),
        metres("hausdorff_reference", "Greatest distance from the reference to the prediction."),
        metres("hausdorff_prediction", "Greatest distance from the prediction to the reference."),
    ),
    in_all=False,
)  # fmt: skip
