"""The kinds of map content: the one place that knows them all."""

from importlib import import_module

from geoeval.contents import CONTENTS
from geoeval.exceptions import ParameterError
from geoeval.metrics.content import Content

_MODULES = {"roads": "geoeval.roads.content", "objects": "geoeval.objects.content", "lines": "geoeval.lines.content"}


def content_of(name: str) -> Content:
    """The content of a name, or an error that says which there are."""
    if name not in _MODULES:
        raise ParameterError(f"unknown kind of map {name!r}; there are {', '.join(CONTENTS)}")
    content: Content = import_module(_MODULES[name]).CONTENT
    return content
