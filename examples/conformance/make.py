"""Write the cases of the conformance suite from their descriptions.

    python examples/conformance/make.py

Each case is a folder ``cases/PROTOCOL/NAME`` with ``truth``, ``prediction`` and ``case.json``. Inputs are in the plain
formats of the field: places and pairs as JSON (Sat2Graph's Go program), RoadTracer's text graphs, SpaceNet's tables,
PNG images.
"""

import json
import math
import shutil
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from described import Case, cosmiq, lanes, masks, roadtracer, sat2graph

HERE = Path(__file__).parent


def as_go_json(graph: Any) -> bytes:
    """``[[[lat, lon], ...], [[i, j], ...]]``, rows and columns as degrees at 41 north, 71 west."""
    places, pairs = graph
    wide = math.cos(math.radians(41.0))
    degrees = [[41.0 - row / 111111.0, -71.0 + column / 111111.0 / wide] for row, column in places]
    return (json.dumps([degrees, [list(pair) for pair in pairs]]) + "\n").encode()


def as_roadtracer(graph: Any) -> bytes:
    """Lines ``x y``, a blank line, then lines ``i j``, each edge in both directions."""
    places, pairs = graph
    rows = [f"{x:g} {y:g}" for x, y in places]
    both = [f"{a} {b}\n{b} {a}" for a, b in pairs]
    return ("\n".join(rows) + "\n\n" + "\n".join(both) + "\n").encode()


def as_spacenet(roads: Any) -> bytes:
    """A table of lines in pixels of one image."""
    places = [", ".join(f"{x:g} {y:g}" for x, y in road) for road in roads]
    rows = [f'case,"LINESTRING ({one})"' for one in places]
    return ("\n".join(["ImageId,WKT_Pix", *rows]) + "\n").encode()


def as_png(picture: list[str]) -> bytes:
    """An image of 8 bits: road is 255. Nothing is compressed, so that the bytes are the same everywhere."""
    rows = b"".join(b"\0" + bytes(255 if pixel == "#" else 0 for pixel in row) for row in picture)
    head = struct.pack(">IIBBBBB", len(picture[0]), len(picture), 8, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


# By protocol: its cases, the suffix of its inputs, and how they are written.
SUITE: dict[str, tuple[list[Case], str, Callable[[Any], bytes]]] = {
    "sat2graph-topo": (sat2graph.TOPO, ".json", as_go_json),
    "sat2graph-apls": (sat2graph.APLS, ".json", as_go_json),
    "cosmiq-apls": (cosmiq.APLS, ".csv", as_spacenet),
    "cosmiq-topo": (cosmiq.TOPO, ".csv", as_spacenet),
    "roadtracer-junct": (roadtracer.JUNCT, ".graph", as_roadtracer),
    "lane-geo-topo": (lanes.CASES, ".json", as_go_json),
    "cldice": (masks.CLDICE, ".png", as_png),
    "betti": (masks.BETTI, ".png", as_png),
    "citraro": (roadtracer.CITRARO, ".graph", as_roadtracer),
}


def files() -> dict[str, bytes]:
    """Every file of the suite by its path."""
    made = {}
    for protocol, (cases, suffix, write) in SUITE.items():
        for case in cases:
            folder = f"{protocol}/{case.name}"
            made[f"{folder}/truth{suffix}"] = write(case.truth)
            made[f"{folder}/prediction{suffix}"] = write(case.prediction)
            facts = {
                "protocol": protocol, "rule": case.rule, "reasoning": case.reasoning, "options": case.options,
                "expected": case.expected,
            }  # fmt: skip
            made[f"{folder}/case.json"] = (json.dumps(facts, indent=2) + "\n").encode()
    return made


def main() -> None:
    shutil.rmtree(HERE / "cases", ignore_errors=True)
    for name, content in files().items():
        path = HERE / "cases" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    print(f"{len(files()) // 3} cases in {HERE / 'cases'}")


if __name__ == "__main__":
    main()
