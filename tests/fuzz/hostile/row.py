"""What a hostile file is, and the list of them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LINES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {},
            "geometry": {"type": "LineString", "coordinates": [[8.6, 49.4], [8.61, 49.41], [8.62, 49.4]]},
        }
    ],
}


@dataclass(frozen=True)
class Hostile:
    """A file that is refused: ``make`` writes it at the path it is given, and may write others beside it."""

    name: str
    content: str
    make: Callable[..., Any]
    says: str
    file: str

    def write(self, folder: Path, address: str = "http://127.0.0.1:9/x") -> Path:
        """The file in a new folder; ``address`` is what it leads to, if it leads to the network."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file
        self.make(path, address)
        return path


HOSTILE: list[Hostile] = []


def hostile(file: str, content: str, says: str):
    """Add a file to the list."""

    def add(make):
        add_hostile(make.__name__, file, content, says, make)
        return make

    return add


def add_hostile(name: str, file: str, content: str, says: str, make: Callable[..., Any]) -> None:
    """Add a file to the list by name: one of many of a kind."""
    HOSTILE.append(Hostile(name, content, make, says, file))


def entities_that_grow(document):
    """An XML document after a list of entities, each ten of the one before; the document may use ``&a9;``."""
    grown = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 10))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "lollollol">{grown}]>{document}'
