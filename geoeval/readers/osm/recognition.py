"""How files of OpenStreetMap are recognised."""

from geoeval.readers.reader import InputFile


def is_osm(file: InputFile) -> bool:
    """Whether the first bytes, unpacked, are those of a PBF or of OSM XML."""
    return b"OSMHeader" in file.head[:64] or b"<osm" in file.head[:2000]


def has_osm_name(file: InputFile) -> bool:
    """Whether the name ends in .osm, .pbf, .osm.gz or .osm.bz2."""
    return file.suffix in {".osm", ".pbf"} or (
        not file.is_folder and file.path.name.lower().endswith((".osm.gz", ".osm.bz2"))
    )


def is_osm_source(source: str) -> bool:
    """Whether the ids of an input are those of OpenStreetMap, as far as the name of its source tells."""
    return source.startswith("osm:") or source.lower().endswith((".osm", ".pbf", ".osm.gz", ".osm.bz2"))
