"""What to fix first: every error with the gain in score that mending it brings, and the effort it takes.

The cost of fixing a map is why Citraro, Koziński and Fua (ECCV 2020) ask for sensitive metrics. Here it is made a
list. The gain of an edit is how much the mean of CCQ's quality and OPT-J's F1 (of those that were evaluated) grows if
this edit alone is made, from their counts: lengths for CCQ, and for OPT-J the change of TP, PP and AP that an
isolated error of its kind makes. Errors that several metrics report are in the plan once.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.model.result import Result
from geoeval.roads.opt_j_errors import arms_of

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

_ACTIONS = {
    "missing": "add", "merged": "add", "spurious": "delete", "doubled": "delete", "false_link": "delete",
    "break": "join", "junction": "move",
}  # fmt: skip
# How an isolated error changes (TP, PP, AP) of OPT-J; mending it changes them back.
_OPT_J = {
    "missing": (-2, -2, 0), "spurious": (2, 4, 2), "break": (2, 2, 4), "false_link": (4, 6, 4), "doubled": (4, 6, 4),
    "merged": (4, 4, 6),
}  # fmt: skip
# A junction this near, in metres, to the end of another edit is mended by that edit.
_SAME_PLACE = 20.0


@dataclass(frozen=True)
class Effort:
    """Seconds that a person needs: for each edit, and for each 100 m of road drawn."""

    add: float = 15.0
    per_100_m: float = 5.0
    delete: float = 5.0
    join: float = 8.0
    move: float = 10.0

    def __post_init__(self) -> None:
        if min(self.add, self.per_100_m, self.delete, self.join, self.move) < 0:
            raise ParameterError("the seconds of an edit cannot be negative")

    def seconds(self, action: str, length: float) -> float:
        """Of one edit."""
        drawn = self.per_100_m * length / 100 if action == "add" and np.isfinite(length) else 0.0
        return float(getattr(self, action)) + drawn


@dataclass(frozen=True)
class Plan:
    """Edits, the best first.

    Attributes
    ----------
    edits
        One row an edit: ``rank``, ``action``, ``kind``, ``metric``, ``gain``, ``effort_s``, ``length_m``, ``x``,
        ``y``, ``ref_id``, ``pred_id``, ``note``, and ``layer`` and ``row``, which name the error feature.
    scores
        What the gain is in, with the value now.
    """

    edits: "pd.DataFrame"
    scores: dict[str, float] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """How far and how long the map is from perfect."""
        return {
            "edits": len(self.edits),
            "effort_s": float(self.edits["effort_s"].sum()),
            "gain": float(self.edits["gain"].sum()),
            "to_perfect": float(np.mean([1 - value for value in self.scores.values()])) if self.scores else None,
            "scores": list(self.scores),
        }


def edit_plan(result: Result, *, effort: Effort | None = None) -> Plan:
    """Rank the errors of a road evaluation by what mending them gains per second. O(k log k)."""
    import pandas as pd

    effort = effort or Effort()
    headlines = {"ccq": "quality", "opt-j": "f1"}
    now = {
        f"{metric}.{score}": float(value)
        for metric, score in headlines.items()
        if (value := result.scores.get(metric, {}).get(score)) is not None
    }
    frames = result.map_errors()
    rows = []
    for layer, frame in frames.items():
        places = _middles(frame.geometry.to_numpy())
        for index, row in enumerate(frame.itertuples()):
            # A point of something missing or spurious is an end of a road that a line tells of.
            if row.kind in _ACTIONS and not (layer == "points" and row.kind in {"missing", "spurious"}):
                rows.append(_edit(result, row, layer, index, places[index], effort))
    kept = _without_consequences(rows, frames)
    table = pd.DataFrame(kept, columns=list(_COLUMNS))
    rate = table["gain"] / table["effort_s"].where(table["effort_s"] > 0, 1e-9)
    keys = [table["y"], table["x"], table["effort_s"], -table["gain"], -rate]
    table = table.iloc[np.lexsort([key.to_numpy(dtype=np.float64) for key in keys])].reset_index(drop=True)
    table["rank"] = np.arange(1, len(table) + 1)
    return Plan(table, now)


_COLUMNS = ("rank", "action", "kind", "metric", "gain", "effort_s", "length_m", "x", "y", "ref_id", "pred_id", "note",
            "layer", "row")  # fmt: skip


def with_plan(result: Result, plan: Plan) -> Result:
    """The result whose errors are those of the map, with ``gain``, ``effort_s`` and ``rank`` in the plan.

    Where an error is not in the plan these are not a number.
    """
    from dataclasses import replace

    errors = {}
    for layer, frame in result.map_errors().items():
        mine = plan.edits[plan.edits["layer"] == layer]
        columns = {}
        for name in ("gain", "effort_s", "rank"):
            values = np.full(len(frame), np.nan)
            values[mine["row"].to_numpy(dtype=np.int64)] = mine[name].to_numpy(dtype=np.float64)
            columns[name] = values
        errors[layer] = frame.assign(**columns)
    return replace(result, errors=errors, plan=plan.summary())


def _middles(geometries: NDArray[np.object_]) -> list[tuple[float, float]]:
    """The places of points, and the middles of lines."""
    lines = shapely.get_type_id(geometries) == 1
    places = geometries.copy()
    places[lines] = shapely.line_interpolate_point(geometries[lines], 0.5, normalized=True)
    x, y = shapely.get_x(shapely.centroid(places)), shapely.get_y(shapely.centroid(places))
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _edit(
    result: Result, row: Any, layer: str, index: int, place: tuple[float, float], effort: Effort
) -> dict[str, Any]:
    action = _ACTIONS[row.kind]
    length = row.length_m if layer == "lines" else np.nan
    return {
        "rank": 0, "action": action, "kind": row.kind, "metric": row.metric,
        "gain": _gain(result, row.kind, length, row.note), "effort_s": effort.seconds(action, length),
        "length_m": length, "x": place[0], "y": place[1], "ref_id": row.ref_id, "pred_id": row.pred_id,
        "note": row.note, "layer": layer, "row": index,
    }  # fmt: skip


def _gain(result: Result, kind: str, length: float, note: str) -> float:
    """Growth of the mean of the headline scores if this error alone is mended."""
    gains = []
    if "ccq" in result.scores and result.scores["ccq"]["quality"] is not None:
        gains.append(_ccq_quality(result, kind, length) - float(result.scores["ccq"]["quality"] or 0.0))
    if "opt-j" in result.scores and result.scores["opt-j"]["f1"] is not None:
        counts = result.counts["opt-j"]
        tp, pp, ap = (float(counts[name]) for name in ("tp", "pp", "ap"))
        if kind == "junction":
            here, there = arms_of(note) or (0, 0)
            change = [there - min(here, there), there - here, 0]
        else:
            change = [-value for value in _OPT_J[kind]]
        tp, pp, ap = tp + change[0], pp + change[1], ap + change[2]
        after = 2 * min(tp, pp, ap) / (pp + ap) if pp + ap > 0 else 1.0
        gains.append(after - float(result.scores["opt-j"]["f1"] or 0.0))
    return max(float(np.mean(gains)), 0.0) if gains else 0.0


def _ccq_quality(result: Result, kind: str, length: float) -> float:
    counts = result.counts["ccq"]
    ref, ref_matched = counts["ref_length"], counts["ref_matched"]
    pred, pred_matched = counts["pred_length"], counts["pred_matched"]
    if np.isfinite(length):
        if kind == "missing":
            ref_matched, pred, pred_matched = ref_matched + length, pred + length, pred_matched + length
        elif kind == "spurious":
            pred -= length
    completeness = min(ref_matched / ref, 1.0) if ref else 1.0
    correctness = min(pred_matched / pred, 1.0) if pred > 0 else float(not ref)
    return 1 / (1 / correctness + 1 / completeness - 1) if correctness > 0 and completeness > 0 else 0.0


def _without_consequences(rows: list[dict[str, Any]], frames: dict[str, Any]) -> list[dict[str, Any]]:
    """Leave out junctions at the ends of roads that are added, deleted or joined: those edits mend them."""
    edited = [row["row"] for row in rows if row["layer"] == "lines"]
    if not edited:
        return rows
    ends = shapely.get_coordinates(shapely.boundary(frames["lines"].geometry.to_numpy()[edited]))
    tree = shapely.STRtree(np.asarray(shapely.points(ends)))
    junctions = [number for number, row in enumerate(rows) if row["kind"] == "junction"]
    places = np.array([(rows[number]["x"], rows[number]["y"]) for number in junctions]).reshape(-1, 2)
    near = np.unique(tree.query(np.asarray(shapely.points(places)), "dwithin", _SAME_PLACE)[0])
    mended = {junctions[number] for number in near.tolist()}
    return [row for number, row in enumerate(rows) if number not in mended]
