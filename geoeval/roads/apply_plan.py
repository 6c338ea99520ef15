"""Carry out the edits of a plan on the prediction."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Ints
from geoeval.exceptions import ParameterError
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.edit_plan import Plan, edit_plan
from geoeval.roads.mending.carrying_out import carry_out
from geoeval.trust import check_table

if TYPE_CHECKING:
    import pandas as pd

# How far, in metres, an edit in a table may be from the edit of the plan that it is; tables are rounded.
_SAME_PLACE = 0.01


def apply_plan(result: Result, plan: Any = None, *, top: int | None = None) -> RoadNetwork:
    """The prediction of a road evaluation with the edits of its plan carried out.

    Roads are added with their ends joined to what is there, moved, deleted and reconnected. An evaluation of what comes
    out, against the same reference on the same ground, finds the gain that the plan states; after all edits every score
    is 1.

    Parameters
    ----------
    result
        Of a road evaluation that holds its maps.
    plan
        Which edits: the plan of this evaluation, or some rows of its table, as a DataFrame or as the file ``plan.csv``
        that was written; by default all of the plan that the result has, or would have.
    top
        Only so many edits, the first ones.

    Returns
    -------
    RoadNetwork
        In the CRS of the evaluation and cut to its area, as the prediction was evaluated. With no edits it is the
        prediction; the order of edits does not matter.

    Raises
    ------
    ParameterError
        The result has no maps, or the plan is of another evaluation.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate
    >>> reference = RoadNetwork.from_lines([[(0, 0), (100, 0), (300, 0)], [(100, 0), (100, 200)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 1), (300, 1)]], crs="EPSG:32610")
    >>> result = evaluate(reference, prediction, metrics="ccq,opt-j", aoi="all")
    >>> result.apply(top=1).length
    499.0
    >>> evaluate(reference, result.apply(), metrics="apls").scores["apls"]["apls"]
    1.0
    """
    if result.kind != "roads":
        raise ParameterError(f"a plan is carried out on roads, not on {result.kind}")
    whole = plan if isinstance(plan, Plan) else result.plan if result.plan is not None else edit_plan(result)
    if whole.patches is None:
        raise ParameterError(
            "this result does not hold the two maps; evaluate at once, not in tiles, to apply its plan"
        )
    chosen = np.zeros(whole.patches.count + 1, dtype=bool)
    chosen[chosen_edits(whole, plan, top).index] = True
    return carry_out(whole.patches, chosen)


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
        return pd.read_csv(path, index_col=False)
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
