"""What a pickle may name, and what stands for it: containers, numbers, graphs, arrays, geometries.

Nothing here is the class or function that the file names. Containers and numbers are made by constructors that check
their arguments; a numpy number becomes a Python one; graphs, arrays, geometries and CRS become records of what was
stored, which have no behaviour of their own.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import shapely

from geoeval.exceptions import UnsafeFileError

# Keys have at most this many parts, and what has fewer parts may be copied freely.
KEY_SIZE = 64
# Keys that are integers have at most this many bits: the hash of an integer is computed anew each time.
_KEY_BITS = 1024


@dataclass
class StoredGraph:
    """The attributes of a networkx graph as they were stored."""

    kind: str
    state: dict[str, Any] = field(default_factory=dict)

    def build(self, state: Any) -> None:
        """Take the stored attributes."""
        attributes = state[0] if isinstance(state, tuple) else state
        if not isinstance(attributes, dict):  # whose keys were checked
            raise TypeError("the attributes of a graph are not a dictionary")
        self.state.update(attributes)


@dataclass
class StoredArray:
    """A numpy array; ``None`` if it holds neither numbers, text nor objects."""

    value: Any = None

    def build(self, state: Any) -> None:
        """Take shape, type and content as numpy stores them."""
        _, shape, dtype, fortran, content = state
        self.value = _array(content, dtype, shape, "F" if fortran else "C")


@dataclass
class StoredDtype:
    """Name and byte order of a numpy number type."""

    name: str
    order: str = "<"

    def build(self, state: Any) -> None:
        """Take the byte order."""
        self.order = _text(state[1])


@dataclass
class StoredGeometry:
    """A geometry as stored by shapely 1."""

    value: Any = None

    def build(self, state: Any) -> None:
        """Take the well-known binary."""
        self.value = _from_wkb(state)


@dataclass
class StoredCRS:
    """A pyproj CRS by the text that defines it."""

    value: str = ""

    def build(self, state: Any) -> None:
        """Take the text, if it comes with the state."""
        self.value = _text(state.get("srs", self.value))


class Ignored:
    """A view of a graph, which holds nothing that the graph does not hold."""

    def build(self, state: Any) -> None:
        """Take nothing."""


Stored = StoredGraph | StoredArray | StoredDtype | StoredGeometry | StoredCRS | Ignored


def plain(value: Any) -> Any:
    """The value of a stored array, geometry or CRS; anything else as it is."""
    return value.value if isinstance(value, StoredArray | StoredGeometry | StoredCRS) else value


def new(kind: Any, args: Sequence[Any]) -> Any:
    """What stands for a new object of this kind."""
    if not isinstance(kind, Name) or kind.make is None:
        raise ValueError("an object is made of something that is not a class")
    return kind.make(*args)


def checked_key(value: Any) -> Any:
    """A key of a dictionary or member of a set, if its hash is cheap and cannot overflow the stack."""
    left = KEY_SIZE
    waiting = [value]
    while waiting:
        part = waiting.pop()
        left -= 1
        if type(part) is int and part.bit_length() <= _KEY_BITS:
            continue
        if isinstance(part, tuple) and len(part) <= left:
            waiting.extend(part)
        elif not (part is None or isinstance(part, str | bool | float | complex | bytes | frozenset)) or left < 0:
            raise ValueError("a key is neither text nor a number nor a short tuple of them")
    return value


# ---------------------------------------------------------------------- constructors


def _pairs(*args: Any) -> dict[Any, Any]:
    items = args[0] if args else ()
    return {checked_key(key): value for key, value in (items.items() if isinstance(items, dict) else items)}


def _collection(make: Callable[[Any], Any], *, hashed: bool = False) -> Callable[..., Any]:
    def build(*args: Any) -> Any:
        items = args[0] if args else ()
        if len(args) > 1 or not isinstance(items, list | tuple | set | frozenset | dict):
            raise ValueError("a container is made of something that is not a container")
        return make([checked_key(item) for item in items] if hashed else items)

    return build


def _bytes(value: Any = b"", *encoding: Any) -> bytes:
    """Bytes, also from text as old protocols store them."""
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if isinstance(value, str) and all(_text(name) in {"latin1", "latin-1"} for name in encoding):
        return value.encode("latin-1")
    raise ValueError("bytes are expected")


def _text(value: Any = "", *_: Any) -> str:
    """Text, and nothing that would first have to be converted to text."""
    if not isinstance(value, str):
        raise TypeError("text is expected")
    return value


def _complex(real: Any, imaginary: Any = 0.0) -> complex:
    return complex(float(real), float(imaginary))


def _from_wkb(content: Any) -> Any:
    """A point or a line; collections may be nested so deeply that they would crash Python."""
    wkb = _bytes(content)
    kind = int.from_bytes(wkb[1:5], "little" if wkb[:1] == b"\x01" else "big")
    # Z and M are flags in the upper half, or thousands added to the number of the type.
    if (kind & 0xFFFF) % 1000 not in {1, 2}:
        raise ValueError("a geometry is neither a point nor a line")
    return shapely.from_wkb(wkb)


def _array(content: Any, dtype: Any, shape: Any, order: Any) -> Any:
    kind = dtype.name.lstrip("<>=|")
    if not (isinstance(shape, tuple) and all(isinstance(size, int) for size in shape)):
        raise TypeError("the shape of an array is expected")
    if kind.startswith("O") and isinstance(content, list):
        flat = np.empty(len(content), dtype=object)
        flat[:] = content
    elif re.fullmatch(r"[biufcSU?]\d{0,6}", kind) and dtype.order in {"<", ">", "=", "|"}:
        flat = np.frombuffer(_bytes(content), dtype=np.dtype(dtype.order.replace("|", "=") + kind))
    else:
        return None
    return flat.reshape(shape, order="F" if order == "F" else "C")


def _scalar(dtype: Any, content: Any = b"") -> Any:
    """A Python number or text in place of a numpy one."""
    value = _array(content, dtype, (1,), "C") if not dtype.name.startswith("O") else None
    return None if value is None else value[0].item()


def _reconstruct(kind: Any, *_: Any) -> Any:
    """``copyreg._reconstructor`` and numpy's: an object whose content comes later."""
    return new(kind, ())


