"""What the groups of an SVG drawing would make, checked before they are repeated: a ``<use>`` shows another element."""

import re
from collections.abc import Mapping
from pathlib import Path
from xml.etree.ElementTree import iterparse

from geoeval.exceptions import LinkedFileError, UnreadableInputError
from geoeval.readers.drawing.nesting import EndlessError, count_nested
from geoeval.trust import check_limit

_LONGEST_NUMBER = 100
_ENDLESS_NUMBER = re.compile(f"[0-9]{{{_LONGEST_NUMBER}}}")
_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")


def check_groups(path: Path) -> None:
    """Raise an error for elements that repeat themselves, or make more shapes or a greater depth than limits allow.

    O(elements of the file). XML that is not well-formed raises ``ParseError``.
    """
    inside: list[list[int]] = []  # by number of an element those in it
    repeated: dict[int, str] = {}
    named: dict[str, int] = {}
    above: list[int] = []
    for event, element in iterparse(path, events=("start", "end")):  # noqa: S314 - expat stops entities that grow
        if event == "end":
            above.pop()
            if element.tag.rpartition("}")[2] == "style":
                _check_pairs(element.text or "", "{}", path)
            element.clear()
            continue
        _check_texts(element.attrib, path)
        number = len(inside)
        inside.append([])
        for key in _HREFS:
            if key in element.attrib and element.tag.rpartition("}")[2] == "use":
                repeated[number] = _named_here(element.attrib[key], path)
        if "id" in element.attrib:
            named[element.attrib["id"]] = number
        if above:
            inside[above[-1]].append(number)
        above.append(number)
        check_limit("depth", len(above), path, f"has {len(above)} elements inside each other")

    def parts(number: int) -> list[tuple[int, int]]:
        target = named.get(repeated.get(number, ""))
        return [(part, 1) for part in (*inside[number], *(() if target is None else (target,)))]

    try:
        counted = count_nested([0] if inside else [], parts, lambda _: 1)
    except EndlessError as error:
        raise UnreadableInputError(f"{path}: an element repeats itself (<use>); mend the drawing") from error
    for shapes, depth in counted.values():
        check_limit("depth", depth, path, f"has {depth} elements inside each other")
        check_limit("copies", shapes - len(inside), path, f"makes {shapes:,} shapes of {len(inside):,} elements")


def _named_here(link: str, path: Path) -> str:
    """The name that a ``<use>`` shows; what lies in another file is never loaded."""
    sign, _, name = link.strip().partition("#")
    if sign:
        msg = f"{path}: an element shows a part of another file ({link[:80]!r}), which is never read; copy it here"
        raise LinkedFileError(msg)
    return name


def _check_texts(attributes: Mapping[str, str], path: Path) -> None:
    """Refuse what the library that reads SVG would look for again and again: numbers and brackets without an end."""
    for name, text in attributes.items():
        if name not in _HREFS and len(text) >= _LONGEST_NUMBER:
            _check_pairs(text, "()", path)
            if _ENDLESS_NUMBER.search(text):
                msg = f"{path}: {name} of an element has a number of {_LONGEST_NUMBER} digits or more; mend the drawing"
                raise UnreadableInputError(msg)


def _check_pairs(text: str, signs: str, path: Path) -> None:
    opened, closed = map(text.count, signs)
    if opened != closed:
        raise UnreadableInputError(f"{path}: an element has {signs[0]!r} without {signs[1]!r}; mend the drawing")
