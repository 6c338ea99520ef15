"""What to fix first: every error with the gain in score that fixing it brings, and the effort it takes.

The cost of fixing a map is why Citraro, Koziński and Fua (ECCV 2020) ask for sensitive metrics; here it becomes a list.
The gain of an edit is how much it adds to the mean of CCQ's quality and OPT-J's F1 (of those that were evaluated) when
it is made after the edits before it. It is measured: the edits are carried out on the prediction and both scores are
counted again (``mending``). The order is by what an edit is likely to bring in the time it takes: its gain times the
confidence of its error, per second. The stated gains stay those that were measured. What is too small to be listed is
the last edit, the rest; with it the prediction is the reference. Errors that several metrics report are in the plan
once.

Where a result does not hold its maps, the gains are those of isolated errors of each kind, which is an estimate.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Ints, Objects
from geoeval.contents import SIDES
from geoeval.defaults import MAX_DISTANCE, TOLERANCE
from geoeval.model.error_kinds import error_kind
from geoeval.model.plan import PLAN_COLUMNS, REST, Plan, Seconds
from geoeval.model.result import Result
from geoeval.roads.mending.carrying_out import carry_out, is_same
from geoeval.roads.mending.expected_gains import HEADLINES, arms_of, expected_gains
from geoeval.roads.mending.gains import best_order, changes_of_counts, growth, headlines
from geoeval.roads.mending.patches import Patches, share_out

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd


@dataclass(frozen=True)
class Effort(Seconds):
    """Seconds that a person needs: for each edit, and for each 100 m of road drawn."""

    add: float = 15.0
    per_100_m: float = 5.0
    delete: float = 5.0
    join: float = 8.0
    move: float = 10.0

    def seconds(self, action: str, length: Any) -> Floats:
        """Seconds for edits of one action, from the metres of road of each."""
        metres = np.asarray(length, dtype=np.float64)
        drawn = self.per_100_m * metres / 100 if action == "add" else np.zeros(metres.shape)
        return np.asarray(float(getattr(self, action)) + np.where(np.isfinite(metres), drawn, 0.0))


def edit_plan(result: Result, *, effort: Effort | None = None) -> Plan:
    """Rank the errors of a road evaluation by the gain per second that fixing them is likely to bring.

    Parameters
    ----------
    result
        Of a road evaluation. Its errors are taken as ``map_errors`` gives them.
    effort
        How long an edit takes.

    Returns
    -------
    Plan
        Without edits if the maps are the same. Without CCQ and OPT-J every gain is 0. A gain may be negative: an edit
        may bring something only together with a later one.

    Notes
    -----
    Both scores are counted again near the edits in at most eight rounds; otherwise O((m + k) log m) for k errors.
    """
    effort = effort or Effort()
    now = {
        f"{metric}.{score}": float(value)
        for metric, score in HEADLINES.items()
        if (value := result.scores.get(metric, {}).get(score)) is not None
    }
    table, patches = expected_edits(result, effort)
    if patches is not None:
        table, patches = _measured(result, table, patches, effort)
    table["rank"] = np.arange(1, len(table) + 1)
    return Plan(table, now, measured=patches is not None, patches=patches)


def expected_edits(result: Result, effort: Effort | None = None) -> "tuple[pd.DataFrame, Patches | None]":
    """The edits in the order in which they are expected to pay, not measured, and what each of them does.

    One row per edit, with the columns of ``Plan.edits``; ``None`` for what they do where the result does not hold its
    maps.
    """
    import pandas as pd

    frames = result.map_errors()
    edits = [_edits(result, layer, frame, effort or Effort()) for layer, frame in frames.items()]
    table = pd.concat(edits, ignore_index=True)
    table = table.iloc[_best_first(table)].reset_index(drop=True)
    has_maps = all(side in result.inputs for side in SIDES)
    return table, _patches(result, table, frames) if has_maps else None


def _likely(gain: Any, confidence: Any) -> Floats:
    """What edits are likely to gain; what costs something costs it in any case."""
    values = np.asarray(gain, dtype=np.float64)
    return np.where(values > 0, values * np.asarray(confidence, dtype=np.float64), values)


def _best_first(table: "pd.DataFrame") -> Ints:
    """The order by likely gain per second; of equal ones by place."""
    rate = _likely(table["gain"], table["confidence"]) / table["effort_s"].where(table["effort_s"] > 0, 1e-9)
    keys = [table["y"], table["x"], table["effort_s"], -table["gain"], -rate]
    return np.lexsort([key.to_numpy(dtype=np.float64) for key in keys])


def _patches(result: Result, table: "pd.DataFrame", frames: "dict[str, gpd.GeoDataFrame]") -> Patches:
    """What each edit of a table does."""
    places, away = np.empty(len(table), dtype=object), np.full(len(table), np.nan)
    for layer, frame in frames.items():
        mine = np.flatnonzero(table["layer"] == layer)
        rows = table["row"].to_numpy(dtype=np.int64)[mine]
        places[mine] = frame.geometry.to_numpy()[rows]
        away[mine] = frame["dist_m"].to_numpy(dtype=np.float64)[rows]
    return share_out(
        result.inputs["reference"], result.inputs["prediction"], table["action"].tolist(), places, away,
        tolerance=float(result.parameters.get("ccq", {}).get("tolerance", TOLERANCE)),
        reach=float(result.parameters.get("opt-j", {}).get("max_distance", MAX_DISTANCE)),
    )  # fmt: skip


def _measured(
    result: Result, table: "pd.DataFrame", patches: Patches, effort: Effort
) -> "tuple[pd.DataFrame, Patches]":
    """The table with measured gains, ranked by them, and with the rest as its last row where there is one.

    The order decides what an edit adds to those before it. So the edits are measured in the order that is expected to
    be the best, and then ranked by what was found, as far as this leaves what was found true.
    """
    import pandas as pd

    scores = headlines(result)
    changes, earlier = changes_of_counts(result, patches, scores)
    edits = patches.count + 1
    gain = np.diff(growth(result, changes, scores, edits=edits))[:-1]
    order = best_order(_likely(gain, table["confidence"]), table["effort_s"].to_numpy(), earlier)
    table, patches = table.iloc[order].reset_index(drop=True), patches.in_order(order)
    in_order = np.append(order, patches.count)
    total = growth(result, {name: change[in_order] for name, change in changes.items()}, scores, edits=edits)
    table["gain"], table["total"] = np.diff(total)[:-1], total[1:-1]
    everything = np.arange(patches.count + 1) < patches.count
    reference = result.inputs["reference"]
    if is_same(carry_out(patches, everything), reference):
        return table, patches
    metres = patches.length_of_rest()
    rest = dict.fromkeys(PLAN_COLUMNS, "") | {
        "rank": 0, "action": "move", "kind": REST, "gain": total[-1] - total[-2], "total": total[-1],
        "effort_s": float(effort.seconds("add", metres)), "length_m": metres, "x": np.nan, "y": np.nan, "row": -1,
        "note": "rest: all differences that are too small to be listed", "confidence": 1.0,
    }  # fmt: skip
    return pd.concat([table, pd.DataFrame([rest]).astype(table.dtypes)], ignore_index=True), patches


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
        "gain": expected_gains(result, kinds, number, length, arms_of(chosen)), "total": np.nan, "effort_s": seconds,
        "length_m": length, "x": x, "y": y, "ref_id": chosen["ref_id"].to_numpy(),
        "pred_id": chosen["pred_id"].to_numpy(), "note": chosen["note"].to_numpy(),
        "confidence": chosen["confidence"].to_numpy(dtype=np.float64) if "confidence" in chosen else 1.0,
        "layer": layer, "row": rows,
    }, columns=list(PLAN_COLUMNS))  # fmt: skip


def _middles(geometries: Objects) -> tuple[Floats, Floats]:
    """Where points are, and the middles of lines."""
    lines = shapely.get_type_id(geometries) == 1
    places = geometries.copy()
    places[lines] = shapely.line_interpolate_point(geometries[lines], 0.5, normalized=True)
    places = shapely.centroid(places)
    return shapely.get_x(places), shapely.get_y(places)
