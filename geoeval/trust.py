"""What a file may do to its reader: how much it may become, and whether it may lead to other files.

Files come from strangers. A small file can claim to be huge, unpack to gigabytes, or insert its own blocks into each
other until no memory is left; another one names files and addresses that nobody gave us. Both are refused in one line
that names the option which allows them: ``limits`` and ``links`` of :data:`geoeval.readers.options.INPUT_OPTIONS`.
Limits count what is made, never seconds, so that the same file is refused everywhere or nowhere.
"""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from geoeval.exceptions import ParameterError, TooLargeError, UnreadableInputError

# What a packed file unpacks to is of no concern below this: bytes, or pixels.
SMALL = 32_000_000


@dataclass(frozen=True)
class Limit:
    """A limit of reading: its name, its usual value, and what it counts."""

    name: str
    usual: float
    counts: str


_LIMITS = (
    Limit("features", 100_000_000, "rows of a layer"),
    Limit("vertices", 1_000_000_000, "vertices of a layer, crossings included"),
    Limit("pixels", 250_000_000, "pixels of an image"),
    Limit("copies", 1_000_000, "shapes that the blocks and repeated groups of a drawing make"),
    Limit("depth", 100, "groups or blocks inside each other"),
    Limit("crossings", 50_000, "places where outlines cross themselves"),
    Limit("stretch", 20_000, "metres of an average segment, of networks beyond 20,000 km"),
    Limit("members", 2_000, "files in an archive"),
    Limit("columns", 2_000, "columns of a table, or scores of a result"),
    Limit("items", 200, "items of a ranking"),
    Limit("expansion", 500, "bytes or pixels that one byte of a packed file becomes"),
)
LIMITS = {limit.name: limit for limit in _LIMITS}
LINKS = ("refuse", "follow")
HOW_TO_ALLOW = "if you trust it, {give:links=follow}"


@dataclass(frozen=True)
class _Rules:
    limits: Mapping[str, float]
    follow: bool
    reading: bool = True


_USUAL = _Rules({}, follow=False, reading=False)
_rules: ContextVar[_Rules] = ContextVar("geoeval_trust", default=_USUAL)


@contextmanager
def trusting(limits: Any = None, links: str | None = None) -> Iterator[None]:
    """Read with these limits, and follow links or not; ``None`` keeps what is usual."""
    token = _rules.set(_Rules(parse_limits(limits), follow=links == "follow"))
    try:
        yield
    finally:
        _rules.reset(token)


def follows_links() -> bool:
    """Whether files that lead to other files are read."""
    return _rules.get().follow


def refuses_links() -> bool:
    """Whether a file is being read that may lead nowhere; what users type themselves is no file."""
    rules = _rules.get()
    return rules.reading and not rules.follow


def check_there(path: Path) -> None:
    """Raise ``UnreadableInputError`` where there is neither a file nor a folder."""
    if not path.exists():
        raise no_such_file(path)
    check_regular(path)


def no_such_file(given: object, advice: str = "check the path", *, what: str = "no such file") -> UnreadableInputError:
    """The error for an input that is not there; of an address it says that local files are meant."""
    # A path has lost the second slash of an address.
    address = re.sub("^([A-Za-z][A-Za-z0-9+.-]+):/+", r"\1://", str(given))
    if "://" in address or address.startswith("/vsi"):
        return UnreadableInputError(
            f"{address} is an address, and local files are meant; download it and give the file"
        )
    return UnreadableInputError(f"{given}: {what}; {advice}")


def check_regular(path: Path) -> None:
    """Raise ``UnreadableInputError`` for what is neither a file nor a folder: a pipe or a device may never end."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UnreadableInputError(f"{path} is a pipe or a device, not a file; save it as a file first")


def check_table(path: Path) -> None:
    """Raise an error for what is no file, and for a table of text with more columns than the limit."""
    check_regular(path)
    if path.is_file():
        with path.open("rb") as file:
            head = file.readline()
        columns = 1 + max(head.count(sign) for sign in (b",", b";", b"\t"))
        check_limit("columns", columns, path, f"has {columns:,} columns")


def check_limit(name: str, amount: float, source: object, what: str) -> None:
    """Raise ``TooLargeError`` if an amount is beyond a limit.

    Parameters
    ----------
    name
        The limit, one of ``LIMITS``.
    amount
        How much there is, or is said to be.
    source
        The file, for the message.
    what
        What the file does, for the message, such as ``has 10 x 10 pixels``.
    """
    limit = _rules.get().limits.get(name, LIMITS[name].usual)
    if amount > limit:
        enough = f"{name}={_rounded_up(amount)}"
        raise TooLargeError(
            f"{source} {what}, and the limit of {name} is {limit:,.0f}; if you trust the file, {{give:limits={enough}}}"
        )


def check_expansion(unpacked: float, packed: float, source: object, unit: str = "bytes") -> None:
    """Raise ``TooLargeError`` if a packed file becomes far more than its size, and more than a little."""
    if unpacked > SMALL:
        ratio = unpacked / max(packed, 1)
        check_limit(
            "expansion", ratio, source, f"unpacks to {unpacked:,.0f} {unit}, {ratio:,.0f} for each of its bytes"
        )


def parse_limits(given: Any) -> dict[str, float]:
    """Limits by name, from a mapping, from text such as ``pixels=1e9,depth=500``, or from ``none`` for no limits.

    Raises
    ------
    ParameterError
        A limit does not exist, or its value is not a number above 0.
    """
    if given is None or given == "":
        return {}
    if isinstance(given, str) and given.strip().lower() == "none":
        return dict.fromkeys(LIMITS, math.inf)
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, str):
        pairs = [(name.strip(), value) for name, _, value in (part.partition("=") for part in given.split(","))]
    else:
        raise ParameterError(f"limits is {given!r}; give NAME=NUMBER,..., or none")
    limits = {}
    for name, value in pairs:
        if name not in LIMITS:
            raise ParameterError(
                f"limits: there is no limit {str(name)[:40]!r}; give NAME=NUMBER of {', '.join(LIMITS)}"
            )
        try:
            limits[name] = float(value)
        except (TypeError, ValueError):
            limits[name] = math.nan
        if not limits[name] > 0:  # so is NaN
            raise ParameterError(f"limits: {name} is {str(value)[:40]!r}; give a number above 0")
    return limits


def _rounded_up(amount: float) -> str:
    """A number of at most two digits and zeros that is large enough."""
    if not amount <= 1e15:  # nor is NaN, and whole numbers may be beyond all floats
        return "inf"
    unit = 10 ** max(math.floor(math.log10(amount)) - 1, 0)
    return f"{math.ceil(amount / unit) * unit:d}"
