"""Roads of an OpenStreetMap file, joined where their ways share a node and nowhere else.

The work per node is done by osmium and numpy, never in a Python loop: osmium filters the ways and writes them as
text (OPL, one way a line, escaped so that spaces and commas are separators only), of which numpy makes arrays;
a second pass takes the places of the nodes that those ways use (``osm_nodes``). So memory grows with the roads
and not with the file, and a PBF costs little more than going through its ways.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import osmium
from numpy.typing import NDArray

from geoeval import crs as projections
from geoeval.exceptions import CRSError, EmptyInputError
from geoeval.model.network import RoadNetwork
from geoeval.readers.osm_classes import AREA_KEYS, AREA_VALUES, ROUNDABOUTS, WayRule, way_rule
from geoeval.readers.osm_file import OsmFile, open_osm
from geoeval.readers.osm_nodes import node_locations

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def read_osm(path: str | Path, *, network_type: str | Sequence[str] = "drive", crs: Any = None) -> RoadNetwork:
    """Read the roads of an OpenStreetMap file: .osm, .osm.gz, .osm.bz2 or .osm.pbf.

    Areas are left out, roundabouts are not areas. Of several versions of an object the newest counts; deleted
    objects are not there. Ways with unknown nodes are kept where two consecutive ones are known.

    Parameters
    ----------
    path
        The file; its kind is told by its content.
    network_type
        ``"drive"``, ``"walk"``, ``"bike"``, ``"all"`` (see ``osm_classes``), or highway classes, as a list or
        as text with commas.
    crs
        What the coordinates are in, if not degrees on WGS 84 as OpenStreetMap has them; another geographic CRS.

    Returns
    -------
    RoadNetwork
        In metres, ``source_ids`` the ids of the OSM ways, and in ``problems``: ``ways_with_missing_nodes``,
        ``missing_nodes``, ``areas`` (ways of a wanted class that are surfaces), ``ways_without_access`` (private,
        or closed to the traffic of the network type).

    Raises
    ------
    UnreadableInputError
        The file is missing, damaged or not from OpenStreetMap.
    EmptyInputError
        It has no way of the network type, or no node of those ways.

    Notes
    -----
    O(file) time in osmium, O(r log r) time and O(r) memory for r vertices of roads.
    """
    rule = way_rule(network_type)
    degrees = _geographic(crs)
    source = open_osm(Path(path))
    with TemporaryDirectory(prefix="geoeval-") as folder, source.errors():
        ways = _read_ways(source, rule, Path(folder))
        if len(ways.refs) == 0:
            raise EmptyInputError(f"{path}: no road of network type {rule.name}; {_what_there_is(source, ways)}")
        nodes, number = np.unique(ways.refs, return_inverse=True)
        lonlat, known = node_locations(source, nodes, Path(folder), ways.located)

    segments, way = _segments(ways.sizes, number, known)
    if len(segments) == 0:
        msg = (
            f"{path}: has {len(ways.ids)} roads of network type {rule.name} but not the nodes that they run through; "
            "make the extract again with complete ways"
        )
        raise EmptyInputError(msg)
    problems = _problems(ways, number, known)
    ids = ways.ids[way]
    if (np.diff(ids) < 0).any():  # the order of the file shall leave no trace
        order = np.argsort(ids, kind="stable")
        segments, ids = segments[order], ids[order]
    if not known.all():
        lonlat, segments = lonlat[known], (np.cumsum(known) - 1)[segments]
    xy, metric, error = projections.to_metres(lonlat, degrees)
    network = RoadNetwork(
        xy,
        segments,
        crs=metric,
        source_ids=ids,
        merge_coincident=False,
        problems=problems,
        source=str(path),
        scale_error=error,
    )
    if network.is_empty:
        raise EmptyInputError(f"{path}: its roads of network type {rule.name} have no length; it is the wrong file")
    return network


# Ids, tags and nodes of ways in osmium's text: w17, Thighway=road,name=A, Nn1,n2
_Text = tuple[list[bytes], list[bytes], list[bytes]]


@dataclass
class _Ways:
    """Ways as arrays: their ids, how many nodes each has, and all those nodes one after the other."""

    ids: Ints
    sizes: Ints
    refs: Ints
    # Places of the nodes, in degrees, in a file that keeps them with its ways.
    located: dict[int, tuple[float, float]]
    problems: dict[str, int] = field(default_factory=dict)

    @property
    def closed(self) -> Ints:
        """Ways that end where they began."""
        last = np.cumsum(self.sizes) - 1
        return np.flatnonzero(self.refs[last - self.sizes + 1] == self.refs[last])

    def without(self, rows: list[int]) -> "_Ways":
        """The other ways."""
        keep = np.ones(len(self.ids), dtype=bool)
        keep[rows] = False
        refs = self.refs[np.repeat(keep, self.sizes)]
        return _Ways(self.ids[keep], self.sizes[keep], refs, self.located, self.problems)


def _geographic(crs: Any) -> Any:
    if crs is None:
        return projections.WGS84
    given = projections.parse_crs(crs)
    if not given.is_geographic:
        msg = (
            f"OpenStreetMap files are in degrees, so {projections.crs_name(given)} cannot be what their coordinates "
            "are in; leave the CRS of this input out"
        )
        raise CRSError(msg)
    return given


def _read_ways(source: OsmFile, rule: WayRule, folder: Path) -> _Ways:
    """The wanted ways of a file, as arrays."""
    text = folder / "ways.opl"
    options = ["opl", "add_metadata=version" if source.has_versions else "add_metadata=false"]
    if source.has_located_ways:
        options.append("locations_on_ways=true")
    # A newer version may have lost its class, so with versions all of them must be looked at.
    filters = [] if source.has_versions else [_class_filter(rule)]
    with (
        osmium.SimpleWriter(osmium.io.File(str(text), ",".join(options))) as writer,
        source.reader(osmium.osm.WAY) as reader,
    ):
        osmium.apply(reader, *filters, writer)
    found = _newest(text, source.deleted_ways) if source.has_versions else _columns(text)
    return _wanted(found, rule)


def _class_filter(rule: WayRule) -> Any:
    if rule.classes is None:
        return osmium.filter.KeyFilter("highway")
    return osmium.filter.TagFilter(*(("highway", name) for name in sorted(rule.classes)))


def _columns(text: Path) -> _Text:
    """Ids, tags and nodes of all ways; of a way that is there twice, the last."""
    fields = text.read_bytes().split()
    names, tags, refs = fields[0::3], fields[1::3], fields[2::3]
    if len(set(names)) < len(names):
        rows = {name: row for row, name in enumerate(names)}.values()
        return [names[row] for row in rows], [tags[row] for row in rows], [refs[row] for row in rows]
    return names, tags, refs


def _newest(text: Path, deleted: set[int]) -> _Text:
    """Ids, tags and nodes of the ways with a highway, each in its newest version, if that is not deleted."""
    versions: dict[int, int] = {}
    newest: dict[int, tuple[bytes, bytes, bytes]] = {}
    with text.open("rb") as lines:
        for line in lines:
            name, version, visible, tags, refs = line.split()
            way, number = int(name[1:]), int(version[1:])
            if number < versions.get(way, number):
                continue
            versions[way] = number
            newest.pop(way, None)
            if visible == b"dV" and way not in deleted and re.search(rb"[T,]highway=", tags):
                newest[way] = name, tags, refs
    rows = newest.values()
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _wanted(text: _Text, rule: WayRule) -> _Ways:
    """The ways that the rule wants, and what was left out of them."""
    names, tags, refs = text
    classes = None if rule.classes is None else _tags({"highway": rule.classes})
    surfaces, closed_off = _tags({"area": AREA_VALUES}), _tags(rule.without_tags)
    refused = surfaces | closed_off | _tags({"highway": rule.without_classes})
    kept: list[int] = []
    areas = without_access = 0
    for row, way_tags in enumerate(tags):
        pairs = way_tags.split(b",")
        if classes is not None and classes.isdisjoint(pairs):
            continue
        if refused.isdisjoint(pairs):
            if b"," in refs[row]:  # a way of one node has no length
                kept.append(row)
        elif not surfaces.isdisjoint(pairs):
            areas += 1
        elif not closed_off.isdisjoint(pairs):
            without_access += 1
    ways = _as_arrays([names[row] for row in kept], [refs[row] for row in kept])
    outlines = [row for row in ways.closed.tolist() if _is_outline(tags[kept[row]])]
    ways = ways.without(outlines)
    counts = {"areas": areas + len(outlines), "ways_without_access": without_access}
    ways.problems.update({what: count for what, count in counts.items() if count})
    return ways


def _tags(wanted: Mapping[str, Iterable[str]]) -> set[bytes]:
    """Tags as the text has them; the first of a way has a T before it."""
    return {
        f"{first}{key}={value}".encode() for key, values in wanted.items() for value in values for first in ("", "T")
    }


def _is_outline(tags: bytes) -> bool:
    """Whether a closed way is tagged as something that has a surface."""
    values = dict(tag.split("=", 1) for tag in tags[1:].decode().split(","))
    if values.get("junction") in ROUNDABOUTS or values.get("area") == "no":
        return False
    return any(key in values for key in AREA_KEYS)


def _as_arrays(names: list[bytes], refs: list[bytes]) -> _Ways:
    sizes = np.array([way_refs.count(b",") + 1 for way_refs in refs], dtype=np.int64)
    text = b",".join(refs)
    located: dict[int, tuple[float, float]] = {}
    if b"x" in text:  # n17x8.5y49.1: the places stand with the ways
        for node, x, y in re.findall(rb"n(-?\d+)x([-\d.]+)y([-\d.]+)", text):
            located[int(node)] = float(x), float(y)
        text = re.sub(rb"x[^,]*", b"", text)
    return _Ways(_numbers(b",".join(names), b"w"), sizes, _numbers(text, b"Nn"), located)


def _numbers(text: bytes, letters: bytes) -> Ints:
    """Whole numbers between commas, once the letters before them are gone."""
    return (
        np.fromstring(text.translate(None, letters), dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)
    )


def _segments(sizes: Ints, number: Ints, known: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Pairs of known nodes that follow each other in a way, and for each pair its way."""
    way = np.repeat(np.arange(len(sizes)), sizes)
    here = known[number]
    first = np.flatnonzero((way[1:] == way[:-1]) & here[1:] & here[:-1])
    return np.column_stack([number[first], number[first + 1]]), way[first]


def _problems(ways: _Ways, number: Ints, known: NDArray[np.bool_]) -> dict[str, int]:
    problems = dict(ways.problems)
    if not known.all():
        way = np.repeat(np.arange(len(ways.sizes)), ways.sizes)
        problems["missing_nodes"] = int((~known).sum())
        problems["ways_with_missing_nodes"] = len(np.unique(way[~known[number]]))
    return problems


def _what_there_is(source: OsmFile, ways: _Ways) -> str:
    """What a user may choose instead, the most frequent first."""
    if closed := ways.problems.get("ways_without_access"):
        return f"all {closed} ways of its classes are private or closed to its traffic; choose another network type"
    classes: dict[str, int] = {}
    for way in osmium.FileProcessor(source.file, osmium.osm.WAY).with_filter(osmium.filter.KeyFilter("highway")):
        highway = way.tags["highway"]
        classes[highway] = classes.get(highway, 0) + 1
    if not classes:
        return "it has no ways with a highway tag at all, so it is the wrong file"
    common = sorted(classes.items(), key=lambda item: (-item[1], item[0]))[:5]
    return f"it has {', '.join(f'{name} ({count})' for name, count in common)}; choose another network type"
