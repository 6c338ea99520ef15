"""Groups of options that several commands share: written once, and given to a command as one dictionary each."""

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from geoeval.cli.options import INPUT_PANEL
from geoeval.contents import SIDES
from geoeval.readers.options import COMMON, INPUT_OPTIONS, InputOption

# By name of a parameter: its annotation for typer, and its default value.
Group = Mapping[str, tuple[Any, Any]]


def takes(**groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command all options of some groups; it gets each group as a dictionary under the group's name."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command).parameters.values()
        kept = [parameter for parameter in own if parameter.name not in groups]
        added = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
            for group in groups.values()
            for name, (annotation, default) in group.items()
        ]

        @functools.wraps(command)
        def wrapper(**values: Any) -> None:
            given = {group: {name: values.pop(name) for name in options} for group, options in groups.items()}
            command(**values, **given)

        wrapper.__signature__ = inspect.Signature([*kept, *added])  # type: ignore[attr-defined]
        return wrapper

    return decorate


def inputs_of_pair(*contents: str) -> Group:
    """The options of the readers for a reference and a prediction: one for both, or one for each side."""
    group: dict[str, tuple[Any, Any]] = {}
    for option in _options(contents):
        for side in SIDES if option.per_side else ("", *SIDES) if option.also_per_side else ("",):
            group[f"{side}_{option.name}".strip("_")] = _parameter(option, side)
    return group


def inputs_of_one(*contents: str) -> Group:
    """The options of the readers for a single input; those that a pair has for each side begin with ``input_``."""
    return {
        f"input_{option.name}" if option.per_side else option.name: _parameter(option, "input")
        for option in _options(contents)
    }


def trust_options() -> Group:
    """The options that say what files may do to their reader."""
    return {name: _parameter(INPUT_OPTIONS[name], "input") for name in COMMON}


def used(content: str, reading: Mapping[str, Any]) -> dict[str, Any]:
    """Of the options in such a group those that were given, by the names of the readers.

    Raises
    ------
    ParameterError
        One was given that the content does not have.
    """
    from geoeval.readers.unused import check_content

    for name, value in reading.items():
        option = INPUT_OPTIONS[_SIDE.sub("", name)]
        if value is not None and value != option.default:
            check_content(content, option.name)
    return {
        name.removeprefix("input_"): str(value) if isinstance(value, StrEnum) else value
        for name, value in reading.items()
        if value is not None and content in INPUT_OPTIONS[_SIDE.sub("", name)].contents
    }


_SIDE = re.compile("^(input|reference|prediction)_")


def _options(contents: tuple[str, ...]) -> list[InputOption]:
    return [option for option in INPUT_OPTIONS.values() if set(contents) & set(option.contents)]


def _parameter(option: InputOption, side: str) -> tuple[Any, Any]:
    """The annotation and default of an option on the command line."""
    # A layer of a single input needs no word for its side; its CRS does, beside the CRS of the output.
    has_side = option.per_side or (option.also_per_side and side in SIDES)
    prefix = f"{side}-" if has_side and (side, option.name) != ("input", "layer") else ""
    name = option.flag or option.name.replace("_", "-")
    asked = typer.Option(
        f"--{prefix}{name}", metavar=option.metavar, rich_help_panel=INPUT_PANEL,
        help=option.help.format(side=side),
    )  # fmt: skip
    if option.choices:
        choice = StrEnum(option.name, {word: word for word in option.choices})  # type: ignore[misc]
        return Annotated[choice, asked], choice(option.default)
    kind = option.type if option.default is not None else option.type | None
    return Annotated[kind, asked], option.default
