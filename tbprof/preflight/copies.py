"""Copies between host and device, noted with all that decides what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from tbprof.line_rules import STAGED_BYTES
from tbprof.preflight import awaited
from tbprof.preflight.conditions import host_indexes
from tbprof.preflight.recording import Event, content_of, note
from tbprof.preflight.tags import HOST, Place, mark, place_of

__all__ = ["note_copy_into", "note_index_upload", "note_read", "note_upload"]


def note_upload(
    call: str, ops: tuple[str, ...], source: Tensor, place: Place | None, *, non_blocking: bool | None
) -> None:
    """A copy from the host, where `source` is at `place`, to the device."""
    pinned = place is not None and place.is_pinned
    waits = not non_blocking or (not pinned and source.nbytes > STAGED_BYTES)
    event = Event(
        "upload",
        call,
        ops,
        direction="HtoD",
        memory="pinned" if pinned else "pageable",
        blocking=waits,
        non_blocking=non_blocking,
    )
    made_by = None if place is None else place.made_by
    note(event, nbytes=source.nbytes, content=content_of(source), made_by=made_by)


def note_read(
    call: str,
    ops: tuple[str, ...],
    source: Tensor,
    *,
    memory: str = "pageable",
    non_blocking: bool | None = None,
) -> None:
    """A copy of a whole tensor from the device to the host's memory."""
    blocking = not non_blocking or memory == "pageable"
    event = Event(
        "host_read", call, ops, direction="DtoH", memory=memory, blocking=blocking, non_blocking=non_blocking
    )
    if blocking:
        awaited.forget_all()
    note(event, nbytes=source.nbytes)


def note_copy_into(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """`target.copy_(source)`, by where the two are."""
    target, source = args[0], args[1]
    non_blocking = bool(args[2] if len(args) > 2 else kwargs.get("non_blocking", False))
    to, of = place_of(target), place_of(source)
    if to is None:
        mark(target, of if of is not None else HOST)
        return
    if to.is_device and of is not None and of.is_host:
        if source.dim() > 0 or not _is_wrapped(source):
            note_upload("copy_", (name,), source, of, non_blocking=non_blocking)
    elif to.is_host and of is not None and of.is_device:
        memory = "pinned" if to.is_pinned else "pageable"
        note_read("copy_", (name,), source, memory=memory, non_blocking=non_blocking)
        if non_blocking and to.is_pinned:
            awaited.expect(target)


def _is_wrapped(tensor: Tensor) -> bool:
    """A number of Python's, which travels as an argument of the kernel."""
    return bool(getattr(tensor, "_is_wrapped_number", False))


def note_index_upload(ops: tuple[str, ...], args: tuple[Any, ...]) -> None:
    """`x[rows]` where the rows are on the host: torch copies them first."""
    for index in host_indexes(args):
        note_upload(
            "__getitem__" if ops[0] == "aten::index" else "__setitem__",
            ops,
            index,
            place_of(index),
            non_blocking=False,
        )
