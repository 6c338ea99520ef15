"""A page for each published protocol, from what the protocol declares of itself."""

import sys
from collections.abc import Iterator

from geoeval.protocols.protocol import Protocol
from geoeval.protocols.registry import PROTOCOLS
from making.texts import Described, code, markdown, table, toctree

_HEAD = """# Protocols

Papers compare numbers that come from different programs. These are the rulers of others, reproduced from their files:
`geoeval roads A B --protocol NAME` prints *their* number. A protocol takes its files as they are, in their own pixels:
nothing is cut, aligned or projected. Its score stands in the JSON under its name.
[Published protocols](../protocols.md) tells how near each comes to the program that it reproduces.
"""


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    yield "protocols/index.md", _overview()
    for name, protocol in PROTOCOLS.items():
        yield _path(name), _page(protocol)


def _overview() -> str:
    rows = [[f"[{name}]({name}.md)", one.about, one.blind_to] for name, one in PROTOCOLS.items()]
    return "\n".join(
        (_HEAD, table(["protocol", "what it is", "blind to"], rows), toctree(f"{name}.md" for name in PROTOCOLS))
    )


def _path(name: str) -> str:
    return f"protocols/{name}.md"


def _page(protocol: Protocol) -> str:
    described, facts = Described(protocol.function), protocol.facts()
    parameters = [
        [code(name), code("auto" if value is None else value), described.parameters.get(name, "")]
        for name, value in facts["parameters"].items()
    ]
    scores = [[code(score.name), score.about, score.better] for score in protocol.scores]
    prefer = ", ".join(f"`{name}`" for name in facts["prefer"])
    return "\n".join(
        (
            f"# {protocol.name}\n\n*{protocol.about}* Version {facts['version']} of our reproduction.\n",
            table(["", ""], [["from", facts["origin"]], ["blind to", facts["blind_to"]], ["we prefer", prefer],
                             ["takes", facts["takes"]]]),
            f"## Definition\n\n{markdown(sys.modules[protocol.function.__module__].__doc__ or '')}\n",
            "## Scores\n\n" + table(["score", "what it says", "better"], scores),
            "## Parameters\n\n" + table(["parameter", "published value", "meaning"], parameters),
            f"## Notes\n\n{described.notes}\n" if described.notes else "",
        )
    )  # fmt: skip
