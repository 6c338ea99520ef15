"""Carry out the edits of a plan on the prediction."""

from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.model.plan import Plan, which_edits
from geoeval.model.result import Result
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.edit_plan import edit_plan
from geoeval.roads.mending.carrying_out import carry_out


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
    return carry_out(whole.patches, which_edits(whole, plan, top))
