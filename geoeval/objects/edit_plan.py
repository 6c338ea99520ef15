"""What to fix first on a map of objects: every error with the edit that mends it, its gain and its effort.

An object that was missed is added, a false alarm deleted, pieces of one object are merged, several objects drawn as one
are split. An outline that lies elsewhere is moved where a shift makes it match, turned and moved where that does, and
else reshaped; it matches when its IoU is that from which on it is no error (``max-overlap.boundary``). The gain of an
edit is how much it adds to the mean of the headlines of BGM, maximum overlap and IoU (of those that were evaluated)
when it is made after the edits before it; it is measured by carrying the edits out. What is left, outlines that differ
too little to be listed, is the last edit, the rest: with it the prediction has the outlines of the reference.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Bools, Floats, Ints, Objects
from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.model.error_kinds import shown_metric
from geoeval.model.object_map import ObjectMap
from geoeval.model.plan import PLAN_COLUMNS, REST, Plan, Seconds, which_edits
from geoeval.model.result import Result
from geoeval.objects.instances import Instances
from geoeval.objects.mending.edits import Moves, ObjectEdits, carry_out, find_moves, partners
from geoeval.objects.mending.gains import (
    HEADLINES,
    changes_of_counts,
    component_of_edits,
    components,
    score_of,
    scores_along,
)

if TYPE_CHECKING:
    import pandas as pd

# Where a metric does not say from which IoU on an outline is right.
_BOUNDARY = 0.5
_COLUMNS = (*PLAN_COLUMNS, "fix", "dx", "dy", "rotate_deg")


@dataclass(frozen=True)
class ObjectEffort(Seconds):
    """Seconds that a person needs for each edit of an object."""

    add: float = 20.0
    delete: float = 3.0
    move: float = 6.0
    rotate: float = 10.0
    reshape: float = 25.0
    split: float = 30.0
    merge: float = 10.0


def object_plan(result: Result, evaluate: Callable[..., Result], *, effort: ObjectEffort | None = None) -> Plan:
    """Rank the errors of an evaluation of objects by the gain per second that fixing them brings.

    Parameters
    ----------
    result
        Of an evaluation of objects that holds its maps and its matching: evaluated at once, not in tiles.
    evaluate
        Evaluates two maps again, as ``ObjectContent.evaluate`` does.
    effort
        How long an edit takes.

    Returns
    -------
    Plan
        Its table has more columns than that of roads: ``fix``, what to do in words, and for outlines that are moved
        ``dx``, ``dy`` in metres and ``rotate_deg`` to the left. Without edits if both maps have the same outlines.

    Raises
    ------
    ParameterError
        The result does not hold its maps, or no metric that matches objects was evaluated.

    Notes
    -----
    The scores are counted again near the edits in at most twelve rounds, without the Mallows scores.
    """
    import pandas as pd

    why_not = why_no_plan(result)
    if why_not:
        raise ParameterError(why_not)
    reference, prediction = (result.inputs[side] for side in SIDES)
    instances = result.details[str(shown_metric("missed", result.scores))]["instances"]
    table, edits = _edits(result, reference, prediction, instances, effort or ObjectEffort())
    now = {
        f"{name}.{score}": float(value)
        for name, score in HEADLINES.items()
        if (value := result.scores.get(name, {}).get(score)) is not None
    }
    values = {name: dict(result.parameters[name]) for name in HEADLINES if name in result.scores}
    if "max-overlap" in values:
        values["max-overlap"] |= {"mallows": False, "displaced": None}
    table, edits = _measured(result, table, edits, values)
    rest = _rest(result, evaluate, table, edits, values, effort or ObjectEffort())
    if rest is not None:
        table = pd.concat([table, pd.DataFrame([rest]).astype(table.dtypes)], ignore_index=True)
    table["rank"] = np.arange(1, len(table) + 1)
    return Plan(table, now, measured=True, patches=edits)


def why_no_plan(result: Result) -> str:
    """Why a result of objects has no plan, and what gives it one; empty where it can have one."""
    lead = shown_metric("missed", result.scores)
    if lead is not None and "instances" in result.details.get(lead, {}) and result.inputs:
        return ""
    return (
        "a plan needs both maps and their matching; evaluate at once, not in tiles, with max-overlap, hoover, bgm or "
        "iou among the metrics"
    )


def apply_object_plan(whole: Plan, plan: Any = None, *, top: int | None = None) -> ObjectMap:
    """The prediction of an evaluation of objects with the edits of its plan carried out.

    Parameters
    ----------
    whole
        The plan of the evaluation.
    plan, top
        Which of its edits, as in :func:`geoeval.roads.apply_plan.apply_plan`.

    Returns
    -------
    ObjectMap
        An evaluation of it, against the same reference on the same ground, finds the gain that the plan states; after
        all edits its outlines are those of the reference.

    Examples
    --------
    >>> import shapely
    >>> from geoeval import ObjectMap, evaluate
    >>> reference = ObjectMap.from_polygons([shapely.box(0, 0, 10, 10), shapely.box(30, 0, 40, 10)], crs="EPSG:32616")
    >>> prediction = ObjectMap.from_polygons([shapely.box(6, 0, 16, 10)], crs="EPSG:32616")
    >>> result = evaluate(reference, prediction, kind="objects", aoi="all", plan=True)
    >>> sorted(result.plan.edits["fix"])
    ['add this object', 'move 6.0 m west']
    >>> evaluate(reference, result.apply(), kind="objects", metrics="polis").scores["polis"]["polis"]
    0.0
    """
    return carry_out(whole.patches, which_edits(whole, plan, top))


# ---------------------------------------------------------------------- which edits


def _edits(
    result: Result, reference: ObjectMap, prediction: ObjectMap, instances: Instances, effort: ObjectEffort
) -> "tuple[pd.DataFrame, ObjectEdits]":
    """The edit of each error that can be mended, and what it does; gains are not known yet."""
    import pandas as pd

    errors = result.map_errors()["polygons"]
    limit = float(result.parameters.get("max-overlap", {}).get("boundary", _BOUNDARY))
    partner = partners(instances, len(reference))
    groups = _groups(reference, prediction, instances)
    named = zip(errors["kind"], errors["ref_id"], errors["pred_id"], strict=True)
    listed = [(row, key[0], *waiting.popleft()) for row, key in enumerate(named) if (waiting := groups.get(key))]
    aside = np.array([refs[0] for _, kind, refs, _ in listed if kind == "boundary"], dtype=np.int64)
    moves = find_moves(reference, aside, prediction, partner[aside], limit)
    place = dict(zip(aside.tolist(), range(len(aside)), strict=True))
    of_ref, of_pred = np.full(len(reference), -1), np.full(len(prediction), -1)
    moved = np.full(len(prediction), None, dtype=object)
    rows: list[dict[str, Any]] = []
    for row, kind, refs, preds in listed:
        own = _described(kind, refs, preds, moves, place, errors["note"].iloc[row])
        if own["action"] in {"move", "rotate"}:
            moved[preds[0]] = moves.outline[place[int(refs[0])]]
        of_ref[refs], of_pred[preds] = len(rows), len(rows)
        rows.append(own | {"kind": kind, "row": row, "effort_s": float(getattr(effort, own["action"]))})
    table = pd.DataFrame(rows, columns=list(_COLUMNS))
    chosen = errors.iloc[table["row"].to_numpy(dtype=np.int64)]
    centres = shapely.centroid(chosen.geometry.to_numpy()) if len(chosen) else np.zeros(0, dtype=object)
    table = table.assign(
        rank=0, gain=0.0, total=np.nan, length_m=np.nan, x=shapely.get_x(centres), y=shapely.get_y(centres),
        confidence=1.0, layer="polygons", **{name: chosen[name].to_numpy() for name in
                                              ("metric", "ref_id", "pred_id", "note")},
    )  # fmt: skip
    for name in ("dx", "dy", "rotate_deg", "effort_s"):
        table[name] = table[name].astype(float)
    of_ref[of_ref < 0] = of_pred[of_pred < 0] = len(table)
    return table[list(_COLUMNS)], ObjectEdits(reference, prediction, of_ref, of_pred, partner, moved, len(table))


def _groups(
    reference: ObjectMap, prediction: ObjectMap, instances: Instances
) -> dict[tuple[str, str, str], deque[tuple[Ints, Ints]]]:
    """The objects of each possible error, by its kind and the ids that it names; ids may not be unique."""
    none = np.zeros(0, dtype=np.int64)
    found: dict[tuple[str, str, str], deque[tuple[Ints, Ints]]] = defaultdict(deque)
    for row in instances.missed.tolist():
        found["missed", reference.names[row], ""].append((np.array([row]), none))
    for row in instances.false_alarms.tolist():
        found["false_alarm", "", prediction.names[row]].append((none, np.array([row])))
    for refs, preds in zip(*instances.members(), strict=True):
        kind = "split" if len(preds) > 1 else "merge" if len(refs) > 1 else "boundary"
        names = ";".join(reference.names[refs]), ";".join(prediction.names[preds])
        found[kind, *names].append((refs, preds))
    return found


def _described(kind: str, refs: Ints, preds: Ints, moves: Moves, place: Mapping[int, int], note: str) -> dict[str, Any]:
    """The action that mends an error, and what to do in words and numbers."""
    if kind == "missed":
        return {"action": "add", "fix": "add this object"}
    if kind == "false_alarm":
        return {"action": "delete", "fix": "delete this object"}
    if kind == "split":
        return {"action": "merge", "fix": f"merge {len(preds)} objects into one"}
    if kind == "merge":
        return {"action": "split", "fix": f"split into {len(refs)} objects"}
    at = place[int(refs[0])]
    if moves.outline[at] is None:
        wrong = note.partition(": ")[2]
        return {"action": "reshape", "fix": f"draw the outline anew{f': {wrong}' if wrong else ''}"}
    (dx, dy), turn = moves.shift[at].tolist(), float(moves.turn_deg[at])
    numbers = {"dx": dx, "dy": dy}
    if turn == 0:
        return {"action": "move", "fix": f"move {_way(dx, dy)}", **numbers}
    words = f"rotate by {abs(turn):.0f}° {'to the left' if turn > 0 else 'to the right'}"
    return {"action": "rotate", "fix": f"{words}, move {_way(dx, dy)}", **numbers, "rotate_deg": turn}


def _way(dx: float, dy: float) -> str:
    """A shift in words: ``1.2 m east, 0.4 m south``."""
    steps = [(abs(dx), "east" if dx > 0 else "west"), (abs(dy), "north" if dy > 0 else "south")]
    told = [f"{metres:.1f} m {where}" for metres, where in steps if metres >= 0.05]
    return ", ".join(told) or "0.0 m"


# ---------------------------------------------------------------------- what they gain


def _measured(
    result: Result, table: "pd.DataFrame", edits: ObjectEdits, values: Mapping[str, Mapping[str, Any]]
) -> "tuple[pd.DataFrame, ObjectEdits]":
    """The table with measured gains, the best per second first, and the edits in this order.

    Edits of one component keep the order in which they were measured, so that what was measured stays true.
    """
    if len(table) == 0 or not values:
        return table.assign(total=0.0), edits
    # Whatever is missing or too much, first; then what only needs a touch.
    first = table["effort_s"].to_numpy(dtype=np.float64)
    edits, table = _in_order(edits, table, np.lexsort([*table[["y", "x"]].to_numpy(np.float64).T, first]))
    labels = components(edits)
    component = component_of_edits(edits, labels)
    changes = changes_of_counts(edits, labels, component, values)
    gain = np.diff(scores_along(result.counts, changes, len(table)))
    rate = gain / np.maximum(table["effort_s"].to_numpy(dtype=np.float64), 1e-9)
    order = _best_order(rate, component)
    edits, table = _in_order(edits, table, order)
    changes = {metric: {name: own[order] for name, own in counts.items()} for metric, counts in changes.items()}
    along = scores_along(result.counts, changes, len(table))
    return table.assign(gain=np.diff(along), total=along[1:] - along[0]), edits


def _in_order(edits: ObjectEdits, table: "pd.DataFrame", order: Ints) -> "tuple[ObjectEdits, pd.DataFrame]":
    return edits.in_order(order), table.iloc[order].reset_index(drop=True)


def _best_order(rate: Floats, component: Ints) -> Ints:
    """By falling rate, where an edit waits for the earlier ones of its component."""
    limited = rate.copy()
    lowest: dict[int, float] = {}
    for row, label in enumerate(component.tolist()):
        limited[row] = lowest[label] = min(limited[row], lowest.get(label, np.inf))
    return np.lexsort([np.arange(len(rate)), -limited])


def _rest(
    result: Result, evaluate: Callable[..., Result], table: "pd.DataFrame", edits: ObjectEdits,
    values: Mapping[str, Mapping[str, Any]], effort: ObjectEffort,
) -> dict[str, Any] | None:  # fmt: skip
    """The last edit: all that still differs; ``None`` where nothing does."""
    listed = np.append(np.ones(edits.count, dtype=bool), False)
    todo = _left(edits, listed)
    if not any(todo.values()):
        return None
    total = float(table["total"].iloc[-1]) if len(table) else 0.0
    gain = 0.0
    if values:
        perfect = carry_out(edits, np.ones(edits.count + 1, dtype=bool))
        now = np.mean([score_of(name, result.counts[name]) for name in values])
        counts = evaluate(edits.reference, perfect, metrics=list(values), parameters=values).counts
        gain = float(np.mean([score_of(name, own) for name, own in counts.items()])) - float(now) - total
    words = {"reshape": "draw {} outline{s} anew", "add": "add {} object{s}", "delete": "delete {} object{s}"}
    fix = ", ".join(words[name].format(many, s="s" * (many != 1)) for name, many in todo.items() if many)
    return dict.fromkeys(_COLUMNS, "") | {
        "rank": 0, "action": "reshape", "kind": REST, "gain": gain, "total": total + gain,
        "effort_s": float(sum(many * getattr(effort, name) for name, many in todo.items())), "length_m": np.nan,
        "x": np.nan, "y": np.nan, "row": -1, "note": "rest: all that differs too little, or is too small, to be listed",
        "fix": fix, "confidence": 1.0, "dx": np.nan, "dy": np.nan, "rotate_deg": np.nan,
    }  # fmt: skip


def _left(edits: ObjectEdits, done: Bools) -> dict[str, int]:
    """By action how many objects still differ from the reference after some edits."""
    there, outlines, put_in = edits.outcome(done)
    mine, true = _names(outlines), _names(edits.reference.polygons)
    whole = [*mine, *(true[row] for row in put_in.tolist())]
    extra, lacking = Counter(whole) - Counter(true), Counter(true) - Counter(whole)
    name_of = dict(zip(there.tolist(), mine, strict=True))
    pairs = ((name_of.get(int(edits.partner[row])), true[row]) for row in np.flatnonzero(edits.partner >= 0).tolist())
    anew = sum(one in extra and other in lacking for one, other in pairs)
    return {"reshape": anew, "add": lacking.total() - anew, "delete": extra.total() - anew}


def _names(outlines: Objects) -> list[bytes]:
    """The same name for the same outline, however it is drawn."""
    return shapely.to_wkb(shapely.normalize(outlines)).tolist()
