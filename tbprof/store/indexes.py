"""Whether the parts of a stored report that point at each other point at something.

How much a stored report may hold, counted on its bytes before anything is made of them.

Protobuf packs a list of a million empty records into two million bytes, and those into a few kB: a file that
anybody may have written says nothing of its cost by its size. Here each field is counted while it stays
packed; a report that breaks a bound is refused before a single record is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from tbprof.model import Finding, RankSequence, Report
from tbprof.store import report_pb2


def check_indexes(report: Report) -> None:
    """Check the indexes of steps, sites and findings, so that no screen trips over one.

    Raises:
        ValueError: One leads nowhere; the message completes "it holds".
    """
    num_steps = len(report.steps)
    _check("step", num_steps, _steps_named(report))
    _check("site", len(report.sites), _sites_named(report))
    _check("finding", len(report.findings), _findings_named(report))
    if any(len(site.per_step) not in (0, num_steps) for site in report.sites):
        raise ValueError("counts of more or fewer steps than there are")
    if report.communication is not None and report.communication.sequence is not None:
        _check_sequence(report.communication.sequence)


def _steps_named(report: Report) -> Iterator[int]:
    instances = (site.instance for site in report.sites)
    yield from (one.step for one in instances if one is not None and one.step is not None)
    for finding in report.findings:
        yield from _steps_of_finding(finding)


def _findings_named(report: Report) -> Iterator[int]:
    yield from (row.finding for row in report.fix_plan)
    if report.ranked is not None:
        actions = (*report.ranked.actions, *report.ranked.smaller)
        yield from (at for one in actions for at in one.findings)
        yield from (at for one in actions for way in one.ways for at in way.findings)
        yield from (*report.ranked.unknown, *report.ranked.leave)


def _sites_named(report: Report) -> Iterator[int]:
    for finding in report.findings:
        yield from finding.sites
    for place in () if report.idle is None else report.idle.places:
        yield from (index for index in (place.site, place.drained_by) if index is not None)
    sequence = None if report.communication is None else report.communication.sequence
    for part in () if sequence is None else sequence.parts:
        yield from (index for index in (part.site,) if index is not None)


def _check_sequence(sequence: RankSequence) -> None:
    """Whether its columns are as long as one another, and what they point at is there."""
    of_collectives = (
        sequence.number,
        sequence.stream,
        sequence.start_ns,
        sequence.duration_ns,
        sequence.stretch_ns,
    )
    lengths = {len(column) for column in (sequence.key, *of_collectives)}
    of_parts = {len(column) for column in (sequence.part, sequence.part_ns, sequence.part_count)}
    if sequence.begin_ns is not None:
        lengths |= {len(column) for column in (sequence.step, sequence.launched_ns, sequence.host_wait_ns)}
        of_parts.add(len(sequence.part_work))
    if lengths != {len(sequence.part_begin) - 1} or of_parts != {sequence.part_begin[-1]}:
        raise ValueError("columns of collectives of different lengths")
    if sequence.part_begin[0] or any(begin > end for begin, end in pairwise(sequence.part_begin)):
        raise ValueError("parts of a collective that end before they begin")
    _check("collective", len(sequence.keys), sequence.key)
    _check("part", len(sequence.parts), sequence.part)


def _steps_of_finding(finding: Finding) -> Iterator[int]:
    yield from finding.steps
    yield from (evidence.step for evidence in finding.evidence if evidence.step is not None)


def _check(noun: str, count: int, indexes: Iterable[int]) -> None:
    for index in indexes:
        if not 0 <= index < count:
            raise ValueError(f"the index {index} of a {noun}, of which there are {count}")


MAX_RECORDS = 16_384
"""The most records of each list of a report itself: its steps, sites, findings and so on."""

MAX_OCCURRENCES = 131_072
"""The most of any other field, in all records together."""

MAX_FIELDS = 1_000_000
"""The most fields of all kinds together: making records of so many takes seconds."""

MAX_PACKED_NUMBERS = 1_000_000
"""In all lists of plain numbers together, which are packed to a few bytes each."""

MAX_TEXT_BYTES = 1024 * 1024

SMALL_BYTES = 2 * MAX_RECORDS
"""So many hold no more of anything than any bound allows: a field takes two bytes."""

_VARINT, _EIGHT_BYTES, _SIZED, _FOUR_BYTES = 0, 1, 2, 5
_MAX_VARINT_BYTES = 10
_GOES_ON = bytes(range(0x80, 0x100))
"""Bytes of a number that another one follows."""

_UNKNOWN = "fields of a later version"


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    """The name of its record and its own."""
    most: int
    inner: dict[int, _Field] | None
    """The fields of the record that it holds, by number; None for a value."""
    is_text: bool


def check_bounds(data: bytes) -> None:
    """Count what the bytes of a `Report` hold.

    Raises:
        ValueError: More than a report may, or no message; the message completes "it holds".
    """
    if len(data) > SMALL_BYTES:
        _Count(data).message(0, len(data), _fields_of_report())


class _Count:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._occurrences: Counter[int] = Counter()
        """The occurrences by the identity of the field, which is made once for each message."""
        self._fields = 0
        self._numbers = 0

    def message(self, at: int, end: int, fields: dict[int, _Field]) -> None:
        """Count the fields of the message between two places."""
        data = self._data
        while at < end:
            tag = data[at]
            at += 1
            if tag & 0x80:
                tag, at = self._varint(at - 1, end)
            field = fields.get(tag >> 3, _LATER)
            self._count(field)
            kind = tag & 7
            if kind == _VARINT:
                _, at = self._varint(at, end)
            elif kind == _SIZED:
                size, at = self._varint(at, end)
                self._sized(at, at + size, end, field)
                at += size
            elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
                at += 8 if kind == _EIGHT_BYTES else 4
            else:
                raise ValueError("groups, which no report has")
        if at > end:
            raise ValueError("a part that ends before its value")

    def _count(self, field: _Field) -> None:
        key = id(field)
        self._occurrences[key] += 1
        self._fields += 1
        if self._occurrences[key] > field.most:
            raise ValueError(f"more than {field.most:,} of {field.name}")
        if self._fields > MAX_FIELDS:
            raise ValueError(f"more than {MAX_FIELDS:,} values")

    def _sized(self, at: int, stop: int, end: int, field: _Field) -> None:
        if stop > end:
            raise ValueError("a part that ends before its value")
        if field.inner is not None:
            self.message(at, stop, field.inner)
        elif field.is_text:
            if stop - at > MAX_TEXT_BYTES:
                raise ValueError(f"{field.name} of more than {MAX_TEXT_BYTES:,} bytes")
        elif field is not _LATER:
            self._numbers += len(self._data[at:stop].translate(None, _GOES_ON))
            if self._numbers > MAX_PACKED_NUMBERS:
                raise ValueError(f"more than {MAX_PACKED_NUMBERS:,} numbers in its lists")

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        """A number, and the place after it."""
        value, shift = 0, 0
        for place in range(at, min(end, at + _MAX_VARINT_BYTES)):
            byte = self._data[place]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, place + 1
            shift += 7
        raise ValueError("a number that does not end")


_LATER = _Field(_UNKNOWN, MAX_RECORDS, None, is_text=False)


@cache
def _fields_of_report() -> dict[int, _Field]:
    return _fields(report_pb2.Report.DESCRIPTOR, MAX_RECORDS)


def _fields(message: Any, most: int) -> dict[int, _Field]:
    """The fields by number; no message of a report holds one of its own kind."""
    return {field.number: _field(message, field, most) for field in message.fields}


def _field(message: Any, field: Any, most: int) -> _Field:
    inner = None if field.message_type is None else _fields(field.message_type, MAX_OCCURRENCES)
    is_text = field.type == field.TYPE_STRING
    return _Field(f"{message.name}.{field.name}", most, inner, is_text)
