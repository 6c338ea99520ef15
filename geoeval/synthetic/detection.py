"""Do the error layers show what is really wrong: recall and precision of the reported errors, kind by kind.

Known errors are put into a network; an inserted error is found where a reported one of a fitting kind lies within
some metres of its middle, and a reported one is right where an inserted one lies within as many of its own middle.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np
import shapely
from numpy.typing import NDArray

from geoeval.exceptions import ParameterError
from geoeval.model.network import RoadNetwork
from geoeval.roads.evaluate import evaluate_roads
from geoeval.synthetic.perturb import perturb
from geoeval.synthetic.roads import ERRORS

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result

# Kinds of features by which an inserted error is told. A long false link is a false road too.
TOLD_BY = {
    "interruptions": ("break",),
    "overconnections": ("false_link", "spurious"),
    "far_false_positives": ("spurious",),
    "missing": ("missing",),
}
METRICS = ("ccq", "opt-p", "opt-j")


def detection(
    network: RoadNetwork,
    *,
    errors: Iterable[str] = tuple(TOLD_BY),
    count: int = 20,
    seeds: int = 1,
    within: float = 15.0,
    metrics: str | Iterable[str] = METRICS,
    progress: Callable[[float, str], None] | None = None,
) -> "pd.DataFrame":
    """Recall and precision of the error layers for each kind of inserted error.

    Parameters
    ----------
    network
        Taken as true.
    errors
        Kinds of errors, of those in ``TOLD_BY``.
    count, seeds
        How many errors at once, and how often with other ones.
    within
        Metres.
    metrics
        The metrics that report; the layers are those of ``Result.map_errors``.

    Returns
    -------
    table
        One row a kind: ``error``, ``told_by``, ``inserted``, ``found``, ``recall``, ``reported``, ``right``,
        ``precision``; NaN where nothing was inserted or reported.
    """
    import pandas as pd

    kinds = [error.replace("-", "_") for error in errors]
    for kind in kinds:
        if kind not in TOLD_BY:
            known = f"choose among {', '.join(TOLD_BY)}"
            raise ParameterError(
                f"no layer tells of {kind!r}; {known}" if kind in ERRORS else f"unknown error; {known}"
            )
    rows = []
    for i, kind in enumerate(kinds):
        inserted = found = reported = right = 0
        for seed in range(seeds):
            if progress is not None:
                progress((i + seed / seeds) / len(kinds), kind)
            made = perturb(network, kind, count, seed=seed)
            result = evaluate_roads(made.reference, made.prediction, metrics=metrics, seed=seed)
            true = made.errors["lines"].geometry.to_numpy()
            said = _reported(result, TOLD_BY[kind])
            inserted, reported = inserted + len(true), reported + len(said)
            found += int(_near(true, said, within).sum())
            right += int(_near(said, true, within).sum())
        rows.append(
            {
                "error": kind,
                "told_by": ", ".join(TOLD_BY[kind]),
                "inserted": inserted,
                "found": found,
                "recall": found / inserted if inserted else np.nan,
                "reported": reported,
                "right": right,
                "precision": right / reported if reported else np.nan,
            }
        )
    return pd.DataFrame(rows)


def _reported(result: "Result", kinds: tuple[str, ...]) -> NDArray[np.object_]:
    """Geometries of the reported features of these kinds, one way each."""
    frames = result.map_errors().values()
    shapes = [shape for frame in frames for shape in frame.geometry[frame["kind"].isin(kinds)]]
    return np.array([None, *shapes], dtype=object)[1:]


def _near(shapes: NDArray[np.object_], others: NDArray[np.object_], within: float) -> NDArray[np.bool_]:
    """For each shape whether one of the others lies within some metres of its middle."""
    if len(shapes) == 0 or len(others) == 0:
        return np.zeros(len(shapes), dtype=bool)
    places = np.asarray(shapely.centroid(shapes))
    lines = shapely.get_type_id(shapes) == 1
    places[lines] = shapely.line_interpolate_point(shapes[lines], 0.5, normalized=True)
    near = shapely.STRtree(others).query(places, "dwithin", within)[0]
    mask = np.zeros(len(shapes), dtype=bool)
    mask[near] = True
    return mask
