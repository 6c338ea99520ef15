"""Errors for people who fix maps: MapRoulette tasks and a JOSM file.

Both are in WGS 84, so local coordinates cannot be handed over. What nobody can fix on the spot (wrong paths, roads that
many wrong paths share) and what is right (matched objects and their links) is left out unless its kind is named.
"""

import hashlib
import json
from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from geoeval.crs import is_local
from geoeval.exceptions import OutputError
from geoeval.files import new_file
from geoeval.model.error_kinds import error_kind
from geoeval.model.result import Result
from geoeval.writers.drafts import error_drafts
from geoeval.writers.gdal import write_rows

# The record separator with which each text of a GeoJSON text sequence begins (RFC 8142).
RECORD_SEPARATOR = "\x1e"
# OpenStreetMap's own limit for a tag.
TAG_CHARACTERS = 255


def write_maproulette(
    result: Result,
    path: str | Path,
    *,
    kinds: Collection[str] | None = None,
    metrics: Collection[str] | None = None,
    overwrite: bool = False,
) -> int:
    """Write one MapRoulette task per error, as line-by-line GeoJSON.

    Each task has an ``instruction`` and an ``id`` that stays the same as long as the error does.

    Parameters
    ----------
    result
        The evaluation whose errors are to be fixed. No errors give an empty file.
    path
        The file.
    kinds
        Only errors of these kinds; by default all that somebody can fix on the spot.
    metrics
        Only errors that these metrics found; by default all.
    overwrite
        Replace an existing file.

    Returns
    -------
    int
        The number of tasks.

    Raises
    ------
    OutputError
        The coordinates are local, the file exists, or it cannot be written.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_maproulette
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> write_maproulette(result, "tasks.geojson", kinds=["missing"], overwrite=True)
    1
    """
    seen: dict[str, int] = {}
    with (
        new_file(path, overwrite=overwrite) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for feature in _features(result, "MapRoulette", kinds, metrics):
            properties = feature["properties"]
            name = _identity(feature)
            seen[name] = seen.get(name, 0) + 1
            # Two errors that agree in everything are still two tasks.
            name = name if seen[name] == 1 else f"{name}-{seen[name]}"
            kind = str(properties["kind"])
            about = {"id": name, "instruction": _instruction(properties), "about": error_kind(kind).about}
            task = {"type": "Feature", "id": name, "geometry": feature["geometry"], "properties": about | properties}
            collection = {"type": "FeatureCollection", "features": [task]}
            text = json.dumps(collection, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            file.write(f"{RECORD_SEPARATOR}{text}\n")
    return sum(seen.values())


def write_josm(
    result: Result,
    path: str | Path,
    *,
    kinds: Collection[str] | None = None,
    metrics: Collection[str] | None = None,
    overwrite: bool = False,
) -> int:
    """Write the errors as OSM XML that JOSM shows and never uploads.

    Points become nodes, lines ways, polygons closed ways or multipolygons, all with negative ids and the attributes of
    the error as tags.

    Parameters
    ----------
    result
        The evaluation whose errors are to be fixed. No errors give a file without elements.
    path
        The file.
    kinds
        Only errors of these kinds; by default all that somebody can fix on the spot.
    metrics
        Only errors that these metrics found; by default all.
    overwrite
        Replace an existing file.

    Returns
    -------
    int
        The number of errors.

    Raises
    ------
    OutputError
        The coordinates are local, the file exists, or it cannot be written.

    Examples
    --------
    >>> from geoeval import RoadNetwork, evaluate_roads, write_josm
    >>> reference = RoadNetwork.from_lines([[(0, 0), (900, 0)], [(450, 0), (450, 300)]], crs="EPSG:32610")
    >>> prediction = RoadNetwork.from_lines([[(0, 2), (900, 2)]], crs="EPSG:32610")
    >>> result = evaluate_roads(reference, prediction, metrics="ccq")
    >>> write_josm(result, "errors.osm", overwrite=True)
    1
    """
    features = list(_features(result, "JOSM", kinds, metrics))
    elements = _Elements()
    for feature in features:
        elements.add(feature["geometry"], _tags(feature["properties"]))
    with (
        new_file(path, overwrite=overwrite) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<osm version="0.6" generator="geoeval" upload="never">\n')
        # Readers expect nodes before the ways that use them, and ways before relations.
        for group in (elements.nodes, elements.ways, elements.relations):
            file.writelines(f"{line}\n" for line in group)
        file.write("</osm>\n")
    return len(features)


def _features(
    result: Result, program: str, kinds: Collection[str] | None, metrics: Collection[str] | None
) -> Iterator[dict[str, Any]]:
    """GeoJSON features in WGS 84, the surest first; lines and polygons across the antimeridian are cut there."""
    if is_local(result.crs):
        raise OutputError(
            f"{program} needs places on Earth, and these coordinates are local; give the CRS of the inputs"
        )
    features = []
    for draft in error_drafts(result, with_empty=False):
        if (draft.role not in kinds) if kinds is not None else not error_kind(draft.role).is_task:
            continue
        frame = draft.frame if metrics is None else draft.frame[draft.frame["metric"].isin(list(metrics))]
        if frame.empty:
            continue
        buffer = BytesIO()
        write_rows(frame, buffer, "geojson", layer_options={"RFC7946": "YES"})
        for feature in json.loads(buffer.getvalue())["features"]:
            given = {name: value for name, value in feature["properties"].items() if value not in (None, "")}
            features.append({**feature, "geometry": _of_one_kind(feature["geometry"]), "properties": given})
    yield from sorted(features, key=lambda one: -float(one["properties"].get("confidence", 0.0)))


def _of_one_kind(geometry: dict[str, Any] | None) -> dict[str, Any] | None:
    """A geometry without what collapsed to lines and points when GDAL rounded an area to seven decimals."""
    if geometry is None or geometry["type"] != "GeometryCollection":
        return geometry
    parts: list[Any] = []
    for part in geometry["geometries"]:
        if part["type"] == "Polygon":
            parts.append(part["coordinates"])
        elif part["type"] == "MultiPolygon":
            parts += part["coordinates"]
    return {"type": "MultiPolygon", "coordinates": parts} if parts else geometry["geometries"][0]


def instruction(kind: str) -> str:
    """What a person should do about an error of this kind; a general one for kinds that are not tasks."""
    return error_kind(kind).instruction or f"Look at this place: {error_kind(kind).label.lower()}."


def _instruction(properties: dict[str, Any]) -> str:
    """The instruction for an error, with what its plan says to do."""
    fix = str(properties.get("fix", ""))
    return instruction(str(properties["kind"])) + (f" {fix[0].upper()}{fix[1:]}." if fix else "")


def _identity(feature: dict[str, Any]) -> str:
    """A name made from what makes the error this one, not from its place in the file."""
    what = [feature["properties"].get(name, "") for name in ("kind", "metric", "ref_id", "pred_id")]
    return hashlib.sha256(json.dumps([*what, feature["geometry"]]).encode()).hexdigest()[:16]


def _tags(properties: dict[str, Any]) -> dict[str, str]:
    """The attributes as OSM tags, with the instruction."""
    tags = {"instruction": _instruction(properties)}
    for name, value in properties.items():
        tags[name] = f"{value:.9g}" if isinstance(value, float) else str(value)
    return {name: value[:TAG_CHARACTERS] for name, value in tags.items()}


class _Elements:
    """OSM elements as lines of XML, with negative ids."""

    def __init__(self) -> None:
        self.nodes: list[str] = []
        self.ways: list[str] = []
        self.relations: list[str] = []

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
        closed = len(coordinates) > 3 and coordinates[0] == coordinates[-1]
        nodes = [self._node(point, {}) for point in (coordinates[:-1] if closed else coordinates)]
        inside = [f'<nd ref="{node}"/>' for node in (*nodes, *nodes[: int(closed)])]
        return self._element(self.ways, "way", "", inside, tags)

    @staticmethod
    def _element(group: list[str], name: str, attributes: str, inside: list[str], tags: dict[str, str]) -> int:
        number = -(len(group) + 1)
        content = inside + [f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in sorted(tags.items())]
        start = f'<{name} id="{number}" visible="true"{attributes}'
        group.append(f"{start}>{''.join(content)}</{name}>" if content else f"{start}/>")
        return number
