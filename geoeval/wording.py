"""What messages call an option: each door into geoeval has its own words.

A message names an option by a placeholder, and is worded for the door that somebody came in by:

=========================  ====================  ====================  ========================
in a message               on the command line   in Python             in a dialog
=========================  ====================  ====================  ========================
``{give:aoi=all}``         give --aoi all        give aoi="all"        tick "Evaluate all"
``{leave:layer}``          leave out --layer     leave layer out       leave "Layer" empty
``{option:seconds}``       --seconds             seconds               "Seconds"
=========================  ====================  ====================  ========================

An option is called as on the command line; a switch has the value ``True``, and a value in capitals stands for one that
the user knows. Of two inputs each may have an option of its own (``--reference-layer``). Advice about an option that a
door does not have is left out: what is wrong stands before the first ``;`` of a message, and
between several ways are a ``;`` or ``, or``.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from geoeval.contents import SIDES

PLACEHOLDER = re.compile(r"\{(give|leave|option):([a-z-]+)(?:=((?:[^{}]|\{[^{}]*\})*))?\}")
# Parameters that are called otherwise than their options; ``None`` where Python has no such thing.
IN_PYTHON = {
    "class": "class_column", "input-crs": "crs", "set": "parameters",
    "mixed": None, "port": None,
}  # fmt: skip
# Options of reading that messages name: in Python each of two inputs has its own.
OF_READING = ("input-crs", "layer", "class", "confidence", "threshold", "pixel-size", "georeference")
# The value that stands for an area.
AREA = "AREA"


class Door(Protocol):
    """The words for options where somebody came in."""

    def names(self, option: str, side: str | None) -> list[str]:
        """What an option is called here, for one side if that has its own; empty where there is no such option."""

    def give(self, names: list[str], value: str) -> str:
        """Advice to give it."""

    def leave(self, names: list[str]) -> str:
        """Advice to leave it out."""

    def option(self, names: list[str], value: str) -> str:
        """What it is called, with its value."""


class Python:
    """An option is a parameter of a function."""

    def names(self, option: str, side: str | None) -> list[str]:
        """The parameter."""
        for one in SIDES:
            if option.startswith(f"{one}-"):
                side, option = one, option.removeprefix(f"{one}-").replace("crs", "input-crs")
        name = IN_PYTHON.get(option, option.replace("-", "_"))
        if name is None:
            return []
        return [f"{side}_{name}" if side is not None and option in OF_READING else name]

    def give(self, names: list[str], value: str) -> str:
        """``give aoi="all"``."""
        return f"give {self.option(names, value)}"

    def leave(self, names: list[str]) -> str:
        """``leave layer out``."""
        return f"leave {names[0]} out"

    def option(self, names: list[str], value: str) -> str:
        """``aoi="all"``."""
        (name,) = names
        if value == AREA:
            value = "(minx, miny, maxx, maxy), a polygon, a GeoDataFrame or a file of polygons"
        elif name == "parameters" and value:
            metric, parameter, amount = re.split("[.=]", value, maxsplit=2)
            value = f'{{"{metric}": {{"{parameter}": {amount}}}}}'
        elif not (value == "True" or re.fullmatch("[A-Z]+|[0-9]+", value)):
            value = f'"{value}"'
        return f"{name}={value}" if value != '""' else name


@dataclass(frozen=True)
class CommandLine:
    """An option has two dashes, and a command has it or not."""

    options: Collection[str]

    def names(self, option: str, side: str | None) -> list[str]:
        """The option of the command."""
        return _among(self.options, option, side)

    def give(self, names: list[str], value: str) -> str:
        """``give --aoi all``."""
        return f"give {self.option(names, value)}"

    def leave(self, names: list[str]) -> str:
        """``leave out --layer``."""
        return f"leave out {self.option(names, '')}"

    def option(self, names: list[str], value: str) -> str:
        """``--aoi all``."""
        value = {AREA: "minx,miny,maxx,maxy or a file of polygons", "True": ""}.get(value, value)
        return " or ".join(f"--{name}" for name in names) + (f" {value}" if value else "")


@dataclass(frozen=True)
class Dialog:
    """An option has a title that is read, or, as ``aoi=all``, words that say what to do for one of its values."""

    words: Mapping[str, str]

    def names(self, option: str, side: str | None) -> list[str]:
        """The options that the dialog asks for."""
        return _among(self.words, option, side)

    def give(self, names: list[str], value: str) -> str:
        """``tick "Evaluate all"``."""
        said = self.words.get(f"{names[0]}={value}")
        if said is None:
            said = f"{'tick' if value == 'True' else 'set'} {self._titles(names)}"
            said += f" to {value}" if not (value.isupper() or value in {"", "True", "EPSG:n"}) else ""
        return said

    def leave(self, names: list[str]) -> str:
        """``leave "Layer" empty``."""
        return f"leave {self._titles(names)} empty"

    def option(self, names: list[str], value: str) -> str:
        """``"Seconds"``."""
        return self._titles(names) + (f" ({value})" if "=" in value else "")

    def _titles(self, names: list[str]) -> str:
        return " or ".join(f'"{self.words[name]}"' for name in names)


def dialog_of(text: str) -> Dialog | None:
    """The dialog that a program describes as JSON: texts by the names of options; ``None`` for anything else."""
    try:
        words = json.loads(text)
    except ValueError:
        return None
    is_fine = isinstance(words, dict) and all(isinstance(one, str) for one in words.values())
    return Dialog(words) if is_fine else None


_door: Door = Python()


@contextmanager
def worded_for(door: Door) -> Iterator[None]:
    """Word all messages of this process for a door."""
    global _door  # noqa: PLW0603 - one process serves one door; threads and workers' messages belong to it
    before, _door = _door, door
    try:
        yield
    finally:
        _door = before


def worded(text: str, side: str | None = None) -> str:
    """A message in the words of the door.

    Parameters
    ----------
    text
        With placeholders, or without: then it stays as it is.
    side
        The input that it is about, ``reference`` or ``prediction``, if there are two.
    """
    if not PLACEHOLDER.search(text):
        return text
    what, *advice = text.split("; ")
    kept = "; ".join([what, *filter(None, (_without_unknown(part, side) for part in advice))])
    return PLACEHOLDER.sub(lambda found: _in_words(found, side), kept)


def named(option: str, value: object) -> str:
    """An option with a value from outside, which may hold anything, in the words of the door."""
    names = _door.names(option, None)
    return _door.option(names, str(value)) if names else option.replace("-", " ")


def _without_unknown(part: str, side: str | None) -> str:
    ways = [
        way for way in part.split(", or ")
        if all(_door.names(found[2], side) for found in PLACEHOLDER.finditer(way))
    ]  # fmt: skip
    return ", or ".join(ways)


def _in_words(found: re.Match[str], side: str | None) -> str:
    verb, option, value = found[1], found[2], found[3] or ""
    names = _door.names(option, side)
    if not names:
        return option.replace("-", " ")
    if verb == "leave":
        return _door.leave(names)
    return _door.give(names, value) if verb == "give" else _door.option(names, value)


def _among(known: Collection[str], option: str, side: str | None) -> list[str]:
    """An option, or else those of the sides, or of the one side, among those that there are."""
    own = [f"{one}-{option.removeprefix('input-')}" for one in SIDES if side in (None, one)]
    own = [name for name in own if name in known]
    if option in known and not (side and own):
        return [option]
    return own
