"""A pickle read without running anything in it.

A pickle is a program that may call any function of any package, so Python's own unpickler is not used at all. The
machine below interprets the operations itself. It makes plain containers, text and numbers, and notes down what a
networkx graph, a numpy number or array, a shapely geometry and a pyproj CRS consist of. It imports nothing and
calls nothing that the file names; a name that ``pickled_values`` does not list is refused.
"""

import pickletools
from pathlib import Path
from typing import Any

from geoeval.exceptions import UnreadableInputError, UnsafeFileError
from geoeval.readers.pickled_values import KEY_SIZE, Stored, checked_key, find, new


def load(content: bytes, path: str | Path) -> Any:
    """What a pickle holds; O(size of the pickle)."""
    try:
        return _Machine(path).run(content)
    except (UnsafeFileError, UnreadableInputError):
        raise
    except MemoryError:
        raise UnreadableInputError(f"{path} needs more memory than there is; check where it comes from") from None
    except UnicodeDecodeError as error:
        raise UnreadableInputError(f"{path} holds binary text of Python 2; write it again with Python 3") from error
    except Exception as error:  # whatever the machine stumbles over, the file is at fault
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        msg = f"{path} is damaged or no pickle ({reason}); write it again"
        raise UnreadableInputError(msg) from error


# fmt: off
_VALUES = frozenset([
    "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "STRING", "BINSTRING",
    "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "UNICODE", "BINUNICODE",
    "SHORT_BINUNICODE", "BINUNICODE8",
])
# fmt: on
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
_EMPTY = {"EMPTY_LIST": list, "EMPTY_DICT": dict, "EMPTY_SET": set}
_SHORT_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_GET = frozenset(["GET", "BINGET", "LONG_BINGET"])
_PUT = frozenset(["PUT", "BINPUT", "LONG_BINPUT"])


class _Machine:
    """Stack, marks and memory of the pickle language."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memory: dict[int, Any] = {}
        self.copies_left = 0

    def run(self, content: bytes) -> Any:
        """Interpret the operations up to the end."""
        self.copies_left = len(content)
        stack, memory = self.stack, self.memory
        operations: Any = pickletools.genops(content)
        for operation, argument, _ in operations:
            name = operation.name
            if name in _VALUES:
                stack.append(argument)
            elif name == "MEMOIZE":
                memory[len(memory)] = stack[-1]
            elif name in _GET:
                stack.append(memory[int(argument)])
            elif name in _PUT:
                memory[int(argument)] = stack[-1]
            elif name in _SHORT_TUPLES:
                count = _SHORT_TUPLES[name]
                self._need(count)
                stack[-count:] = [tuple(stack[-count:])]
            elif name in _CONSTANTS:
                stack.append(_CONSTANTS[name])
            elif name in _EMPTY:
                stack.append(_EMPTY[name]())
            elif name == "STOP":
                return stack.pop()
            elif name not in {"PROTO", "FRAME"}:
                method = getattr(self, f"_{name.lower()}", None)
                if method is None:
                    msg = f"{self.path} uses the pickle operation {name}, which no graph needs; nothing of it was run"
                    raise UnsafeFileError(msg)
                method(argument)
        raise EOFError("it ends too early")

    def _need(self, count: int) -> None:
        """Operations may not reach below the last mark."""
        if len(self.stack) - (self.marks[-1] if self.marks else 0) < count:
            raise ValueError("an operation finds too little on the stack")

    def _charge(self, values: Any) -> None:
        """A few bytes can ask for a copy of something large; all copies together may not exceed the file."""
        for value in values if isinstance(values, tuple) else (values,):
            size = (
                len(value) if isinstance(value, list | tuple | dict | set | frozenset | str | bytes | bytearray) else 0
            )
            self.copies_left -= size if size > KEY_SIZE else 0
        if self.copies_left < 0:
            raise ValueError("it copies the same thing over and over")

    def _make(self, kind: Any, args: tuple[Any, ...]) -> None:
        self._charge(args)
        self.stack.append(new(kind, args))

    def _since_mark(self) -> list[Any]:
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def _mark(self, _: Any) -> None:
        self.marks.append(len(self.stack))

    def _pop(self, _: Any) -> None:
        if self.marks and self.marks[-1] == len(self.stack):
            self.marks.pop()
        else:
            self.stack.pop()

    def _pop_mark(self, _: Any) -> None:
        self._since_mark()

    def _dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def _tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._since_mark()))

    def _list(self, _: Any) -> None:
        self.stack.append(self._since_mark())

    def _dict(self, _: Any) -> None:
        items = self._since_mark()
        self.stack.append({})
        self._set(items)

    def _frozenset(self, _: Any) -> None:
        self.stack.append(frozenset(checked_key(item) for item in self._since_mark()))

    def _append(self, _: Any) -> None:
        self._need(2)
        self._extend([self.stack.pop()])

    def _appends(self, _: Any) -> None:
        self._extend(self._since_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, list):
            raise TypeError("something is appended to what is no list")
        target.extend(items)

    def _setitem(self, _: Any) -> None:
        self._need(3)
        value, key = self.stack.pop(), self.stack.pop()
        self._set([key, value])

    def _setitems(self, _: Any) -> None:
        self._set(self._since_mark())

    def _set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if not isinstance(target, dict):
            raise TypeError("an item is set in what is no dictionary")
        for key, value in zip(items[::2], items[1::2], strict=True):
            target[checked_key(key)] = value

    def _additems(self, _: Any) -> None:
        items = self._since_mark()
        target = self.stack[-1]
        if not isinstance(target, set):
            raise TypeError("something is added to what is no set")
        target.update(checked_key(item) for item in items)

    def _global(self, argument: Any) -> None:
        module, name = argument.split(" ", 1)
        self.stack.append(find(module, name, self.path))

    def _stack_global(self, _: Any) -> None:
        self._need(2)
        name, module = self.stack.pop(), self.stack.pop()
        if not (isinstance(name, str) and isinstance(module, str)):
            raise TypeError("a class is named by what is no text")
        self.stack.append(find(module, name, self.path))

    def _reduce(self, _: Any) -> None:
        self._need(2)
        args, kind = self.stack.pop(), self.stack.pop()
        self._make(kind, tuple(args))

    _newobj = _reduce

    def _inst(self, argument: Any) -> None:
        module, name = argument.split(" ", 1)
        self._make(find(module, name, self.path), tuple(self._since_mark()))

    def _obj(self, _: Any) -> None:
        kind, *args = self._since_mark()
        self._make(kind, tuple(args))

    def _build(self, _: Any) -> None:
        self._need(2)
        state, target = self.stack.pop(), self.stack[-1]
        if not isinstance(target, Stored):
            msg = f"{self.path} changes the inside of a {type(target).__name__}, which no graph needs"
            raise UnsafeFileError(msg)
        self._charge(state)
        target.build(state)
