"""Copies between host and device, noted with all that decides what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import torch
from torch import Tensor

from tbprof.line_rules import STAGED_BYTES
from tbprof.model import Source
from tbprof.preflight.device_marks import HOST, Place, bytes_of, mark, place_of
from tbprof.preflight.user_frame import Origin
from tbprof.preflight.watching import streams
from tbprof.preflight.watching.conditions import MASKS, host_indexes, index_parts
from tbprof.preflight.watching.recording import Event, content_of, current_step, fault_guarded, note, note_at

MOVED_OPS = ("aten::copy_", "aten::_to_copy", "aten::to")


@fault_guarded
def note_upload(
    call: str,
    ops: tuple[str, ...],
    source: Tensor,
    place: Place | None,
    *,
    non_blocking: bool | None,
    forward: Source | None = None,
) -> Origin | None:
    """A copy from the host, where `source` is at `place`, to the device; torch begins none of nothing.

    It is that of a gradient where `forward`, a line of the forward pass, moved what it belongs to.
    """
    if not bytes_of(source):
        return None
    event = _upload(call, ops, source, place, non_blocking=non_blocking)
    if WITNESSES and not event.blocking and event.memory == "pinned":
        _mark(source, "_tbprof_is_uploading")
        for witness in WITNESSES:
            witness.began(source)
    content = content_of(source)
    return note(event, nbytes=bytes_of(source), content=content, made_by=_maker(place), forward=forward)


def _maker(place: Place | None) -> str | None:
    """The factory that filled a tensor in this step: an older one is kept, to be written and copied again."""
    return None if place is None or place.made_in != current_step() else place.made_by


def _upload(
    call: str, ops: tuple[str, ...], source: Tensor, place: Place | None, *, non_blocking: bool | None
) -> Event:
    pinned = place is not None and place.is_pinned
    return Event(
        "upload",
        call,
        ops,
        direction="HtoD",
        memory="pinned" if pinned else "pageable",
        blocking=not non_blocking or (not pinned and bytes_of(source) > STAGED_BYTES),
        non_blocking=non_blocking,
    )


@fault_guarded
def note_read(
    call: str,
    ops: tuple[str, ...],
    source: Tensor,
    *,
    memory: str = "pageable",
    non_blocking: bool | None = None,
    forward: Source | None = None,
) -> Origin | None:
    """The same to the host's memory, of a whole tensor."""
    if not bytes_of(source):
        return None
    blocking = not non_blocking or memory == "pageable"
    event = Event(
        "host_read", call, ops, direction="DtoH", memory=memory, blocking=blocking, non_blocking=non_blocking
    )
    if blocking:
        forget_all()
    return note(event, nbytes=bytes_of(source), forward=forward)


