"""What the listed errors and the slivers account for together."""

from math import fsum


def unmatched_metres(result):
    """By side: the metres that the listed errors and the slivers account for together."""
    frames = (result.decided or {}).values()
    told = {}
    for column, kind in (("ref_m", "missing"), ("pred_m", "spurious")):
        listed = fsum(float(value) for frame in frames if column in frame for value in frame[column])
        told[column] = listed + result.slivers.get(kind, {}).get("length_m", 0.0)
    return told
