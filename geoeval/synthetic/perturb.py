"""Maps made worse on purpose, with every error known and placed: the one door for roads, objects and drawn lines."""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Generic, TypeVar

import numpy as np

from geoeval.evaluation import check_seed
from geoeval.exceptions import ParameterError
from geoeval.model.drawing import Drawing
from geoeval.model.network import RoadNetwork
from geoeval.model.objects import ObjectMap
from geoeval.model.result import ErrorFeatures, error_frames

Content = TypeVar("Content", bound=RoadNetwork | ObjectMap | Drawing)

KINDS = ("roads", "objects", "lines")


@dataclass(frozen=True)
class Perturbed(Generic[Content]):
    """A pair of maps to evaluate, and what was really done: features by geometry type, as in a result."""

    reference: Content
    prediction: Content
    errors: dict[str, Any]
    count: int


def perturb(
    network: Content, error: str, count: int, *, seed: int = 0, **magnitudes: float | None
) -> Perturbed[Content]:
    """Put ``count`` errors of one kind into a map.

    Parameters
    ----------
    network
        Roads, objects or the lines of a drawing, taken as true.
    error
        Of roads: ``interruptions``, ``overconnections``, ``perturbations``, ``doubled``, ``doubled_reference``,
        ``far_false_positives`` or ``missing``. Of objects: ``missed``, ``false_alarm``, ``split``, ``merged``,
        ``shifted`` or ``grown``. Of lines: ``missed``, ``fragmented``, ``consolidated``, ``shifted`` or
        ``wrong_width``.
    count
        How many. Where roads have no room for so many, fewer are made, and ``Perturbed.count`` says how many there
        are. Errors of objects and lines stand alone, and too many of them are a ``ParameterError``.
    seed
        The same seed gives the same errors, in whatever order the features are.
    magnitudes
        In metres, or in the unit of a drawing.

        - Roads: ``gap`` (8) of an interruption; ``shortest`` and ``longest`` (60, 160) of an overconnection,
          and ``saving`` (any), how much way it saves at most; ``displacement`` (20) of a perturbation; ``aside`` (8)
          of a doubled road.
        - Objects: ``size`` (10), the side of a false alarm; ``gap`` (0) of a split; ``reach`` (10), how far apart
          merged objects may be, and ``bridge`` (2), the width of what joins them; ``distance`` (2) of a shift;
          ``distance`` (1) by which every side grows; ``clearance`` (1), see :mod:`geoeval.synthetic.objects`.
        - Lines: ``gap`` of a fragmented line, ``reach`` between the ends of lines that are consolidated, ``distance``
          of a shift and ``wider`` of a wrong width. By default they are a share of the line's own width: half, half,
          a quarter and half. ``clearance`` between errors is the line's width.

    Returns
    -------
    Perturbed
        No errors give the same map twice. An empty network stays empty; in an empty map of objects or lines there is
        no room.

    Examples
    --------
    >>> street = RoadNetwork.from_lines([[(0, 0), (200, 0)]], crs="EPSG:32610")
    >>> perturb(street, "interruptions", 1, gap=10.0).prediction.length
    190.0
    >>> import shapely
    >>> house = ObjectMap.from_polygons([shapely.box(0, 0, 20, 10)], crs="EPSG:32610")
    >>> perturb(house, "split", 1).prediction.areas.tolist()
    [100.0, 100.0]
    >>> from geoeval.model.courses import bar
    >>> perturb(Drawing([bar((0, 0), (80, 0))], width=8), "fragmented", 1).prediction.lengths.tolist()
    [38.0, 38.0]
    """
    kind, error = kind_of(network), error.replace("-", "_")
    put = errors_of(kind).get(error)
    if put is None:
        raise ParameterError(f"unknown error {error!r} of {kind}; choose among {', '.join(errors_of(kind))}")
    if count < 0:
        raise ParameterError(f"the number of errors is {count}; give 0 or more")
    check_seed(seed)
    _check_magnitudes(kind, error, magnitudes)
    if count == 0 or (kind == "roads" and network.is_empty):
        return Perturbed(network, network, error_frames([], network.crs), 0)
    features = ErrorFeatures("synthetic")
    reference, prediction = put(network, count, np.random.default_rng(seed), features, **magnitudes)
    if len(features) < count and kind != "roads":
        where = network.source or f"this map of {kind}"
        msg = (
            f"{where} has room for {len(features)} {error} that stand alone, not {count}; ask for fewer or smaller ones"
        )
        raise ParameterError(msg)
    return Perturbed(reference, prediction, error_frames([features], network.crs), len(features))


def kind_of(network: RoadNetwork | ObjectMap | Drawing) -> str:
    """``roads``, ``objects`` or ``lines``."""
    if isinstance(network, ObjectMap):
        return "objects"
    return "lines" if isinstance(network, Drawing) else "roads"


def kind_with(error: str, *, kind: str | None = None) -> str:
    """The kind of map that an error belongs to; where it could be several, the one that is given."""
    error = error.replace("-", "_")
    kinds = [one for one in KINDS if error in errors_of(one)]
    if kind is not None and kind not in kinds:
        raise ParameterError(f"{kind} have no error {error!r}; choose among {', '.join(errors_of(kind))}")
    if kind is None and len(kinds) > 1:
        choice = " or ".join(f"--kind {one}" for one in kinds)
        raise ParameterError(f"{error!r} is an error of {' and of '.join(kinds)}; say which with {choice}")
    return kind or kinds[0]


def errors_of(kind: str) -> dict[str, Callable[..., tuple[Any, Any]]]:
    """The errors that can be put into a kind of map, by name."""
    errors: dict[str, Callable[..., tuple[Any, Any]]] = import_module(f"geoeval.synthetic.{kind}").ERRORS
    return errors


def magnitudes_of(error: str, *, kind: str = "roads") -> dict[str, float | None]:
    """The magnitudes of an error with their default values; ``None`` where that is a share of a line's width."""
    parameters = inspect.signature(errors_of(kind)[error]).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


def parse_magnitudes(texts: Iterable[str]) -> dict[str, float]:
    """Magnitudes from ``NAME=METRES``."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            equals = ""
        if not equals or not name.strip():
            raise ParameterError(f"cannot read the magnitude {text!r}; write it as NAME=METRES, for example gap=30")
    return found


def _check_magnitudes(kind: str, error: str, magnitudes: dict[str, float | None]) -> None:
    known = magnitudes_of(error, kind=kind)
    unit = "" if kind == "lines" else " m"
    for name, value in magnitudes.items():
        if name not in known:
            raise ParameterError(f"{error} has no magnitude {name!r}; there are {', '.join(known) or 'none'}")
        if value is None:
            if known[name] is not None:
                raise ParameterError(f"the magnitude {name} of {error} is None; give a number")
        elif not 0 <= value < np.inf or (value == 0 and known[name] != 0):
            least = "0 or more" if known[name] == 0 else "a number above 0"
            raise ParameterError(f"the magnitude {name} is {value:g}{unit}; give {least}")
