"""The ways of an OpenStreetMap file that belong to a road network, as arrays.

osmium filters the ways and writes them as text (OPL, one way per line, escaped so that spaces and commas are only
separators), which numpy turns into arrays: there is no Python step per node.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import osmium

from geoeval.arrays import Bools, Ints
from geoeval.readers.osm.osm_file import OsmFile, osm_writer
from geoeval.readers.osm.way_classes import AREA_KEYS, AREA_TAGS, AREA_VALUES, ROUNDABOUTS, WayRule


class NotInOrderError(Exception):
    """The objects of a file are not ordered by id, so it cannot be read in one pass."""


# Ids, tags and nodes of ways in osmium's text: w17, Thighway=road,name=A, Nn1,n2
_Text = tuple[list[bytes], list[bytes], list[bytes]]


_HIGHWAY = re.compile(rb"[T,]highway=([^,]*)")


@dataclass
class Ways:
    """Ways as arrays: their ids, how many nodes each has, and all those nodes one after the other."""

    ids: Ints
    sizes: Ints
    refs: Ints
    # Locations of the nodes, in degrees, in a file whose ways carry them.
    located: dict[int, tuple[float, float]]
    problems: dict[str, int] = field(default_factory=dict)
    # What class of highway each way is; empty text for another kind of way.
    classes: list[str] = field(default_factory=list)

    @property
    def closed(self) -> Ints:
        """Ways that end where they begin."""
        last = np.cumsum(self.sizes) - 1
        return np.flatnonzero(self.refs[last - self.sizes + 1] == self.refs[last])

    def without(self, rows: list[int]) -> "Ways":
        """The other ways."""
        keep = np.ones(len(self.ids), dtype=bool)
        keep[rows] = False
        refs = self.refs[np.repeat(keep, self.sizes)]
        classes = [name for name, kept in zip(self.classes, keep.tolist(), strict=True) if kept]
        return Ways(self.ids[keep], self.sizes[keep], refs, self.located, self.problems, classes)


def way_segments(sizes: Ints, number: Ints, known: Bools) -> tuple[Ints, Ints]:
    """Pairs of consecutive known nodes of a way, and for each pair its way."""
    way = np.repeat(np.arange(len(sizes)), sizes)
    here = known[number]
    first = np.flatnonzero((way[1:] == way[:-1]) & here[1:] & here[:-1])
    return np.column_stack([number[first], number[first + 1]]), way[first]


def read_ways(source: OsmFile, rule: WayRule, folder: Path) -> Ways:
    """The wanted ways of a file: the newest of several versions, the last of several copies."""
    text = _write_text(source, rule, folder)
    found = _newest(text, source.deleted_ways, rule) if source.has_versions else _once(_columns(text.read_bytes()))
    return _wanted(found, rule)


def stream_ways(source: OsmFile, rule: WayRule, folder: Path, *, size: int) -> Iterator[Ways]:
    """The wanted ways of a file without versions, about ``size`` bytes of text at a time.

    Raises
    ------
    NotInOrderError
        A way comes after one with the same or a larger id, so there may be copies.
    """
    text = _write_text(source, rule, folder)
    last = -1
    with text.open("rb") as stream:
        while lines := stream.readlines(size):
            found = _columns(b"".join(lines))
            ids = _numbers(b",".join(found[0]), b"w")
            if ids[0] <= last or (ids[1:] <= ids[:-1]).any():
                raise NotInOrderError
            last = int(ids[-1])
            yield _wanted(found, rule)
    text.unlink()


def ways_in(lines: Iterable[bytes]) -> Ways:
    """Ways as osmium writes them, one a line; one without nodes has the size 0. Their tags are left out."""
    names, _, refs = _columns(b"".join(lines))
    bare = [row for row, nodes in enumerate(refs) if nodes == b"N"]
    ways = _as_arrays(names, [nodes for nodes in refs if nodes != b"N"])
    if bare:
        ways.sizes = np.insert(ways.sizes, np.array(bare) - np.arange(len(bare)), 0)
    return ways


def _write_text(source: OsmFile, rule: WayRule, folder: Path) -> Path:
    """The ways with the wanted tags as text in a file."""
    text = folder / "ways.opl"
    options = ["opl", "add_metadata=version" if source.has_versions else "add_metadata=false"]
    if source.has_located_ways:
        options.append("locations_on_ways=true")
    # A newer version may have lost its class, so with versions all of them must be looked at.
    filters = [] if source.has_versions else [_tag_filter(rule)]
    with (
        osm_writer(osmium.io.File(str(text), ",".join(options))) as writer,
        source.reader(osmium.osm.WAY) as reader,
    ):
        osmium.apply(reader, *filters, writer)
    return text


def _tag_filter(rule: WayRule) -> Any:
    """Lets all wanted ways pass, and more where one key may have any value and another may not."""
    if any(values is None for values in rule.tags.values()):
        return osmium.filter.KeyFilter(*rule.tags)
    return osmium.filter.TagFilter(
        *((key, value) for key, values in rule.tags.items() for value in sorted(values or ()))
    )


def _columns(text: bytes) -> _Text:
    """Ids, tags and nodes of all ways."""
    fields = text.split()
    return fields[0::3], fields[1::3], fields[2::3]


def _once(text: _Text) -> _Text:
    """The last of several copies of a way."""
    names, tags, refs = text
    if len(set(names)) == len(names):
        return text
    rows = {name: row for row, name in enumerate(names)}.values()
    return [names[row] for row in rows], [tags[row] for row in rows], [refs[row] for row in rows]


def _newest(text: Path, deleted: set[int], rule: WayRule) -> _Text:
    """Ids, tags and nodes of the ways with a wanted key, each in its newest version, if that is not deleted."""
    has_key = re.compile(b"[T,](?:%b)=" % b"|".join(re.escape(_as_text(key)) for key in rule.tags))
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
            if visible == b"dV" and way not in deleted and has_key.search(tags):
                newest[way] = name, tags, refs
    rows = newest.values()
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


def _wanted(text: _Text, rule: WayRule) -> Ways:
    """The ways that the rule selects, and counts of what was left out."""
    names, tags, refs = text
    some = _tags({key: values for key, values in rule.tags.items() if values is not None})
    any_value = tuple(
        first + _as_text(key) + b"=" for key, values in rule.tags.items() if values is None for first in (b"", b"T")
    )
    # Where no key has chosen values, osmium's filter was the whole rule.
    is_chosen = not some
    surfaces, closed_off = _tags({"area": AREA_VALUES}), _tags(rule.without_tags)
    refused = surfaces | closed_off | _tags({"highway": rule.without_classes})
    kept: list[int] = []
    areas = without_access = 0
    for row, way_tags in enumerate(tags):
        pairs = way_tags.split(b",")
        if not is_chosen and some.isdisjoint(pairs) and not any(pair.startswith(any_value) for pair in pairs):
            continue
        if refused.isdisjoint(pairs):
            if b"," in refs[row]:  # a way of a single node has no length
                kept.append(row)
        elif not surfaces.isdisjoint(pairs):
            areas += 1
        elif not closed_off.isdisjoint(pairs):
            without_access += 1
    ways = _as_arrays([names[row] for row in kept], [refs[row] for row in kept])
    found = (_HIGHWAY.search(tags[row]) for row in kept)
    ways.classes = ["" if one is None else one[1].decode() for one in found]
    outlines = [row for row in ways.closed.tolist() if _is_outline(tags[kept[row]], rule)]
    ways = ways.without(outlines)
    counts = {"areas": areas + len(outlines), "ways_without_access": without_access}
    ways.problems.update({what: count for what, count in counts.items() if count})
    return ways


def _tags(wanted: Mapping[str, Iterable[str]]) -> set[bytes]:
    """Tags as in the text, where the first tag of a way follows a T."""
    return {
        first + _as_text(key) + b"=" + _as_text(value)
        for key, values in wanted.items()
        for value in values
        for first in (b"", b"T")
    }


def _as_text(word: str) -> bytes:
    """A key or value as osmium writes it: what could be a separator as ``%`` and the number of the character."""
    return "".join(letter if _is_plain(letter) else f"%{ord(letter):02x}%" for letter in word).encode()


def _is_plain(letter: str) -> bool:
    code = ord(letter)
    return letter not in "%,=@" and (0x21 <= code <= 0x7E or 0xA1 <= code <= 0xAC or 0xAE <= code <= 0x5FF)


def _is_outline(tags: bytes, rule: WayRule) -> bool:
    """Whether a closed way is tagged as the outline of an area, of which not even the outline was asked for."""
    values = dict(tag.split("=", 1) for tag in tags[1:].decode().split(","))
    if values.get("junction") in ROUNDABOUTS or values.get("area") == "no":
        return False
    if any(values.get(key) in kinds for key, kinds in AREA_TAGS.items() if key in rule.tags):
        return True
    return any(key in values for key in AREA_KEYS if key not in rule.tags)


def _as_arrays(names: list[bytes], refs: list[bytes]) -> Ways:
    sizes = np.array([way_refs.count(b",") + 1 for way_refs in refs], dtype=np.int64)
    text = b",".join(refs)
    located: dict[int, tuple[float, float]] = {}
    if b"x" in text:  # n17x8.5y49.1: the ways carry the locations
        for node, x, y in re.findall(rb"n(-?\d+)x([-\d.]+)y([-\d.]+)", text):
            located[int(node)] = float(x), float(y)
        text = re.sub(rb"x[^,]*", b"", text)
    return Ways(_numbers(b",".join(names), b"w"), sizes, _numbers(text, b"Nn"), located)


def _numbers(text: bytes, letters: bytes) -> Ints:
    """Integers between commas, without the letters before them."""
    return (
        np.fromstring(text.translate(None, letters), dtype=np.int64, sep=",") if text else np.zeros(0, dtype=np.int64)
    )


def what_there_is(source: OsmFile, rule: WayRule, problems: Mapping[str, int]) -> str:
    """What the file has instead under the first key of the rule, the most frequent first."""
    if closed := problems.get("ways_without_access"):
        return f"all {closed} ways of its classes are private or closed to its traffic; choose another network type"
    key = next(iter(rule.tags))
    classes: dict[str, int] = {}
    for way in osmium.FileProcessor(source.file, osmium.osm.WAY).with_filter(osmium.filter.KeyFilter(key)):
        value = way.tags[key]
        classes[value] = classes.get(value, 0) + 1
    if not classes:
        return f"it has no ways with a {key} tag; give another file"
    common = sorted(classes.items(), key=lambda item: (-item[1], item[0]))[:5]
    return f"it has {', '.join(f'{name} ({count})' for name, count in common)}; choose another network type"
