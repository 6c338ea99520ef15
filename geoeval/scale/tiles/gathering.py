"""One result of the parts of all tiles: what roads and objects have in common."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Box
from geoeval.contents import SIDES
from geoeval.metrics.metric import Metric
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.tiles.part import Counts, CountsByTile, Part, totals
from geoeval.scale.tiles.run_folder import digest_of
from geoeval.scale.tiles.store_pair import StorePair
from geoeval.scale.tiles.tile_errors import error_layers
from geoeval.scale.tiles.tiling import Key, union

if TYPE_CHECKING:
    import geopandas as gpd

# What is said of an input: measured, or among its problems; everything else is a whole number.
_MEASURED = ("length_m", "area_m2")
_PROBLEMS = ("cut_objects", "overlapping_pairs")


@dataclass(frozen=True)
class Scored:
    """What all tiles together give for one metric: scores, counts, and notes by score."""

    scores: dict[str, ScoreValue]
    counts: dict[str, float]
    notes: dict[str, str]


@dataclass(frozen=True)
class TiledContent:
    """How a kind of map content appears in a result: its metrics, how much of it there is, and columns of the tiles."""

    kind: str
    metrics: Mapping[str, Metric]
    amount: str
    columns: tuple[str, str]


def gather_parts(
    content: TiledContent,
    pair: StorePair[Any],
    tiles: Sequence[Key],
    parts: Sequence[Part],
    scored: Mapping[str, Scored],
    **facts: Any,
) -> Result:
    """One result of parts, in which all ``tiles`` are; ``facts`` are further fields of ``Result``."""
    amounts = {
        key: tuple(part.inputs[side][key][content.amount] for side in SIDES)
        for part in parts if part.inputs for key in part.inputs[SIDES[0]]
    }  # fmt: skip
    held = {key: amounts[key] for key in tiles if any(amounts[key])}
    own = "" if pair.tiling.crs is not None else ", each in its own projection"
    notes = {f"{name}.{score}": note for name, one in scored.items() for score, note in one.notes.items()}
    notes["tiles"] = f"evaluated in {len(held) or len(tiles)} tiles of {pair.tiling.size:g} m{own}"
    reference, prediction = (
        _describe(pair.store(side), [part.inputs[side] for part in parts if part.inputs]) for side in SIDES
    )
    return Result(
        kind=content.kind,
        crs=pair.crs,
        reference=reference,
        prediction=prediction,
        scores={name: one.scores for name, one in scored.items()},
        counts={name: one.counts for name, one in scored.items()},
        errors=error_layers([part.errors for part in parts if part.errors is not None], pair.crs),
        notes=notes,
        seconds={name: round(sum(part.seconds.get(name, 0.0) for part in parts), 6) for name in scored},
        area=pair.area,
        extent=_extent(parts),
        cells=_cells(content, pair, held, parts),
        **facts,
    )


def _describe(store: GroupedFile[Any], shares: Iterable[CountsByTile]) -> dict[str, Any]:
    """What a result says of an input."""
    total = totals(shares)
    found = {name: int(total[name]) for name in _PROBLEMS if total.get(name)}
    amounts = {
        name: value if name in _MEASURED else int(value) for name, value in total.items() if name not in _PROBLEMS
    }
    return {
        "source": store.facts.get("source", str(store.path)),
        **amounts,
        "sha256": store.facts.get("sha256") or digest_of(store.path),
        "problems": store.facts.get("problems", {}) | found,
    }


def _extent(parts: Any) -> Box | None:
    """The box around all that belongs to tiles."""
    boxes = [part.bounds for part in parts if part.bounds is not None]
    return union(boxes) if boxes else None


def _cells(
    content: TiledContent, pair: StorePair[Any], held: Mapping[Key, tuple[Any, ...]], parts: Sequence[Part]
) -> "gpd.GeoDataFrame":
    """The tiles that hold anything, with their own scores."""
    import geopandas as gpd

    counted: dict[Key, dict[str, Counts]] = {key: {} for key in held}
    for part in parts:
        for name, by_tile in part.counts.items():
            for key, counts in by_tile.items():
                if key in counted:
                    counted[key][name] = counts
    rows = []
    for key, amounts in held.items():
        row: dict[str, float] = dict(zip(content.columns, map(float, amounts), strict=True))
        for name, counts in counted[key].items():
            own = {count: float(value) for count, value in counts.items()}
            if any(own.values()):
                scores = content.metrics[name].scores_of(own, {})[0]
                row |= {f"{name}.{score}": np.nan if value is None else value for score, value in scores.items()}
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row)) or content.columns
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names}
    return gpd.GeoDataFrame(columns, geometry=[pair.tiling.polygon(key, pair.crs) for key in held], crs=pair.crs)
