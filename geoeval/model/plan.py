"""What to fix first, as a table of edits: what plans of roads and of objects have in common."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Bools, Ints
from geoeval.exceptions import ParameterError
from geoeval.model.result import Result
from geoeval.trust import check_table

if TYPE_CHECKING:
    import pandas as pd

# The kind of the last edit, which is no error: all differences that are too small to be listed.
REST = "rest"
# Every plan has these columns.
PLAN_COLUMNS = ("rank", "action", "kind", "metric", "gain", "total", "effort_s", "length_m", "x", "y", "ref_id",
                "pred_id", "note", "confidence", "layer", "row")  # fmt: skip
# How far, in metres, an edit in a table may be from the edit of the plan that it is; tables are rounded.
_SAME_PLACE = 0.01


@dataclass(frozen=True)
class Plan:
    """Edits, the best first.

    Attributes
    ----------
    edits
        One row per edit: ``rank``, ``action``, ``kind``, ``metric``, ``gain``, ``total`` (the gain of this edit and all
        before it), ``effort_s``, ``length_m``, ``x``, ``y``, ``ref_id``, ``pred_id``, ``note``, ``confidence`` (of the
        error; 1 where nobody decided on the errors, and for the rest), and ``layer`` and ``row``, which point to the
        error: row ``row`` of ``result.map_errors()[layer]``. The last edit may be of the kind ``rest``, without a
        layer.
    scores
        The scores that the gain is in, with their present values.
    measured
        Whether the edits were carried out to measure their gains; otherwise these are estimates and ``total`` is NaN.
    patches
        What each edit does, in the order of ``edits``; ``None`` where the result does not hold its maps.
    """

    edits: "pd.DataFrame"
    scores: dict[str, float] = field(default_factory=dict)
    measured: bool = False
    patches: Any = field(default=None, repr=False, compare=False)

    def summary(self) -> dict[str, Any]:
        """How far the map is from perfect, in score and in seconds."""
        return {
            "edits": len(self.edits),
            "effort_s": float(self.edits["effort_s"].sum()),
            "gain": float(self.edits["gain"].sum()),
            "to_perfect": float(np.mean([1 - value for value in self.scores.values()])) if self.scores else None,
            "scores": list(self.scores),
            "measured": self.measured,
        }


@dataclass(frozen=True)
class Seconds:
    """How long edits take; none takes less than no time."""

    def __post_init__(self) -> None:
        if min(vars(self).values()) < 0:
            raise ParameterError("the seconds of an edit cannot be negative")


def with_plan(result: Result, plan: Plan) -> Result:
    """The result with its plan, and the columns ``gain``, ``effort_s`` and ``rank`` in the errors that a map shows.

    Where the plan says what to do in words, these are the column ``fix``. The numbers are NaN where an error is not in
    the plan. Where nobody decided on the errors, those of every metric get the columns.
    """
    shown = _rows_on_map(result)
    errors = {}
    for layer, frame in (result.errors if result.decided is None else result.decided).items():
        mine = plan.edits[plan.edits["layer"] == layer]
        rows = shown[layer][mine["row"].to_numpy(dtype=np.int64)]
        columns = {name: np.full(len(frame), np.nan) for name in ("gain", "effort_s", "rank")}
        for name, values in columns.items():
            values[rows] = mine[name].to_numpy(dtype=np.float64)
        errors[layer] = frame.assign(**columns)
        if "fix" in plan.edits:
            fixes = np.full(len(frame), "", dtype=object)
            fixes[rows] = mine["fix"].to_numpy(dtype=object)
            errors[layer] = errors[layer].assign(fix=fixes)
    if result.decided is None:
        return replace(result, plan=plan, errors=errors)
    return replace(result, plan=plan, decided=errors)


def _rows_on_map(result: Result) -> dict[str, Ints]:
    """For each row of the frames of ``map_errors`` the row of ``errors``, or of ``decided``, that it is."""
    if result.decided is not None:
        return {layer: np.arange(len(frame)) for layer, frame in result.decided.items()}
    numbered = {
        layer: frame[["kind", "metric"]].assign(row=np.arange(len(frame))) for layer, frame in result.errors.items()
    }
    shown = replace(result, errors=numbered).map_errors()
    return {layer: frame["row"].to_numpy(dtype=np.int64) for layer, frame in shown.items()}


def which_edits(whole: Plan, plan: Any = None, top: int | None = None) -> Bools:
    """Which edits of a plan are meant by a plan, by some of its rows, or by a file of them; and whether the rest is.

    Raises
    ------
    ParameterError
        The plan was made without the maps, or the rows are of another one.
    """
    if whole.patches is None:
        raise ParameterError(
            "this result does not hold the two maps; evaluate at once, not in tiles, to apply its plan"
        )
    chosen = np.zeros(whole.patches.count + 1, dtype=bool)
    chosen[chosen_edits(whole, plan, top).index] = True
    return chosen


def chosen_edits(whole: Plan, plan: Any = None, top: int | None = None) -> "pd.DataFrame":
    """The rows of a plan's table that are meant by a plan, by some of its rows, or by a file of them."""
    if top is not None and top < 0:
        raise ParameterError(f"top is {top}; give the number of edits, 0 or more")
    edits = whole.edits.reset_index(drop=True)
    if plan is not None and not isinstance(plan, Plan):
        edits = edits.iloc[_rows(_table(plan), whole)]
    return edits.iloc[:top]


def _table(given: Any) -> "pd.DataFrame":
    import pandas as pd

    if isinstance(given, pd.DataFrame):
        return given
    path = Path(given)
    check_table(path)
    try:
        # Opened here: pandas would take some names for addresses, and unpack what is packed.
        with path.open(encoding="utf-8", newline="") as file:
            return pd.read_csv(file, index_col=False)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())[:120]
        raise ParameterError(f"{path}: cannot be read as the table of a plan ({reason}); give a plan.csv") from None


def _rows(table: "pd.DataFrame", plan: Plan) -> Ints:
    """The rows of a plan that a table names by their rank; an error where what it says there is something else."""
    lacking = [name for name in ("rank", "kind", "x", "y") if name not in table]
    if lacking:
        raise ParameterError(
            f"the table of a plan has no column {lacking[0]!r}; give a plan.csv, or rows of plan.edits"
        )
    try:
        table = table.astype(dict.fromkeys(("rank", "x", "y"), np.float64))
    except (TypeError, ValueError):
        raise ParameterError("rank, x and y of the plan's table are not all numbers; give a plan.csv") from None
    rank = table["rank"].to_numpy()
    known = np.isin(rank, plan.edits["rank"].to_numpy())
    there = plan.edits.iloc[np.where(known, rank, 1).astype(np.int64) - 1] if len(plan.edits) else plan.edits
    for name, close in (("kind", None), ("x", _SAME_PLACE), ("y", _SAME_PLACE)):
        if len(there) < len(table):
            known[:] = False
        elif close is None:
            known &= table[name].to_numpy(dtype=object) == there[name].to_numpy(dtype=object)
        else:
            a, b = (np.asarray(one[name], dtype=np.float64) for one in (table, there))
            known &= np.isclose(a, b, rtol=0.0, atol=close, equal_nan=True)
    if not known.all():
        first = table.iloc[int(np.flatnonzero(~known)[0])]
        raise ParameterError(
            f"the edit of rank {first['rank']:g} ({first['kind']}) is not in the plan of this evaluation; give "
            "the plan of the same inputs and options"
        )
    return np.asarray(rank, dtype=np.int64) - 1
