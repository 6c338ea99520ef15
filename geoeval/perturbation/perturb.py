"""Insert known errors into a map of roads, objects or drawn lines."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Generic, TypeVar

import numpy as np

from geoeval.exceptions import ParameterError
from geoeval.model.drawing import Drawing
from geoeval.model.features import ErrorFeatures, error_frames
from geoeval.model.object_map import ObjectMap
from geoeval.model.road_network import RoadNetwork
from geoeval.seeds import Seed, whole_seed

Content = TypeVar("Content", bound=RoadNetwork | ObjectMap | Drawing)

_HOMES = {"roads": "geoeval.perturbation.road_errors", "objects": "geoeval.perturbation.object_errors",
          "lines": "geoeval.perturbation.drawing_errors"}  # fmt: skip

# The errors that change the reference and leave the prediction as it is.
REFERENCE_ERRORS = frozenset({"doubled_reference", "far_false_positives"})


@dataclass(frozen=True)
class Perturbed(Generic[Content]):
    """A reference and a prediction to evaluate, and the errors between them; ``perturb`` adds further ones to it.

    Attributes
    ----------
    reference, prediction
        The maps. One of them is the map that was given, the other has the errors: the prediction, except for
        ``doubled_reference`` and ``far_false_positives``, which change the reference.
    errors
        The inserted errors: a GeoDataFrame for each geometry type, with the same columns as ``Result.errors``.
    count
        Number of inserted errors.
    seed
        What they, or the last of several kinds, were drawn with.
    """

    reference: Content
    prediction: Content
    errors: dict[str, Any]
    count: int
    seed: int = 0


def perturb(
    network: Content | Perturbed[Content],
    error: str,
    count: int,
    *,
    seed: Seed = 0,
    rng: Seed | None = None,
    **magnitudes: float | None,
) -> Perturbed[Content]:
    """Insert errors of one kind into a map.

    Parameters
    ----------
    network
        The map to start from: roads, objects or the lines of a drawing. Or what ``perturb`` gave before, to which
        further errors are added: its reference and its prediction both go on, and so do its errors and their count.
    error
        For roads: ``interruptions``, ``overconnections``, ``perturbations``, ``doubled``, ``doubled_reference``,
        ``far_false_positives`` or ``missing``. For objects: ``missed``, ``false_alarm``, ``split``, ``merged``,
        ``shifted`` or ``grown``. For lines: ``missed``, ``fragmented``, ``consolidated``, ``shifted`` or
        ``wrong_width``.
    count
        Number of errors. If a road network has no room for all of them, fewer are inserted and ``Perturbed.count``
        says how many. Errors of objects and lines keep apart from each other; too many raise a ``ParameterError``.
    seed, rng
        A whole number, or a numpy ``Generator`` that gives one; ``Perturbed.seed`` keeps the number. The same map and
        seed give the same errors, whatever the order of the features.
    magnitudes
        Sizes of the errors, in metres or in the unit of the drawing. Defaults are in brackets.

        - Roads: ``gap`` (8), the length of an interruption; ``shortest`` (60) and ``longest`` (160), the length of an
          overconnection, and ``saving`` (no limit), the largest detour that it may save; ``displacement`` (20) of a
          perturbation; ``aside`` (8), the distance between a road and its double.
        - Objects: ``size`` (10), the side of a false alarm; ``gap`` (0) between the parts of a split object; ``reach``
          (10), the largest distance between objects to merge, and ``bridge`` (2), the width of what joins them;
          ``distance`` (2) of a shift; ``distance`` (1) by which every side grows; ``clearance`` (1) around each error,
          see :mod:`geoeval.perturbation.object_errors`.
        - Lines: ``gap`` in a fragmented line, ``reach`` between the ends of lines to consolidate, ``distance`` of a
          shift, ``wider`` for a wrong width. The defaults depend on the width of the line: half of it, half, a
          quarter and half. ``clearance`` between errors is the width of the line.

    Returns
    -------
    Perturbed
        With a count of 0, the reference and the prediction are the same map. An empty road network stays empty. An
        empty map of objects or lines has no room for errors.

    Raises
    ------
    ParameterError
        The map has no such error, a magnitude is unknown or out of range, or there is no room for all errors.

    Examples
    --------
    >>> import shapely
    >>> from geoeval import Drawing, ObjectMap, RoadNetwork, perturb
    >>> from geoeval.model.courses import bar
    >>> street = RoadNetwork.from_lines([[(0, 0), (200, 0)]], crs="EPSG:32610")
    >>> perturb(street, "interruptions", 1, gap=10.0).prediction.length
    190.0
    >>> house = ObjectMap.from_polygons([shapely.box(0, 0, 20, 10)], crs="EPSG:32610")
    >>> perturb(house, "split", 1).prediction.areas.tolist()
    [100.0, 100.0]
    >>> perturb(Drawing([bar((0, 0), (80, 0))], width=8), "fragmented", 1).prediction.lengths.tolist()
    [38.0, 38.0]

    Errors of several kinds:

    >>> made = perturb(perturb(street, "interruptions", 1), "far_false_positives", 1)
    >>> made.reference.length, made.prediction.length, made.count
    (0.0, 192.0, 2)
    """
    if isinstance(network, Perturbed):
        return _further(network, error, count, seed=seed, rng=rng, **magnitudes)
    kind, error = kind_of(network), error.replace("-", "_")
    insert = errors_of(kind).get(error)
    if insert is None:
        raise ParameterError(f"unknown error {error!r} of {kind}; choose among {', '.join(errors_of(kind))}")
    if count < 0:
        raise ParameterError(f"the number of errors is {count}; give 0 or more")
    seed = whole_seed(seed, rng)
    _check_magnitudes(kind, error, magnitudes)
    if count == 0 or (kind == "roads" and network.is_empty):
        return Perturbed(network, network, error_frames([], network.crs), 0, seed)
    features = ErrorFeatures("synthetic")
    reference, prediction = insert(network, count, np.random.default_rng(seed), features, **magnitudes)
    if len(features) < count and kind != "roads":
        where = network.source or f"this map of {kind}"
        msg = (
            f"{where} has room for {len(features)} {error} that stand alone, not {count}; ask for fewer or smaller ones"
        )
        raise ParameterError(msg)
    return Perturbed(reference, prediction, error_frames([features], network.crs), len(features), seed)


def _further(
    before: Perturbed[Content], error: str, count: int, *, seed: Seed, rng: Seed | None, **magnitudes: float | None
) -> Perturbed[Content]:
    """Errors besides those that are there: in the reference if it is such an error, else in the prediction."""
    import pandas as pd

    side = "reference" if error.replace("-", "_") in REFERENCE_ERRORS else "prediction"
    made = perturb(getattr(before, side), error, count, seed=seed, rng=rng, **magnitudes)
    errors = {name: pd.concat([frame, made.errors[name]], ignore_index=True) for name, frame in before.errors.items()}
    changed = {side: getattr(made, side)}
    return replace(before, errors=errors, count=before.count + made.count, seed=made.seed, **changed)


def kind_of(network: RoadNetwork | ObjectMap | Drawing) -> str:
    """What a map shows: ``roads``, ``objects`` or ``lines``."""
    if isinstance(network, ObjectMap):
        return "objects"
    return "lines" if isinstance(network, Drawing) else "roads"


def kind_with(error: str, *, kind: str | None = None) -> str:
    """The kind of map that an error belongs to; ``kind`` decides where several kinds have an error of this name."""
    error = error.replace("-", "_")
    kinds = [one for one in _HOMES if error in errors_of(one)]
    if kind is not None and kind not in kinds:
        raise ParameterError(f"{kind} have no error {error!r}; choose among {', '.join(errors_of(kind))}")
    if kind is None and len(kinds) > 1:
        choice = ", or ".join(f"{{give:kind={one}}}" for one in kinds)
        raise ParameterError(f"{error!r} is an error of {' and of '.join(kinds)}; to say which, {choice}")
    return kind or kinds[0]


def errors_of(kind: str) -> dict[str, Callable[..., tuple[Any, Any]]]:
    """The errors that can be inserted into a kind of map, by name."""
    errors: dict[str, Callable[..., tuple[Any, Any]]] = import_module(_HOMES[kind]).ERRORS
    return errors


def magnitudes_of(error: str, *, kind: str = "roads") -> dict[str, float | None]:
    """The magnitudes of an error and their defaults; ``None`` for no limit, or where the line's width decides."""
    parameters = inspect.signature(errors_of(kind)[error]).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


def parse_magnitudes(texts: Iterable[str]) -> dict[str, float]:
    """Parse magnitudes written as ``NAME=METRES``."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            equals = ""
        # Not even a wrong magnitude is taken for another argument of ``perturb``.
        if not equals or not name.strip() or name.strip() in inspect.signature(perturb).parameters:
            raise ParameterError(f"cannot read the magnitude {text!r}; write it as NAME=METRES, for example gap=30")
    return found


def _check_magnitudes(kind: str, error: str, magnitudes: dict[str, float | None]) -> None:
    defaults = magnitudes_of(error, kind=kind)
    unit = "" if kind == "lines" else " m"
    for name, value in magnitudes.items():
        if name not in defaults:
            choice = f"choose among {', '.join(defaults)}" if defaults else "it takes none"
            raise ParameterError(f"{error} has no magnitude {name!r}; {choice}")
        if value is None:
            if defaults[name] is not None:
                raise ParameterError(f"the magnitude {name} of {error} is None; give a number")
        elif not 0 <= value < np.inf or (value == 0 and defaults[name] != 0):
            least = "0 or more" if defaults[name] == 0 else "a number above 0"
            raise ParameterError(f"the magnitude {name} is {value:g}{unit}; give {least}")
