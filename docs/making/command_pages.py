"""A page for each command, with every option, from the command line itself."""

from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from geoeval.cli.main import app
from making.texts import code, markdown, table, toctree

_HEAD = """# Commands

Exit codes: 0 done; 1 input that cannot be evaluated, with one line that says what, where and what to do; 2 wrong usage;
130 after Ctrl-C. Nothing half-written is left behind.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    yield "commands/index.md", _overview()
    for name, command in _commands():
        yield _path(name), _page(name, command)


def _overview() -> str:
    named = dict(_commands())
    rows = [[f"[geoeval {name}]({name.replace(' ', '-')}.md)", markdown(one.help or "")] for name, one in named.items()]
    return "\n".join(
        (_HEAD, table(["command", "what it does"], rows), toctree(f"{name.replace(' ', '-')}.md" for name in named))
    )


def _commands() -> Iterator[tuple[str, Any]]:
    """Every command by its words, those of groups too."""
    for name, command in _inner(typer.main.get_command(app)).items():
        inner = _inner(command)
        if inner:
            yield from ((f"{name} {word}", one) for word, one in inner.items())
        else:
            yield name, command


def _inner(command: Any) -> dict[str, Any]:
    return getattr(command, "commands", {})


def _path(name: str) -> str:
    return f"commands/{name.replace(' ', '-')}.md"


def _page(name: str, command: Any) -> str:
    words = [_metavar(one) for one in command.params if one.param_type_name == "argument"]
    panels: dict[str, list[list[str]]] = {}
    for one in command.params:
        if not getattr(one, "hidden", False):
            panels.setdefault(_panel(one), []).append(_row(one))
    parts = [
        f"# geoeval {name}\n\n{markdown(command.help or '')}\n",
        f"```text\ngeoeval {' '.join([name, *words])} [options]\n```\n",
    ]
    parts += [f"## {panel}\n\n" + table(["", "value", "meaning", "default"], rows) for panel, rows in panels.items()]
    return "\n".join(parts)


def _panel(one: Any) -> str:
    usual = "Arguments" if one.param_type_name == "argument" else "Options"
    return getattr(one, "rich_help_panel", None) or usual


def _row(one: Any) -> list[str]:
    names = _metavar(one) if one.param_type_name == "argument" else ", ".join([*one.opts, *one.secondary_opts])
    value = "" if one.param_type_name == "argument" or getattr(one, "is_flag", False) else _metavar(one)
    return [code(names), code(value) if value else "", getattr(one, "help", "") or "", _default(one)]


def _metavar(one: Any) -> str:
    if one.metavar:
        return one.metavar.strip("[]")
    if isinstance(one.default, Enum):
        return "|".join(str(choice.value) for choice in type(one.default))
    return {int: "N", float: "X"}.get(type(one.default), "TEXT")


def _default(one: Any) -> str:
    value = getattr(one.default, "value", one.default)
    return "" if value in (None, False, (), []) or callable(value) else code(value)
