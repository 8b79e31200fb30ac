"""Where tensors of a run without a GPU would be on a machine that has one, by what the step does with them.

By the rule of preflight, as far as a function mode sees: parameters and buffers, and what is computed with
them, are the device's; so is what is moved, or made, where the program says; what torch's factories fill
without a device named is the host's. The mark is of the storage, and not seen at it. Nothing
is known of another tensor that was there before the step: it is the host's when it is moved, and nobody's
when it is read.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from weakref import ref

import torch
from torch import Tensor
from torch.nn import Module, Parameter

from tbprof.hook.audit.call_log import user_frame
from tbprof.hook.audit.source_text import source_lines
from tbprof.hook.audit.upload_contents import content_of
from tbprof.hook.audit.watched_calls import Call, CallFacts, is_number_copied
from tbprof.hook.safety.program_values import (
    contents_of,
    is_a,
    is_plain_tensor,
    is_tensor,
    items_of,
    needs_gradient,
    rank_of,
    storage_of,
)
from tbprof.hook.window.live_objects import LiveObjects
from tbprof.model import DEVICE, HOST, MADE_ON_HOST, UNKNOWN

FOLLOWED = (Tensor, list, tuple, torch.device)
"""Results that are somewhere, or name a place."""

_MOVES = frozenset({"to", "cuda", "xpu", "cpu"})
_UPLOADS = frozenset({"to", "cuda", "xpu", "tensor", "as_tensor", "asarray"})
_NUMBERS = (int, float, bool)
_NAMES_CPU = re.compile(r"""["']cpu""")
_MOST_CALLERS = 8
_LARGEST_KEPT = 256
"""Device objects that tensors were asked for lately: each is handed on a line or two later."""


def uses_a_device() -> bool:
    """Whether tensors say themselves where they are."""
    return bool(torch.cuda.is_initialized() or torch.xpu.is_initialized())


