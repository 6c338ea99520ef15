"""How published scripts put the scores of places together: each way has a name, as it moves a table by points."""

from collections.abc import Mapping, Sequence

import numpy as np

from geoeval.model.scores import ScoreValue

PlaceScores = Sequence[Mapping[str, ScoreValue] | None]


def mean_of_places(places: PlaceScores) -> dict[str, ScoreValue]:
    """City-Scale TOPO: the mean of every score over the places that have one, so f1 is not that of the means."""
    counted = [place for place in places if place is not None]
    names = list(dict.fromkeys(name for place in counted for name in place))
    return {name: _mean([place.get(name) for place in counted]) for name in names}


def f1_of_means(places: PlaceScores) -> dict[str, ScoreValue]:
    """SpaceNet TOPO: places whose precision and recall are both 0 are left out; f1 comes from the two means."""
    counted = [place for place in places if place is not None and _number(place, "precision", "recall") > 0]
    precision = _mean([place.get("precision") for place in counted])
    recall = _mean([place.get("recall") for place in counted])
    return {"precision": precision, "recall": recall, "f1": harmonic(precision, recall), "places": len(counted)}


def mean_of_defined(places: PlaceScores) -> dict[str, ScoreValue]:
    """SpaceNet APLS: undefined places and those without a prediction are left out; the mean of the others."""
    values = [place.get("apls") for place in places if place is not None]
    defined = [value for value in values if value is not None]
    return {"apls": _mean(defined), "places": len(defined)}


def truncated_mean(places: PlaceScores) -> dict[str, ScoreValue]:
    """City-Scale APLS: the script reads scores with 5 of their 6 decimals, and ends at the first place without one."""
    values = []
    for place in places:
        value = None if place is None else place.get("apls")
        if value is None:
            break
        values.append(int(round(value * 1e6) // 10) / 1e5)
    return {"apls": _mean(values), "places": len(values)}


def harmonic(one: ScoreValue, other: ScoreValue) -> float | None:
    """Harmonic mean; 0 where both are 0, undefined where either is."""
    if one is None or other is None:
        return None
    return 2.0 * one * other / (one + other) if one + other > 0 else 0.0


def _number(place: Mapping[str, ScoreValue], *names: str) -> float:
    return float(sum(place.get(name) or 0.0 for name in names))


def _mean(values: Sequence[ScoreValue]) -> float | None:
    known = [float(value) for value in values if value is not None]
    # As numpy adds up, which the scripts use: to the last digit of what they print.
    return float(np.mean(known)) if known else None
