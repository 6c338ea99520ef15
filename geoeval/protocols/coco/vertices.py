"""Precision and recall of vertices as HiSup's script counts them, and with its faults mended.

Scripted: predicted vertices in the order of the file take the nearest true vertex of their image, if it is at most 5
pixels away and still free; a predicted ring counts its closing vertex, a true one does not, so that every ring costs a
false vertex. Mended: closing vertices are left out, and the nearest pairs match first.
"""

from collections.abc import Iterable

import numpy as np
from scipy.spatial import cKDTree

from geoeval.arrays import Floats
from geoeval.model.scores import ScoreValue
from geoeval.protocols.aggregation import harmonic
from geoeval.protocols.coco.outlines import ImageOutlines, opened

_REACH = 5.0


def scripted_vertices(images: Iterable[ImageOutlines], *, scripted: bool) -> dict[str, ScoreValue]:
    """Counts summed over images: ``vertex_precision``, ``vertex_recall``, ``vertex_f1``; ``None`` without vertices."""
    matched = predicted = existing = 0
    for image in images:
        true = np.concatenate([np.zeros((0, 2)), *(opened(ring) for rings in image.true for ring in rings)])
        own = [ring if scripted else opened(ring) for rings in image.found for ring in rings]
        found = np.concatenate([np.zeros((0, 2)), *own])
        predicted, existing = predicted + len(found), existing + len(true)
        if len(true) and len(found):
            matched += _in_file_order(true, found) if scripted else _nearest_first(true, found)
    precision = matched / predicted if predicted else None
    recall = matched / existing if existing else None
    return {"vertex_precision": precision, "vertex_recall": recall, "vertex_f1": harmonic(precision, recall)}


def _in_file_order(true: Floats, found: Floats) -> int:
    distance, nearest = cKDTree(true).query(found)
    taken: set[int] = set()
    for gap, vertex in zip(distance.tolist(), nearest.tolist(), strict=True):
        if gap <= _REACH:
            taken.add(vertex)
    return len(taken)


def _nearest_first(true: Floats, found: Floats) -> int:
    near = cKDTree(true).sparse_distance_matrix(cKDTree(found), _REACH, output_type="coo_matrix")
    used: tuple[set[int], set[int]] = set(), set()
    for k in np.lexsort([near.col, near.row, near.data]):
        if near.row[k] not in used[0] and near.col[k] not in used[1]:
            used[0].add(near.row[k])
            used[1].add(near.col[k])
    return len(used[0])
