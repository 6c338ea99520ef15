"""What to fix first: every error with the gain in score that fixing it brings, and the effort it takes.

The cost of fixing a map is why Citraro, Koziński and Fua (ECCV 2020) ask for sensitive metrics; here it becomes a list.
The gain of an edit is how much the mean of CCQ's quality and OPT-J's F1 (of those that were evaluated) grows if this
edit alone is made. It follows from their counts: lengths for CCQ, and for OPT-J the change of TP, PP and AP that an
isolated error of its kind makes. Errors that several metrics report are in the plan once.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.exceptions import ParameterError
from geoeval.model.error_kinds import ErrorKind, error_kind
from geoeval.model.result import Result

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd


# A junction this near, in metres, to the end of another edit is fixed by that edit.
_SAME_PLACE = 20.0
# The scores that the gain is in.
_HEADLINES = {"ccq": "quality", "opt-j": "f1"}


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

    def seconds(self, action: str, length: Any) -> Floats:
        """Seconds for edits of one action, from the metres of road of each."""
        metres = np.asarray(length, dtype=np.float64)
        drawn = self.per_100_m * metres / 100 if action == "add" else np.zeros(metres.shape)
        return np.asarray(float(getattr(self, action)) + np.where(np.isfinite(metres), drawn, 0.0))


@dataclass(frozen=True)
class Plan:
    """Edits, the best first.

    Attributes
    ----------
    edits
        One row per edit: ``rank``, ``action``, ``kind``, ``metric``, ``gain``, ``effort_s``, ``length_m``, ``x``,
        ``y``, ``ref_id``, ``pred_id``, ``note``, and ``layer`` and ``row``, which point to the error: row ``row`` of
        ``result.map_errors()[layer]``.
    scores
        The scores that the gain is in, with their present values.
    """

    edits: "pd.DataFrame"
    scores: dict[str, float] = field(default_factory=dict)

    def summary(self) -> dict[str, Any]:
        """How far the map is from perfect, in score and in seconds."""
        return {
            "edits": len(self.edits),
            "effort_s": float(self.edits["effort_s"].sum()),
            "gain": float(self.edits["gain"].sum()),
            "to_perfect": float(np.mean([1 - value for value in self.scores.values()])) if self.scores else None,
            "scores": list(self.scores),
        }


def edit_plan(result: Result, *, effort: Effort | None = None) -> Plan:
    """Rank the errors of a road evaluation by the gain per second that fixing them brings.

    Parameters
    ----------
    result
        Of a road evaluation. Its errors are taken as ``map_errors`` gives them.
    effort
        How long an edit takes.

    Returns
    -------
    Plan
        Without edits if there are no errors. Without CCQ and OPT-J every gain is 0.

    Notes
    -----
    O(k log k) for k errors.
    """
    import pandas as pd

    effort = effort or Effort()
    now = {
        f"{metric}.{score}": float(value)
        for metric, score in _HEADLINES.items()
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


def with_plan(result: Result, plan: Plan) -> Result:
    """The result with its plan, and the columns ``gain``, ``effort_s`` and ``rank`` in the errors that a map shows.

    The columns are NaN where an error is not in the plan. Where nobody decided on the errors, those of every metric
    get the columns.
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


_COLUMNS = ("rank", "action", "kind", "metric", "gain", "effort_s", "length_m", "x", "y", "ref_id", "pred_id", "note",
            "layer", "row")  # fmt: skip


def _edits(result: Result, layer: str, frame: "gpd.GeoDataFrame", effort: Effort) -> "pd.DataFrame":
    """The edits that fix the errors of one layer."""
    import pandas as pd

    number, names = pd.factorize(frame["kind"].to_numpy(dtype=object))
    kinds = [error_kind(name) for name in names]
    # A point that is missing or spurious is an end of a road, which a line shows as well.
    fixed = np.array([
        kind.action is not None and not (layer == "points" and kind.name in {"missing", "spurious"}) for kind in kinds
    ], dtype=bool)  # fmt: skip
    rows = np.flatnonzero(fixed[number])
    number, chosen = number[rows], frame.iloc[rows]
    length = chosen["length_m"].to_numpy(dtype=np.float64) if layer == "lines" else np.full(len(rows), np.nan)
    seconds = np.zeros(len(rows))
    for i in np.flatnonzero(fixed).tolist():
        of_kind = number == i
        seconds[of_kind] = effort.seconds(str(kinds[i].action), length[of_kind])
    x, y = _middles(frame.geometry.to_numpy()[rows])
    return pd.DataFrame({
        "rank": 0, "action": np.array([kind.action for kind in kinds], dtype=object)[number],
        "kind": names[number], "metric": chosen["metric"].to_numpy(),
        "gain": _gains(result, kinds, number, length, _arms(chosen)), "effort_s": seconds,
        "length_m": length, "x": x, "y": y, "ref_id": chosen["ref_id"].to_numpy(),
        "pred_id": chosen["pred_id"].to_numpy(), "note": chosen["note"].to_numpy(), "layer": layer, "row": rows,
    }, columns=list(_COLUMNS))  # fmt: skip


