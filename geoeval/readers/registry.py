"""All readers, and the one function that reads any of their files.

To add a reader, write a module that ends with ``READER = Reader(...)`` and add a line below. Modules are imported only
when a file is to be recognised, and import the packages that they need only when they read, so that no file costs the
import of a package that it does not need.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError, UnreadableInputError
from geoeval.isolation import IsolationError, call_in_child
from geoeval.readers.options import check_options
from geoeval.readers.patterns import is_scene
from geoeval.readers.reader import InputFile, Reader
from geoeval.trust import check_limit, check_there, trusting

# The first reader that recognises the content of a file reads it, else the first that recognises its name.
READERS = (
    "osm.download",
    "osm.osm_roads",
    "osm.osm_buildings",
    "raster.road_masks",
    "raster.label_images",
    "raster.scanned_drawings",
    "graph.graphml",
    "graph.node_link",
    "graph.node_edge_json",
    "graph.pickles",
    "graph.map_construction",
    "graph.roadtracer",
    "coco.coco_objects",
    "vector.spacenet",
    "drawing.dxf",
    "drawing.svg",
    "drawing.line_tables",
    # These try whatever is left: GDAL knows more formats than can be listed.
    "vector.line_layers",
    "vector.polygon_layers",
    "vector.drawn_layers",
)

# Metres of a network beyond which its segments should be short.
_LONG = 2e7


def read_map(content: str, source: str | Path, **options: Any) -> Any:
    """Read the roads, objects or lines of a file or place of any supported kind.

    Parameters
    ----------
    content
        ``"roads"``, ``"objects"`` or ``"lines"``.
    source
        A file, a folder, or ``osm:`` and a place; objects also as a pattern with ``{name}``, whose files are tiles of
        one scene (see :mod:`geoeval.readers.scene`).
    **options
        Options of :data:`geoeval.readers.options.INPUT_OPTIONS`. One that does not apply to this kind of file changes
        nothing here; the doors that users call say so (:func:`geoeval.readers.unused.check_use`).

    Returns
    -------
    RoadNetwork, ObjectMap or Drawing
        In metres.

    Raises
    ------
    ParameterError
        An option does not exist, or its value makes no sense.
    GeoevalError
        The file is missing, damaged, or does not hold the content.
    """
    check_options(options)
    return read_as_told(_read, source, content, {**options, "untrusted": False}, reading=options)


def read_as_told(read: Callable[..., Any], source: Any, *arguments: Any, reading: Mapping[str, Any]) -> Any:
    """What a function reads from a source, with the limits, links and trust of these reading options."""
    if reading.get("untrusted"):
        return read_apart(read_as_told, source, read, source, *arguments, reading={**reading, "untrusted": False})
    with trusting(limits=reading.get("limits"), links=reading.get("links")):
        return read(source, *arguments)


def _read(source: str | Path, content: str, options: Mapping[str, Any]) -> Any:
    if is_scene(source, options):
        from geoeval.readers.scene import read_scene

        return read_scene(content, source, read_map, **options)
    reader = recognise(source, content)
    if content in reader.refuses:
        raise UnreadableInputError(f"{source} {reader.refuses[content]}")
    read = reader.reads[content]
    accepted = inspect.signature(read).parameters
    given = {name: value for name, value in options.items() if name in accepted}
    found = read(str(source).removeprefix(reader.scheme) if reader.scheme else Path(source), **given)
    _check_stretch(found, source)
    return found


def _check_stretch(found: Any, source: str | Path) -> None:
    """Roads are looked at every few metres, so a few lines around the Earth would take all memory."""
    from geoeval.model.road_network import RoadNetwork

    if isinstance(found, RoadNetwork) and found.length > _LONG:
        mean = found.length / len(found.segments)
        check_limit("stretch", mean, source, f"has {found.length / 1000:,.0f} km of segments of {mean / 1000:,.0f} km")


def read_apart(read: Callable[..., Any], source: str | Path, *arguments: Any, **options: Any) -> Any:
    """What a function reads from a file, in a process of its own; a process that dies is an error in one line."""
    try:
        return call_in_child(read, *arguments, **options)
    except IsolationError as error:
        msg = f"{source} cannot be read: the process that read it {error}; the file is damaged or not what it seems"
        raise UnreadableInputError(msg) from error


def recognise(source: str | Path, content: str = "roads") -> Reader:
    """The reader for a file or place, by its content first and its name second.

    Raises
    ------
    UnreadableInputError
        There is no such file.
    """
    if content not in CONTENTS:
        raise ParameterError(f"unknown content {content!r}; choose one of {', '.join(CONTENTS)}")
    candidates = [reader for reader in readers() if reader.concerns(content)]
    for reader in candidates:
        if reader.scheme and str(source).startswith(reader.scheme):
            return reader
    file = InputFile(Path(source))
    check_there(file.path)
    for reader in candidates:
        if reader.by_content(file):
            return reader
    return next(reader for reader in candidates if reader.by_name(file))


def is_place(source: object) -> bool:
    """Whether this is no file but a place that a reader would download."""
    return any(reader.scheme and str(source).startswith(reader.scheme) for reader in readers())


def readers() -> Iterator[Reader]:
    """Every reader, in the order in which they are asked."""
    for name in READERS:
        yield import_module(f"geoeval.readers.{name}").READER