class PredictedDevices:
    """Follows the tensors of one thread from call to call."""

    def __init__(self) -> None:
        self.is_unsure = False
        """Whether something hung on a tensor of which nothing was known."""
        self._asked: dict[int, tuple[Any, str]] = {}
        self._knows_buffers = False

    def added_to(self, facts: CallFacts | None, name: str, call: Call) -> CallFacts | None:
        """The facts of a watched call with its places; they may be the facts that there are."""
        places = self._of(name, call.arguments, call.options)
        if UNKNOWN in places and not self._knows_buffers:
            self._knows_buffers = True
            _mark_buffers()
            places = self._of(name, call.arguments, call.options)
        self.is_unsure = self.is_unsure or UNKNOWN in places
        if facts is None:
            # On the CPU an index of the host's looks like one that stays where it is.
            moves = name in ("__getitem__", "__setitem__") and places == (HOST, DEVICE)
            return CallFacts(("cpu", "cpu"), places=places) if moves else None
        content = facts.content
        if content is None and places[-1:] == (DEVICE,) and name in _UPLOADS:
            # To the CPU nothing is uploaded, so that nobody has looked.
            content = content_of(call.arguments[0] if call.arguments else call.options.get("data"))
        return facts._replace(content=content, places=places)

    def _of(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> tuple[str, ...]:
        """The places of a call: where from and where to if it can move, where its tensor is if it can
        read.
        """
        if name in _MOVES:
            start = place_of(arguments[0], _calls())
            end = self._target(name, arguments, options, _line())
            # Nobody asks for a copy on the host of what was always there.
            return (DEVICE if name == "cpu" and start == UNKNOWN else start), end
        if name == "copy_":
            return place_of(options.get("src", *arguments[1:2])), place_of(arguments[0])
        if name in ("tolist", "numpy", "__array__"):
            return place_of(arguments[0]), HOST
        if name == "pin_memory":
            return place_of(arguments[0]), HOST
        if name in ("tensor", "as_tensor", "asarray"):
            data = arguments[0] if arguments else options.get("data")
            return place_of(data) if is_tensor(data) else HOST, self._asked_for(options, _line())
        if name in ("__getitem__", "__setitem__"):
            return _of_index(arguments)
        for value in (*arguments, *options.values()):
            if is_tensor(value):
                return (place_of(value),)
        return (UNKNOWN,)

    def settles(self, arguments: Sequence[Any], options: Mapping[str, Any], result: Any) -> bool:
        """Whether it is known where a function's result is, or it is nowhere; what is easily noted is noted.

        Each function of torch that a step calls comes through here: most results say it themselves, have a
        mark that stays, or were computed with what is the device's. What else there is, `follow` looks at.
        """
        kind = type(result)
        if kind is torch.device and len(arguments) == 1 and is_plain_tensor(arguments[0]):
            self._remember(arguments, result)
            return True
        if kind is not Tensor:
            return kind is Parameter or kind is torch.Size or not issubclass(kind, FOLLOWED)
        if needs_gradient(result):
            return True
        try:
            mark = _marks.get(result)
        except (NotImplementedError, RuntimeError):
            return False
        if mark is not None:
            return mark.moved_by is None
        if options or not arguments:
            return False
        if _is_plainly_on_device(arguments[0]):
            _marks.put(result, _PLAIN_MARKS[DEVICE])
            return True
        if result is arguments[0] and all(type(value) in _NUMBERS for value in arguments[1:]):
            self.is_unsure = True
            return True
        return False

    def follow(self, name: str, call: Call) -> None:
        """A call has returned: mark what it gave, which is one of `FOLLOWED`."""
        arguments, options, result = call.arguments, call.options, call.result
        if is_a(result, torch.device):
            self._remember(arguments, result)
            return
        if name in _MOVES:
            calls = _calls()
            before, place = place_of(arguments[0], calls), self._target(name, arguments, options, _line())
            if place not in (UNKNOWN, before):
                put_mark(result, Mark(place, calls, before))
            elif place != UNKNOWN and result is not arguments[0]:
                # Of another type, beside the one that was there.
                mark_new(result, place)
            return
        place = self._place_of_result(name, arguments, options)
        if place != UNKNOWN:
            mark_new(result, place)

    def _place_of_result(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> str:
        if options.get("device") is not None:
            return self._asked_for(options, _line())
        places = set()
        for value in (*arguments, *options.values()) if options else arguments:
            kind = type(value)
            if issubclass(kind, Tensor):
                place = place_of(value)
                if place == DEVICE:
                    # Whatever the others are.
                    return DEVICE
                places.add(place)
            elif issubclass(kind, (list, tuple)):
                places.update(places_of(value))
        if DEVICE in places:
            return DEVICE
        if not places:
            return HOST if name == "pin_memory" else MADE_ON_HOST
        self.is_unsure = self.is_unsure or UNKNOWN in places
        found = next((place for place in (HOST, MADE_ON_HOST) if place in places), UNKNOWN)
        # What is computed from what a factory made is no longer what it made.
        return HOST if found == MADE_ON_HOST and name != "detach" else found

    def _target(
        self, name: str, arguments: Sequence[Any], options: Mapping[str, Any], line: Line | None
    ) -> str:
        if name != "to":
            return HOST if name == "cpu" else DEVICE
        other = options.get("other", arguments[1] if len(arguments) > 1 else None)
        if is_tensor(other):
            return _side(place_of(other))
        if is_a(other, str, torch.device) or type(other) is int:
            return self._named(other, line)
        # A type alone converts, and moves nothing.
        return self._asked_for(options, line) if options.get("device") is not None else place_of(arguments[0])

    def _asked_for(self, options: Mapping[str, Any], line: Line | None) -> str:
        device = options.get("device")
        return MADE_ON_HOST if device is None else self._named(device, line)

    def _named(self, device: Any, line: Line | None) -> str:
        """Where a device would be. All are the CPU here: one that is asked of a tensor is that tensor's,
        one that the line itself calls the CPU is the host, any other one is what the program chose.
        """
        asked = self._asked.get(id(device))
        if asked is not None:
            return asked[1]
        if line is not None and _NAMES_CPU.search(_text_of(*line)):
            return HOST
        return DEVICE

    def _remember(self, arguments: Sequence[Any], device: Any) -> None:
        if len(self._asked) >= _LARGEST_KEPT:
            del self._asked[next(iter(self._asked))]
        if arguments and is_tensor(arguments[0]):
            # It is held, so that no other one has its id.
            self._asked[id(device)] = device, _side(place_of(arguments[0]))


def _text_of(file: str, number: int) -> str:
    """A line of a source file; nothing where it is not there."""
    return "".join(source_lines(file)[number - 1 : number])


def _side(place: str) -> str:
    """The side of what would go there: who made what is there already is no matter."""
    return HOST if place == MADE_ON_HOST else place


def _of_index(arguments: Sequence[Any]) -> tuple[str, ...]:
    """`x[index]`: an index of the host's, or a number that is written, goes to where `x` is; else `x`, or the
    index, is read.
    """
    at, index = place_of(arguments[0]), arguments[1]
    if len(arguments) > 2 and not is_tensor(arguments[2]) and is_number_copied(arguments[0], index):
        return HOST, at
    parts = index if is_a(index, tuple) else (index,)
    of_values = (part for part in parts if is_tensor(part) and rank_of(part) > 0)
    on_host = (place_of(part) in (HOST, MADE_ON_HOST) for part in of_values)
    if any(on_host) or any(not is_tensor(part) and hasattr(type(part), "__len__") for part in parts):
        return HOST, at
    # A mask of the device has its values read, whatever became of the tensor that it chooses from.
    return (DEVICE if any(is_tensor(part) and place_of(part) == DEVICE for part in parts) else at,)


def _calls() -> int:
    """A number for the user's line that calls, and those that called it, up to some.

    Frameworks move by one function what they have moved by it before: who called it is not the same.
    """
    frame = user_frame(sys._getframe(1))
    chain: list[tuple[int, int]] = []
    while frame is not None and len(chain) < _MOST_CALLERS:
        chain.append((id(frame.f_code), frame.f_lineno))
        frame = frame.f_back
    return hash(tuple(chain))


def _line() -> Line | None:
    """The user's line that calls, by the name of its file as Python spells it."""
    frame = user_frame(sys._getframe(1))
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


Line: TypeAlias = tuple[str, int]
"""A file, as Python spells it, and a line."""


@dataclass(frozen=True, slots=True)
class Mark:
    place: str
    moved_by: int | None = None
    """The calls that moved it: without a GPU they give the same tensor, and move it again in each step."""
    before: str = UNKNOWN
    """Where it was before that."""


class _Marked(ref[Any]):
    """A storage with a mark."""

    __slots__ = ("address", "mark")
    address: int
    mark: Mark


class _Marks:
    """The marks of storages by their addresses, as long as the storages are there."""

    def __init__(self) -> None:
        self._marked: dict[int, _Marked] = {}
        # No code of ours runs where a storage ends: what a signal handler raises there would be lost.
        self._ended: list[Any] = []

    def get(self, tensor: Tensor) -> Mark | None:
        """The mark of its storage.

        Raises:
            NotImplementedError, RuntimeError: It has no storage of its own.
        """
        with contextlib.suppress(IndexError):
            # Another thread may be the quicker one.
            while self._ended:
                ended: _Marked = self._ended.pop()
                if self._marked.get(ended.address) is ended:
                    del self._marked[ended.address]
        marked = self._marked.get(torch._C._storage_address(tensor))
        return None if marked is None else marked.mark

    def put(self, tensor: Tensor, mark: Mark) -> None:
        """Give its storage a mark, in place of the one that it has.

        Raises:
            NotImplementedError, RuntimeError: as there.
        """
        marked = _Marked(storage_of(tensor), self._ended.append)
        marked.address, marked.mark = torch._C._storage_address(tensor), mark
        self._marked[marked.address] = marked


_marks = _Marks()

_PLAIN_MARKS = {place: Mark(place) for place in (DEVICE, HOST, MADE_ON_HOST)}
"""The marks of what was not moved."""


def place_of(tensor: Any, moving: int | None = None) -> str:
    """Where a tensor is; for the calls that moved it in an earlier step, where it was before."""
    if not is_tensor(tensor):
        return HOST
    # What torch differentiates is a parameter, whatever its class, or was computed with one.
    is_differentiated = needs_gradient(tensor)
    if (moving is None and is_differentiated) or _is_parameter(tensor):
        return DEVICE
    mark = _mark_of(tensor)
    if mark is not None and mark.moved_by is not None and mark.moved_by == moving:
        return mark.before
    return DEVICE if is_differentiated else UNKNOWN if mark is None else mark.place


def places_of(values: Iterable[Any]) -> Iterable[str]:
    for value in values:
        if is_tensor(value):
            yield place_of(value)
        elif is_a(value, list, tuple):
            yield from places_of(items_of(value))


def _is_plainly_on_device(value: Any) -> bool:
    kind = type(value)
    if kind is not Tensor:
        return kind is Parameter
    if needs_gradient(value):
        return True
    mark = _mark_of(value)
    return mark is not None and mark.place == DEVICE


def mark_new(result: Any, place: str) -> None:
    """What is computed on the device is there, whatever it was taken for; else the first mark stays."""
    for tensor in (result,) if is_tensor(result) else _tensors(result):
        try:
            mark = _marks.get(tensor)
            if mark is None or (place == DEVICE and mark.moved_by is not None):
                _marks.put(tensor, _PLAIN_MARKS[place])
        except (NotImplementedError, RuntimeError):
            # Sparse tensors, and wrappers of others, have no storage of their own.
            continue


def _mark_buffers() -> None:
    """A model moves its buffers with its parameters."""
    for module in LiveObjects(Module).find():
        buffers = contents_of(module).get("_buffers")
        mark_new([buffer for buffer in (buffers or {}).values() if is_tensor(buffer)], DEVICE)


def put_mark(result: Any, mark: Mark) -> None:
    for tensor in _tensors(result):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            _marks.put(tensor, mark)


def _mark_of(tensor: Tensor) -> Mark | None:
    """None as well of what has no storage of its own: sparse tensors, and wrappers of others."""
    try:
        return _marks.get(tensor)
    except (NotImplementedError, RuntimeError):
        return None


def _is_parameter(tensor: Tensor) -> bool:
    """Whether it is one, of torch's class or, as torch marks them, of another."""
    kind = type(tensor)
    if kind is Tensor or issubclass(kind, Parameter):
        return kind is not Tensor
    return bool(object.__getattribute__(tensor, "__dict__").get("_is_param"))


def _tensors(result: Any) -> Iterable[Tensor]:
    if is_tensor(result):
        yield result
    elif is_a(result, list, tuple):
        for item in items_of(result):
            yield from _tensors(item)
