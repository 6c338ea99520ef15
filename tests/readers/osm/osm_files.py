"""Small OpenStreetMap files, and what is in them read slowly and without osmium."""

import bz2
import gzip
import xml.etree.ElementTree as ET
from itertools import pairwise
from xml.sax.saxutils import quoteattr

import numpy as np
import osmium
import pytest
from pyproj import Geod, Transformer

from geoeval.exceptions import UnreadableInputError
from geoeval.readers.osm.osm_roads import read_osm

GEOD = Geod(ellps="WGS84")
SUFFIXES = (".osm", ".osm.gz", ".osm.bz2", ".osm.pbf")


def node(number, lon, lat, **attributes):
    return _element("node", {"id": number, "version": 1, "lat": lat, "lon": lon, **attributes})


def way(number, refs, tags=None, **attributes):
    inner = "".join(f'<nd ref="{ref}"/>' for ref in refs)
    inner += "".join(f"<tag k={quoteattr(k)} v={quoteattr(v)}/>" for k, v in (tags or {}).items())
    return _element("way", {"id": number, "version": 1, **attributes}, inner)


def xml(*elements, generator="hand", root="osm"):
    return (
        f'<?xml version="1.0"?>\n<{root} version="0.6" generator="{generator}">\n'
        + "\n".join(elements)
        + f"\n</{root}>\n"
    )


def write(path, text, **header):
    """Write OSM XML as whatever the suffix says."""
    packers = {".gz": gzip.compress, ".bz2": bz2.compress}
    if path.suffix != ".pbf":
        path.write_bytes(packers.get(path.suffix, bytes)(text.encode()))
        return path
    content = osmium.io.FileBuffer(text.encode(), "osm")
    with osmium.SimpleWriter(osmium.io.File(str(path), header.get("format", "pbf")), overwrite=True) as writer:
        for item in osmium.FileProcessor(content):
            writer.add(item)
    return path


def segments_by_hand(text, wanted):
    """All ``(way id, {place, place})`` of ways whose tags are wanted, places as degrees times 1e7."""
    root = ET.fromstring(text)
    places = {
        n.get("id"): (round(float(n.get("lon")) * 1e7), round(float(n.get("lat")) * 1e7)) for n in root.iter("node")
    }
    found = set()
    for item in root.iter("way"):
        if not wanted({tag.get("k"): tag.get("v") for tag in item.iter("tag")}):
            continue
        refs = [ref.get("ref") for ref in item.iter("nd")]
        for first, last in pairwise(refs):
            if first != last and first in places and last in places:
                found.add((int(item.get("id")), frozenset([places[first], places[last]])))
    return found


def segments_of(network):
    """The same of a network, brought back into degrees; segments that several ways have, under each of them."""
    back = Transformer.from_crs(network.crs, "EPSG:4326", always_xy=True)
    lon, lat = back.transform(network.nodes[:, 0], network.nodes[:, 1])
    places = [(round(x * 1e7), round(y * 1e7)) for x, y in zip(lon, lat, strict=True)]
    rows = [*zip(network.segments.tolist(), network.source_ids.tolist(), strict=True)]
    rows += zip(network.duplicates.tolist(), network.duplicate_ids.tolist(), strict=True)
    return {(name, frozenset([places[a], places[b]])) for (a, b), name in rows}


def geodesic_length(segments):
    """Metres on the ellipsoid of ``segments_by_hand``, each course counted once."""
    total = 0.0
    for ends in {ends for _, ends in segments if len(ends) == 2}:
        (x1, y1), (x2, y2) = ends
        total += GEOD.inv(x1 / 1e7, y1 / 1e7, x2 / 1e7, y2 / 1e7)[2]
    return total


def _element(kind, attributes, inner=""):
    return f"<{kind} {' '.join(f'{k}={quoteattr(str(v))}' for k, v in attributes.items())}>{inner}</{kind}>"


ROAD = {"highway": "residential"}


# A crossroads at node 3, and a bridge over it whose vertex 13 lies exactly above node 3.
NODES = [
    node(1, 8.680, 49.410),
    node(2, 8.681, 49.410),
    node(3, 8.682, 49.410),
    node(4, 8.683, 49.410),
    node(5, 8.682, 49.411),
    node(11, 8.681, 49.409),
    node(13, 8.682, 49.410),
    node(15, 8.683, 49.411),
]


WAYS = [
    way(100, [1, 2, 3, 4], ROAD | {"name": "Straße, = 1 %"}),
    way(101, [3, 5], {"highway": "primary"}),
    way(102, [11, 13, 15], {"highway": "secondary", "bridge": "yes"}),
    way(103, [1, 5], {"highway": "footway"}),
    way(104, [1, 2, 3], {"building": "yes"}),
]


TOWN = xml(*NODES, *WAYS)


def same(a, b):
    return (
        np.array_equal(a.nodes, b.nodes)
        and np.array_equal(a.segments, b.segments)
        and np.array_equal(a.source_ids, b.source_ids)
    )


def refused(path, error=UnreadableInputError):
    with pytest.raises(error) as caught:
        read_osm(path)
    assert "\n" not in str(caught.value)
    assert path.name in str(caught.value)
    return str(caught.value)
