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
    import geopandas as gpd
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
    table = pd.concat([_edits(result, layer, frame, effort) for layer, frame in frames.items()], ignore_index=True)
    table = _without_consequences(table, frames["lines"].geometry.to_numpy())
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


def _middles(geometries: NDArray[np.object_]) -> tuple[Floats, Floats]:
    """Where points are, and the middles of lines."""
    lines = shapely.get_type_id(geometries) == 1
    places = geometries.copy()
    places[lines] = shapely.line_interpolate_point(geometries[lines], 0.5, normalized=True)
    places = shapely.centroid(places)
    return shapely.get_x(places), shapely.get_y(places)


def _edits(result: Result, layer: str, frame: "gpd.GeoDataFrame", effort: Effort) -> "pd.DataFrame":
    """The edits that mend the errors of one layer."""
    import pandas as pd

    kind = frame["kind"].to_numpy(dtype=object)
    # A point of something missing or spurious is an end of a road that a line tells of.
    told = np.isin(kind, ["missing", "spurious"]) if layer == "points" else np.zeros(len(kind), dtype=bool)
    rows = np.flatnonzero(np.isin(kind, list(_ACTIONS)) & ~told)
    kind, chosen = kind[rows], frame.iloc[rows]
    length = chosen["length_m"].to_numpy(dtype=np.float64) if layer == "lines" else np.full(len(rows), np.nan)
    action = [_ACTIONS[one] for one in kind]
    x, y = _middles(frame.geometry.to_numpy()[rows])
    return pd.DataFrame({
        "rank": 0, "action": action, "kind": kind, "metric": chosen["metric"].to_numpy(),
        "gain": _gains(result, kind, length, chosen["note"].to_numpy(dtype=object)),
        "effort_s": [effort.seconds(one, metres) for one, metres in zip(action, length.tolist(), strict=True)],
        "length_m": length, "x": x, "y": y, "ref_id": chosen["ref_id"].to_numpy(),
        "pred_id": chosen["pred_id"].to_numpy(), "note": chosen["note"].to_numpy(), "layer": layer, "row": rows,
    }, columns=list(_COLUMNS))  # fmt: skip


def _gains(result: Result, kind: NDArray[np.object_], length: Floats, note: NDArray[np.object_]) -> Floats:
    """Growth of the mean of the headline scores if each error alone is mended."""
    gains = []
    if "ccq" in result.scores and result.scores["ccq"]["quality"] is not None:
        gains.append(_ccq_quality(result, kind, length) - float(result.scores["ccq"]["quality"] or 0.0))
    if "opt-j" in result.scores and result.scores["opt-j"]["f1"] is not None:
        counts = np.array([float(result.counts["opt-j"][name]) for name in ("tp", "pp", "ap")])
        after = counts + np.array([_mended(*one) for one in zip(kind, note, strict=True)]).reshape(-1, 3)
        sums = after[:, 1] + after[:, 2]
        f1 = np.where(sums > 0, 2 * after.min(axis=1, initial=np.inf) / np.where(sums > 0, sums, 1.0), 1.0)
        gains.append(f1 - float(result.scores["opt-j"]["f1"] or 0.0))
    return np.maximum(np.mean(gains, axis=0), 0.0) if gains else np.zeros(len(kind))


def _mended(kind: str, note: str) -> tuple[int, int, int]:
    """How TP, PP and AP of OPT-J change if an error is mended."""
    if kind == "junction":
        here, there = arms_of(note) or (0, 0)
        return there - min(here, there), there - here, 0
    tp, pp, ap = _OPT_J[kind]
    return -tp, -pp, -ap


def _ccq_quality(result: Result, kind: NDArray[np.object_], length: Floats) -> Floats:
    """The quality of CCQ if each error alone is mended."""
    counts = result.counts["ccq"]
    added = np.where((kind == "missing") & np.isfinite(length), length, 0.0)
    removed = np.where((kind == "spurious") & np.isfinite(length), length, 0.0)
    ref, ref_matched = counts["ref_length"], counts["ref_matched"] + added
    pred, pred_matched = counts["pred_length"] + added - removed, counts["pred_matched"] + added
    completeness = np.minimum(ref_matched / ref, 1.0) if ref else np.ones(len(kind))
    positive = pred > 0
    correctness = np.where(positive, np.minimum(pred_matched / np.where(positive, pred, 1.0), 1.0), float(not ref))
    both = (correctness > 0) & (completeness > 0)
    a, b = np.where(both, correctness, 1.0), np.where(both, completeness, 1.0)
    return np.asarray(np.where(both, 1 / (1 / a + 1 / b - 1), 0.0), dtype=np.float64)


def _without_consequences(table: "pd.DataFrame", lines: NDArray[np.object_]) -> "pd.DataFrame":
    """Leave out junctions at the ends of roads that are added, deleted or joined: those edits mend them."""
    edited = table["row"][table["layer"] == "lines"].to_numpy(dtype=np.int64)
    if len(edited) == 0:
        return table
    tree = shapely.STRtree(np.asarray(shapely.points(shapely.get_coordinates(shapely.boundary(lines[edited])))))
    junctions = np.flatnonzero(table["kind"] == "junction")
    places = np.asarray(shapely.points(table[["x", "y"]].to_numpy(dtype=np.float64)[junctions]))
    mended = junctions[np.unique(tree.query(places, "dwithin", _SAME_PLACE)[0])]
    return table.drop(index=mended).reset_index(drop=True)
