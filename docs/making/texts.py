"""Small pieces of Markdown."""

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

from numpydoc.docscrape import NumpyDocString


def markdown(text: str) -> str:
    """A docstring's text as Markdown: code in single back quotes, cross-references as code."""
    text = re.sub(r":[a-z]+:`~?([^`]+)`", r"`\1`", inspect.cleandoc(text))
    return text.replace("``", "`")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table; bars and line breaks in its cells do not end them."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines) + "\n"


def code(value: Any) -> str:
    """A value as code."""
    return f"`{value}`"


def _cell(value: Any) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")


def toctree(paths: Iterable[str]) -> str:
    """The pages below this one, for the table of contents beside the text."""
    return "\n".join(["```{toctree}", ":hidden:", "", *paths, "```", ""])


class Described:
    """The numpydoc docstring of a function in parts."""

    def __init__(self, function: Any) -> None:
        parts = NumpyDocString(inspect.getdoc(function) or "")
        self.parameters = {
            name.strip(): _joined(each.desc) for each in parts["Parameters"] for name in each.name.split(",")
        }
        self.returns = " ".join(_joined(each.desc) for each in parts["Returns"])
        self.notes = _joined(parts["Notes"])


def _joined(lines: Iterable[str]) -> str:
    return markdown("\n".join(lines))
