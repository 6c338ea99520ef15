"""The scores of empty networks, by one convention for all metrics."""

from collections.abc import Sequence

from geoeval.model.road_network import RoadNetwork
from geoeval.model.scores import ScoreValue


def empty_scores(
    reference: RoadNetwork, prediction: RoadNetwork, *, good: Sequence[str], bad: Sequence[str] = ()
) -> dict[str, ScoreValue] | None:
    """The scores if a network is empty, or ``None`` if neither is.

    Both empty: there was nothing to find and nothing was predicted, so ``good`` scores are 1 and ``bad`` ones (error
    rates) are 0. One empty: the other way round.
    """
    if not reference.is_empty and not prediction.is_empty:
        return None
    perfect = reference.is_empty and prediction.is_empty
    return {**dict.fromkeys(good, float(perfect)), **dict.fromkeys(bad, float(not perfect))}
