"""Errors of a vectorised drawing on the map, from the same overlaps as the score.

``missed``, ``fragmented`` and ``incomplete`` are reference lines, ``false_alarm``, ``consolidated`` and ``overlong``
detected lines; the severity is 1 minus the line's quality, and the note gives Qb, Qfr and the number of fragments.
``displaced``, ``wrong_width``, ``wrong_style`` and ``wrong_shape`` are overlaps, named by what lowers their quality;
``matched`` are all overlaps, and no errors. Overlaps shorter than the line is wide, as where two lines meet end to end,
count in the score but are not shown and not counted as fragments.
"""

from typing import Any

import numpy as np

from geoeval.arrays import Bools, Floats, Ints
from geoeval.lines.line_matching import LineMatching
from geoeval.lines.line_quality import LineQuality
from geoeval.model.drawing import SHAPES, STYLES, Drawing
from geoeval.model.features import ErrorFeatures

# Differences up to this share of the width, or of the length, are not shown.
SMALL = 0.05


def line_errors(
    matching: LineMatching, quality: Floats, by_reference: LineQuality, by_prediction: LineQuality
) -> tuple[ErrorFeatures, Ints, Ints]:
    """The features, and the number of fragments of each reference and each detected line. O(lines + overlaps)."""
    reference, prediction = matching.reference, matching.prediction
    real = real_overlaps(matching)
    fragments = np.bincount(matching.g[real], minlength=len(reference))
    joined = np.bincount(matching.k[real], minlength=len(prediction))
    features = ErrorFeatures("vector")
    _add_lines(features, reference, by_reference, fragments, "ref_id", ("missed", "fragmented", "incomplete"))
    _add_lines(features, prediction, by_prediction, joined, "pred_id", ("false_alarm", "consolidated", "overlong"))
    _add_overlaps(features, matching, quality, np.flatnonzero(real))
    return features, fragments, joined


def real_overlaps(matching: LineMatching) -> Bools:
    """Which overlaps are longer than where two lines only meet end to end."""
    g, k = matching.g, matching.k
    shorter = np.minimum(matching.reference.lengths[g], matching.prediction.lengths[k])
    return matching.length > np.minimum(matching.reference.widths[g], shorter / 2)


def _add_lines(
    features: ErrorFeatures,
    drawing: Drawing,
    quality: LineQuality,
    count: Ints,
    id_column: str,
    kinds: tuple[str, str, str],
) -> None:
    geometries = drawing.geometries()
    rest = np.maximum(drawing.lengths - quality.overlapped, 0.0)
    partly = (count > 0) & (rest > np.maximum(SMALL * drawing.lengths, drawing.widths))
    for kind, mask in zip(kinds, (count == 0, count > 1, partly), strict=True):
        rows = np.flatnonzero(mask)
        if len(rows):
            lengths = rest if kind == kinds[2] else drawing.lengths
            columns: dict[str, Any] = {id_column: [str(drawing.ids[row]) for row in rows]}
            features.add(
                kind,
                geometries[rows],
                length_m=lengths[rows],
                severity=1 - quality.total[rows],
                note=[
                    f"Qb {quality.basic[row]:.4f}, Qfr {quality.fragmentation[row]:.4f}, {_fragments(int(count[row]))}"
                    for row in rows
                ],
                **columns,
            )


def _add_overlaps(features: ErrorFeatures, matching: LineMatching, quality: Floats, rows: Ints) -> None:
    reference, prediction = matching.reference, matching.prediction
    g, k = matching.g[rows], matching.k[rows]
    width = reference.widths[g]
    distance = np.maximum(np.maximum(matching.d1, matching.d2), matching.d_overlap)[rows]
    segments = matching.segments[rows]
    masks = {
        "displaced": distance > SMALL * width,
        "wrong_width": np.abs(prediction.widths[k] - width) > SMALL * width,
        "wrong_style": prediction.styles[k] != reference.styles[g],
        "wrong_shape": prediction.shapes[k] != reference.shapes[g],
        "matched": np.ones(len(rows), dtype=bool),
    }
    for kind, mask in masks.items():
        own = rows[mask]
        if len(own):
            features.add(
                kind,
                segments[mask],
                ref_id=[str(reference.ids[i]) for i in matching.g[own]],
                pred_id=[str(prediction.ids[i]) for i in matching.k[own]],
                length_m=matching.length[own],
                dist_m=distance[mask],
                severity=1 - quality[own],
                note=[_note(kind, matching, quality, int(row)) for row in own],
            )


def _note(kind: str, matching: LineMatching, quality: Floats, row: int) -> str:
    """What was detected, and what it should be."""
    reference, prediction = matching.reference, matching.prediction
    g, k = int(matching.g[row]), int(matching.k[row])
    if kind == "displaced":
        return f"d1 {matching.d1[row]:.3g}, d2 {matching.d2[row]:.3g}, between {matching.d_overlap[row]:.3g}"
    if kind == "wrong_width":
        return f"{prediction.widths[k]:g} for {reference.widths[g]:g}"
    if kind == "wrong_style":
        return f"{_style(prediction, k)} for {_style(reference, g)}"
    if kind == "wrong_shape":
        return f"{SHAPES[int(prediction.shapes[k])]} for {SHAPES[int(reference.shapes[g])]}"
    return f"quality {quality[row]:.4f}"


def _fragments(count: int) -> str:
    return f"{count} fragment" if count == 1 else f"{count} fragments"


def _style(drawing: Drawing, line: int) -> str:
    code = int(drawing.styles[line])
    return STYLES.get(code, f"style {code}")
