"""Readable names of the columns of error layers."""

from collections.abc import Iterable

_LABELS = {
    "action": "What to do",
    "area_m2": "Area (m²)",
    "arms": "Arms in the prediction",
    "class": "Class",
    "confidence": "How sure (0 to 1)",
    "corners": "Corners too many (missing: below 0)",
    "dist_m": "Distance (m)",
    "effort_s": "Effort (s)",
    "dx": "Move east by (m)",
    "dy": "Move north by (m)",
    "error_id": "Id of the error",
    "fix": "How to fix it",
    "gain": "Gain in score",
    "hausd_m": "Largest distance of the outlines (m)",
    "ge_cut": "Ends that were cut",
    "ge_from": "Node at the start",
    "ge_to": "Node at the end",
    "iou": "Intersection over union",
    "judged_at": "Judged at (UTC)",
    "judged_by": "Judged by",
    "kind": "Kind of error",
    "lat": "Latitude",
    "length_m": "Length (m)",
    "lon": "Longitude",
    "mallows": "Mallows score",
    "metric": "Found by",
    "note": "What was found",
    "osm_edit": "Edit it in OpenStreetMap",
    "osm_object": "Its element in OpenStreetMap",
    "osm_place": "The place in OpenStreetMap",
    "overlap_m2": "Common ground (m²)",
    "polis_m": "Mean distance of the corners, PoLiS (m)",
    "pred_id": "Feature of the prediction",
    "pred_m": "Unmatched in the prediction (m)",
    "rank": "Place in the plan",
    "ref_arms": "Arms in the reference",
    "ref_id": "Feature of the reference",
    "ref_m": "Unmatched in the reference (m)",
    "remark": "Remark",
    "seconds": "Looked at for (s)",
    "severity": "Severity (0 to 1)",
    "shift_m": "Shifted by (m)",
    "size_ratio": "Area, as a share of the reference's",
    "source_id": "Id of the feature",
    "total": "Gain so far",
    "turn_deg": "Turned by (degrees)",
    "rotate_deg": "Rotate by (degrees, to the left)",
    "verdict": "Verdict",
}


def labels_of(columns: Iterable[str]) -> dict[str, str]:
    """By column its readable name, for those that have one, in the order of the columns."""
    return {name: _LABELS[name] for name in map(str, columns) if name in _LABELS}
