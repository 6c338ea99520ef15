"""Buildings of OpenStreetMap files: closed ways and multipolygon relations with the tag ``building``."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from geoeval import crs as projections
from geoeval.arrays import Objects
from geoeval.exceptions import EmptyInputError
from geoeval.model.object_map import ObjectMap
from geoeval.readers.osm.osm_roads import declared_extent
from geoeval.readers.osm.recognition import has_osm_name, is_osm
from geoeval.readers.reader import Reader

if TYPE_CHECKING:
    from geoeval.readers.osm.osm_file import OsmFile
    from geoeval.readers.osm.own_outlines import Name


def read_osm_buildings(path: Path, *, crs: Any = None, class_column: str | None = None) -> ObjectMap:
    """Read the buildings of an OpenStreetMap file.

    Parameters
    ----------
    path
        The file: .osm, .osm.gz, .osm.bz2 or .osm.pbf.
    crs
        Another CRS, if the coordinates are not WGS 84 as usual in OpenStreetMap.
    class_column
        The tag that says what each building is, such as ``building``; one without it has no class.

    Returns
    -------
    ObjectMap
        Ids are ``way/n`` and ``relation/n``. A relation with several outer rings is one object. Outlines that cross
        themselves are repaired and counted in ``problems`` as ``repaired``; buildings whose outline is incomplete,
        because nodes or members are missing or a ring is not closed, as ``buildings_without_outline``.

    Raises
    ------
    EmptyInputError
        There is no building, or no outline of any.

    Notes
    -----
    O(file) time; memory for the locations of all nodes.
    """
    from geoeval.readers.osm.osm_file import open_osm

    source = open_osm(path)
    with source.errors():
        found = osm_buildings(source, class_column)
    check_found(path, len(found.names), len(found.names) + found.lost)
    return ObjectMap.from_polygons(
        found.polygons,
        crs=projections.WGS84 if crs is None else crs,
        ids=found.names,
        classes=found.classes,
        problems={"buildings_without_outline": found.lost} if found.lost else None,
        source=str(path),
        extent=declared_extent(source, projections.WGS84 if crs is None else projections.parse_crs(crs)),
    )


@dataclass(frozen=True)
class OsmBuildings:
    """Buildings in degrees, in the order of their kinds and ids, and how many have no outline."""

    polygons: Objects
    names: list[str]
    lost: int
    classes: list[str | None] | None = None


def osm_buildings(source: "OsmFile", class_key: str | None = None) -> OsmBuildings:
    """The buildings of a file as osmium assembles them, and those that it gives up where their nodes are there."""
    from geoeval.readers.osm.own_outlines import own_outlines

    try:
        outlines, tagged, crossing = _areas(source, class_key)
    except RuntimeError as error:
        if "out of order" not in str(error):
            raise
        with TemporaryDirectory(prefix="geoeval-") as folder:
            sorted_file = _sorted_copy(source, Path(folder) / "sorted.osm.pbf")
            outlines, tagged, crossing = _areas(sorted_file, class_key)
    outlines |= own_outlines(source, set(tagged) - set(outlines), crossing)
    names = sorted(outlines)
    return OsmBuildings(
        shapely.from_wkb(np.array([None, *(outlines[name] for name in names)], dtype=object)[1:]),
        [f"{kind}/{number}" for kind, number in names],
        len(set(tagged) - set(outlines)),
        None if class_key is None else [tagged[name] for name in names],
    )


def check_found(path: str | Path, outlines: int, buildings: int) -> None:
    """Refuse a file without buildings, or without the outline of any."""
    if not buildings:
        msg = f"{path} has no building (no way or relation with the tag building); give another extract"
        raise EmptyInputError(msg)
    if not outlines:
        msg = f"{path} has {buildings} buildings, but not their nodes; make the extract again with complete ways"
        raise EmptyInputError(msg)


def _sorted_copy(source: "OsmFile", path: Path) -> "OsmFile":
    """The file in the order that osmium needs to assemble areas: by kind and id."""
    import osmium

    from geoeval.readers.osm.osm_file import OsmFile, osm_writer

    merge = osmium.MergeInputReader()
    merge.add_file(str(source.path))
    with osm_writer(str(path)) as writer:
        merge.apply(writer)
    return OsmFile(path, "pbf")


def _areas(
    source: "OsmFile", class_key: str | None
) -> tuple[dict["Name", bytes], dict["Name", str | None], set["Name"]]:
    """Outlines by kind and id, all ways and relations that should have one, and those whose rings cross.

    Those that should have one come with the value of a tag, if they have it.
    """
    import osmium

    factory = osmium.geom.WKBFactory()
    wanted = osmium.filter.KeyFilter("building")
    kinds = osmium.osm.WAY | osmium.osm.RELATION | osmium.osm.AREA
    outlines: dict[Name, bytes] = {}
    tagged: dict[Name, str | None] = {}
    crossing: set[Name] = set()
    entities = osmium.FileProcessor(source.file).with_areas(wanted).with_filter(osmium.filter.EntityFilter(kinds))
    thing: Any
    for thing in entities.with_filter(wanted):
        if thing.tags["building"] == "no" or thing.deleted:
            continue
        value = None if class_key is None else thing.tags.get(class_key)
        if thing.is_area():
            name = ("way" if thing.from_way() else "relation", thing.orig_id())
            if not (thing.from_way() and thing.orig_id() in source.deleted_ways):
                tagged[name] = value
                try:
                    outlines[name] = bytes.fromhex(factory.create_multipolygon(thing))
                except RuntimeError:  # no area: its rings cross
                    crossing.add(name)
        elif thing.is_way():
            if thing.id not in source.deleted_ways:
                tagged["way", thing.id] = value
        elif thing.tags.get("type") == "multipolygon":
            tagged["relation", thing.id] = value
    return outlines, tagged, crossing


READER = Reader("osm", reads={"objects": read_osm_buildings}, by_content=is_osm, by_name=has_osm_name)
