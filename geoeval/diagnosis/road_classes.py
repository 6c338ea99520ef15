"""Classes of road that one map has and the other lacks: service roads, tracks, footways."""

import numpy as np

from geoeval.diagnosis.finding import Finding, finding, percent
from geoeval.diagnosis.probe import Probe
from geoeval.readers.osm.way_classes import DRIVE

# A class is lacking if less than this share of it is followed; all of them must make up so much of the map, and what is
# left must be followed by so much, or the maps differ in other ways.
_LACKING, _MUCH, _FOLLOWED = 0.25, 0.1, 0.5
_FEWEST_PLACES, _NAMED = 10, 4


def check_classes(name: str, other: str, probe: Probe) -> list[Finding]:
    """A warning where classes of one map have no counterpart in the other. O(places)."""
    classes = probe.network.classes
    if classes is None:
        return []
    number = classes.of(probe.network.source_ids[probe.segment])
    known = number >= 0
    count = np.bincount(number[known], minlength=len(classes.names))
    followed = np.bincount(number[known & probe.follows], minlength=len(classes.names))
    lacking = (count >= _FEWEST_PLACES) & (followed < _LACKING * count)
    share, of_followed = count[lacking].sum() / len(number), followed[lacking].sum() / max(followed.sum(), 1)
    rest, rest_followed = count[~lacking].sum(), followed[~lacking].sum()
    if share < _MUCH or rest_followed < _FOLLOWED * max(rest, 1):
        return []
    missed = np.flatnonzero(lacking)[np.argsort(-count[lacking], kind="stable")]
    names = [classes.names[one] for one in missed]
    shown = names
    if len(names) > _NAMED:
        shown = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} other classes"]
    words = " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
    message = (
        f"{words} {'is' if len(names) == 1 else 'are'} {percent(share)} of the {name} and {percent(of_followed)} "
        f"of what the {other} {'follows' if other == 'prediction' else 'has'} of it"
    )
    kept = sorted(classes.names[one] for one in np.flatnonzero(~lacking) if count[one])
    return [finding("classes", "warning", message, _option(names, kept) if classes.of_ways else "")]


def _option(lacking: list[str], kept: list[str]) -> str:
    """How OpenStreetMap ways are chosen; rows of other files are not."""
    is_drive = set(kept) <= DRIVE and not set(lacking) & DRIVE
    return f"--network-type {'drive' if is_drive else ','.join(kept)}"
