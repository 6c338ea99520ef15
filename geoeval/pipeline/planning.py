"""What to fix first, for every kind of map that has a plan, and carrying it out."""

from dataclasses import replace
from typing import Any

from geoeval.content import content_of
from geoeval.model.plan import Plan, with_plan
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
    return content_of(result.kind).edit_plan(result, effort)


def apply_plan(result: Result, plan: Any = None, *, top: int | None = None) -> Any:
    """The prediction with the edits of its plan carried out: a ``RoadNetwork``, or an ``ObjectMap``.

    Parameters and errors as in :func:`geoeval.roads.apply_plan.apply_plan`.
    """
    return content_of(result.kind).apply_plan(result, plan, top=top)


def planned(result: Result, *, plan: bool) -> Result:
    """The result with its errors decided, and what to fix first, where that can be told and is wanted."""
    content = content_of(result.kind)
    result = content.decided(result)
    if not plan or content.plans is None:
        return result
    why = content.why_no_plan(result)
    if why:
        return replace(result, notes={**result.notes, "plan": why})
    found = content.edit_plan(result)
    if not found.measured and len(found.edits):
        why = "the gains in the plan are estimates from isolated errors: the maps were not kept to measure them"
        result = replace(result, notes={**result.notes, "plan": why})
    return with_plan(result, found)
