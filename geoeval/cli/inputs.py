"""Reading an input for a command: the reader's options, and the area from the command line's text."""

from typing import TYPE_CHECKING

from geoeval.cli.options import NodeChoice

if TYPE_CHECKING:
    from geoeval.model.network import RoadNetwork


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
