"""The bytes of a stored report: a versioned envelope around a compressed message.

A report read from disk is as little trusted as a trace: size, checksum, schema and every
value are checked before a record is made of it.
"""

from __future__ import annotations

import dataclasses
import zlib
from typing import Any, TypeAlias, cast

from google.protobuf.message import DecodeError

from tbprof.errors import ReportNotReadable, ReportTooLarge, ReportTooNew
from tbprof.model import HealthFact, Report, Site
from tbprof.store import report_pb2
from tbprof.store.indexes import check_bounds, check_indexes
from tbprof.store.messages import from_message, to_message

SCHEMA = 1

TraceContent: TypeAlias = tuple[int, str]
"""The file that a report was made of: its size and the digest of its ends, by `safe_open.content_of`."""

MAX_STORED_BYTES = 256 * 1024
"""What publishing keeps to; beyond it details of the cheapest sites are left out."""

MAX_REPORT_BYTES = 1024 * 1024
"""A stored report larger than this is refused unread."""

_MAX_UNPACKED_BYTES = 8 * 1024 * 1024
_LEVEL = 6

_DETAILS = (
    "checks",
    "code",
    "computing",
    "findings",
    "fix_plan",
    "not_checked",
    "predicted_lines",
    "ranked",
    "recorded_calls",
    "sources",
    "verdict",
)
"""Fields of a report that no comparison of windows looks at."""


def encode_report(
    report: Report,
    *,
    written_by: str,
    made_of: TraceContent | None = None,
    max_bytes: int = MAX_STORED_BYTES,
) -> bytes:
    """The stored form, at most `max_bytes` as long as its sites can be shortened.

    The cheapest sites lose their rows per step and their drawn instance first; how many did
    is kept as the health fact `sites_shortened`. `made_of` binds it to the trace that it will lie beside.

    Raises:
        ReportTooLarge: It holds more than `decode_report` takes, however it is shortened.
    """
    data = _envelope(report, written_by, made_of)
    kept = len(report.sites)
    while len(data) > max_bytes and kept > 0:
        kept //= 2
        data = _envelope(_shortened(report, kept), written_by, made_of)
    if len(data) > MAX_REPORT_BYTES:
        raise _too_large(report, f"{len(data):,} bytes")
    return data


def decode_report(data: bytes, *, name: str, is_one_of_many: bool = False) -> Report:
    """Read a stored report.

    Args:
        data: Its bytes.
        name: What to call it in an error.
        is_one_of_many: Leave out what only its own pages show, which is most of it.

    Raises:
        ReportTooNew: A later tbprof wrote it.
        ReportNotReadable: The bytes are no report, or damaged.
    """
    if len(data) > MAX_REPORT_BYTES:
        raise ReportNotReadable(f"{name} is larger than any report: it is not one of tbprof's")
    envelope = report_pb2.Envelope()
    message = report_pb2.Report()
    try:
        envelope.ParseFromString(data)
        if envelope.schema > SCHEMA:
            raise ReportTooNew(
                f"{name} was written by tbprof {envelope.written_by}, this is an older one: upgrade it"
            )
        unpacked = _unpacked(envelope.report)
        if envelope.schema == 0 or zlib.crc32(unpacked) != envelope.checksum:
            raise ReportNotReadable(f"{name} is damaged: run tbprof report on its trace")
    except (DecodeError, zlib.error) as error:
        raise ReportNotReadable(f"{name} is damaged: run tbprof report on its trace") from error
    try:
        check_bounds(unpacked)
        message.ParseFromString(unpacked)
        if is_one_of_many:
            _leave_out_details(message)
        report = from_message(message, Report)
        check_indexes(report)
    except DecodeError as error:
        raise ReportNotReadable(f"{name} is damaged: run tbprof report on its trace") from error
    except ValueError as error:
        raise ReportNotReadable(f"{name} holds {error}: run tbprof report on its trace") from error
    return report


def noted_content(data: bytes) -> TraceContent | None:
    """The trace that stored bytes say they were made of; None of a version that did not note it."""
    envelope = report_pb2.Envelope()
    try:
        envelope.ParseFromString(data)
    except DecodeError:
        return None
    return (envelope.trace_bytes, envelope.trace_digest) if envelope.trace_digest else None


def _envelope(report: Report, written_by: str, made_of: TraceContent | None) -> bytes:
    unpacked = to_message(report).SerializeToString(deterministic=True)
    try:
        check_bounds(unpacked)
    except ValueError as error:
        raise _too_large(report, str(error)) from error
    envelope = report_pb2.Envelope(
        schema=SCHEMA,
        written_by=written_by,
        checksum=zlib.crc32(unpacked),
        report=zlib.compress(unpacked, _LEVEL),
    )
    if made_of is not None:
        envelope.trace_bytes, envelope.trace_digest = made_of
    return envelope.SerializeToString(deterministic=True)


def _too_large(report: Report, held: str) -> ReportTooLarge:
    return ReportTooLarge(
        f"the report of {report.trace.path} would hold {held}, which is more than one can: record fewer steps"
    )


def _leave_out_details(message: report_pb2.Report) -> None:
    for field in _DETAILS:
        message.ClearField(cast("Any", field))
    for site in message.sites:
        site.ClearField("instance")
    if message.HasField("idle"):
        message.idle.ClearField("places")
    if message.HasField("communication"):
        message.communication.ClearField("collectives")
        message.communication.ClearField("peers")


def _unpacked(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    unpacked = unpacker.decompress(data, _MAX_UNPACKED_BYTES)
    if unpacker.unconsumed_tail:
        raise zlib.error("unpacks to more than any report")
    return unpacked


def _shortened(report: Report, kept: int) -> Report:
    sites = (*report.sites[:kept], *(_bare(site) for site in report.sites[kept:]))
    fact = HealthFact("sites_shortened", "info", {"sites": len(report.sites) - kept})
    trace = dataclasses.replace(report.trace, health=(*report.trace.health, fact))
    return dataclasses.replace(report, sites=sites, trace=trace)


def _bare(site: Site) -> Site:
    return dataclasses.replace(site, per_step=(), wait_per_step_ns=(), instance=None)
