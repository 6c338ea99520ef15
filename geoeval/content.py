"""The kinds of map content: the one place that knows them all.

What a kind of map is stands in ``content.py`` of its own package, as a small class with the facts and methods below.
Everything that does not depend on the kind (evaluations, tiles, records, reports) asks these and branches on no kind.
"""

from importlib import import_module
from typing import Protocol

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError

_MODULES = {"roads": "geoeval.roads.content", "objects": "geoeval.objects.content", "lines": "geoeval.lines.content"}


class Content(Protocol):
    """What a kind of map is.

    Attributes
    ----------
    name
        What it is called: ``kind=`` of ``evaluate``, and the command.
    has_ground
        Whether maps lie on ground that is found, cut and aligned; drawings do not.
    plans
        Whether there is a plan of what to fix first, where nobody says; ``None`` where there can be none.
    tile_size
        Metres of a tile where nobody gives another size; ``None`` where there are no tiles.
    """

    name: str
    has_ground: bool
    plans: bool | None
    tile_size: float | None


def content_of(name: str) -> Content:
    """The content of a name, or an error that says which there are."""
    if name not in _MODULES:
        raise ParameterError(f"unknown kind of map {name!r}; there are {', '.join(CONTENTS)}")
    content: Content = import_module(_MODULES[name]).CONTENT
    return content
