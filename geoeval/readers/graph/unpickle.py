"""Pickles read without running anything in them.

A pickle is a program that may call any function of any package. This unpickler runs it with every dangerous operation
taken out:

- Names are looked up in the table of ``pickled_values`` and nowhere else: nothing is imported, and no attribute of a
  module is read. A name that is not listed is refused. A listed one gives an inert stand-in or a safe constructor of
  ours, never the class or function that the file names.
- Objects are made and filled by our stand-ins only: ``REDUCE``, ``NEWOBJ``, ``INST`` and ``OBJ`` call nothing else,
  and ``BUILD`` never sets an attribute or calls ``__setstate__``.
- Persistent ids, extension codes, buffers outside the file and constructors with keywords are refused.
- Keys of dictionaries and members of sets are checked before they are hashed, because hashing deeply nested tuples
  crashes Python or never ends. All copies that a pickle asks for are together no larger than the file.

The base is the pickle module's unpickler in Python, not ``pickle.Unpickler``, which is in C: that one hashes keys
before a subclass sees them, takes extension codes from a cache without asking ``find_class``, and allocates its memo by
the largest index in the file.
"""

import io
import pickle
import pickletools
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from geoeval.exceptions import UnreadableInputError, UnsafeFileError
from geoeval.readers.graph.pickled_values import KEY_SIZE, Stored, checked_key, find, new

# Operations that only make, copy or keep plain values. They are inherited.
# fmt: off
_INHERITED = frozenset([
    "PROTO", "FRAME", "STOP", "MARK", "POP", "POP_MARK", "DUP",
    "GET", "BINGET", "LONG_BINGET", "PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE",
    "NONE", "NEWTRUE", "NEWFALSE", "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT",
    "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8",
    "BINBYTES", "SHORT_BINBYTES", "BINBYTES8",
    "EMPTY_TUPLE", "TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "EMPTY_LIST", "LIST", "APPEND", "APPENDS", "EMPTY_DICT",
    "EMPTY_SET",
    "GLOBAL", "STACK_GLOBAL", "INST", "OBJ",  # by way of find_class and _instantiate
])
# fmt: on


def load(content: bytes, path: str | Path) -> Any:
    """What a pickle holds. O(size of the pickle)."""
    try:
        return _Unpickler(content, path).load()
    except (UnsafeFileError, UnreadableInputError):
        raise
    except MemoryError:
        raise UnreadableInputError(f"{path} needs more memory than there is; check where it comes from") from None
    except Exception as error:  # whatever goes wrong, the file is at fault
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        msg = f"{path} is damaged or not a pickle ({reason}); write it again"
        raise UnreadableInputError(msg) from error


class _Content(io.BytesIO):
    """The bytes of a file; reading past their end is an error."""

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        if size is not None and len(data) < size:
            raise EOFError("it ends too early")
        return data

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line.endswith(b"\n"):
            raise EOFError("it ends too early")
        # Text that went through a version control with Windows line ends; no line of a pickle ends in \\r itself.
        return line[:-2] + b"\n" if line.endswith(b"\r\n") else line


class _Unpickler(pickle._Unpickler):  # noqa: SLF001
    """An unpickler that makes plain values and stand-ins only."""

    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    read: Callable[[int], bytes]

    def __init__(self, content: bytes, path: str | Path) -> None:
        super().__init__(_Content(content), encoding="latin-1")  # of text from Python 2
        self.path = path
        self.copies_left = len(content)

    def find_class(self, module: str, name: str) -> Any:
        return find(module, name, self.path)

    def load_reduce(self) -> None:
        args, kind = self.stack.pop(), self.stack.pop()
        if not isinstance(args, tuple):
            raise TypeError("the arguments of a constructor are not a tuple")
        self._instantiate(kind, args)

    load_newobj = load_reduce

    def _instantiate(self, kind: Any, args: tuple[Any, ...] | list[Any]) -> None:
        self._charge(args)
        self.append(new(kind, args))

    def load_build(self) -> None:
        state, target = self.stack.pop(), self.stack[-1]
        if not isinstance(target, Stored):
            msg = f"{self.path} changes the inside of a {type(target).__name__}, which no graph needs"
            raise UnsafeFileError(msg)
        self._charge(state)
        target.build(state)

    def _charge(self, values: Any) -> None:
        """Count what will be copied: a few bytes can ask for a copy of something large, again and again."""
        self._charge_one(values)
        if isinstance(values, tuple | list):
            for value in values:
                self._charge_one(value)

    def _charge_one(self, value: Any) -> None:
        if isinstance(value, list | tuple | dict | set | frozenset | str | bytes | bytearray) and len(value) > KEY_SIZE:
            self.copies_left -= len(value)
            if self.copies_left < 0:
                raise ValueError("it copies the same thing over and over")

    def load_setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._set([key, value])

    def load_setitems(self) -> None:
        self._set(self.pop_mark())

    def load_dict(self) -> None:
        items = self.pop_mark()
        self.append({})
        self._set(items)

    def _set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict):
            raise TypeError("an item is set in something that is not a dictionary")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[checked_key(key)] = value

    def load_additems(self) -> None:
        items, target = self.pop_mark(), self.stack[-1]
        if not isinstance(target, set):
            raise TypeError("something is added to something that is not a set")
        target.update(checked_key(item) for item in items)

    def load_frozenset(self) -> None:
        items = self.pop_mark()  # which changes the meaning of append
        self.append(frozenset(checked_key(item) for item in items))

    def load_bytearray8(self) -> None:
        (size,) = struct.unpack("<Q", self.read(8))
        self.append(bytearray(self.read(size)))  # the inherited one allocates any size before it reads


def _handlers() -> dict[int, Callable[[Any], None]]:
    """What runs each operation: an inherited method, one of ours, or a refusal."""
    handlers = {}
    for operation in pickletools.opcodes:
        code, name = ord(operation.code), operation.name
        if name in _INHERITED:
            handlers[code] = _Unpickler.dispatch[code]
        else:
            handlers[code] = vars(_Unpickler).get(f"load_{name.lower()}") or _refusal(name)
    return handlers


def _refusal(name: str) -> Callable[[Any], None]:
    def refuse(unpickler: _Unpickler) -> None:
        msg = f"{unpickler.path} uses the pickle operation {name}, which no graph needs; nothing of it was run"
        raise UnsafeFileError(msg)

    return refuse


_Unpickler.dispatch = _handlers()
