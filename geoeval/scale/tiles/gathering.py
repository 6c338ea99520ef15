"""One result of the parts of all tiles: what roads and objects have in common."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval.arrays import Box
from geoeval.contents import SIDES
from geoeval.metrics.metric import Metric
from geoeval.model.result import Result
from geoeval.model.scores import ScoreValue
from geoeval.scale.store.grouped import GroupedFile
from geoeval.scale.tiles.part import Part, add_up
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
    tiles: Mapping[Key, Part],
    others: Sequence[Part],
    scored: Mapping[str, Scored],
    **facts: Any,
) -> Result:
    """One result of the parts of tiles and of others; ``facts`` are further fields of ``Result``."""
    parts = [*tiles.values(), *others]
    held = {key: part for key, part in tiles.items() if any(part.inputs[side][content.amount] for side in SIDES)}
    own = "" if pair.tiling.crs is not None else ", each in its own projection"
    notes = {f"{name}.{score}": note for name, one in scored.items() for score, note in one.notes.items()}
    notes["tiles"] = f"evaluated in {len(held) or len(tiles)} tiles of {pair.tiling.size:g} m{own}"
    reference, prediction = (
        _describe(pair.store(side), [part.inputs[side] for part in tiles.values()]) for side in SIDES
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
        extent=_extent(tiles.values()),
        cells=_cells(content, pair, held),
        **facts,
    )


def _describe(store: GroupedFile[Any], shares: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a result says of an input."""
    total = add_up(shares)
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


def _cells(content: TiledContent, pair: StorePair[Any], tiles: Mapping[Key, Part]) -> "gpd.GeoDataFrame":
    """The tiles with their own scores."""
    import geopandas as gpd

    rows = []
    for part in tiles.values():
        row = {
            column: float(part.inputs[side][content.amount])
            for side, column in zip(SIDES, content.columns, strict=True)
        }
        for name, counts in part.counts.items():
            own = {count: float(value) for count, value in counts.items()}
            if any(own.values()):
                scores = content.metrics[name].scores_of(own, {})[0]
                row |= {f"{name}.{score}": np.nan if value is None else value for score, value in scores.items()}
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row)) or content.columns
    columns = {name: [row.get(name, np.nan) for row in rows] for name in names}
    return gpd.GeoDataFrame(columns, geometry=[pair.tiling.polygon(key, pair.crs) for key in tiles], crs=pair.crs)
