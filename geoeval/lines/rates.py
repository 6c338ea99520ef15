"""What pixel and vector level have in common: a detection rate and a false-alarm rate, combined in one index."""

from math import isfinite

from geoeval.exceptions import ParameterError


def check_weight(name: str, value: float) -> None:
    """Refuse a weight outside 0 to 1."""
    if not (isinstance(value, int | float) and isfinite(value) and 0 <= value <= 1):
        raise ParameterError(f"{name} is {value}; give a weight from 0 to 1")


def recovery_index(detection: float, false_alarm: float, weight: float) -> float:
    """Weighted mean of the detection rate and 1 minus the false-alarm rate: Liu and Dori, (11) and (27)."""
    return weight * detection + (1 - weight) * (1 - false_alarm)


def rates(reference: float, prediction: float, found: float, true: float) -> tuple[float, float]:
    """Detection and false-alarm rate, from the totals and the part of each that agrees with the other side.

    Nothing on either side is perfect: 1 and 0. Nothing detected: 0 and, as nothing is false, 0. Something detected
    where there is nothing: 0 and 1.
    """
    if reference == 0 and prediction == 0:
        return 1.0, 0.0
    return found / reference if reference else 0.0, 1 - true / prediction if prediction else 0.0
