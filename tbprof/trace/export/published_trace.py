"""The way of a file that Kineto wrote to the one that is published: checked, with facts, packed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tbprof.errors import TraceError
from tbprof.trace.columns.joined_inputs import INPUTS_KEY, joined_inputs
from tbprof.trace.importers.kineto.events.batch import SPACE
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.events.metadata import read_metadata
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES, read_trace
from tbprof.trace.importers.source import ByteSource, open_source
from tbprof.trace.importers.unpacked import open_gzip_writer

_DAMAGED_FACTS = b"{}"
"""What no reader takes for facts."""

_LEVEL = 1


def verify(path: str | os.PathLike[str]) -> None:
    """Check that the trace at `path` was written to its end.

    Kineto renames a file into place even when its last write failed, so a name says
    nothing. An event that is damaged on its own is no reason to lose the others.

    Raises:
        TraceError: it is empty, breaks off, holds no events, or can't be read.
    """
    with open_source(path) as source:
        stream = EventStream(source, CHUNK_BYTES)
        num_events = sum(batch.num_events for batch in Decoder().batches(stream))
        tail = stream.read_tail()
    if source.damaged or not stream.ended or (stream.head and not tail.rstrip(SPACE).endswith(b"}")):
        raise _not_whole(source, "it breaks off")
    if read_metadata(stream.head, tail).damaged:
        raise _not_whole(source, "what it says about itself is damaged")
    if not num_events:
        raise _not_whole(source, "it holds no events")


def merge_facts(
    source: str | os.PathLike[str], destination: str | os.PathLike[str] | BinaryIO, facts_json: bytes | None
) -> None:
    """Write the trace at `source` as gzip, with `facts_json`, if there is one, as its member `tbprof`.

    Every byte of the trace is kept. A destination given as a stream is left open. After an
    error the destination is incomplete, so write to a name that no viewer reads. Facts that are
    no JSON object are left out, and the trace says that they were damaged.

    Raises:
        TraceError: the source can't be read whole, or is no JSON object.
    """
    facts = None if facts_json is None else _usable(facts_json)
    with open_source(source) as trace:
        if isinstance(destination, (str, os.PathLike)):
            with Path(destination).open("wb") as file:
                _pack(trace, file, facts)
        else:
            _pack(trace, destination, facts)
        if trace.damaged or trace.read_bytes != Path(source).stat().st_size:
            raise _not_whole(trace, "it broke off or changed while it was copied")


def with_inputs(facts_json: bytes, recording: str | os.PathLike[str]) -> bytes:
    """The facts, and in them what operators were given in the steps of a recording.

    What can't be read, or used, adds nothing.
    """
    try:
        facts = msgspec.json.decode(facts_json, type=dict[str, Any])
        given = joined_inputs(read_trace(recording))
    except (TraceError, OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return facts_json
    return msgspec.json.encode({**facts, INPUTS_KEY: given})


def _usable(facts_json: bytes) -> bytes:
    try:
        msgspec.json.decode(facts_json, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return _DAMAGED_FACTS
    return facts_json


def _pack(trace: ByteSource, file: BinaryIO, facts_json: bytes | None) -> None:
    buffer = memoryview(bytearray(CHUNK_BYTES))
    count = trace.readinto(buffer)
    head = bytes(buffer[:count]).removeprefix(b"\xef\xbb\xbf").lstrip(SPACE)
    if head.startswith(b"["):
        raise TraceError(
            f"{trace.path} is a bare list of events, and no trace as torch.profiler writes it: tbprof report "
            "says what it holds."
        )
    if not head.startswith(b"{"):
        raise _not_whole(trace, "it is no JSON object")
    rest = head[1:]
    comma = b"" if rest.lstrip(SPACE).startswith(b"}") else b","
    member = b"" if facts_json is None else b'"tbprof": %b%b' % (facts_json, comma)
    with open_gzip_writer(file, _LEVEL) as packed:
        packed.write(b"{%b%b" % (member, rest))
        while count := trace.readinto(buffer):
            packed.write(buffer[:count])


def _not_whole(source: ByteSource, reason: str) -> TraceError:
    return TraceError(f"{source.path} is not whole ({reason}): make room on the disk and record again.")
