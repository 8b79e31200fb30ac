"""The record of a rank from its report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from tbprof.job.ranks.rank_record import Int64s, Message, Part, RankRecord
from tbprof.model import HOST_DEVICE, CollectiveKey, Report, Site, StretchPart

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
    """The line of the wait that let the device run dry is told in the same form as any other frame."""
    name = part.name
    if part.kind == "idle" and part.site is not None and (part.cause == "sync" or not name):
        name = _place_of(sites[part.site])
    return Part(part.kind, part.cause, name, part.within)


def _place_of(site: Site) -> str:
    source = site.source
    if source is None or source.line is None:
        return " < ".join(site.ops[:2]) or " + ".join(site.calls)
    return f"{source.file}({source.line}): {source.function}"
