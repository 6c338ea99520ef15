"""Verdicts of an earlier run, or of a file, on the errors of this one: the same id first, then the same place.

An id changes where the ids of features shift or a vertex moves; ``docs/review.md`` has the rule for the place.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Floats, Ints
from geoeval.crs import from_name, is_local, transform_if_possible
from geoeval.exceptions import CRSError
from geoeval.reviewing.verdicts import Verdict

if TYPE_CHECKING:
    import pandas as pd

# The same error may have moved by so many metres, and be longer or shorter by so many or by such a share.
SAME_PLACE = 10.0
LENGTH_METRES, LENGTH_SHARE = 5.0, 0.2
# Beyond so many metres there is no place in any CRS, and squares of distances overflow at last.
_NOWHERE = 1e12


def carried_verdicts(verdicts: Sequence[Verdict], errors: "pd.DataFrame", crs: str) -> list[Verdict]:
    """The verdicts as they stand on the errors of another run; those of errors that are gone keep their id.

    ``carried`` says how an error was found: ``id``, ``place``, or nothing where it was not. O((n + m) log m).
    """
    known = {name: row for row, name in enumerate(errors["error_id"])}
    row_of = np.array([known.get(one.error_id, -1) for one in verdicts], dtype=np.int64)
    how = ["id" if row >= 0 else "" for row in row_of.tolist()]
    free = np.ones(len(errors), dtype=bool)
    free[row_of[row_of >= 0]] = False
    open_ones = np.flatnonzero(row_of < 0)
    found = _by_place([verdicts[number] for number in open_ones.tolist()], errors[free], crs)
    rows = np.flatnonzero(free)
    for number, row in zip(open_ones[found >= 0].tolist(), rows[found[found >= 0]].tolist(), strict=True):
        row_of[number], how[number] = row, "place"
    return [
        replace(one, carried=way) if row < 0 else on_error(replace(one, carried=way), errors.iloc[row], crs)
        for one, row, way in zip(verdicts, row_of.tolist(), how, strict=True)
    ]


def on_error(verdict: Verdict, error: "pd.Series | dict[str, object]", crs: str) -> Verdict:
    """The verdict with the facts of the error that it is on."""
    facts: dict[str, Any] = {name: _number(error[name]) for name in ("length_m", "x", "y")}
    facts |= {name: str(error[name] or "") for name in ("error_id", "kind", "ref_id", "pred_id")}
    return replace(verdict, **facts, crs=crs)


def newest(verdicts: Iterable[Verdict], there: dict[str, Verdict]) -> list[Verdict]:
    """Of verdicts on errors that may have one already those that were given later; the last of several in a file."""
    chosen: dict[str, Verdict] = {}
    for one in verdicts:
        earlier = chosen.get(one.error_id) or there.get(one.error_id)
        if earlier is None or one.judged_at >= earlier.judged_at:
            chosen[one.error_id] = one
    return list(chosen.values())


def _by_place(verdicts: Sequence[Verdict], errors: "pd.DataFrame", crs: str) -> Ints:
    """For each verdict the row of the error at its place, or -1: the nearest pairs first, each once."""
    from scipy.spatial import cKDTree

    found = np.full(len(verdicts), -1, dtype=np.int64)
    places = _places(verdicts, crs)
    there = errors[["x", "y"]].to_numpy(dtype=np.float64)
    pairs = []
    for kind in dict.fromkeys(one.kind for one in verdicts):
        mine = np.array([row for row, one in enumerate(verdicts) if one.kind == kind], dtype=np.int64)
        mine = mine[(np.abs(places[mine]) < _NOWHERE).all(axis=1)]
        theirs = np.flatnonzero((errors["kind"] == kind).to_numpy() & np.isfinite(there).all(axis=1))
        if len(mine) == 0 or len(theirs) == 0:
            continue
        near = cKDTree(places[mine]).sparse_distance_matrix(
            cKDTree(there[theirs]), SAME_PLACE, output_type="coo_matrix"
        )
        lengths = errors["length_m"].to_numpy(dtype=np.float64)
        for i, j, distance in zip(mine[near.row], theirs[near.col], near.data, strict=True):
            if _alike(verdicts[i].length_m, lengths[j]):
                pairs.append((float(distance), int(i), int(j)))
    taken: set[int] = set()
    for _, i, j in sorted(pairs):
        if found[i] < 0 and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _alike(one: float | None, other: float) -> bool:
    """Whether two lengths may be those of the same error; one that is unknown may."""
    if one is None or not np.isfinite(other):
        return True
    return bool(abs(one - other) <= max(LENGTH_METRES, LENGTH_SHARE * max(one, other)))


def _places(verdicts: Sequence[Verdict], crs: str) -> Floats:
    """Where the errors of verdicts are, in a CRS; not a number where that cannot be told."""
    own = np.array([(one.x, one.y) if one.x is not None and one.y is not None else (np.nan, np.nan)
                    for one in verdicts], dtype=np.float64).reshape(-1, 2)  # fmt: skip
    target = from_name(crs)
    for name in dict.fromkeys(one.crs for one in verdicts):
        rows = np.array([row for row, one in enumerate(verdicts) if one.crs == name], dtype=np.int64)
        if name in {"", crs}:
            continue
        try:
            given = from_name(name)
        except CRSError:
            own[rows] = np.nan
            continue
        if given == target:
            continue
        if is_local(given) or is_local(target):
            own[rows] = np.nan
        else:
            own[rows] = transform_if_possible(own[rows], given, target)
    return own


def _number(value: object) -> float | None:
    number = float(value) if isinstance(value, int | float) else np.nan
    return number if np.isfinite(number) else None
