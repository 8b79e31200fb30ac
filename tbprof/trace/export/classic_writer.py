"""Any trace, written again in the dialect that torch-tb-profiler 0.4.3 reads correctly.

That is the one of 2021. On later files the plugin shows no error and false figures: no
time of devices, no data loader, no calls, collectives as computation, no call stacks.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec

from tbprof.errors import NotATrace
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.export.classic_mark import MARK
from tbprof.trace.export.classic_plan import plan_of
from tbprof.trace.export.classic_roles import Threads
from tbprof.trace.export.classic_rows import ClassicClock, ClassicRows, RawEvent
from tbprof.trace.importers.kineto.events.batch import SPACE, Batch
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.events.event_args import ABSENT, NO_ARGS, SliceArgs
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE, repair_text
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES, read_trace
from tbprof.trace.importers.source import open_source
from tbprof.trace.importers.unpacked import open_gzip_writer

_LEVEL = 1


def write_classic(source: str | os.PathLike[str], destination: BinaryIO) -> None:
    """Write the trace at `source` as gzip in the classic dialect.

    Goes through the file twice: the columns say what becomes of each row, then the rows are
    rewritten chunk by chunk, so memory grows with the number of rows and not with their
    arguments. A file that is of 2021 keeps its events as they are. After an error the
    destination is incomplete.

    Args:
        source: a file that torch.profiler wrote, plain or gzip, of any era; not changed.
        destination: is left open.

    Raises:
        TraceError: the source gives nothing.
    """
    trace = _read(source)
    clock = ClassicClock.unchanged() if _is_classic(trace) else ClassicClock.of(trace.slices)
    members = classic_members(os.fspath(source), trace, clock)
    with open_source(source) as opened, open_gzip_writer(destination, _LEVEL) as packed:
        stream = EventStream(opened, CHUNK_BYTES)
        packed.write(members.removesuffix(b"}") + b',\n"traceEvents": [\n')
        separator = b""
        for events in _rewritten(stream, trace, clock):
            encoded = b",\n".join(map(msgspec.json.encode, events))
            if encoded:
                packed.write(separator + encoded)
                separator = b",\n"
        # The plugin adds its counters before the last bracket of the file: it must be this one.
        packed.write(b"\n]}\n")


def _read(source: str | os.PathLike[str]) -> Trace:
    try:
        return read_trace(source)
    except NotATrace:
        # Memory events alone are a curve in the plugin's memory view.
        return read_trace(source, tables=frozenset(("memory",)))


def _is_classic(trace: Trace) -> bool:
    """Whether a file speaks the dialect already; without operators only memory can be shown as it is."""
    has_ops = bool((trace.slices.category == Category.CPU_OP).any())
    return (trace.era == "2021" and has_ops) or not len(trace.slices)


def _rewritten(stream: EventStream, trace: Trace, clock: ClassicClock) -> Iterator[Iterator[RawEvent]]:
    """The events of the copy, some at a time."""
    if _is_classic(trace):
        for rows, others in raw_events(stream):
            yield iter(rows + others)
        return
    rewriter = ClassicRows(trace, plan_of(trace), clock)
    of_others = ClassicOthers(rewriter.threads, clock, len(trace.device_names))
    first_row = 0
    for rows, others in raw_events(stream):
        yield rewriter.rewrite(first_row, rows)
        yield of_others.rewrite(others)
        first_row += len(rows)
    yield rewriter.added()


_VERSION = 1
_BASE_TIME = "baseTimeNanoseconds"


def classic_members(path: str, trace: Trace, clock: ClassicClock) -> bytes:
    """The members as a JSON object, the mark first.

    Args:
        path: the file that is copied.
        trace: its columns.
        clock: that of the copy.

    Raises:
        TraceError: the file gives nothing any more.
    """
    members: dict[str, Any] = {MARK: _VERSION, **_members_of_file(path)}
    members.pop("tbprof", None)
    members.pop("traceEvents", None)
    devices = members.get("deviceProperties")
    if not isinstance(devices, list) or not all(isinstance(device, dict) for device in devices):
        members.pop("deviceProperties", None)
    if trace.rank is not None:
        members.setdefault("distributedInfo", {"rank": trace.rank, "world_size": trace.world_size})
    members[_BASE_TIME] = trace.origin_ns + clock.zero_ns
    return msgspec.json.encode(members)


def _members_of_file(path: str) -> dict[str, Any]:
    """Kineto writes what the plugin needs before the events; other tools that write its files, after."""
    with open_source(path) as source:
        stream = EventStream(source, CHUNK_BYTES)
        members = _members_of(stream.head + b"null}")
        if "deviceProperties" in members:
            return members
        for _ in Decoder().batches(stream):
            pass
        tail = stream.read_tail().lstrip(b"] \t\r\n,")
        return members | _members_of(b"{" + tail)


def _members_of(json: bytes) -> dict[str, Any]:
    for repair in (bytes, repair_text):
        try:
            found = msgspec.json.decode(repair(json))
        except UNDECODABLE:
            continue
        if isinstance(found, dict):
            return found
    return {}


_CPU, _CUDA = 0, 1
_TO_BACKWARD = "forward_backward"
_SIZES = ("Total Allocated", "Total Reserved")


class ClassicOthers:
    """Rewrites the other events of one trace."""

    def __init__(self, threads: Threads, clock: ClassicClock, num_devices: int) -> None:
        """`num_devices` is how many devices the copy describes."""
        self._threads = threads
        self._clock = clock
        self._num_devices = num_devices

    def rewrite(self, events: list[RawEvent]) -> Iterator[RawEvent]:
        """The same events, without those that the plugin would stumble over."""
        for event in events:
            event["name"] = str(event.get("name") or "")
            if not self._move(event):
                continue
            event["tid"] = self._threads.number(event)
            if event.get("cat") == _TO_BACKWARD:
                # With these arrows the plugin drops every backward operator that has no module.
                event["cat"] = "fwdbwd"
            if event["name"] == "[memory]" and event.get("ph") == "i" and not self._fit_memory(event):
                continue
            yield event

    def _move(self, event: RawEvent) -> bool:
        """Move an event to the copy's clock; False where its time is none."""
        at = event.get("ts")
        if at is None:
            return event.get("ph") == "M"
        if isinstance(at, bool) or not isinstance(at, (int, float)) or not math.isfinite(at):
            return False
        event["ts"] = self._clock.event_us(at)
        return True

    def _fit_memory(self, event: RawEvent) -> bool:
        args = event.get("args")
        if not isinstance(args, dict) or not isinstance(args.get("Bytes"), int):
            return False
        # The plugin knows the processor and CUDA; ROCm and others bear other numbers.
        args["Device Type"] = _CPU if args.get("Device Type") == _CPU else _CUDA
        device = args.get("Device Id")
        known = isinstance(device, int) and device < self._num_devices
        for key in _SIZES:
            # It looks the peak up in the list of devices, and fails where there is no such one.
            if not isinstance(args.get(key), int) or not known:
                args.pop(key, None)
        return True


