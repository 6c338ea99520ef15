"""The diagnosis of a pair: all checks, the worst finding first."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from geoeval.contents import SIDES
from geoeval.diagnosis.finding import Finding, finding

if TYPE_CHECKING:
    from geoeval.offsets.estimate import Offset

# Metres: an offset that is worth a line, and one that spoils scores.
_SAID, _SPOILS = 0.5, 1.5
# What reading left out of a map, and the share of its features from which on that is said.
_DROPPED = {
    "without_geometry": "{} rows without geometry", "null_geometries": "{} rows without geometry",
    "not_lines": "{} geometries that are no lines", "not_polygons": "{} geometries that are no polygons",
    "not_a_number": "{} objects with broken coordinates", "vertices_not_a_number": "{} vertices that are no numbers",
    "lines_of_one_point": "{} lines of a single point", "without_area": "{} outlines without area",
    "ways_with_missing_nodes": "parts of {} ways whose nodes are missing",
    "ways_without_access": "{} ways closed to the traffic of the network type",
}  # fmt: skip
_MATTERS = 0.05


def diagnose(
    kind: str, reference: Any, prediction: Any, *, offset: "Offset | None" = None, removed: bool = False,
    problems: Sequence[Mapping[str, int]] | None = None,
) -> list[Finding]:  # fmt: skip
    """What is off with two maps in one CRS, cut to the ground that is evaluated, the prediction as it was given.

    Parameters
    ----------
    kind
        ``roads`` or ``objects``.
    reference, prediction
        The maps. Where one is empty, only what reading dropped is said.
    offset, removed
        The offset between them, and whether it is removed.
    problems
        What reading dropped of each, where the maps do not know it because they come from stores.
    """
    found = [*_offset(offset, removed=removed), *_dropped(reference, prediction, problems)]
    if kind != "roads" or reference.is_empty or prediction.is_empty:
        return found
    from geoeval.diagnosis.probe import probes
    from geoeval.diagnosis.road_classes import check_classes
    from geoeval.diagnosis.road_drawing import check_carriageways, check_crossings, check_detail

    shift = (offset.dx, offset.dy) if offset is not None and offset.significant else (0.0, 0.0)
    networks = dict(zip(SIDES, (reference, prediction), strict=True))
    views = dict(zip(SIDES, probes(reference, prediction, shift), strict=True))
    classes = [one for name, other in (SIDES, SIDES[::-1]) for one in check_classes(name, other, views[name])]
    detail = check_detail(networks)
    if classes:  # which says why there is more road
        detail = [one for one in detail if one["check"] != "density"]
    return [*found, *classes, *check_crossings(networks), *check_carriageways(views), *detail]


def _offset(offset: "Offset | None", *, removed: bool) -> list[Finding]:
    if offset is None or not offset.significant or removed or offset.distance < _SAID:
        return []
    message = f"the prediction is shifted as a whole: {offset.in_words()} of the reference"
    return [finding("offset", "warning" if offset.distance >= _SPOILS else "info", message, "--align")]


def _dropped(reference: Any, prediction: Any, problems: Sequence[Mapping[str, int]] | None) -> list[Finding]:
    """One line a side on what reading left out, where it was much."""
    found = []
    maps = (reference, prediction)
    for name, one, met in zip(SIDES, maps, problems or [one.problems for one in maps], strict=True):
        counts = {what: count for what, count in met.items() if what in _DROPPED}
        features = len(one.roads) if hasattr(one, "roads") else len(one)
        if sum(counts.values()) >= _MATTERS * max(features, 1) and counts:
            told = ", ".join(_DROPPED[what].format(f"{count:,}") for what, count in _most_first(counts).items())
            found.append(finding("reading", "info", f"reading the {name} left out {told}"))
    return found


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda one: -one[1]))
