"""Files that once ended the interpreter, took minutes, or led elsewhere, each made anew from its description.

``HOSTILE`` has a row per file: its name, the content it is read as, what makes it, and words of the refusal; no words
where the file may be read, as long as nothing else is.
"""

from tests.fuzz.hostile import (
    archives,
    areas,
    crs_definitions,
    databases,
    drawings,
    far_vertices,
    graphs,
    images,
    layers,
    links,
    osm,
    records,
    run_files,
    tables,
)
from tests.fuzz.hostile.drawings import svg
from tests.fuzz.hostile.images import png_chunk
from tests.fuzz.hostile.osm import varint
from tests.fuzz.hostile.row import HOSTILE, LINES, Hostile

MODULES = (
    osm, drawings, images, links, databases, layers, graphs, tables, areas, archives, crs_definitions, far_vertices,
    records, run_files,
)  # fmt: skip

__all__ = ["HOSTILE", "LINES", "MODULES", "Hostile", "png_chunk", "svg", "varint"]