def raw_events(stream: EventStream) -> Iterator[tuple[list[RawEvent], list[RawEvent]]]:
    """Chunk by chunk, the rows that the reader reads, in its order, and the other events.

    Of a chunk that is damaged the rows have only what the reader read, and nothing else is there.
    """
    decoder = Decoder()
    while (chunk := stream.next_chunk()) is not None:
        batch = decoder.decode(chunk)
        json = chunk.events[: batch.used_bytes].rstrip(SPACE + b",")
        stream.consume(chunk, batch.used_bytes, ended=batch.ended)
        yield _valid(json, batch) or (_as_read(batch), [])


def _valid(json: bytes, batch: Batch) -> tuple[list[RawEvent], list[RawEvent]] | None:
    for repair in (bytes, repair_text):
        try:
            events = msgspec.json.decode(b"[%b]" % repair(json), type=list[RawEvent])
        except UNDECODABLE:
            continue
        rows = [event for event in events if event.get("ph") == "X"]
        if [event["name"] for event in rows] == [event.name for event in batch.slices]:
            return rows, [event for event in events if event.get("ph") != "X"]
    return None


def _as_read(batch: Batch) -> list[RawEvent]:
    starts, durations = batch.times.start_ns.tolist(), batch.times.duration_ns.tolist()
    return [
        {
            "ph": "X", "cat": event.cat, "name": event.name, "pid": event.pid, "tid": event.tid,
            "ts": start_ns / 1000, "dur": duration_ns / 1000, "args": _known(event.args or NO_ARGS),
        }
        for event, start_ns, duration_ns in zip(batch.slices, starts, durations, strict=True)
    ]  # fmt: skip


def _known(args: SliceArgs) -> dict[str, Any]:
    known: dict[str, Any] = {
        field: getattr(args, field)
        for field in ("device", "stream", "bytes")
        if getattr(args, field) != getattr(NO_ARGS, field)
    }
    if args.call_stack is not ABSENT:
        known["Call stack"] = msgspec.json.decode(args.call_stack)
    return known
