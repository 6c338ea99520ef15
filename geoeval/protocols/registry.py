"""Every protocol by name. A new protocol is one module and one line here."""

from importlib import import_module

from geoeval.metrics.registry import Metrics, Registry
from geoeval.protocols.protocol import Protocol


class Protocols(Metrics):
    """The protocols by name; a protocol's module is loaded when it is first asked for."""

    def __getitem__(self, name: str) -> Protocol:
        protocol: Protocol = import_module(self._modules[name]).PROTOCOL
        return protocol


_PROTOCOLS = {
    "sat2graph-topo": "geoeval.protocols.sat2graph.topo",
    "sat2graph-apls": "geoeval.protocols.sat2graph.apls",
    "cosmiq-apls": "geoeval.protocols.cosmiq.apls",
    "cosmiq-topo": "geoeval.protocols.cosmiq.topo",
    "roadtracer-junct": "geoeval.protocols.roadtracer_junct",
    "lane-geo-topo": "geoeval.protocols.lane_geo_topo",
    "cldice": "geoeval.protocols.cldice",
    "betti": "geoeval.protocols.betti",
    "citraro": "geoeval.protocols.citraro",
    "coco": "geoeval.protocols.coco.coco",
    "boundary-coco": "geoeval.protocols.coco.boundary_coco",
    "hisup": "geoeval.protocols.coco.hisup",
    "p3": "geoeval.protocols.coco.p3",
}


class _Protocols(Registry):
    what = "protocol"

    def __init__(self) -> None:
        super().__init__({})
        self.metrics = Protocols(_PROTOCOLS)


REGISTRY = _Protocols()
PROTOCOLS = REGISTRY.metrics
