"""Reading the inputs of a command: one network or map of objects, or two brought together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from geoeval.cli.options import NodeChoice

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from geoeval.model.network import RoadNetwork
    from geoeval.model.objects import ObjectMap

Content = TypeVar("Content", "RoadNetwork", "ObjectMap")


def read_input(
    file: str,
    *,
    crs: str | None = None,
    layer: str | None = None,
    pixel_size: float | None = None,
    network_type: str = "drive",
    aoi: str | None = None,
    node: NodeChoice = NodeChoice.ends,
) -> "RoadNetwork":
    """A network from the command line's options."""
    from geoeval.readers import read_network
    from geoeval.readers.area import read_area

    network = read_network(
        file, crs=crs, layer=layer, pixel_size=pixel_size, network_type=network_type, node=node.value
    )
    return network if aoi is None else network.clip(read_area(aoi, network.crs))


# Metres kept around the evaluated area until the inputs are in one CRS.
_SURROUNDING = 2000.0


@dataclass(frozen=True)
class Pair(Generic[Content]):
    """Two inputs in one CRS, the area to evaluate (``None``: all of both), and how that area was found."""

    reference: Content
    prediction: Content
    area: "BaseGeometry | None"
    area_note: str

    @property
    def said(self) -> str:
        """The evaluated area in words."""
        size = "" if self.area is None else f", {self.area.area / 1e6:,.2f} km²"
        return f"evaluated on {self.area_note}{size}"


def read_object_input(
    file: str, *, crs: str | None = None, layer: str | None = None, pixel_size: float | None = None
) -> "ObjectMap":
    """Objects from the command line's options."""
    from geoeval.readers.objects import read_objects

    return read_objects(file, crs=crs, layer=layer, pixel_size=pixel_size)


def read_content(
    kind: str, file: str, *, crs: str | None, layer: str | None, pixel_size: float | None, aoi: str | None,
    network_type: str, node: NodeChoice, width: float | None, width_column: str, style_column: str,
) -> Any:  # fmt: skip
    """One map of any kind from the command line's options: roads, objects or the lines of a drawing."""
    from geoeval.exceptions import ParameterError
    from geoeval.readers.area import read_area

    common: dict[str, Any] = {"crs": crs, "layer": layer, "pixel_size": pixel_size}
    if kind == "roads":
        return read_input(file, network_type=network_type, aoi=aoi, node=node, **common)
    if kind == "objects":
        objects = read_object_input(file, **common)
        return objects if aoi in {None, "all"} else objects.clip(read_area(str(aoi), objects.crs))
    if aoi not in {None, "all"}:
        raise ParameterError("--aoi cuts roads and objects, no lines of a drawing; leave it away")
    from geoeval.readers.drawings import read_drawing

    return read_drawing(file, width=width, width_column=width_column, style_column=style_column, **common)


def read_pair(
    reference: str,
    prediction: str,
    *,
    read: Callable[..., Content] = read_input,  # type: ignore[assignment]
    crs: str = "auto",
    aoi: str | None = None,
    reference_crs: str | None = None,
    prediction_crs: str | None = None,
    reference_layer: str | None = None,
    prediction_layer: str | None = None,
    **common: Any,
) -> "Pair[Content]":
    """Read both inputs and bring them together.

    They end in the CRS that fits the prediction, whose ground is the evaluated one, or in ``crs``. The area is the
    one given, or the prediction's coverage where the reference covers clearly more, or ``--aoi all``: no cut.
    """
    from geoeval.crs import parse_crs
    from geoeval.readers.area import area_in, read_area
    from geoeval.roads.area import evaluated_area

    true = read(reference, crs=reference_crs, layer=reference_layer, **common)
    predicted = read(prediction, crs=prediction_crs, layer=prediction_layer, **common)
    target = parse_crs(crs) if crs != "auto" else true.crs if predicted.is_empty else predicted.crs
    area, note = None, "all of both inputs"
    if aoi not in {None, "all"}:
        area, note = read_area(str(aoi), target), f"--aoi {aoi}"
    elif aoi is None:
        own = evaluated_area(true, predicted)
        if own is not None:
            area, note = area_in(own, target, aoi_crs=predicted.crs), "the prediction's coverage"
    if area is not None and true.crs != target:
        # A country is cut to a generous surrounding before it is brought into a projection made for a town.
        true = true.clip(area_in(area.buffer(_SURROUNDING), true.crs, aoi_crs=target))
    return Pair(true.to_crs(target), predicted.to_crs(target), area, note)


def parse_settings(settings: Iterable[str] | None) -> dict[str, dict[str, Any]]:
    """Parameters by metric and name from ``METRIC.PARAMETER=VALUE``."""
    from geoeval.registry import parse_setting

    parameters: dict[str, dict[str, Any]] = {}
    for text in settings or []:
        metric, name, value = parse_setting(text)
        parameters.setdefault(metric, {})[name] = value
    return parameters