# ---------------------------------------------------------------------- names


@dataclass(frozen=True)
class Name:
    """A class or function that a file names, and what makes its objects here."""

    name: str
    make: Callable[..., Any] | None


_TABLE: dict[tuple[str, str], Callable[..., Any] | None] = {
    ("builtins", "object"): None,
    ("builtins", "set"): _collection(set, hashed=True),
    ("builtins", "frozenset"): _collection(frozenset, hashed=True),
    ("builtins", "list"): _collection(list),
    ("builtins", "tuple"): _collection(tuple),
    ("builtins", "dict"): _pairs,
    ("builtins", "int"): lambda: 0,
    ("builtins", "float"): lambda: 0.0,
    ("builtins", "str"): lambda: "",
    ("builtins", "complex"): _complex,
    ("builtins", "bytes"): _bytes,
    ("builtins", "bytearray"): _bytes,
    ("collections", "OrderedDict"): _pairs,
    ("collections", "defaultdict"): lambda *_: {},
    ("_codecs", "encode"): _bytes,
    ("copyreg", "_reconstructor"): _reconstruct,
    ("numpy", "dtype"): lambda *args: StoredDtype(_text(*args)),
    ("numpy", "ndarray"): lambda *_: StoredArray(),
    ("shapely.io", "from_wkb"): _from_wkb,
    ("pyproj.crs.crs", "CRS"): lambda *args: StoredCRS(_text(*args)),
    **{
        (f"networkx.classes.{kind.lower()}", kind): lambda *_, kind=kind: StoredGraph(kind)
        for kind in ("Graph", "DiGraph", "MultiGraph", "MultiDiGraph")
    },
    **{(f"shapely.geometry.{kind.lower()}", kind): lambda *_: StoredGeometry() for kind in ("Point", "LineString")},
    **{
        (f"numpy.{core}.{module}", name): make
        for core in ("core", "_core")
        for module, name, make in (
            ("multiarray", "scalar", _scalar),
            ("multiarray", "_reconstruct", _reconstruct),
            ("numeric", "_frombuffer", lambda *args: StoredArray(_array(*args))),
        )
    },
}
_RENAMED = {"__builtin__": "builtins", "copy_reg": "copyreg"}
_VIEWS = ("networkx.classes.coreviews", "networkx.classes.reportviews")


def find(module: str, name: str, path: str | Path) -> Name:
    """What stands for a class or function.

    Raises
    ------
    UnsafeFileError
        It is not one that graphs need.
    """
    module = _RENAMED.get(module, module)
    if (module, name) in _TABLE:
        return Name(f"{module}.{name}", _TABLE[module, name])
    if module in _VIEWS and name.isidentifier():
        return Name(f"{module}.{name}", lambda *_: Ignored())
    msg = (
        f"{path} asks for {module[:60]}.{name[:60]}; nothing of it was run, because only plain containers, numbers and "
        "networkx graphs are read from a pickle; write the graph as GraphML instead"
    )
    raise UnsafeFileError(msg)