def note_copy_into(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """`target.copy_(source)`, by where the two are."""
    target, source = args[0], args[1]
    non_blocking = bool(args[2] if len(args) > 2 else kwargs.get("non_blocking", False))
    to, of = place_of(target), place_of(source)
    if to is None:
        mark(target, of if of is not None else HOST)
        return
    if to.is_device and of is not None and of.is_host:
        # To a single element torch copies the tensor that it made of a number.
        call = "__setitem__" if source.dim() == 0 and of.made_by is None else "copy_"
        note_upload(call, (name,), source, of, non_blocking=non_blocking)
    elif to.is_host and of is not None and of.is_device:
        memory = "pinned" if to.is_pinned else "pageable"
        note_read("copy_", (name,), source, memory=memory, non_blocking=non_blocking)
        if non_blocking and to.is_pinned:
            expect(target)


_LISTS_OF_MASKS_ARE_PINNED = torch.__version__ >= (2, 9)
"""Torch makes a list of rows of a mask on the host, and since then copies it without waiting."""


_MOST_FORWARD_LINES = 256
"""Uses of one index whose derivatives may still run."""


def note_index_upload(ops: tuple[str, ...], args: Sequence[Any]) -> None:
    """`x[rows]` where the rows are on the host: torch copies them first."""
    call = "__getitem__" if ops[0] == "aten::index" else "__setitem__"
    for index in host_indexes(args):
        place = place_of(index)
        event = _upload(call, ops, index, place, non_blocking=False)
        if index.dtype in MASKS and _LISTS_OF_MASKS_ARE_PINNED:
            event = replace(event, memory="pinned", blocking=False, non_blocking=True)
        made_by = _maker(place)
        where = note(event, nbytes=bytes_of(index), content=content_of(index), made_by=made_by)
        storage = index.untyped_storage()
        storage._tbprof_uploads = known = getattr(storage, "_tbprof_uploads", {})
        known[torch.autograd._get_sequence_nr() - 1] = event, where, made_by
        if len(known) > _MOST_FORWARD_LINES:
            del known[next(iter(known))]


def note_number_upload(call: str, ops: tuple[str, ...], number: Tensor) -> None:
    """`x[rows] = 1.0`, `torch.where(mask, number, x)`: torch copies the number of the host each time."""
    note_upload(call, (*MOVED_OPS, *ops), number, place_of(number), non_blocking=False)


def note_mask_read(event: Event, args: Sequence[Any], node: Any) -> None:
    """`x[mask]`: where the mask is true is counted first, and read; once more for the derivative.

    That is counted where the backward pass runs, and names the line of `x[mask]`, where it can be fixed;
    so does each line that indexes by a mask which another one has read.

    Args:
        event: What is noted.
        args: The op's.
        node: Autograd's, whose derivative runs; None where none does.
    """
    masks = [part.untyped_storage() for part in index_parts(args) if part.dtype in MASKS]
    nbytes = int(args[0].element_size())
    reads: dict[int, Source] = getattr(masks[0], "_tbprof_reads", {})
    if node is not None:
        note(event, nbytes=nbytes, forward=reads.get(node._sequence_nr()))
        return
    where = note(event, nbytes=nbytes, before=next(iter(reads.values()), None))
    if where is not None:
        # Where nothing is differentiated the number stays, and so does the first line.
        number = torch.autograd._get_sequence_nr() - 1
        masks[0]._tbprof_reads = reads if number in reads else {**reads, number: where.source}


def note_index_upload_again(ops: tuple[str, ...], args: Sequence[Any], node: Any) -> None:
    """The derivative of `x[rows]`, for which torch kept the rows of the host, and copies them again.

    It is counted at the line of `x[rows]`, where it can be fixed. (`IndexBackward0` of a GPU's trace
    holds a copy and a sync call for each index.)
    """
    for index in host_indexes(args):
        known = getattr(index.untyped_storage(), "_tbprof_uploads", {})
        event, where, made_by = known.get(node._sequence_nr(), (None, None, None))
        if event is None or where is None:
            note_index_upload(ops, [None, [index]])
            continue
        content = content_of(index)
        if content is not None:
            # The same bytes twice in a step are not yet the same bytes in each step.
            content = ~content
        note_at(where, event, bytes_of(index), content, made_by)


is_any = False
"""Whether there are such copies: nearly always there are none, and each op asks."""

_storages: list[Any] = []


def expect(target: Tensor) -> None:
    """A copy that does not block was begun into this tensor of the host."""
    _mark(target, "_tbprof_is_awaited")


def _mark(tensor: Tensor, name: str) -> None:
    """Until the host waits for the device."""
    global is_any
    storage = tensor.untyped_storage()
    setattr(storage, name, True)
    _storages.append(storage)
    is_any = True


class Witness(Protocol):
    """Hears of copies that do not block."""

    def began(self, source: Tensor) -> None:
        """A copy from pinned memory to the device."""

    def wrote(self, op: str) -> None:
        """An op writes to pinned memory that a copy may still read."""

    def ended(self) -> None:
        """All copies have ended, or one is taken for ended."""


WITNESSES: list[Witness] = []


def forget_all() -> None:
    """The host waited for the device: all copies before that have ended."""
    global is_any
    streams.host_waited()
    for storage in _storages:
        storage._tbprof_is_awaited = storage._tbprof_is_uploading = False
    _storages.clear()
    is_any = False
    for witness in WITNESSES:
        witness.ended()


def check_write(op: str, target: Any) -> None:
    """Say that an op writes to a tensor of the host whose copy to the device nothing waited for."""
    if isinstance(target, Tensor) and getattr(target.untyped_storage(), "_tbprof_is_uploading", False):
        for witness in WITNESSES:
            witness.wrote(op)


def check(op: str, args: Any) -> None:
    """Note the tensors of an op on the host that may still hold old data."""
    for value in args:
        if isinstance(value, Tensor):
            check_read(value, op.partition("::")[2], (op,))
        elif isinstance(value, (list, tuple)):
            check(op, value)


def check_read(tensor: Tensor, call: str, ops: tuple[str, ...] = ()) -> None:
    """Note a read of a tensor whose copy nothing waited for."""
    place = place_of(tensor)
    if place is None or place.is_device:
        return
    if getattr(tensor.untyped_storage(), "_tbprof_is_awaited", False):
        note(Event("race", call, ops, "read", blocking=False))
        for witness in WITNESSES:
            witness.ended()
