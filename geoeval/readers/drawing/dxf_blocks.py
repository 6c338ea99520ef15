"""What the blocks of a DXF drawing would make, checked before they are exploded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from geoeval.exceptions import UnreadableInputError
from geoeval.readers.drawing.nesting import EndlessError, count_nested
from geoeval.trust import check_limit


def check_blocks(document: Any, path: Path) -> None:
    """Raise an error for blocks that contain themselves, or make more shapes or a greater depth than limits allow.

    O(entities of the file).
    """
    contents = {block.name.upper(): block for block in document.blocks}
    shown = list(_shown(document.modelspace()))
    try:
        counted = count_nested(
            (name for name, _ in shown),
            lambda name: _shown(contents.get(name, ())),
            lambda name: max(len(contents.get(name, ())), 1),
        )
    except EndlessError as error:
        msg = f"{path}: block {str(error.thing)[:60]!r} contains itself; mend the drawing"
        raise UnreadableInputError(msg) from error
    depth = max((counted[name][1] for name, _ in shown), default=0)
    check_limit("depth", depth, path, f"has {depth} blocks inside each other")
    shapes = sum(copies * counted[name][0] for name, copies in shown)
    check_limit("copies", shapes, path, f"makes {shapes:,} shapes of its blocks")


def _shown(entities: Any) -> Iterator[tuple[str, int]]:
    """Names of the blocks that entities show, and how often."""
    for entity in entities:
        if entity.dxftype() == "INSERT":
            grid = max(entity.dxf.get("row_count", 1), 1) * max(entity.dxf.get("column_count", 1), 1)
            yield str(entity.dxf.get("name", "")).upper(), grid if entity.mcount > 1 else 1
        elif entity.dxf.hasattr("geometry"):  # dimensions and tables are drawn in a block of their own
            yield str(entity.dxf.geometry).upper(), 1
