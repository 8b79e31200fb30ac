"""What is known of one rank: its collectives in order, and what it did before each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.model import HOST_DEVICE, CollectiveKey, Report, Site, StretchPart

Int64s: TypeAlias = npt.NDArray[np.int64]

Family: TypeAlias = Literal["computing", "idle", "copying", "communication"]

NOT_RECORDED = -1


@dataclass(frozen=True, slots=True)
class Message:
    """What ranks must agree on for a collective of one to be that of another."""

    kind: str
    """The kind, such as `all_reduce`."""
    group: str = ""
    """Name or ranks of the process group; "" where neither was recorded."""
    bytes: int | None = None
    group_size: int | None = None


class Part(NamedTuple):
    """One thing that a rank did before a collective.

    A tuple, as of thousands of ranks parts are looked up millions of times.
    """

    family: Family
    cause: str = ""
    """The cause of idle, such as `sync`."""
    name: str = ""
    """Computing: the op. Idle: the line that the host was in. Communication: the other kind. "" for what
    is too small to be told apart."""
    within: str = ""
    """Computing: the module. Communication: the other group."""


@dataclass(frozen=True, slots=True, eq=False)
class RankRecord:
    """Columns up to `duration_ns` have one entry a collective, ascending by start.

    Entries `part_begin[i]` to `part_begin[i + 1]` of the other columns divide the time from the start of the
    collective before of the same group, or from the begin of the window, to the start of collective `i`. What
    computes at a moment comes first, then communication, copying and idle. So communication of the own group
    is there only as far as it was exposed.
    """

    rank: int
    begin_ns: int
    """The begin of the window, on this rank's clock."""
    messages: tuple[Message, ...]
    message: Int64s
    """Index into `messages`."""
    number: Int64s
    """The group's sequence number, or `NOT_RECORDED`."""
    step: Int64s
    """Number of the training step."""
    start_ns: Int64s
    """On this rank's clock."""
    duration_ns: Int64s
    launched_ns: Int64s
    """When the host launched it, on the same clock as its start; `NOT_RECORDED` without host rows."""
    host_wait_ns: Int64s
    """How long the host waited for the device since it launched the collective before, of any group."""
    parts: tuple[Part, ...]
    part_begin: Int64s
    """One entry more than collectives."""
    part: Int64s
    """Index into `parts`."""
    part_ns: Int64s
    part_count: Int64s
    """The number of kernels of each part that is computing."""
    part_work: Int64s
    """The size of the kernels' inputs in elements for computing, or `NOT_RECORDED` without shapes."""
    is_cut: bool = False
    """Whether its trace ends early."""
    is_on_host: bool = False
    """Whether the hosts did the collectives, and computed."""

    @property
    def end_ns(self) -> Int64s:
        ends: Int64s = self.start_ns + self.duration_ns
        return ends

    def group(self, index: int) -> str:
        return self.messages[int(self.message[index])].group


_Value = TypeVar("_Value", Message, Part)


def record_of_report(report: Report, rank: int) -> RankRecord | None:
    """None where no collective was recorded, or a version that kept less made the report."""
    sequence = None if report.communication is None else report.communication.sequence
    if sequence is None or sequence.begin_ns is None:
        return None
    messages, message = _distinct([_message(key) for key in sequence.keys], sequence.key)
    parts, part = _distinct([_part(one, report.sites) for one in sequence.parts], sequence.part)
    return RankRecord(
        rank=rank,
        begin_ns=sequence.begin_ns,
        messages=messages,
        message=message,
        number=_column(sequence.number),
        step=_column(sequence.step),
        start_ns=_column(sequence.start_ns),
        duration_ns=_column(sequence.duration_ns),
        launched_ns=_column(sequence.launched_ns),
        host_wait_ns=_column(sequence.host_wait_ns),
        parts=parts,
        part_begin=_column(sequence.part_begin),
        part=part,
        part_ns=_column(sequence.part_ns),
        part_count=_column(sequence.part_count),
        part_work=_column(sequence.part_work),
        is_cut=report.trace.is_damaged,
        is_on_host=sequence.device == HOST_DEVICE,
    )


def _column(values: Sequence[int]) -> Int64s:
    return np.array(values, np.int64)


def _distinct(values: Sequence[_Value], index: Sequence[int]) -> tuple[tuple[_Value, ...], Int64s]:
    """The values, each once, and an index into them instead."""
    known = {value: number for number, value in enumerate(dict.fromkeys(values))}
    of_value = np.array([known[value] for value in values], np.int64)
    return tuple(known), of_value[np.array(index, np.int64)]


def _message(key: CollectiveKey) -> Message:
    sizes = [size for size in (key.bytes_in, key.bytes_out) if size is not None]
    return Message(key.kind, key.group_name, max(sizes, default=None), key.group_size)


def _part(part: StretchPart, sites: Sequence[Site]) -> Part:
    """The line of the wait that let the device run dry has the same form as any other frame."""
    name = part.name
    if part.kind == "idle" and part.site is not None and (part.cause == "sync" or not name):
        name = _place_of(sites[part.site])
    return Part(part.kind, part.cause, name, part.within)


def _place_of(site: Site) -> str:
    source = site.source
    if source is None or source.line is None:
        return " < ".join(site.ops[:2]) or " + ".join(site.calls)
    return f"{source.file}({source.line}): {source.function}"
