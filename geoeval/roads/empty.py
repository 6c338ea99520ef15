"""The convention for empty networks, in one place."""

from collections.abc import Sequence

from geoeval.model.network import RoadNetwork
from geoeval.model.result import Score


def empty_scores(
    reference: RoadNetwork, prediction: RoadNetwork, *, good: Sequence[str], bad: Sequence[str] = ()
) -> dict[str, Score] | None:
    """Scores where a network is empty, or ``None`` where neither is.

    Both empty: nothing was to be found and nothing was claimed, so ``good`` scores are 1 and ``bad`` ones
    (error rates) 0. One empty: the other way round.
    """
    if not reference.is_empty and not prediction.is_empty:
        return None
    perfect = reference.is_empty and prediction.is_empty
    return {**dict.fromkeys(good, float(perfect)), **dict.fromkeys(bad, float(not perfect))}
