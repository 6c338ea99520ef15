"""The errors of a run as one list, in the order in which they are reviewed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.arrays import Floats, Objects
from geoeval.contents import SIDES
from geoeval.model.error_ids import error_places
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result
from geoeval.writers.drafts import Draft

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("length_m", "dist_m", "severity", "confidence", "gain", "rank")
_TEXTS = ("metric", "ref_id", "pred_id", "note")


def error_list(result: Result, drafts: Sequence[Draft]) -> "pd.DataFrame":
    """One row per error of these layers: the largest gain first, then the surest, the worst and the longest.

    ``docs/review.md`` has the columns. What nobody can judge, such as matched objects, is left out.
    """
    import pandas as pd

    parts = [_rows(result, draft) for draft in drafts if error_kind(draft.role).is_judged]
    table = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
    keys = [table["error_id"].to_numpy(dtype=str), *(
        -table[name].to_numpy(dtype=np.float64) for name in ("size", "severity", "confidence", "gain")
    )]  # fmt: skip
    table = table.iloc[np.lexsort(keys)].reset_index(drop=True).drop(columns="size")
    table.insert(0, "number", np.arange(1, len(table) + 1))
    return table


def _rows(result: Result, draft: Draft) -> "pd.DataFrame":
    import pandas as pd

    frame = draft.frame
    geometry = frame.geometry.to_numpy()
    middles = error_places(geometry)
    box = shapely.bounds(geometry).reshape(-1, 4)
    unknown = np.full(len(frame), np.nan)
    kind = error_kind(draft.role)
    numbers = {name: _numbers(frame[name]) if name in frame else unknown for name in _NUMBERS}
    texts = {name: _texts(frame[name]) if name in frame else np.full(len(frame), "", dtype=object) for name in _TEXTS}
    return pd.DataFrame({
        "error_id": _texts(frame["error_id"]) if "error_id" in frame else np.zeros(0, dtype=object),
        "layer": draft.name, "row": np.arange(1, len(frame) + 1), "kind": draft.role, "label": kind.label, **texts,
        **numbers, "class": _classes(result, texts["ref_id"], texts["pred_id"]), "x": middles[:, 0], "y": middles[:, 1],
        **dict(zip(("xmin", "ymin", "xmax", "ymax"), box.T, strict=True)), "size": _sizes(frame, geometry),
    })  # fmt: skip


def _sizes(frame: Any, geometry: Objects) -> Floats:
    """Length where it is known, else the square root of the area."""
    length = _numbers(frame["length_m"])
    return np.where(np.isfinite(length), length, np.sqrt(np.abs(shapely.area(geometry))))


def _classes(result: Result, *ids: Objects) -> Objects:
    """The class of each error: of its first feature in the reference, else in the prediction."""
    found = np.full(len(ids[0]), "", dtype=object)
    for side, texts in zip(SIDES, ids, strict=True):
        if side in result.inputs:
            rows = np.flatnonzero(found == "")
            first = [texts[row].split(";")[0] for row in rows]
            found[rows] = result.inputs[side].class_names_of(first)
    return found


def _numbers(column: Any) -> Floats:
    return np.asarray(column, dtype=np.float64)


def _texts(column: Any) -> Objects:
    return np.array([None, *("" if value is None else str(value) for value in column)], dtype=object)[1:]
