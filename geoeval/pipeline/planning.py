"""What to fix first, for every kind of map that has a plan, and carrying it out."""

from typing import Any

from geoeval.exceptions import ParameterError
from geoeval.model.plan import Plan
from geoeval.model.result import Result


def edit_plan(result: Result, *, effort: Any = None) -> Plan:
    """Rank the errors of an evaluation of roads or objects by the gain per second that fixing them brings.

    Parameters
    ----------
    result
        Of an evaluation of roads (see :func:`geoeval.roads.edit_plan.edit_plan`) or of objects (see
        :func:`geoeval.objects.edit_plan.object_plan`).
    effort
        How long an edit takes: an ``Effort`` for roads, an ``ObjectEffort`` for objects.

    Returns
    -------
    Plan
        The edits, the best first; none if both maps are the same.

    Raises
    ------
    ParameterError
        The result is of lines, or does not hold what the plan of objects needs.
    """
    if result.kind == "roads":
        from geoeval.roads import edit_plan as roads

        return roads.edit_plan(result, effort=effort)
    if result.kind == "objects":
        from geoeval.objects.edit_plan import object_plan

        return object_plan(result, effort=effort)
    raise ParameterError(f"there is a plan of edits for roads and objects, not for {result.kind}")


def apply_plan(result: Result, plan: Any = None, *, top: int | None = None) -> Any:
    """The prediction with the edits of its plan carried out: a ``RoadNetwork``, or an ``ObjectMap``.

    Parameters and errors as in :func:`geoeval.roads.apply_plan.apply_plan`.
    """
    if result.kind == "roads":
        from geoeval.roads import apply_plan as roads

        return roads.apply_plan(result, plan, top=top)
    if result.kind == "objects":
        from geoeval.objects.edit_plan import apply_object_plan

        return apply_object_plan(result, plan, top=top)
    raise ParameterError(f"a plan is carried out on roads and objects, not on {result.kind}")
