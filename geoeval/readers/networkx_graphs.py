"""Networks from networkx graphs, with their source and problems from the start: a network does not change."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, cast

from geoeval.model.interchange import from_networkx
from geoeval.model.road_network import RoadNetwork

if TYPE_CHECKING:
    import networkx as nx


def network_of_graph(
    graph: "nx.Graph[Any]",
    *,
    crs: Any = None,
    source: str,
    problems: Mapping[str, int] | None = None,
    ignored: Collection[str] = (),
) -> RoadNetwork:
    """A network as ``RoadNetwork.from_networkx`` makes it, with its source, more problems, and without ignored ones.

    A projected CRS whose lengths are more than 0.1 % off is replaced, as for every other input.
    """

    def make(*arrays: Any, problems: Mapping[str, int], **facts: Any) -> RoadNetwork:
        counted = {name: count for name, count in problems.items() if name not in ignored}
        return RoadNetwork(*arrays, problems={**counted, **more}, source=source, **facts)

    more = dict(problems or {})
    return from_networkx(cast("type[RoadNetwork]", make), graph, crs=crs, trust_projected=False)
