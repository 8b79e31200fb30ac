"""The plain values of a pickle: numbers, texts, lists, tuples and dictionaries, and nothing that can be run.

Only the opcodes that make such values are known. One that names, makes or calls anything else ends the
reading, so a file can do no more than be wrong. The standard `Unpickler` keeps no such promise even where
`find_class` refuses everything: it hashes whatever a file puts in a key's place, and three megabytes of
nested tuples there end the process.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from tbprof.errors import SnapshotError

Plain: TypeAlias = Any
"""None, a truth value, number or text, or a list, tuple or dictionary of these, which may hold itself."""

_MOST_DIGIT_BYTES = 9
"""The most bytes of a whole number: addresses have eight, and one more for the sign."""
_BEGINNING = b"\x80"
"""The beginning of every protocol since the second, of 2003."""
_NEWEST_PROTOCOL = 5
_MOST_VALUES = 30_000_000
"""The most values and marks, and values that may be meant again: a byte can make a container of a hundred."""


def read_plain_pickle(data: bytes, records: Collection[str] = ()) -> Plain:
    """The value of a pickle; an object of a class that `records` names is the dictionary of its fields.

    Raises:
        SnapshotError: It is damaged, or holds what is no plain value.
    """
    if not data.startswith(_BEGINNING):
        raise SnapshotError("it is no pickle as torch writes them: use torch.cuda.memory._dump_snapshot")
    try:
        return _Reading(data, records).value()
    except (struct.error, IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise SnapshotError(f"it is damaged ({type(error).__name__})") from error


class _Reading:
    """The machine of a pickle: a stack, its marks, and a memo of what may be meant again."""

    def __init__(self, data: bytes, records: Collection[str]) -> None:
        self._data, self._records = data, records
        self._at = 0
        self._stack: list[Plain] = []
        self._marks: list[int] = []
        self._memo: dict[int, Plain] = {}
        self._left = _MOST_VALUES

    def value(self) -> Plain:
        while True:
            code = self._take(1)[0]
            if code == _STOP:
                return self._stack.pop()
            act = _ACTS.get(code) or (_RECORD_ACTS.get(code) if self._records else None)
            if act is None:
                raise SnapshotError(
                    f"byte {self._at - 1} is opcode 0x{code:02x}, which no snapshot of plain values needs: "
                    "nothing of it was run"
                )
            act(self)

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise ValueError("cut short")
        taken = self._data[self._at : end]
        self._at = end
        return taken

    def _number(self, form: str) -> int:
        number: int = struct.unpack(form, self._take(struct.calcsize(form)))[0]
        return number

    def protocol(self) -> None:
        if self._number("<B") > _NEWEST_PROTOCOL:
            raise ValueError("newer protocol")

    def frame(self) -> None:
        self._number("<Q")

    def push(self, value: Plain) -> None:
        self._count()
        self._stack.append(value)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise SnapshotError(f"it holds more than {_MOST_VALUES:,} values")

    def whole(self, form: str) -> None:
        self.push(self._number(form))

    def real(self) -> None:
        self.push(struct.unpack(">d", self._take(8))[0])

    def long(self) -> None:
        size = self._number("<B")
        if size > _MOST_DIGIT_BYTES:
            raise ValueError("number too large")
        self.push(int.from_bytes(self._take(size), "little", signed=True))

    def text(self, form: str) -> None:
        self.push(self._take(self._number(form)).decode("utf-8", "surrogatepass"))

    def mark(self) -> None:
        self._count()
        self._marks.append(len(self._stack))

    def _above_mark(self) -> list[Plain]:
        start = self._marks.pop()
        above = self._stack[start:]
        del self._stack[start:]
        return above

    def pack(self, count: int) -> None:
        start = len(self._stack) - count
        if start < 0:
            raise IndexError("stack")
        values = tuple(self._stack[start:])
        del self._stack[start:]
        self.push(values)

    def pack_marked(self) -> None:
        self.push(tuple(self._above_mark()))

    def append(self, values: list[Plain]) -> None:
        target = self._stack[-1]
        if not isinstance(target, list):
            raise TypeError("no list")
        target.extend(values)

    def append_one(self) -> None:
        self.append([self._stack.pop()])

    def append_marked(self) -> None:
        self.append(self._above_mark())

    def set_items(self, values: list[Plain]) -> None:
        target = self._stack[-1]
        if not isinstance(target, dict) or len(values) % 2:
            raise TypeError("no dictionary")
        for key, value in zip(values[::2], values[1::2], strict=True):
            # What is hashed is a text or a number: nothing deep.
            if not isinstance(key, str | int):
                raise TypeError("key")
            target[key] = value

    def set_one(self) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        self.set_items([key, value])

    def set_marked(self) -> None:
        self.set_items(self._above_mark())

    def name_class(self) -> None:
        """The name of a class stands for it: none is imported."""
        name, module = self._stack.pop(), self._stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise TypeError("name")
        if f"{module}.{name}" not in self._records:
            raise SnapshotError(f"it holds an object of {module}.{name}: nothing of it was run")
        self.push(_CLASS)

    def new_record(self) -> None:
        arguments, named = self._stack.pop(), self._stack.pop()
        if named is not _CLASS or arguments != ():
            raise TypeError("object")
        self.push({})

    def fill_record(self) -> None:
        fields, target = self._stack.pop(), self._stack[-1]
        if not isinstance(fields, dict) or not isinstance(target, dict):
            raise TypeError("fields")
        target.update(fields)

    def memoize(self) -> None:
        self._keep(len(self._memo))

    def put(self, form: str) -> None:
        self._keep(self._number(form))

    def _keep(self, number: int) -> None:
        if len(self._memo) >= _MOST_VALUES:
            raise SnapshotError(f"it keeps more than {_MOST_VALUES:,} values")
        self._memo[number] = self._stack[-1]

    def get(self, form: str) -> None:
        self.push(self._memo[self._number(form)])


_STOP = ord(".")
_CLASS = object()
"""In the place of a class whose objects are records."""

_ACTS: Mapping[int, Callable[[_Reading], None]] = {
    0x80: _Reading.protocol,
    0x95: _Reading.frame,
    ord("N"): lambda reading: reading.push(None),
    0x88: lambda reading: reading.push(True),
    0x89: lambda reading: reading.push(False),
    ord("K"): lambda reading: reading.whole("<B"),
    ord("M"): lambda reading: reading.whole("<H"),
    ord("J"): lambda reading: reading.whole("<i"),
    0x8A: _Reading.long,
    ord("G"): _Reading.real,
    0x8C: lambda reading: reading.text("<B"),
    ord("X"): lambda reading: reading.text("<I"),
    0x8D: lambda reading: reading.text("<Q"),
    ord("]"): lambda reading: reading.push([]),
    ord("}"): lambda reading: reading.push({}),
    ord(")"): lambda reading: reading.push(()),
    ord("("): _Reading.mark,
    0x85: lambda reading: reading.pack(1),
    0x86: lambda reading: reading.pack(2),
    0x87: lambda reading: reading.pack(3),
    ord("t"): _Reading.pack_marked,
    ord("a"): _Reading.append_one,
    ord("e"): _Reading.append_marked,
    ord("s"): _Reading.set_one,
    ord("u"): _Reading.set_marked,
    0x94: _Reading.memoize,
    ord("q"): lambda reading: reading.put("<B"),
    ord("r"): lambda reading: reading.put("<I"),
    ord("h"): lambda reading: reading.get("<B"),
    ord("j"): lambda reading: reading.get("<I"),
}
"""What each opcode does. In `pickletools` they are called PROTO, FRAME, NONE, NEWTRUE, NEWFALSE, BININT1,
BININT2, BININT, LONG1, BINFLOAT, SHORT_BINUNICODE, BINUNICODE, BINUNICODE8, EMPTY_LIST, EMPTY_DICT,
EMPTY_TUPLE, MARK, TUPLE1, TUPLE2, TUPLE3, TUPLE, APPEND, APPENDS, SETITEM, SETITEMS, MEMOIZE, BINPUT,
LONG_BINPUT, BINGET and LONG_BINGET."""

_RECORD_ACTS: Mapping[int, Callable[[_Reading], None]] = {
    0x93: _Reading.name_class,
    0x81: _Reading.new_record,
    ord("b"): _Reading.fill_record,
}
"""STACK_GLOBAL, NEWOBJ and BUILD, where records are asked for."""
