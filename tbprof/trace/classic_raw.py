"""The events of one chunk as they stand in the file, with all their arguments."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tbprof.trace.boundaries import SPACE
from tbprof.trace.chunks import EventStream
from tbprof.trace.classic_rows import RawEvent
from tbprof.trace.decode import Batch, Decoder
from tbprof.trace.events import NO_ARGS, AnySlice
from tbprof.trace.repair import repair_text
from tbprof.trace.salvage import UNDECODABLE

__all__ = ["raw_events"]


def raw_events(stream: EventStream) -> Iterator[tuple[list[RawEvent], list[RawEvent]]]:
    """Chunk by chunk, the rows that the reader reads, in its order, and the other events.

    Of a chunk that is damaged the rows have only what the reader read, and nothing else is there.
    """
    decoder = Decoder()
    while (chunk := stream.next_chunk()) is not None:
        batch = decoder.decode(chunk)
        json = chunk.events[: batch.used_bytes].rstrip(SPACE + b",")
        stream.consume(chunk, batch.used_bytes, ended=batch.ended)
        yield _valid(json, batch) or ([_as_read(event) for event in batch.slices], [])


def _valid(json: bytes, batch: Batch) -> tuple[list[RawEvent], list[RawEvent]] | None:
    for text in (json, repair_text(json)):
        try:
            events = msgspec.json.decode(b"[%b]" % text, type=list[RawEvent])
        except UNDECODABLE:
            continue
        rows = [event for event in events if event.get("ph") == "X"]
        if [event["name"] for event in rows] == [event.name for event in batch.slices]:
            return rows, [event for event in events if event.get("ph") != "X"]
    return None


def _as_read(event: AnySlice) -> RawEvent:
    said = event.args or NO_ARGS
    args = {"device": said.device, "stream": said.stream, "bytes": said.bytes, "Call stack": said.call_stack}
    return {
        "ph": "X", "cat": event.cat, "name": event.name, "pid": event.pid, "tid": event.tid,
        "ts": float(event.ts), "dur": float(event.dur),
        "args": {key: value for key, value in args.items() if value not in (None, "")},
    }  # fmt: skip
