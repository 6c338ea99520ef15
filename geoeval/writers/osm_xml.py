"""Geometries as OSM XML that editors show and never upload."""

from typing import Any
from xml.sax.saxutils import quoteattr

HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<osm version="0.6" generator="geoeval" upload="never">\n'


class OsmElements:
    """OSM elements as lines of XML, with negative ids."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.ways: list[str] = []
        self.relations: list[str] = []

    def text(self) -> str:
        """The whole file; readers expect nodes before the ways that use them, and ways before relations."""
        lines = (*self.nodes, *self.ways, *self.relations)
        return HEADER + "".join(f"{line}\n" for line in lines) + "</osm>\n"

    def add(self, geometry: dict[str, Any] | None, tags: dict[str, str]) -> None:
        """A GeoJSON geometry with the tags on each of its parts."""
        kind, coordinates = (geometry["type"], geometry["coordinates"]) if geometry else ("MultiPoint", [])
        parts = coordinates if kind.startswith("Multi") else [coordinates]
        for part in parts:
            if kind.endswith("Point"):
                self._node(part, tags)
            elif kind.endswith("LineString"):
                self._way(part, tags)
            elif len(part) == 1:
                self._way(part[0], tags)
            else:
                rings = [self._way(ring, {}) for ring in part]
                roles = ["outer", *["inner"] * (len(rings) - 1)]
                members = zip(rings, roles, strict=True)
                inside = [f'<member type="way" ref="{ring}" role="{role}"/>' for ring, role in members]
                self._element(self.relations, "relation", "", inside, {"type": "multipolygon"} | tags)

    def _node(self, coordinates: list[float], tags: dict[str, str]) -> int:
        place = f' lat="{coordinates[1]:.7f}" lon="{coordinates[0]:.7f}"'
        return self._element(self.nodes, "node", place, [], tags)

    def _way(self, coordinates: list[list[float]], tags: dict[str, str]) -> int:
        # A place that the way passes again is the same node again, as at the end of a ring.
        nodes = {place: self._node(list(place), {}) for place in dict.fromkeys(map(tuple, coordinates))}
        inside = [f'<nd ref="{nodes[place]}"/>' for place in map(tuple, coordinates)]
        return self._element(self.ways, "way", "", inside, tags)

    @staticmethod
    def _element(group: list[str], name: str, attributes: str, inside: list[str], tags: dict[str, str]) -> int:
        number = -(len(group) + 1)
        content = inside + [f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in sorted(tags.items())]
        start = f'<{name} id="{number}" visible="true"{attributes}'
        group.append(f"{start}>{''.join(content)}</{name}>" if content else f"{start}/>")
        return number