def _middles(geometries: Objects) -> tuple[Floats, Floats]:
    """Where points are, and the middles of lines."""
    lines = shapely.get_type_id(geometries) == 1
    places = geometries.copy()
    places[lines] = shapely.line_interpolate_point(geometries[lines], 0.5, normalized=True)
    places = shapely.centroid(places)
    return shapely.get_x(places), shapely.get_y(places)


def _arms(frame: "gpd.GeoDataFrame") -> Floats:
    """Arms of each junction in the prediction and in the reference ``(n, 2)``; 0 and 0 where they are not known."""
    columns = [frame[name] if name in frame else np.full(len(frame), np.nan) for name in ("arms", "ref_arms")]
    arms = np.column_stack([np.asarray(column, dtype=np.float64) for column in columns])
    return np.where(np.isfinite(arms).all(axis=1, keepdims=True), arms, 0.0)


def _gains(result: Result, kinds: list[ErrorKind], number: Ints, length: Floats, arms: Floats) -> Floats:
    """Growth of the mean of the headline scores if each error alone is fixed; ``number`` names its kind."""
    gains = []
    now = {metric: result.scores.get(metric, {}).get(score) for metric, score in _HEADLINES.items()}
    if now["ccq"] is not None:
        name = np.array([kind.name for kind in kinds], dtype=object)[number]
        gains.append(_ccq_quality(result, name, length) - float(now["ccq"]))
    if now["opt-j"] is not None:
        counts = np.array([float(result.counts["opt-j"][name]) for name in ("tp", "pp", "ap")])
        after = counts + _opt_j_changes(kinds, number, arms)
        sums = after[:, 1] + after[:, 2]
        f1 = np.where(sums > 0, 2 * after.min(axis=1, initial=np.inf) / np.where(sums > 0, sums, 1.0), 1.0)
        gains.append(f1 - float(now["opt-j"]))
    return np.maximum(np.mean(gains, axis=0), 0.0) if gains else np.zeros(len(number))


def _opt_j_changes(kinds: list[ErrorKind], number: Ints, arms: Floats) -> Floats:
    """How TP, PP and AP of OPT-J change ``(n, 3)`` if each error is fixed."""
    change = -np.array([kind.opt_j_change for kind in kinds], dtype=np.float64).reshape(-1, 3)[number]
    junction = np.array([kind.name == "junction" for kind in kinds], dtype=bool)[number]
    here, there = arms[junction].T
    change[junction] = np.column_stack([there - np.minimum(here, there), there - here, np.zeros(len(here))])
    return change


def _ccq_quality(result: Result, kind: Objects, length: Floats) -> Floats:
    """The quality of CCQ if each error alone is fixed."""
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


def _without_consequences(table: "pd.DataFrame", lines: Objects) -> "pd.DataFrame":
    """Leave out junctions at the ends of roads that are added, deleted or joined: those edits fix them."""
    edited = table["row"][table["layer"] == "lines"].to_numpy(dtype=np.int64)
    if len(edited) == 0:
        return table
    tree = shapely.STRtree(np.asarray(shapely.points(shapely.get_coordinates(shapely.boundary(lines[edited])))))
    junctions = np.flatnonzero(table["kind"] == "junction")
    places = np.asarray(shapely.points(table[["x", "y"]].to_numpy(dtype=np.float64)[junctions]))
    fixed = junctions[np.unique(tree.query(places, "dwithin", _SAME_PLACE)[0])]
    return table.drop(index=fixed).reset_index(drop=True)
