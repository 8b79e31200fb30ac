"""The event array comes in pieces that end between two events, whatever the layout."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from trace_samples import HEAD, a_step, classic, dumped, write

from tbprof.errors import NotATrace
from tbprof.trace.importers.kineto.events.batch import learn_boundary
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.source import open_source

EVENTS = a_step() * 30


def cut(path: Path, chunk_bytes: int) -> tuple[list[list[dict]], EventStream, bytes]:
    """The events of each bounded chunk; the last one is cut at its closing bracket."""
    pieces = []
    with open_source(path, 10**9) as source:
        stream = EventStream(source, chunk_bytes)
        while (chunk := stream.next_chunk()) is not None:
            if chunk.bounded:
                pieces.append(msgspec.json.decode(chunk.array))
                stream.consume(chunk, len(chunk.array) - 1, ended=False)
            elif chunk.last:
                end = chunk.events.index(b'}\n  ],\n  "traceName"') + 4
                pieces.append(json.loads(b"[" + chunk.events[:end] + b"]"))
                stream.consume(chunk, end, ended=True)
            else:
                stream.consume(chunk, 0, ended=False)
        return pieces, stream, stream.read_tail()


@pytest.mark.parametrize("chunk_bytes", [64, 700, 4096, 10**6])
def test_pieces_hold_every_event_once(tmp_path: Path, chunk_bytes: int) -> None:
    pieces, stream, tail = cut(write(tmp_path, classic(EVENTS)), chunk_bytes)

    assert [event for piece in pieces for event in piece] == EVENTS
    assert json.loads(stream.head + b"0}") == {**HEAD, "traceEvents": 0}
    assert tail.startswith(b'],\n  "traceName"')
    assert tail.rstrip().endswith(b"}")
    assert stream.ended


def test_a_boundary_is_told_by_indent_or_by_the_next_key() -> None:
    indented, minified = bytearray(classic(EVENTS)), bytearray(dumped(EVENTS))
    start = indented.index(b"traceEvents")

    by_indent = learn_boundary(indented, start, len(indented))
    by_key = learn_boundary(minified, minified.index(b"traceEvents"), len(minified))

    assert by_indent is not None
    assert (by_indent.separator, by_indent.comma) == (b"\n  },\n  {", 4)
    assert by_key is not None
    assert (by_key.separator, by_key.comma) == (b'}, {"ph":', 1)
    last = by_indent.last(indented, start, len(indented))
    assert last is not None
    assert indented[last : last + 5] == b",\n  {"


def test_one_event_has_no_boundary() -> None:
    content = bytearray(classic(a_step()[:1]))

    assert learn_boundary(content, content.index(b"traceEvents"), len(content)) is None


def test_no_array_is_no_trace(tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps(dict(HEAD)).encode())

    with open_source(path, 10**6) as source, pytest.raises(NotATrace, match='has no "traceEvents"'):
        EventStream(source, 4096)
