"""Do the error layers show what is really wrong: recall and precision of the reported errors, kind by kind.

Known errors are put into a map of roads, objects or lines; an inserted error is found where a reported one of a
fitting kind lies within some metres of its middle, and a reported one is right where an inserted one lies within as
many of its own middle.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.lines.evaluate import evaluate_lines
from geoeval.model.drawing import Drawing
from geoeval.model.network import RoadNetwork
from geoeval.model.objects import ObjectMap
from geoeval.objects.evaluate import evaluate_objects
from geoeval.roads.evaluate import evaluate_roads
from geoeval.synthetic.perturb import Perturbed, errors_of, kind_of, perturb

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result

# Kinds of features by which an inserted error is told. A long false link is a false road too.
TOLD_BY: dict[str, dict[str, tuple[str, ...]]] = {
    "roads": {
        "interruptions": ("break",),
        "overconnections": ("false_link", "spurious"),
        "far_false_positives": ("spurious",),
        "missing": ("missing",),
    },
    "objects": {
        "missed": ("missed",),
        "false_alarm": ("false_alarm",),
        "split": ("split",),
        "merged": ("merge",),
        "shifted": ("boundary",),
        "grown": ("boundary",),
    },
    "lines": {
        "missed": ("missed",),
        "fragmented": ("fragmented",),
        "consolidated": ("consolidated",),
        "shifted": ("displaced",),
        "wrong_width": ("wrong_width",),
    },
}
ROAD_METRICS = ("ccq", "opt-p", "opt-j")
# Objects are said to differ from this IoU on: the inserted shifts and growths are small on purpose.
OBJECT_PARAMETERS = {"max-overlap": {"boundary": 0.99, "mallows": False}}
_WITHIN = 15.0


def detection(
    network: RoadNetwork | ObjectMap | Drawing,
    *,
    errors: Iterable[str] | None = None,
    count: int = 20,
    seeds: int = 1,
    within: float | None = None,
    metrics: str | Iterable[str] = ROAD_METRICS,
    progress: Callable[[float, str], None] | None = None,
) -> "pd.DataFrame":
    """Recall and precision of the error layers for each kind of inserted error.

    Parameters
    ----------
    network
        Roads, objects or the lines of a drawing, taken as true.
    errors
        Kinds of errors, of those in ``TOLD_BY``; by default all.
    count, seeds
        How many errors at once, and how often with other ones.
    within
        Metres, by default 15; for lines of a drawing by default the width of the widest.
    metrics
        The road metrics that report; the layers are those of ``Result.map_errors``. Of objects ``max-overlap``
        reports, of lines ``vector``.

    Returns
    -------
    table
        One row a kind: ``error``, ``told_by``, ``inserted``, ``found``, ``recall``, ``reported``, ``right``,
        ``precision``; NaN where nothing was inserted or reported.
    """
    import pandas as pd

    content = kind_of(network)
    told_by = TOLD_BY[content]
    kinds = [error.replace("-", "_") for error in (told_by if errors is None else errors)]
    for kind in kinds:
        if kind not in told_by:
            known = f"choose among {', '.join(told_by)}"
            raise ParameterError(
                f"no layer tells of {kind!r}; {known}" if kind in errors_of(content) else f"unknown error; {known}"
            )
    if within is None:
        within = float(network.widths.max(initial=0.0)) if isinstance(network, Drawing) else _WITHIN
    shape = "polygons" if content == "objects" else "lines"
    rows = []
    for i, kind in enumerate(kinds):
        inserted = found = reported = right = 0
        for seed in range(seeds):
            if progress is not None:
                progress((i + seed / seeds) / len(kinds), kind)
            made = perturb(network, kind, count, seed=seed)
            result = _evaluated(content, made, metrics, seed)
            true = made.errors[shape].geometry.to_numpy()
            said = _reported(result, told_by[kind])
            inserted, reported = inserted + len(true), reported + len(said)
            found += int(_near(true, said, within).sum())
            right += int(_near(said, true, within).sum())
        rows.append(
            {
                "error": kind,
                "told_by": ", ".join(told_by[kind]),
                "inserted": inserted,
                "found": found,
                "recall": found / inserted if inserted else np.nan,
                "reported": reported,
                "right": right,
                "precision": right / reported if reported else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _evaluated(kind: str, made: Perturbed[Any], metrics: str | Iterable[str], seed: int) -> "Result":
    if kind == "objects":
        return evaluate_objects(made.reference, made.prediction, metrics="max-overlap", parameters=OBJECT_PARAMETERS)
    if kind == "lines":
        return evaluate_lines(made.reference, made.prediction, metrics="vector")
    return evaluate_roads(made.reference, made.prediction, metrics=metrics, seed=seed)


def _reported(result: "Result", kinds: tuple[str, ...]) -> NDArray[np.object_]:
    """Geometries of the reported features of these kinds, one way each."""
    frames = result.map_errors().values()
    shapes = [shape for frame in frames for shape in frame.geometry[frame["kind"].isin(kinds)]]
    return np.array([None, *shapes], dtype=object)[1:]


def _near(shapes: NDArray[np.object_], others: NDArray[np.object_], within: float) -> NDArray[np.bool_]:
    """For each shape whether one of the others lies within some metres of its middle."""
    if len(shapes) == 0 or len(others) == 0:
        return np.zeros(len(shapes), dtype=bool)
    # Of a ring of buildings the centre of mass lies far from all of it.
    places = np.asarray(shapely.point_on_surface(shapes))
    lines = shapely.get_type_id(shapes) == 1
    places[lines] = shapely.line_interpolate_point(shapes[lines], 0.5, normalized=True)
    near = shapely.STRtree(others).query(places, "dwithin", within)[0]
    mask = np.zeros(len(shapes), dtype=bool)
    mask[near] = True
    return mask
