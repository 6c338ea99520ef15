"""What is wrong with an outline that matches: shifted, turned, too large or too small, corners missing or too many.

The turn is that of the main direction: sides count by their lengths, and directions that are a right angle apart are
one, so a building has one main direction whichever way it is drawn.
"""

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.model.object_map import ObjectMap
from geoeval.model.outlines import Outlines
from geoeval.objects.instances import Instances
from geoeval.objects.outline_distances import farthest_distances

# From which values on a fault is worth a word: metres, degrees, share of the area.
_SHIFT, _TURN, _SIZE = 0.5, 3.0, 0.1
# Columns that say what is wrong: metres, degrees, share of the reference's area, corners too many.
FAULTS = ("shift_m", "turn_deg", "size_ratio", "corners")


def faults_of(
    reference: ObjectMap, prediction: ObjectMap, instances: Instances, shift: Floats
) -> tuple[dict[str, Floats], Objects]:
    """What is wrong with each instance that is one to one: the columns of ``FAULTS``, and words.

    ``shift`` is how far the centroids of each instance are apart. Of other instances nothing is known. O(corners).
    """
    rows = np.flatnonzero(instances.single)
    ref, pred = (first[rows] for first in instances.firsts)
    found = {"shift_m": shift[rows], **measure_faults(reference, ref, prediction, pred)}
    columns = {name: np.full(len(instances), np.nan) for name in FAULTS}
    for name, values in found.items():
        columns[name][rows] = values
    words = np.full(len(instances), "", dtype=object)
    words[rows] = fault_words(shift[rows], found)
    return columns, words


def measure_faults(reference: ObjectMap, ref: Ints, prediction: ObjectMap, pred: Ints) -> dict[str, Floats]:
    """By name one number for each pair: ``turn_deg`` (-45 to 45), ``size_ratio`` and ``corners`` (too many).

    O(corners).
    """
    turn = _main_direction(prediction.outlines)[pred] - _main_direction(reference.outlines)[ref]
    return {
        "turn_deg": (turn + 45.0) % 90.0 - 45.0,
        "size_ratio": prediction.areas[pred] / reference.areas[ref],
        "corners": (prediction.outlines.corners[pred] - reference.outlines.corners[ref]).astype(np.float64),
    }


def fault_words(shift: Floats, faults: dict[str, Floats]) -> list[str]:
    """What is wrong with each pair, in words; empty where nothing is worth one."""
    return [
        ", ".join(_words(*values))
        for values in zip(
            shift.tolist(), *(faults[name].tolist() for name in ("turn_deg", "size_ratio", "corners")), strict=True
        )
    ]


def displaced_sides(
    prediction: ObjectMap, pred: Ints, reference: ObjectMap, ref: Ints, limit: float
) -> tuple[Objects, Ints, Floats]:
    """Sides of predicted outlines that go farther than a limit from the outline of their partner.

    As lines, with the number of the pair and how far each goes. O(n m) for a pair with n and m corners.
    """
    outlines = prediction.outlines
    count = outlines.corners[pred]
    owner = np.repeat(np.arange(len(pred)), count)
    corner = np.repeat(outlines.start[pred] - (np.cumsum(count) - count), count) + np.arange(len(owner))
    ends = np.stack([outlines.xy[corner], outlines.xy[outlines.following[corner]]], axis=1)
    # Each side is an outline of two corners, there and back.
    number = np.arange(len(corner))
    other = (2 * number[:, None] + np.array([1, 0])).ravel()
    alone = Outlines(ends.reshape(-1, 2), other, other, 2 * np.arange(len(corner) + 1))
    distance = farthest_distances(alone, number, reference.outlines, ref[owner])
    far = np.flatnonzero(distance > limit)
    return np.asarray(shapely.linestrings(ends[far])), owner[far], distance[far]


def _words(shift: float, turn: float, ratio: float, corners: float) -> list[str]:
    words = []
    if shift >= _SHIFT:
        words.append(f"shifted by {shift:.1f} m")
    if abs(turn) >= _TURN:
        words.append(f"turned by {abs(turn):.0f}° {'to the left' if turn > 0 else 'to the right'}")
    if abs(ratio - 1) >= _SIZE:
        words.append(f"{100 * abs(ratio - 1):.0f} % too {'large' if ratio > 1 else 'small'}")
    if corners:
        number = f"{abs(corners):.0f} corner{'s' * (abs(corners) != 1)}"
        words.append(f"{number} {'too many' if corners > 0 else 'missing'}")
    return words


def _main_direction(outlines: Outlines) -> Floats:
    """Direction of each object's sides in degrees, modulo a right angle; of no use where they have none in common."""
    side = outlines.xy[outlines.following] - outlines.xy
    around = (side[:, 0] + 1j * side[:, 1]) ** 4
    length = np.abs(around) ** 0.25
    # Angles times four make right angles whole turns; each side counts by its length.
    pull = np.where(length > 0, around / np.maximum(length, 1e-12) ** 3, 0)
    owner, count = outlines.owner, len(outlines.start) - 1
    total = np.bincount(owner, pull.real, minlength=count) + 1j * np.bincount(owner, pull.imag, minlength=count)
    return np.degrees(np.angle(total)) / 4
