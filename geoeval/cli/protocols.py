"""``geoeval protocols``: which published protocols there are, and what each of them means."""

import json
from typing import Annotated, Any

import typer

from geoeval.cli import options
from geoeval.cli.guard import guarded
from geoeval.cli.terminal import say, say_json


@guarded
def protocols(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="All about one protocol.")] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
    debug: options.Debug = False,  # noqa: ARG001 - read by the guard
) -> None:
    """List the published protocols that geoeval reproduces: where each comes from, and what it is blind to."""
    from geoeval.protocols.registry import PROTOCOLS
    from geoeval.protocols.running import choose_protocol

    chosen = [choose_protocol(one)[0] for one in (PROTOCOLS if name is None else [name])]
    facts = [protocol.facts() for protocol in chosen]
    if as_json:
        say_json(json.dumps(facts, indent=2, ensure_ascii=False))
    elif name is None:
        width = max(len(one["name"]) for one in facts)
        for one in facts:
            say(f"{one['name']:{width}}  {one['about']}")
        say()
        say("geoeval protocols NAME tells more; geoeval roads|objects A B --protocol NAME scores by it")
    else:
        _print(facts[0])


def with_repeats(
    kind: str, protocol: str | None, parameters: dict[str, dict[str, Any]], repeats: int | None
) -> dict[str, dict[str, Any]]:
    """The parameters, with how often a protocol is repeated among them; refused where nothing could be repeated."""
    if repeats is None:
        return parameters
    from geoeval.exceptions import ParameterError
    from geoeval.protocols.running import choose_protocol

    if protocol is None:
        raise ParameterError("{option:repeats} is for a protocol; {give:protocol=NAME}, or leave it out")
    chosen, _ = choose_protocol(protocol, kind=kind)
    if "repeats" not in chosen.defaults:
        raise ParameterError(f"{chosen.name} gives the same number every time; {{leave:repeats}}")
    return {**parameters, chosen.name: {**parameters.get(chosen.name, {}), "repeats": repeats}}


def _print(facts: dict[str, Any]) -> None:
    say(f"{facts['name']}, version {facts['version']}: {facts['about']}")
    say(f"from        {facts['origin']}")
    say(f"blind to    {facts['blind_to']}")
    say(f"prefer      {', '.join(facts['prefer'])}")
    say(f"takes       {facts['takes']}")
    say(f"scores      {', '.join(facts['scores'])}")
    say("parameters")
    for parameter, value in facts["parameters"].items():
        say(f"  {parameter} = {'auto' if value is None else value}")
