"""Do the error layers show the errors that are there? Recall and precision of the reported errors.

Known errors are inserted into a map of roads, objects or lines. An inserted error is found if a reported error of a
matching kind lies within a given distance of its middle. A reported error is right if an inserted one lies within the
same distance of its own middle.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval.area import EVERYTHING
from geoeval.arrays import Bools, Objects
from geoeval.defaults import MAX_DISTANCE
from geoeval.exceptions import ParameterError
from geoeval.metrics.running import Progress
from geoeval.model.drawing import Drawing
from geoeval.model.error_kinds import kinds_that_reveal
from geoeval.model.object_map import ObjectMap
from geoeval.model.road_network import RoadNetwork
from geoeval.perturbation.perturb import Perturbed, errors_of, kind_of, perturb
from geoeval.pipeline.evaluate import evaluate

if TYPE_CHECKING:
    import pandas as pd

    from geoeval.model.result import Result

ROAD_METRICS = ("ccq", "opt-p", "opt-j")
# Matches below this IoU are reported as different: the inserted shifts and growths are small on purpose.
OBJECT_PARAMETERS = {"max-overlap": {"boundary": 0.99, "mallows": False}}


def detection(
    network: RoadNetwork | ObjectMap | Drawing,
    *,
    errors: Iterable[str] | None = None,
    count: int = 20,
    seeds: int = 1,
    within: float | None = None,
    metrics: str | Iterable[str] = ROAD_METRICS,
    progress: Progress | None = None,
) -> "pd.DataFrame":
    """Recall and precision of the error layers for each kind of inserted error.

    Parameters
    ----------
    network
        The map to start from: roads, objects or the lines of a drawing.
    errors
        Errors to insert, named as in ``geoeval.perturb``. By default all that an error layer shows.
    count, seeds
        Number of errors at once, and number of repetitions with different errors.
    within
        Largest distance between an inserted and a reported error, by default 15 metres. For lines of a drawing the
        default is the width of the widest line.
    metrics
        Road metrics whose errors are looked at, as ``Result.map_errors`` gives them. For objects it is always
        ``max-overlap``, for lines ``vector``.
    progress
        Called with a fraction from 0 to 1 and a message.

    Returns
    -------
    table
        One row per error: ``error``, ``told_by`` (the kinds of reported errors that match it), ``inserted``, ``found``,
        ``recall``, ``reported``, ``right``, ``precision``. Recall is NaN if nothing was inserted, precision if nothing
        was reported.

    Raises
    ------
    ParameterError
        An error does not exist, or no error layer shows it.

    Examples
    --------
    >>> from geoeval import RoadNetwork
    >>> from geoeval.studies.detection import detection
    >>> streets = [[(0, 200 * i), (1000, 200 * i)] for i in range(5)] + [[(0, 0), (0, 800)], [(1000, 0), (1000, 800)]]
    >>> table = detection(RoadNetwork.from_lines(streets, crs="EPSG:32610"), errors=["interruptions"], count=3)
    >>> table[["error", "inserted", "found"]].to_dict("records")
    [{'error': 'interruptions', 'inserted': 3, 'found': 3}]
    """
    import pandas as pd

    kind = kind_of(network)
    shown_by = {error: layers for error in errors_of(kind) if (layers := kinds_that_reveal(kind, error))}
    wanted = [error.replace("-", "_") for error in (shown_by if errors is None else errors)]
    for error in wanted:
        if error not in shown_by:
            wrong = (
                f"no error layer shows {error!r}" if error in errors_of(kind) else f"unknown error {error!r} of {kind}"
            )
            raise ParameterError(f"{wrong}; choose among {', '.join(shown_by)}")
    if within is None:
        within = float(network.widths.max(initial=0.0)) if isinstance(network, Drawing) else MAX_DISTANCE
    shape = "polygons" if kind == "objects" else "lines"
    rows = []
    for i, error in enumerate(wanted):
        inserted = found = reported = right = 0
        for seed in range(seeds):
            if progress is not None:
                progress((i + seed / seeds) / len(wanted), error)
            made = perturb(network, error, count, seed=seed)
            result = _evaluated(kind, made, metrics, seed)
            true = made.errors[shape].geometry.to_numpy()
            said = _reported(result, shown_by[error])
            inserted, reported = inserted + len(true), reported + len(said)
            found += int(_near(true, said, within).sum())
            right += int(_near(said, true, within).sum())
        rows.append(
            {
                "error": error,
                "told_by": ", ".join(shown_by[error]),
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
    asked = {"roads": metrics, "objects": "max-overlap", "lines": "vector"}[kind]
    parameters = OBJECT_PARAMETERS if kind == "objects" else None
    return evaluate(
        made.reference, made.prediction, kind=kind, metrics=asked, parameters=parameters, seed=seed, aoi=EVERYTHING,
        plan=False,
    )  # fmt: skip


def _reported(result: "Result", kinds: tuple[str, ...]) -> Objects:
    """The geometries of the reported errors of these kinds, each once."""
    frames = result.map_errors().values()
    shapes = [shape for frame in frames for shape in frame.geometry[frame["kind"].isin(kinds)]]
    return np.array([None, *shapes], dtype=object)[1:]


def _near(shapes: Objects, others: Objects, within: float) -> Bools:
    """Whether one of the others lies within the distance of each shape's middle."""
    if len(shapes) == 0 or len(others) == 0:
        return np.zeros(len(shapes), dtype=bool)
    # The centroid of a ring of buildings may lie far from all of it.
    places = np.asarray(shapely.point_on_surface(shapes))
    lines = shapely.get_type_id(shapes) == 1
    places[lines] = shapely.line_interpolate_point(shapes[lines], 0.5, normalized=True)
    near = shapely.STRtree(others).query(places, "dwithin", within)[0]
    mask = np.zeros(len(shapes), dtype=bool)
    mask[near] = True
    return mask
