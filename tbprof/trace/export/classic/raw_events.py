"""The events of one chunk as they stand in the file, with all their arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tbprof.trace.export.classic.rows import RawEvent
from tbprof.trace.importers.kineto.events.batch import Batch
from tbprof.trace.importers.kineto.events.boundaries import SPACE
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.events.event_args import ABSENT, NO_ARGS, SliceArgs
from tbprof.trace.importers.kineto.events.repair import repair_text
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE


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
